//! Reductions and prefixes of whole CTAs and of rows in chunks, and what is made of them: places, compaction, the scan of a
//! vector in three launches.
//!
//! | kernel | formula | shape of the work |
//! | --- | --- | --- |
//! | `cta_sum product max min and or xor` | `out[i]` = the reduction over the CTA | an element a thread |
//! | `cta_cumsum …`, `cta_sum_before …` | the prefix up to, or before, the thread | the same |
//! | `cta_sum_3d` | both by linear index | CTAs on three axes |
//! | `vector_scan_sums`, `_bases`, `_add` | Σ of each CTA; Σ of what is before it; `out[i] = Σ x[0..=i]` | three launches make the scan of a vector |
//! | `row_cumsum`, `row_cumprod`, `row_cummax`, `row_cummin`, `row_sum_before` | prefixes of each row | a CTA a row, in chunks |
//! | `row_places` | where the greatest and the least are | a CTA a row |
//! | `row_compact` | the kept elements, in their order | a CTA a row, in chunks |
//! | `row_scaled` | x · scale · weight | a CTA a row |
//! | `row_exp_sum` | Σ exp(x − s) | a CTA a row |
//! | `own_name` | sums in a loop beside an array named as their scratch | a CTA |
//! | `cut_sum`, `cut_rounds` | sums within the extent; rounds of a loop that the warp ends | an element a thread, the extent cuts the last CTA |
//!
//! `A` is what is accumulated in and stored: f32 for f16 and bf16, else T. The order of additions is that of
//! `docs/semantics.md` §11.1.
//!
//! | result | tolerance | reason |
//! | --- | --- | --- |
//! | integers, extremes, places, what is moved | bits | no rounding |
//! | sums of small integers, products of powers of two | bits | every partial result is exact |
//! | `row_scaled` | bits | its roundings are the reference's |
//! | other prefixes of a CTA | rel(2e-6), f64 rel(1e-13) | positive; at most 12 additions of 6e-8 on a way here, 1,000 of 1e-16 in the reference |
//! | of rows | rel(4e-6) | as many a chunk, and one more for each chunk before it, of which there are at most seven |
//! | `row_exp_sum` | rel(4e-6) | the exponential 1.2e-7, x − s 6e-8 of 8, the additions of a way |

mod cases;
mod cases_extent;
mod cases_rows;
pub mod extent;
pub mod kernel;
mod reference;
pub mod rows;
