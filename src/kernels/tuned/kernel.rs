//! The kernels of the family.

use warpsmith::dsl::prelude::*;
use warpsmith::ir::op::MemoryOrder;

/// `out[r, i]` = Σ x[r, ..=i], a CTA a row of `n`, which is a multiple of `W`. `PARTS` vectors a thread are on their way
/// at once; their totals meet in shared memory once for all of them, not once a vector.
#[kernel(mode = Reduction, variants(W = [4, 8], PARTS = [8, 4], suffix = "_x{W}"))]
pub fn row_scan<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let stride = lsize * W;
    let totals = shared::<f32>(TOTALS);
    let mut carry = 0.0f32;
    for start in range(0u32, n, stride * PARTS) {
        let at = std::array::from_fn::<_, PARTS, _>(|part| start + tid * W + stride * part);
        let parts = at.map(|at| {
            let values = if at < n {
                load_vec::<W>(x, first + at).map(|value| value.cast::<f32>())
            } else {
                zeros::<W>()
            };
            prefixes(values)
        });
        let inclusive = parts.map(|part| simd_scan_inclusive(part[W - 1]));
        if simd_lane == 31 {
            for part in 0..PARTS {
                store(totals[n_simd * part + simd_id], inclusive[part]);
            }
        }
        threadgroup_barrier();
        if simd_id == 0 {
            scan_totals(totals, n_simd * PARTS, carry);
        }
        threadgroup_barrier();
        for part in 0..PARTS {
            let before = load(totals[n_simd * part + simd_id]);
            let neighbour = simd_shuffle_up(inclusive[part], 1);
            let in_front = select(simd_lane == 0, before, before + neighbour);
            if at[part] < n {
                store_vec(out, first + at[part], parts[part].map(|prefix| in_front + prefix));
            }
        }
        carry = load(totals[n_simd * PARTS]);
        threadgroup_barrier();
    }
}

/// Totals of the largest CTA, 32 warps of `PARTS` vectors, and the sum of all.
const TOTALS: usize = 257;

/// No elements.
fn zeros<const W: usize>() -> [Val; W] {
    [0.0f32.val(); W]
}

/// The sums of a vector's elements up to each.
fn prefixes<const W: usize>(values: [Val; W]) -> [Val; W] {
    let mut sum = values[0];
    std::array::from_fn(|index| {
        if index > 0 {
            sum = sum + values[index];
        }
        sum
    })
}

/// Makes of each of the `count` totals the sum of those before it and `carry`, and puts the sum of all behind them. One
/// warp, 32 totals at a time.
#[kernel_fn]
fn scan_totals<A: KernelType>(totals: Shared<A>, count: Val, carry: Val) {
    let mut before = carry;
    for start in range(0u32, count, 32u32) {
        let at = start + simd_lane;
        let own = select(at < count, load(totals[at]), cast::<A>(0));
        let inclusive = simd_scan_inclusive(own);
        let neighbour = simd_shuffle_up(inclusive, 1);
        if at < count {
            store(totals[at], select(simd_lane == 0, before, before + neighbour));
        }
        before = before + simd_broadcast(inclusive, 31);
    }
    if simd_lane == 0 {
        store(totals[count], before);
    }
}

/// `out[r]` = the index of the greatest of row r, a CTA a row of `n`, which is a multiple of `W`: the least index of equal
/// ones. NaN loses to every number; a row of NaN gives 0.
#[kernel(mode = Reduction, variants(W = [4, 8], PARTS = [4, 4], suffix = "_x{W}"))]
pub fn row_argmax<T>(x: Tensor<T>, mut out: Tensor<u32>, #[scalar] n: u32) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let stride = lsize * W;
    let batched = n / (stride * PARTS) * (stride * PARTS);
    let mut best = nan();
    let mut place = tid * W;
    for start in range(tid * W, batched + tid * W, stride * PARTS) {
        let parts =
            std::array::from_fn::<_, PARTS, _>(|part| load_vec::<W>(x, first + (start + stride * part)));
        for part in 0..PARTS {
            for index in 0..W {
                let value = parts[part][index].cast::<f32>();
                // False for NaN on the right, true for NaN on the left.
                let is_better = !(value <= best) && value == value;
                best = select(is_better, value, best);
                place = select(is_better, start + stride * part + index, place);
            }
        }
    }
    for at in range(batched + tid * W, n, stride) {
        let values = load_vec::<W>(x, first + at);
        for index in 0..W {
            let value = values[index].cast::<f32>();
            let is_better = !(value <= best) && value == value;
            best = select(is_better, value, best);
            place = select(is_better, at + index, place);
        }
    }
    let winner = reduce_argmax(best, place);
    if tid == 0 {
        store(out[row], winner);
    }
}

/// Chunks whose totals one group holds: as many as a warp asks for at once.
pub const GROUP: u32 = 32 * AHEAD as u32;

/// Threads of the largest CTA of a `vector_scan`.
const MOST_THREADS: usize = 384;

/// Totals that a lane asks for before it looks at the first.
const AHEAD: usize = 2;

/// `out[i]` = Σ x[..=i] of `n` elements, a multiple of `W`, in one launch of a CTA of two to twelve warps a chunk of
/// `lsize · W · PARTS`. While a chunk waits for those before it, its elements lie in shared memory: in registers they
/// would keep other CTAs off the SM.
///
/// Every CTA publishes the total of its chunk, the last of each `GROUP` the total of all; what is before a chunk is the
/// sum of the groups before its own and of the chunks before it in its group. Both are added in a fixed order, so that
/// the bits don't depend on who came first; and no total waits for a prefix, so that nothing is passed on from chunk to
/// chunk. Chunks are handed out by a ticket: who waits, waits for CTAs that run.
///
/// `state` is 1 + chunks + groups words, zeros before the first launch: the ticket, then totals in the lower half of a
/// word with the launch's number in the upper. It may be used again by the next launch as it is.
#[kernel(mode = Reduction, variants(W = [4, 8], PARTS = [8, 8], suffix = "_x{W}"))]
pub fn vector_scan<T, A>(x: Tensor<T>, mut out: Tensor<T>, mut state: Tensor<u64>, #[scalar] n: u64) {
    let (totals, front) = (shared::<A>(TOTALS), shared::<A>(2));
    let held = shared::<T>(MOST_THREADS * W * PARTS);
    let turn = shared::<u32>(2);
    let chunks = grid_dim::<0>();
    if tid == 0 {
        // A launch takes a power of two of tickets, so that no division stands before the first load.
        let bits = (32u32 - clz(chunks - 1u32)).cast::<u64>();
        let ticket = atomic_add(state, 0u32, 1u64);
        let drawn = (ticket & ((1u64 << bits) - 1u64)).cast::<u32>();
        if drawn == chunks - 1u32 {
            atomic_add(state, 0u32, (1u64 << bits) - chunks.cast::<u64>());
        }
        store(turn[0], drawn);
        store(turn[1], (ticket >> bits).cast::<u32>() + 1u32);
    }
    threadgroup_barrier();
    let (chunk, launch) = (load(turn[0]), load(turn[1]));
    let stride = lsize * W;
    let first = chunk.cast::<u64>() * (stride * PARTS);
    let count = min(n - first, (stride * PARTS).cast::<u64>()).cast::<u32>();
    let at = std::array::from_fn::<_, PARTS, _>(|part| tid * W + stride * part);
    // Past the end the last vector stands in, and counts for nothing: no branch parts the loads.
    let parts = at.map(|at| load_vec::<W>(x, first + min(at, count - W as u32)));
    let inclusive = std::array::from_fn::<_, PARTS, _>(|part| {
        store_vec(held, at[part], parts[part]);
        let total = prefixes(parts[part].map(|value| value.cast::<A>()))[W - 1];
        simd_scan_inclusive(select(at[part] < count, total, cast::<A>(0)))
    });
    if simd_lane == 31 {
        for part in 0..PARTS {
            store(totals[n_simd * part + simd_id], inclusive[part]);
        }
    }
    threadgroup_barrier();
    let group = chunk / GROUP;
    if simd_id == 0 {
        scan_totals(totals, n_simd * PARTS, cast::<A>(0));
        warp_barrier();
        let total = load(totals[n_simd * PARTS]);
        let rank = chunk - group * GROUP;
        if simd_lane == 0 {
            publish(state, 1u32 + chunk, total, launch);
        }
        let in_group = published_sum::<A>(state, 1u32 + group * GROUP, rank, launch);
        if simd_lane == 0 {
            if rank == GROUP - 1 {
                publish(state, 1u32 + chunks + group, in_group + total, launch);
            }
            store(front[0], in_group);
        }
    }
    if simd_id == 1 {
        let in_groups = published_sum::<A>(state, 1u32 + chunks, group, launch);
        if simd_lane == 0 {
            store(front[1], in_groups);
        }
    }
    threadgroup_barrier();
    let all_before = load(front[1]) + load(front[0]);
    for part in 0..PARTS {
        let before = all_before + load(totals[n_simd * part + simd_id]);
        let neighbour = simd_shuffle_up(inclusive[part], 1);
        let in_front = select(simd_lane == 0, before, before + neighbour);
        if at[part] < count {
            let prefixes = prefixes(load_vec::<W>(held, at[part]).map(|value| value.cast::<A>()));
            store_vec(out, first + at[part], prefixes.map(|prefix| in_front + prefix));
        }
    }
}

/// Makes a total known: value and launch in one word, so that whoever sees the one sees the other.
#[kernel_fn]
fn publish(state: Tensor<u64>, at: Val, total: Val, launch: Val) {
    let word = launch.cast::<u64>() << 32u64 | bitcast::<u32>(total).cast::<u64>();
    atomic_store(state, at, word, MemoryOrder::Relaxed);
}

/// The sum of `count` totals from `first` on, once they are known, in every lane of the warp: each lane's in index order,
/// then over the lanes.
#[kernel_fn]
fn published_sum<A: KernelType>(state: Tensor<u64>, first: Val, count: Val, launch: Val) -> Val {
    let mut sum = cast::<A>(0);
    for index in range(simd_lane, count, GROUP) {
        // Past the end the last one stands in, and counts for nothing.
        let at = std::array::from_fn::<_, AHEAD, _>(|ahead| index + 32 * ahead as u32);
        let places = at.map(|at| first + min(at, count - 1u32));
        let words = places.map(|place| atomic_load(state, place, MemoryOrder::Relaxed));
        for ahead in 0..AHEAD {
            let mut word = words[ahead];
            while (word >> 32u64).cast::<u32>() != launch {
                word = atomic_load(state, places[ahead], MemoryOrder::Relaxed);
            }
            sum += select(at[ahead] < count, bitcast::<A>(word.cast::<u32>()), cast::<A>(0));
        }
    }
    simd_sum(sum)
}
