//! Kernels that keep a piece of their input in shared memory.

use warpsmith::dsl::prelude::*;

pub(super) use super::transpose::{CUBE, SIDE};
pub use super::transpose::{
    permuted_axes, transpose_staged_padded, transpose_staged_unpadded, transpose_tiled_x4, transpose_tiled_x8,
};

/// The longest row of `reversed_rows`.
pub(super) const ROW: usize = 4096;

/// f32 that 100 KB hold: the longest row of `below_row_max`.
pub(super) const KEPT: usize = 25_600;

/// Rows and columns of a stencil's tile: one more on each side than a CTA has threads.
const HALO: usize = SIDE + 2;

/// The sum of each element and its four neighbours, 0 beyond the edge; CTAs of 16 × 16.
#[kernel(mode = SimdGroup2D)]
pub fn neighbour_sum<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] rows: u32, #[scalar] cols: u32) {
    let tile = shared::<T>(HALO * HALO);
    let (lane, line) = (thread_id::<0>(), thread_id::<1>());
    let (left, top) = (cta_id::<0>() * SIDE, cta_id::<1>() * SIDE);
    for at in range(line * SIDE + lane, HALO * HALO, SIDE * SIDE) {
        // Counted from one beyond the edge.
        let (row, col) = (top + at / HALO, left + at % HALO);
        let is_inside = row >= 1 && row <= rows && col >= 1 && col <= cols;
        tile[at] = select(is_inside, x[(row - 1).cast::<u64>() * cols + (col - 1)], 0);
    }
    threadgroup_barrier();
    if top + line < rows && left + lane < cols {
        let at = (line + 1) * HALO + lane + 1;
        let sum = tile[at - HALO] + tile[at - 1] + tile[at] + tile[at + 1] + tile[at + HALO];
        out[(top + line).cast::<u64>() * cols + (left + lane)] = sum;
    }
}

/// Each row of `n` ≤ 4,096 in reverse, a CTA a row.
#[kernel(mode = Reduction)]
pub fn reversed_rows<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let row = shared::<T>(ROW);
    let first = cta_id::<0>().cast::<u64>() * n;
    for i in range(tid, n, lsize) {
        row[i] = x[first + i];
    }
    threadgroup_barrier();
    for i in range(tid, n, lsize) {
        out[first + i] = row[n - 1 - i];
    }
}

/// Each CTA's pairs in reverse order; CTAs of at most 256 threads.
#[kernel(mode = Reduction)]
pub fn reversed_pairs<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let pairs = shared::<T>(512);
    let first = cta_id::<0>().cast::<u64>() * lsize * 2;
    store_vec(pairs, tid * 2, load_vec::<2>(x, first + tid * 2));
    threadgroup_barrier();
    store_vec(out, first + tid * 2, load_vec::<2>(pairs, (lsize - 1 - tid) * 2));
}

fn elements<T: KernelType>(bytes: usize) -> usize {
    bytes / T::dtype().size() as usize
}

/// `out[i] = x[(i + by) mod count]` in each piece of `count` = BYTES / size elements, a CTA a piece; `by` < `count`.
///
/// 49,152 bytes are the most that are static; 49,168 are dynamic, like all above; 101,376 are all that 12.x has, 232,448 all
/// that sm_90 has.
#[kernel(mode = Reduction, variants(BYTES = [49_152, 49_168, 101_376, 102_400, 232_448], suffix = "_{BYTES}"))]
pub fn rotated_through<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] by: u32) {
    let count = elements::<T>(BYTES);
    let kept = shared::<T>(count);
    let first = cta_id::<0>().cast::<u64>() * count;
    for i in range(tid, count, lsize) {
        kept[i] = x[first + i];
    }
    threadgroup_barrier();
    for i in range(tid, count, lsize) {
        let from = i + by;
        out[first + i] = kept[select(from >= count, from - count, from)];
    }
}

/// x − max of its row, in f32, for rows of `n` ≤ 25,600; a CTA a row. The row is read from memory once.
#[kernel(mode = Reduction)]
pub fn below_row_max<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let row = shared::<f32>(KEPT);
    let first = cta_id::<0>().cast::<u64>() * n;
    let mut greatest = neg_infinity();
    for i in range(tid, n, lsize) {
        let value = load(x[first + i]).cast::<f32>();
        row[i] = value;
        greatest = max(greatest, value);
    }
    let top = reduce_max(greatest);
    for i in range(tid, n, lsize) {
        out[first + i] = row[i] - top;
    }
}
