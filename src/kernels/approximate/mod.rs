//! The approximations of the hardware, one function a kernel, and one kernel that is approximate as a whole.
//!
//! | kernel | formula | tolerance of f32 | why |
//! | --- | --- | --- | --- |
//! | `exp2_approx` | 2^x | 2 ulp | `ex2.approx` is all that CUDA's `exp2f` is, whose bound is 2 ulp |
//! | `log2_approx` | log₂ x | 2^−21.5, relative; absolute for 0.5 < x < 2 | `lg2.approx`: 2^−22, and the result's rounding |
//! | `sin_approx`, `cos_approx` | sin x, cos x for abs(x) ≤ 2π | 2^−20, absolute | `sin.approx`: at most 2^−20.4 was measured |
//! | `tanh_approx` | tanh x | 2^−10.99 | `tanh.approx`: 2^−11, and the rounding |
//! | `rsqrt_approx` | 1/√x | 2 ulp | `rsqrt.approx`: 2^−22.9 |
//! | `recip_approx` | 1/x | 1 ulp | `rcp.approx`: 1 ulp |
//! | `sqrt_approx` | √x | 2 ulp | `sqrt.approx`: 2^−23 |
//! | `exp_approx` | 2^(x · log₂ e) | 2^−22 + m · 2^−23 for abs(x) ≤ m | `approx::exp` counts the roundings |
//! | `log_approx` | log₂ x · ln 2 | 2^−21 | `lg2.approx`, and two roundings |
//! | `sigmoid_approx` | 1 / (1 + e^−x) | 2^−21 + m · 2^−23 | `approx::sigmoid` counts the roundings |
//! | `silu_approx` | x · sigmoid x | the same | the same |
//! | `swiglu_approx` | silu(gate) · up, `use approx::*` for the whole body | 2^−20.5 + m · 2^−23 | one product more |
//!
//! f16 and bf16 are computed in f32 and rounded once, which may go the other way beside a tie: 1 ulp, or 2 of f16 for
//! `tanh`, whose own error is one; sine and cosine absolutely, as their own bound is.
//!
//! The cases declare that they approximate, so that they count apart; the oracle's value is the true one, rounded, and
//! what a device leaves lies within the tolerance of it and of the reference. Where the bounds
//! come from, and how Metal's differ, is said in `dsl::approx`.

mod cases;
pub mod kernel;
mod reference;
