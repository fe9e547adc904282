//! Gated linear units: a function of one half of a row times the other.
//!
//! | kernel | formula |
//! | --- | --- |
//! | `glu` | a · sigmoid(b) |
//! | `reglu` | max(a, 0) · b |
//! | `swiglu` | silu(a) · b |
//! | `geglu` | gelu(a) · b, gelu by the hyperbolic tangent |
//! | `geglu_erf` | gelu(a) · b, gelu by the error function |
//! | `swiglu_limited` | silu(min(a, limit)) · b |
//! | `swiglu_clamped` | silu(min(a, limit)) · clamp(b, ±limit) |
//! | `swiglu_biased` | g · sigmoid(alpha · g) · (u + 1), g = min(a, limit), u = clamp(b, ±limit): the form of GPT-OSS |
//! | `silu_mul_x4`, `silu_mul_x8` | silu(a) · b of two buffers, so many elements a thread; 16-bit types take a graded exponential |
//!
//! Each has two layouts of a row of 2 · n: `_halves` (n of a, then n of b) and `_pairs` (a and b in turn). A thread makes one
//! element. Everything is in f32, products from left to right, each rounded, and T is rounded to once. The functions are the
//! reproducible ones. Where a limit holds a number back, a NaN stays a NaN.
//!
//! −∞ as the argument of silu is −∞/∞, NaN; finite numbers below −104 give −0 or a subnormal times b.
//!
//! | result | tolerance | reason |
//! | --- | --- | --- |
//! | f32 | ulp(4) | the function 1 ulp, each of two products and the reference's own rounding half of one, and an ulp of a factor may be two of the product |
//! | f16, bf16 | ulp(1) | the f32 value may lie on the other side of a tie of the stored type |
//!
//! Hard numbers are paired with numbers of at most 1, because an ulp of a subnormal factor is a large part of it.
//!
//! Kept simple: no vector access.

mod cases;
pub mod kernel;
mod reference;
