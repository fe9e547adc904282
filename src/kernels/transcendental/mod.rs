//! Functions of reals, one thread an element.
//!
//! | kernel | formula | judged by |
//! | --- | --- | --- |
//! | `math_<word>` | `out[i] = word(x[i])` for each function and activation of `math` | ulp(1) |
//! | `math_pow`, `math_atan2`, `math_remainder` | `out[i] = word(a[i], b[i])` | ulp(1); the remainder bits |
//! | `logaddexp` | log(eᵃ + eᵇ) = max + log1p(e^−|a−b|) | f32 rel(4e-7): logarithm, sum and difference round; f16, bf16 ulp(1) |
//! | `graded_exp`, `graded_exp2`, `graded_below` | the graded exponentials | rel(2^−BITS), 16-bit types plus their own rounding |
//! | `both_waves` | sine and cosine of one argument | ulp(1) |
//! | `math_identity` | `out[i] = x[i]`: what the others cost beyond this is the function's | bits |
//!
//! f16 and bf16 are computed in f32 and rounded once. An f32 result is within 1 ulp of the real one, so it is the
//! reference's rounding or a neighbour of it; a 16-bit result may lie on the other side of a tie. References are f64
//! functions of `libm`, which share nothing with `math`.

mod cases;
pub mod kernel;
mod reference;
