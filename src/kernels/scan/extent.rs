//! Kernels of the corners: an extent that cuts a CTA, an array with the name of a reduction's scratch.

use warpsmith::dsl::prelude::*;

/// `out[i]` = the sum of what the CTA has within the extent, and of what is before the thread.
#[kernel(mode = Elementwise)]
pub fn cut_sum<T>(x: Tensor<T>, mut out: Tensor<T>, mut before: Tensor<T>) {
    let i = program_id::<0>();
    let value = load(x[i]);
    out[i] = reduce_sum(value);
    before[i] = scan_exclusive(value);
}

/// `out[i]` = rounds until every lane of the warp has counted up to 6, by a loop that the warp ends, before a barrier.
#[kernel(mode = Elementwise)]
pub fn cut_rounds(x: Tensor<u32>, mut out: Tensor<u32>) {
    let i = program_id::<0>();
    let mut value = load(x[i]);
    let mut rounds = 0u32;
    loop {
        if all_lanes(value >= 6u32) {
            break;
        }
        value += 1u32;
        rounds += 1u32;
    }
    threadgroup_barrier();
    out[i] = rounds;
}

/// `out[i]` = three sums over the CTA, made in a loop, and what the kernel's own array of that name holds.
#[kernel(mode = Reduction)]
pub fn own_name(x: Tensor<u32>, mut out: Tensor<u32>) {
    threadgroup_alloc("reduce_u32", 2, u32);
    if tid == 0 {
        threadgroup_store("reduce_u32", 1, 77u32);
    }
    threadgroup_barrier();
    let mut total = 0u32;
    for round in range(0u32, 3u32) {
        total += reduce_sum(load(x[tid]) + round);
    }
    out[tid] = threadgroup_load("reduce_u32", 1) + total * 1000u32;
}
