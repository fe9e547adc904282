//! The kernels whose warps stay together: reductions, prefixes, votes, matches, places.

use warpsmith::dsl::prelude::*;

macro_rules! lane_kernels {
    ($($kernel:ident $word:ident)*) => {$(
        #[doc = concat!("`out[i]` = ", stringify!($word), " of x over the warp of thread i.")]
        #[kernel]
        pub fn $kernel<T, A>(x: Tensor<T>, mut out: Tensor<A>) {
            let i = program_id::<0>();
            store(out[i], $word(load(x[i])));
        }
    )*};
}

lane_kernels! {
    warp_sum simd_sum
    warp_product simd_product
    warp_max simd_max
    warp_min simd_min
    warp_and simd_and
    warp_or simd_or
    warp_xor simd_xor
    warp_cumsum simd_scan_inclusive
    warp_cumprod simd_scan_inclusive_product
    warp_cummax simd_scan_inclusive_max
    warp_cummin simd_scan_inclusive_min
    warp_sum_before simd_scan_exclusive
    warp_product_before simd_scan_exclusive_product
    warp_max_before simd_scan_exclusive_max
    warp_min_before simd_scan_exclusive_min
}

/// `out[i]` = the lanes of its warp whose x is above `limit`; bit 0 of `votes[i]` = whether there is one, bit 1 = whether
/// all are.
#[kernel]
pub fn warp_votes<T>(x: Tensor<T>, mut out: Tensor<u32>, mut votes: Tensor<u32>, #[scalar] limit: i32) {
    let i = program_id::<0>();
    let is_above = load(x[i]) > limit;
    store(out[i], ballot(is_above));
    store(votes[i], any_lane(is_above) + all_lanes(is_above) * 2u32);
}

/// `out[i]` = the lanes of its warp that hold the same x.
#[kernel]
pub fn warp_match<T>(x: Tensor<T>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    store(out[i], match_any(load(x[i])));
}

/// `greatest[i]`, `least[i]` = the lane of the greatest and the least x of the warp. Lanes are numbered from 100 down, so
/// that of equals the last wins.
#[kernel]
pub fn warp_places<T>(x: Tensor<T>, mut greatest: Tensor<u32>, mut least: Tensor<u32>) {
    let i = program_id::<0>();
    let (value, number) = (load(x[i]), 100 - lane_id());
    store(greatest[i], simd_argmax(value, number));
    store(least[i], simd_argmin(value, number));
}

/// `out[z, y, x]` = Σ over its warp, `before[z, y, x]` = Σ over the lanes before it, for an extent of `nx` × `ny` × any.
#[kernel(mode = Grid3D)]
pub fn warp_sum_3d<T, A>(
    x: Tensor<T>,
    mut out: Tensor<A>,
    mut before: Tensor<A>,
    #[scalar] nx: u32,
    #[scalar] ny: u32,
) {
    let i = (program_id::<2>() * ny + program_id::<1>()) * nx + program_id::<0>();
    let value = load(x[i]);
    store(out[i], simd_sum(value));
    store(before[i], simd_scan_exclusive(value));
}
