//! Softmax of rows, read once and written once.
//!
//! | kernel | formula | shape of the work |
//! | --- | --- | --- |
//! | `softmax_x4`, `softmax_x8` | `out[r, i] = e^(x[r, i] − m) · (1 / Σ e^(x[r, ·] − m))`, m the greatest of the row | a CTA a row of a multiple of 4, 8 |
//!
//! A thread keeps four vectors in registers; what a row has beyond that is read again where it is needed.
//! Everything is in f32 and T is rounded to once. f32 rows use `exp`; 16-bit rows the graded `exp_p`, whose error is a
//! fraction of the result's own.
//!
//! Where the formula ends: a row of −∞ gives zeros, because a mask that hides everything should weigh nothing (m is taken
//! as 0, and a sum of 0 divides nothing); a NaN or a +∞ in a row makes the whole row NaN.
//!
//! | dtype | tolerance | reason |
//! | --- | --- | --- |
//! | f32 | rel(2e-6) | the difference rounds to ½ ulp of up to 16, which moves e^x by 1e-6 at most; exponential, sum, reciprocal and product add 4e-7 |
//! | f16, bf16 | ulp(1) | the f32 value may lie on the other side of a tie of the stored type |

mod cases;
pub mod kernel;
mod reference;
