//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// Bins that a CTA keeps for itself.
pub(super) const BINS: usize = 61;

/// `hist[x[i] mod bins] += 1`, straight into global memory.
#[kernel]
pub fn histogram<T, C>(x: Tensor<T>, mut hist: Tensor<C>, #[scalar] bins: u32) {
    let bin = load(x[program_id::<0>()]).cast::<u32>() % bins;
    atomic_add("hist", bin, cast::<C>(1));
}

/// The same for `BINS` bins: each CTA counts in shared memory and adds what it has at the end.
#[kernel(mode = Reduction)]
pub fn histogram_private<T, C>(x: Tensor<T>, mut hist: Tensor<C>, #[scalar] n: u32) {
    let counts = shared::<C>(BINS);
    for bin in range(tid, BINS, lsize) {
        counts[bin] = cast::<C>(0);
    }
    threadgroup_barrier();
    for i in range(program_id::<0>() * lsize + tid, n, lsize * grid_dim::<0>()) {
        let bin = load(x[i]).cast::<u32>() % BINS;
        atomic_add(counts, bin, cast::<C>(1));
    }
    threadgroup_barrier();
    for bin in range(tid, BINS, lsize) {
        atomic_add(hist, bin, counts[bin]);
    }
}

/// Every thread adds its value to one element of global memory, and to one of its CTA.
#[kernel(mode = Reduction)]
pub fn contended_sum<T>(x: Tensor<T>, mut total: Tensor<T>, mut of_cta: Tensor<T>) {
    threadgroup_alloc("mine", 1, T);
    if tid == 0 {
        threadgroup_store("mine", 0, cast::<T>(0));
    }
    threadgroup_barrier();
    let value = load(x[program_id::<0>() * lsize + tid]);
    atomic_add(total, 0, value);
    atomic_add_tg("mine", 0, value);
    threadgroup_barrier();
    if tid == 0 {
        store(of_cta[program_id::<0>()], threadgroup_load("mine", 0));
    }
}

/// The least and the greatest of each bin, thread i in bin i mod `bins`; what was there before counts too.
#[kernel]
pub fn extremes<T>(x: Tensor<T>, mut least: Tensor<T>, mut greatest: Tensor<T>, #[scalar] bins: u32) {
    let i = program_id::<0>();
    let value = load(x[i]);
    atomic_min(least, i % bins, value);
    atomic_max(greatest, i % bins, value);
}

/// The same within each CTA, in shared memory: one bin a CTA.
#[kernel(mode = Reduction)]
pub fn extremes_of_cta<T>(x: Tensor<T>, mut least: Tensor<T>, mut greatest: Tensor<T>) {
    let ends = shared::<T>(2);
    let i = program_id::<0>() * lsize + tid;
    let value = load(x[i]);
    if tid == 0 {
        ends[0] = value;
        ends[1] = value;
    }
    threadgroup_barrier();
    atomic_min(ends, 0, value);
    atomic_max(ends, 1, value);
    threadgroup_barrier();
    if tid == 0 {
        store(least[program_id::<0>()], ends[0]);
        store(greatest[program_id::<0>()], ends[1]);
    }
}

/// And, or and exclusive or over each bin, thread i in bin i mod `bins`.
#[kernel]
pub fn bit_sets<T>(
    x: Tensor<T>,
    mut every: Tensor<T>,
    mut some: Tensor<T>,
    mut odd: Tensor<T>,
    #[scalar] bins: u32,
) {
    let i = program_id::<0>();
    let value = load(x[i]);
    atomic_and("every", i % bins, value);
    atomic_or("some", i % bins, value);
    atomic_xor("odd", i % bins, value);
}

/// `out[i mod bins] += x[i]` in floats: the order of additions is nobody's.
#[kernel]
pub fn float_sum<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] bins: u32) {
    let i = program_id::<0>();
    atomic_add(out, i % bins, load(x[i]));
}

/// The same in shared memory, one sum a CTA.
#[kernel(mode = Reduction)]
pub fn float_sum_of_cta<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let sum = shared::<T>(1);
    if tid == 0 {
        sum[0] = cast::<T>(0);
    }
    threadgroup_barrier();
    atomic_add(sum, 0, load(x[program_id::<0>() * lsize + tid]));
    threadgroup_barrier();
    if tid == 0 {
        store(out[program_id::<0>()], sum[0]);
    }
}

/// Thread i adds elements 2i and 2i + 1 to a pair, of which there are `bins`.
#[kernel]
pub fn pair_sum<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] bins: u32) {
    let i = program_id::<0>();
    let pair = load_vec::<2>(x, i * 2);
    atomic_add_pair(out, i % bins * 2, pair);
}

/// Copies what is positive, each to a place of its own; which place is nobody's.
#[kernel]
pub fn compact<T>(
    x: Tensor<T>,
    mut out: Tensor<T>,
    mut taken: Tensor<u32>,
    mut count: Tensor<u32>,
    mut sum: Tensor<T>,
) {
    let value = load(x[program_id::<0>()]);
    if value > 0 {
        let place = atomic_add(count, 0, 1);
        store(out[place], value);
        atomic_add(taken, place, 1);
        atomic_add(sum, 0, value);
    }
}

/// The greatest value, by compare and swap.
#[kernel]
pub fn swap_max<T>(x: Tensor<T>, mut top: Tensor<T>) {
    let value = load(x[program_id::<0>()]);
    let mut seen = atomic_load(top, 0, MemoryOrder::Relaxed);
    while seen < value {
        let found = atomic_cas(top, 0, seen, value);
        seen = select(found == seen, value, found);
    }
}

/// Threads that come first in their bin, counted: one in each.
#[kernel]
pub fn claims<T>(mut slots: Tensor<T>, mut winners: Tensor<u32>, #[scalar] bins: u32) {
    let i = program_id::<0>();
    let before = atomic_exch(slots, i % bins, cast::<T>(1));
    if before == 0 {
        atomic_add(winners, i % bins, 1);
    }
}

/// `out[0] = Σ x[i]`: each CTA leaves its sum, and the one that comes last adds them in the order of CTAs.
#[kernel(mode = Reduction)]
pub fn last_cta_sum<T>(
    x: Tensor<T>,
    mut partial: Tensor<T>,
    mut arrived: Tensor<u32>,
    mut out: Tensor<T>,
    #[scalar] n: u32,
) {
    let i = program_id::<0>() * lsize + tid;
    let total = reduce_sum(select(i < n, load(x[i]), cast::<T>(0)));
    if tid == 0 {
        store(partial[program_id::<0>()], total);
        let before = atomic_rmw(AtomicOp::Add, arrived, 0, 1, MemoryOrder::AcqRel, MemoryScope::Gpu);
        if before == grid_dim::<0>() - 1 {
            let mut sum = cast::<T>(0);
            for cta in range(0, grid_dim::<0>()) {
                sum += load(partial[cta]);
            }
            store(out[0], sum);
        }
    }
}

/// `out[t]` = the sum of the tiles 0 … t, a CTA a tile: the CTA that drew ticket t waits for the one before it.
#[kernel(mode = Reduction)]
pub fn chained_sum<T>(
    x: Tensor<T>,
    mut tickets: Tensor<u32>,
    mut ready: Tensor<u32>,
    mut out: Tensor<T>,
    #[scalar] n: u32,
) {
    let drawn = shared::<u32>(1);
    if tid == 0 {
        drawn[0] = atomic_add(tickets, 0, 1);
    }
    threadgroup_barrier();
    let tile = drawn[0];
    let i = tile * lsize + tid;
    let total = reduce_sum(select(i < n, load(x[i]), cast::<T>(0)));
    if tid == 0 {
        let mut before = cast::<T>(0);
        if tile > 0 {
            let mut done = atomic_load(ready, tile - 1, MemoryOrder::Acquire);
            while done == 0 {
                done = atomic_load(ready, tile - 1, MemoryOrder::Acquire);
            }
            before = load(out[tile - 1]);
        }
        store(out[tile], before + total);
        atomic_store(ready, tile, 1, MemoryOrder::Release);
    }
}

/// `out[0]` = Σ `data` = Σ x of one CTA, by thread 0, which waits until every thread has counted itself in: released to
/// the whole grid, acquired within the CTA.
#[kernel(mode = Reduction)]
pub fn counted_in<T>(x: Tensor<T>, mut data: Tensor<T>, mut out: Tensor<T>) {
    let counter = shared::<u32>(1);
    if tid == 0 {
        counter[0] = 0u32;
    }
    threadgroup_barrier();
    data[tid] = load(x[tid]);
    atomic_rmw(AtomicOp::Add, counter, 0, 1, MemoryOrder::Release, MemoryScope::Gpu);
    if tid == 0 {
        while atomic_load(counter, 0, MemoryOrder::Acquire) < lsize {}
        let mut sum = cast::<T>(0);
        for i in range(0u32, lsize) {
            sum += data[i];
        }
        out[0] = sum;
    }
}
