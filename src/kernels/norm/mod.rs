//! Normalisations of rows.
//!
//! | kernel | formula | shape of the work |
//! | --- | --- | --- |
//! | `rms_norm` | `out[r, i] = x[r, i] · gain[i] / √(Σ x[r, ·]² / n + eps)` | a CTA a row |
//! | `rms_norm_x4`, `rms_norm_x8` | the same for rows of a multiple of 4, 8 | the same, so many elements an access |
//!
//! Everything is in f32: squares are fused into the sum, 1/√ is a division of the square root, and the scaled element is
//! multiplied by the gain; T is rounded to once. A row is read twice, the second time out of the L1 or L2 cache.
//!
//! | dtype | tolerance | reason |
//! | --- | --- | --- |
//! | f32 | rel(2e-6) | the sum of squares rounds at most 40 + 10 times on a way, which the root halves; five more roundings follow, each 6e-8 |
//! | f16, bf16 | ulp(1) | the f32 value may lie on the other side of a tie of the stored type |
//!
//! Kept simple: a row is never split over CTAs, and not kept in registers between the two walks.

mod cases;
pub mod kernel;
mod reference;
