//! Sums, products and greatest values over rows: each thread walks its part, then the warp and the CTA combine.
//!
//! | kernel | formula | shape of the work |
//! | --- | --- | --- |
//! | `row_sum` | `out[r] = Σ x[r, i]` | a CTA a row |
//! | `row_sum_x4`, `row_sum_x8` | the same for rows of a multiple of 4, 8 | the same, so many elements an access and as many sums in flight |
//! | `row_max` | `out[r] = max x[r, i]`; a NaN loses, nothing gives −∞ or the least integer | a CTA a row |
//! | `dot` | `out[0] = Σ a[i] · b[i]` | one CTA |
//! | `gemv` | `y[r] = Σ a[r, k] · x[k]`, fused | a warp a row |
//!
//! `A` is the type that is accumulated in and stored: f32 for f16, bf16 and f32; an integer type that wraps for integers.
//! CTAs may have any size; matrices are row after row.
//!
//! | result | tolerance | reason |
//! | --- | --- | --- |
//! | integers, `row_max` | bits | no rounding |
//! | sums of small integers as floats | bits | every partial sum is exact in f32 |
//! | other float sums | rel(1e-6), rel(2e-6) from 4,096 elements a row | inputs are positive, so each of the roundings on a way (elements of a thread, 10 steps of the trees) costs at most 6e-8 of the sum, in both directions |
//!
//! Kept simple: a row is never split over CTAs, so that few long rows leave the device idle.

mod cases;
mod cases_float;
pub mod kernel;
mod reference;
