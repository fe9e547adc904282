//! One thread per element: sums, products, choices, conversions.
//!
//! | kernel | formula | rounding | judged by |
//! | --- | --- | --- | --- |
//! | `vector_add` | c = a + b | once, to T; integers wrap | bits |
//! | `vector_add_x4`, `vector_add_x8` | the same, so many elements a thread | the same | bits |
//! | `add_3d` | c = a + b on views of three axes | the same | bits |
//! | `axpy` | y = alpha · x + y, in place | product and sum in f32, then to T | bits |
//! | `fma3` | out = a · b + c | once, to T | bits |
//! | `clamp` | x below low: low; above high: high; else x (NaN stays) | none | bits |
//! | `choose` | c ? a : b | none | bits |
//! | `arange` | start + i · step in 64-bit integers | once, to T; integers wrap | bits |
//! | `linspace` | start + i · step, fused in f32 | fused once to f32, then to T | bits |
//! | `cast` | x in another type | as `docs/semantics.md` §7 | bits |
//!
//! Nothing here has a tolerance: each of these formulas has one right result, and the references compute it. `_x4` and
//! `_x8` access 16 bytes at once (four elements of 32 bits, eight of 16) and finish a ragged end one by one.
//!
//! Kept simple: one vector a thread, no grid-stride loop.

mod cases;
mod conversions;
pub mod kernel;
mod reference;
