//! The kernels of the family: bitonic networks (Batcher 1968) in shared memory and over the lanes of a warp.

use warpsmith::dsl::prelude::*;

/// Elements of the longest row that a CTA sorts.
pub(super) const LONGEST: usize = 2048;

/// An element as an integer that sorts like it: floats in their total order, −NaN below −∞ and NaN above ∞.
#[kernel_fn]
fn sort_key<T: KernelType>(element: Val) -> Val {
    if T == f32 {
        let bits = bitcast::<i32>(element);
        // Below zero the larger magnitude is the lesser number.
        bits ^ ((bits >> 31) & 0x7fff_ffffi32)
    } else {
        element
    }
}

/// The element of a key: the same steps again.
#[kernel_fn]
fn of_sort_key<T: KernelType>(key: Val) -> Val {
    if T == f32 { bitcast::<f32>(key ^ ((key >> 31) & 0x7fff_ffffi32)) } else { key }
}

/// Sorts each row of `n` in place, a CTA a row. The row is padded to `1 << stages` by what comes behind everything.
#[kernel(mode = Reduction)]
pub fn sort_rows<T, K>(mut x: Tensor<T>, #[scalar] n: u32, #[scalar] stages: u32) {
    let keys = shared::<K>(LONGEST);
    let first = program_id::<0>().cast::<u64>() * n;
    let size = 1u32 << stages;
    for i in range(tid, size, lsize) {
        keys[i] = select(i < n, sort_key::<T>(load(x[first + i])), cast::<K>(infinity()));
    }
    for stage in range(0, stages) {
        for step in range(0, stage + 1) {
            threadgroup_barrier();
            let apart = 1u32 << (stage - step);
            for pair in range(tid, size >> 1, lsize) {
                // A 0 is put where the partners differ.
                let low = ((pair & -apart) << 1) | (pair & (apart - 1));
                let high = low | apart;
                let (a, b) = (keys[low], keys[high]);
                let rises = ((low >> stage) & 2) == 0;
                if (a > b) == rises {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
        }
    }
    threadgroup_barrier();
    for i in range(tid, n, lsize) {
        store(x[first + i], of_sort_key::<T>(keys[i]));
    }
}

/// Sorts each row of `n` into `sorted`, with `places[r, i]` = where it stood: equal elements stay in their order.
#[kernel(mode = Reduction)]
pub fn sort_rows_places<T, K>(
    x: Tensor<T>,
    mut sorted: Tensor<T>,
    mut places: Tensor<u32>,
    #[scalar] n: u32,
    #[scalar] stages: u32,
) {
    let (keys, origins) = (shared::<K>(LONGEST), shared::<u32>(LONGEST));
    let first = program_id::<0>().cast::<u64>() * n;
    let size = 1u32 << stages;
    for i in range(tid, size, lsize) {
        keys[i] = select(i < n, sort_key::<T>(load(x[first + i])), cast::<K>(infinity()));
        // The padding stands behind an element that is as great.
        origins[i] = i;
    }
    for stage in range(0, stages) {
        for step in range(0, stage + 1) {
            threadgroup_barrier();
            let apart = 1u32 << (stage - step);
            for pair in range(tid, size >> 1, lsize) {
                let low = ((pair & -apart) << 1) | (pair & (apart - 1));
                let high = low | apart;
                let (a, b, from_a, from_b) = (keys[low], keys[high], origins[low], origins[high]);
                let is_behind = a > b || (a == b && from_a > from_b);
                let rises = ((low >> stage) & 2) == 0;
                if is_behind == rises {
                    keys[low] = b;
                    keys[high] = a;
                    origins[low] = from_b;
                    origins[high] = from_a;
                }
            }
        }
    }
    threadgroup_barrier();
    for i in range(tid, n, lsize) {
        store(sorted[first + i], of_sort_key::<T>(keys[i]));
        store(places[first + i], origins[i]);
    }
}

/// Sorts every 32 elements, a warp each: CTAs of whole warps. What is behind `n` comes behind everything.
#[kernel(mode = Reduction)]
pub fn sort_warps<T, K>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let i = program_id::<0>() * lsize + tid;
    let lane = lane_id();
    let mut key = select(i < n, sort_key::<T>(load(x[i])), cast::<K>(infinity()));
    for stage in 1..6 {
        for step in 0..stage {
            let apart = 1 << (stage - 1 - step);
            let other = simd_shuffle_xor(key, apart);
            let rises = ((lane >> stage) & 1) == 0;
            let is_low = (lane & apart) == 0;
            key = select(rises == is_low, min(key, other), max(key, other));
        }
    }
    if i < n {
        store(out[i], of_sort_key::<T>(key));
    }
}
