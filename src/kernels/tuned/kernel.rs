//! The kernels of the family.

use warpsmith::dsl::prelude::*;

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
fn scan_totals(totals: Shared<f32>, count: Val, carry: Val) {
    let mut before = carry;
    for start in range(0u32, count, 32u32) {
        let at = start + simd_lane;
        let own = select(at < count, load(totals[at]), 0.0f32);
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
