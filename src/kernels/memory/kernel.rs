//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// Rows and columns of the tile of `transpose`.
pub(super) const TILE: usize = 32;

/// out = x.
#[kernel]
pub fn copy<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], load(x[i]));
}

/// out = x, `W` elements a thread: ⌈n / W⌉ threads.
#[kernel(variants(W = [4, 8], suffix = "_x{W}"))]
pub fn copy<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u64) {
    let first = program_id::<0>().cast::<u64>() * W;
    if first + W <= n {
        store_vec(out, first, load_vec::<W>(x, first));
    } else {
        for i in range(first, n) {
            store(out[i], load(x[i]));
        }
    }
}

/// out = x from element `from` on, for as many elements as there are threads.
#[kernel]
pub fn copy_range<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] from: u64) {
    let i = from + program_id::<0>().cast::<u64>();
    store(out[i], load(x[i]));
}

/// out = x from element `from` on, with indices of one type.
#[kernel(variants(I = [u32, i32, u64, i64], suffix = "_{I}"))]
pub fn copied_at<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] from: I) {
    let i = from + program_id::<0>().cast::<I>();
    store(out[i], load(x[i]));
}

/// `out[i] = x[index[i]]`.
#[kernel]
pub fn gather<T>(x: Tensor<T>, index: Tensor<u32>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], load(x[load(index[i])]));
}

/// out = x on views of two axes.
#[kernel(mode = Grid3D)]
pub fn copy_2d<T>(#[strided] x: Tensor<T>, #[strided] mut out: Tensor<T>) {
    let (row, col) = (program_id::<1>(), program_id::<0>());
    store(out[(row, col)], load(x[(row, col)]));
}

/// out = x on views of three axes.
#[kernel(mode = Grid3D)]
pub fn copy_3d<T>(#[strided] x: Tensor<T>, #[strided] mut out: Tensor<T>) {
    let (plane, row, col) = (program_id::<2>(), program_id::<1>(), program_id::<0>());
    store(out[(plane, row, col)], load(x[(plane, row, col)]));
}

/// out[(j, i)] = x[(i, j)] for x of `rows` × `cols`; CTAs of 32 × any.
///
/// Each CTA reads rows of a tile and writes rows of its transpose, so that both touch neighbouring addresses.
#[kernel(mode = SimdGroup2D)]
pub fn transpose<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] rows: u32, #[scalar] cols: u32) {
    let tile = shared::<T>(TILE * (TILE + 1));
    let (lane, line) = (thread_id::<0>(), thread_id::<1>());
    let (left, top) = (cta_id::<0>() * TILE, cta_id::<1>() * TILE);
    for step in range(line, TILE, cta_dim::<1>()) {
        let (row, col) = (top + step, left + lane);
        if row < rows && col < cols {
            tile[step * (TILE + 1) + lane] = x[row.cast::<u64>() * cols + col];
        }
    }
    threadgroup_barrier();
    for step in range(line, TILE, cta_dim::<1>()) {
        let (row, col) = (left + step, top + lane);
        if row < cols && col < rows {
            out[row.cast::<u64>() * rows + col] = tile[lane * (TILE + 1) + step];
        }
    }
}
