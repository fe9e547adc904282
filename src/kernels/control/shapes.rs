//! CTAs of two and three axes.

use warpsmith::dsl::prelude::*;

/// 4x less its four neighbours; at an edge the element itself stands for the neighbour.
#[kernel(mode = SimdGroup2D)]
pub fn stencil_5<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] width: u32, #[scalar] height: u32) {
    let column = tgid_x * cta_dim::<0>() + tid_x;
    let row = tgid_y * cta_dim::<1>() + tid_y;
    if column < width && row < height {
        let left = select(column > 0, column - 1, column);
        let right = select(column + 1 < width, column + 1, column);
        let up = select(row > 0, row - 1, row);
        let down = select(row + 1 < height, row + 1, row);
        let beside = load(x[row * width + left]) + load(x[row * width + right]);
        let above = load(x[up * width + column]) + load(x[down * width + column]);
        out[row * width + column] = load(x[row * width + column]) * 4 - beside - above;
    }
}

/// out[x, z, y] = in[z, y, x].
#[kernel(mode = Grid3D)]
pub fn rotate_axes<T>(
    x: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] columns: u32,
    #[scalar] rows: u32,
    #[scalar] planes: u32,
) {
    let (column, row, plane) = (program_id::<0>(), program_id::<1>(), program_id::<2>());
    let from = (plane * rows + row) * columns + column;
    let to = (column * planes + plane) * rows + row;
    out[to] = load(x[from]);
}

/// The warp, the lane, the warps there are, and the CTA of each thread.
#[kernel(mode = SimdGroup2D)]
pub fn places(mut out: Tensor<u32>) {
    let cta = tgid_x + grid_dim::<0>() * (tgid_y + grid_dim::<1>() * tgid_z);
    let thread = tid_x + lsize * (tid_y + cta_dim::<1>() * tid_z);
    let threads = lsize * cta_dim::<1>() * cta_dim::<2>();
    let place = (simd_id * 32 + simd_lane) * 64 + n_simd;
    out[cta * threads + thread] = place * 1000 + tgid_x * 100 + tgid_y * 10 + tgid_z;
}

/// Exchanges neighbouring lanes.
#[kernel(mode = SimdGroup2D)]
pub fn swap_lanes<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let thread = tid_x + lsize * (tid_y + cta_dim::<1>() * tid_z);
    let at = program_id::<0>() * (lsize * cta_dim::<1>() * cta_dim::<2>()) + thread;
    out[at] = simd_shuffle_xor(load(x[at]), 1);
}
