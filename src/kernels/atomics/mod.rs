//! Atomic operations under contention: counting, extremes, bits, sums, places drawn by ticket, and waiting for another CTA.
//!
//! | kernel | result | judged by |
//! | --- | --- | --- |
//! | `histogram`, `histogram_private` | how many elements fall into each bin, counted in global or first in shared memory | bits |
//! | `contended_sum` | one sum for all, one for each CTA, of integers | bits |
//! | `extremes`, `extremes_of_cta` | least and greatest, of integers and floats: a NaN loses, −0 < +0 | bits |
//! | `bit_sets` | and, or, exclusive or | bits |
//! | `float_sum`, `float_sum_of_cta`, `pair_sum` | float sums, in no order | tolerance, below; small integers by bits |
//! | `compact` | what is positive, in no order: its number, its sum, and that no place was given twice | bits |
//! | `swap_max` | the greatest, by compare and swap | bits |
//! | `claims` | how many came first in a bin: one | bits |
//! | `last_cta_sum` | a sum that the last CTA finishes, in the order of CTAs | bits |
//! | `chained_sum` | sums up to each tile: a CTA waits for the one with the ticket before | bits |
//! | `counted_in` | Σ of a CTA by the thread that waits until all have counted themselves in | bits |
//!
//! What integers, bits and extremes leave does not depend on the order of threads. A float sum does: it is judged by its
//! reference alone. Each of k additions of positive numbers rounds by half an ulp, so that k additions miss the sum by a
//! share of at most k · 2⁻²⁴ in f32, k · 2⁻⁵³ in f64, k · 2⁻¹¹ in f16 and k · 2⁻⁸ in bf16: that is the tolerance.
//! Numbers are normal: a global f32 sum flushes subnormals on hardware.

mod cases;
mod cases_float;
pub mod kernel;
mod reference;
