//! Operations of warps: reductions, prefixes, votes, matches, places; of whole warps, of warps that a CTA or an extent cuts,
//! and of the lanes that a branch or a loop leaves.
//!
//! | kernel | formula, over the active lanes of the warp |
//! | --- | --- |
//! | `warp_sum product max min and or xor` | `out[i]` = the reduction of x |
//! | `warp_cumsum cumprod cummax cummin` | the prefix up to the lane |
//! | `warp_sum_before …` | the prefix before the lane; the identity in the first |
//! | `warp_votes`, `warp_match` | ballot, any and all; the lanes with the same value |
//! | `warp_places` | the number of the greatest and of the least; NaN loses, equals go by number |
//! | `warp_sum_3d` | sums of warps that go over rows and planes of a CTA with an extent on three axes |
//! | `parted_fold`, `parted_twice`, `parted_places` | the same words in the arms of `if`s, one and two deep |
//! | `parted_trips`, `parted_triangle`, `parted_while` | in loops of lengths of their own |
//! | `parted_break`, `parted_continue` | behind lanes that leave a round or the loop, from two `if`s deep |
//! | `sum_by_key` | Σ over the lanes with the same key, a key a round |
//!
//! `A` is what is accumulated in and stored: f32 for f16 and bf16, else T. What lane counts as which follows
//! `docs/semantics.md` §9 and §10.
//!
//! | result | tolerance | reason |
//! | --- | --- | --- |
//! | integers; greatest, least; places, votes, matches | bits | no rounding |
//! | sums of small integers, products of powers of two | bits | every partial result is exact |
//! | sums of magnitudes far apart | rel(1e-6), f64 rel(1e-14) | positive; five additions of 6e-8 (1e-16) on a way here, 31 in the reference, which for f32 is in f64 |
//! | prefixes of them | rel(1e-6) | the same |

mod cases;
mod cases_divergent;
pub mod divergent;
pub mod kernel;
mod reference;
