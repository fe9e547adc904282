//! Normalisations of rows.
//!
//! | kernel | formula | shape of the work |
//! | --- | --- | --- |
//! | `rms_norm` | `out[r, i] = x[r, i] · gain[i] / √(Σ x[r, ·]² / n + eps)` | a CTA a row |
//! | `rms_norm_x4`, `rms_norm_x8` | the same for rows of a multiple of 4, 8 | the same, so many elements an access |
//! | `layer_norm` | `out[r, i] = (x[r, i] − mean) / √(variance + eps) · gamma[i] + beta[i]` | a CTA a row |
//! | `group_norm` | the same on `x[item, channel, place]`, mean and variance over a group of channels, gamma and beta by channel | a CTA a group of an item |
//!
//! Everything is in f32: squares are fused into the sum, 1/√ is a division of the square root, and the scaled element is
//! multiplied by the gain; T is rounded to once. A row is read twice, the second time out of the L1 or L2 cache.
//!
//! The mean of `layer_norm` and `group_norm` is a division of a sum; the variance is the mean of (x − mean)², fused into its
//! sum in a walk of its own; x − mean, the products with 1/√ and gamma, and the sum with beta each round to f32.
//!
//! What the formulas give where numbers end:
//!
//! | row | result |
//! | --- | --- |
//! | zeros, eps 0 (`rms_norm`) | NaN: 1/√0 = ∞, 0 · ∞ |
//! | zeros, eps > 0 (`rms_norm`) | zeros |
//! | all equal, eps 0 (`layer_norm`) | NaN, the same way; with eps > 0 it is beta |
//! | squares that overflow f32 (from 1.8e19 on) | 1/√∞ = 0: zeros, or beta, with the sign of x · gain |
//! | an infinity (`rms_norm`) | 0 for finite elements, NaN for the infinity: ∞ · 0 |
//! | an infinity (`layer_norm`) | NaN everywhere: its distance from an infinite mean is ∞ − ∞ |
//! | a NaN | NaN everywhere |
//!
//! | dtype | tolerance | reason |
//! | --- | --- | --- |
//! | f32 | rel(2e-6) | the sum of squares rounds at most 40 + 10 times on a way, which the root halves; five more roundings follow, each 6e-8 |
//! | f16, bf16 | ulp(1) | the f32 value may lie on the other side of a tie of the stored type |
//!
//! For `layer_norm` and `group_norm` beta is far from zero and larger than what is added to it, so that the sum doesn't cancel and
//! the same numbers hold. Where beta is 0 the sums are exact in f32, and so are mean and distances but for one rounding,
//! which the reference makes too.
//!
//! Kept simple: a row is never split over CTAs, and not kept in registers between the two walks.

mod cases;
mod cases_centred;
mod cases_hard;
pub mod centred;
pub mod kernel;
mod reference;
