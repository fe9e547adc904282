//! Products of matrices by the portable words: 8×8 matrices of a warp, and cooperative tiles.
//!
//! | kernel | formula | by |
//! | --- | --- | --- |
//! | `eights_gemm_ORDER` | c = a · b, any m, n, k | one 8×8 matrix a CTA, staged in shared memory |
//! | `eights_block_ORDER` | c = a · bᵀ rounded to T at each depth of 8; whole matrices | 2 × 2 matrices a warp, read from the buffers |
//! | `tile_gemm_SHAPE_ORDER` | c = a · b, any m, n, k | a cooperative tile a warp, cleared, then accumulated |
//! | `tile_transposed_ORDER` | the same from tiles staged the other way round, and C too | a tile of the CTA's warps |
//! | `tile_pair_ORDER` | the same | a tile that overwrites and one that accumulates into its C |
//! | `tile_direct_ORDER` | c = a · bᵀ rounded to T, any m; n and k of whole tiles | tiles that read the buffers themselves |
//! | `tile_shared_ORDER` | c = a · b, any m, n, k | a tile of depth 32, then one of depth 16 with the same C |
//!
//! ORDER is `ieee` (f32 fused multiply-adds over ascending k) or `native` (the matrix unit). Factors are f32 (`ieee` only),
//! f16 and bf16; cooperative tiles hold bf16 as f16, in which numbers from 65,520 on are infinite.
//!
//! Tolerance: sums of k products differ from the exact one by at most k roundings of f32 relative to the sum of
//! magnitudes, in either order; inputs from −1/4 to 7/4 keep that within 4 times the result. A result that is rounded to
//! T on the way has as many of T's roundings. Products of small integers, and of a matrix with a permutation, are exact.

mod cases;
mod cases_eights;
pub mod eights;
pub mod kernel;
mod reference;
