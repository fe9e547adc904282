//! Scans and searches of long rows, written for the memory's speed.
//!
//! | kernel | formula | shape of the work |
//! | --- | --- | --- |
//! | `row_scan_x4`, `row_scan_x8` | `out[r, i] = Σ x[r, ..=i]` | a CTA a row of a multiple of 4, 8 |
//! | `vector_scan_x4`, `vector_scan_x8` | `out[i] = Σ x[..=i]` of a whole buffer, in one launch | a CTA a chunk |
//! | `row_argmax_x4`, `row_argmax_x8` | `out[r]` = the first index of the row's greatest | the same |
//!
//! Sums are f32, or T of integers, and T is rounded to once. Their order: within a vector in index order, over the vectors of a warp by
//! ranks, over the warps' totals 32 at a time by ranks, with what came before added last.
//!
//! | dtype | tolerance | reason |
//! | --- | --- | --- |
//! | f32 | rel(1e-5) of positive terms | a prefix of n terms passes some 20 additions, each ½ ulp |
//! | f16, bf16 | ulp(1) | the f32 sum may lie on the other side of a tie of the stored type |
//! | indices | exact | |

mod cases;
pub mod kernel;
mod reference;
