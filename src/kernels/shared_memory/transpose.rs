//! The transposes of the family.

use warpsmith::dsl::prelude::*;

/// Threads of a CTA along each axis, and rows and columns of a staged tile.
pub(super) const SIDE: usize = 16;

/// out[(j, i)] = x[(i, j)] for x of `rows` × `cols`; CTAs of 16 × 16, a tile of 16·W × 16·W elements each.
///
/// A thread takes W vectors of W elements, a square, transposes it in registers, and puts its columns into the tile as
/// vectors; then it takes vectors of the transposed rows. So every access to global and shared memory is one vector.
#[kernel(mode = SimdGroup2D, variants(W = [4, 8], LOG = [2, 3], suffix = "_x{W}"))]
pub fn transpose_tiled<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] rows: u32, #[scalar] cols: u32) {
    let tile = shared::<T>(SIDE * W * SIDE * W);
    let (across, down) = (thread_id::<0>(), thread_id::<1>());
    let (left, top) = (cta_id::<0>() * (SIDE * W), cta_id::<1>() * (SIDE * W));
    let (row, col) = (top + down * W, left + across * W);
    let is_pitched = ((rows | cols) & (W - 1)) == 0;
    let is_whole = is_pitched && top + SIDE * W <= rows && left + SIDE * W <= cols;
    if is_whole {
        let square =
            std::array::from_fn::<_, W, _>(|k| load_vec::<W>(x, (row + k).cast::<u64>() * cols + col));
        for e in 0..W {
            let place = (across * W + e) * (SIDE * W) + (down ^ across) * W;
            store_vec(tile, place, square.map(|values| values[e]));
        }
    } else {
        for k in range(0, W) {
            for e in range(0, W) {
                if row + k < rows && col + e < cols {
                    let place = (across * W + e) * (SIDE * W) + (down ^ across) * W + k;
                    tile[place] = x[(row + k).cast::<u64>() * cols + (col + e)];
                }
            }
        }
    }
    threadgroup_barrier();
    if is_whole {
        for k in 0..W {
            let line = down + SIDE * k;
            let values = load_vec::<W>(tile, line * (SIDE * W) + (across ^ (line >> LOG)) * W);
            store_vec(out, (left + line).cast::<u64>() * rows + (top + across * W), values);
        }
    } else {
        for k in range(0, W) {
            let line = down + k * SIDE;
            for e in range(0, W) {
                if left + line < cols && top + across * W + e < rows {
                    let place = line * (SIDE * W) + (across ^ (line >> LOG)) * W + e;
                    out[(left + line).cast::<u64>() * rows + (top + across * W + e)] = tile[place];
                }
            }
        }
    }
}

/// out[(j, i)] = x[(i, j)], one element a thread; without padding the lanes that read a column meet two banks.
#[kernel(mode = SimdGroup2D, variants(PAD = [1, 0], NAME = ["padded", "unpadded"], suffix = "_{NAME}"))]
pub fn transpose_staged<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] rows: u32, #[scalar] cols: u32) {
    let tile = shared::<T>(SIDE * (SIDE + PAD));
    let (lane, line) = (thread_id::<0>(), thread_id::<1>());
    let (left, top) = (cta_id::<0>() * SIDE, cta_id::<1>() * SIDE);
    if top + line < rows && left + lane < cols {
        tile[line * (SIDE + PAD) + lane] = x[(top + line).cast::<u64>() * cols + (left + lane)];
    }
    threadgroup_barrier();
    if left + line < cols && top + lane < rows {
        out[(left + line).cast::<u64>() * rows + (top + lane)] = tile[lane * (SIDE + PAD) + line];
    }
}

/// Threads of a CTA of `permuted_axes` along each axis.
pub(super) const CUBE: usize = 4;

/// out[(k, i, j)] = x[(i, j, k)] for x of `planes` × `rows` × `cols`; CTAs of 4 × 4 × 4.
#[kernel(mode = SimdGroup2D)]
pub fn permuted_axes<T>(
    x: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] planes: u32,
    #[scalar] rows: u32,
    #[scalar] cols: u32,
) {
    let tile = shared::<T>(CUBE * CUBE * (CUBE + 1));
    let (tx, ty, tz) = (thread_id::<0>(), thread_id::<1>(), thread_id::<2>());
    let (left, top, front) = (cta_id::<0>() * CUBE, cta_id::<1>() * CUBE, cta_id::<2>() * CUBE);
    if left + tx < cols && top + ty < rows && front + tz < planes {
        let from = ((front + tz).cast::<u64>() * rows + (top + ty)) * cols + (left + tx);
        tile[(tz * CUBE + ty) * (CUBE + 1) + tx] = x[from];
    }
    threadgroup_barrier();
    if left + tz < cols && top + tx < rows && front + ty < planes {
        let to = ((left + tz).cast::<u64>() * planes + (front + ty)) * rows + (top + tx);
        out[to] = tile[(ty * CUBE + tx) * (CUBE + 1) + tz];
    }
}
