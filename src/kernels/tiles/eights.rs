//! Products by 8×8 matrices of a warp.

use warpsmith::dsl::prelude::*;

use super::kernel::{stage, unstage};

/// Rows and columns of the matrix.
pub(super) const SIDE: usize = 8;

/// c = a · b, a warp and an 8×8 matrix of c a CTA.
#[kernel(mode = Reduction, variants(ORDER = ["ieee", "native"], suffix = "_{ORDER}"))]
pub fn eights_gemm<T>(
    a: Tensor<T>,
    b: Tensor<T>,
    mut c: Tensor<f32>,
    #[scalar] m: u32,
    #[scalar] n: u32,
    #[scalar] k: u32,
) {
    threadgroup_alloc("xs", SIDE * SIDE, T);
    threadgroup_alloc("ws", SIDE * SIDE, T);
    threadgroup_alloc("cs", SIDE * SIDE);
    if ORDER == "native" {
        simdgroup_numerics(Numerics::TensorCore);
    }
    let (top, left) = (cta_id::<1>() * SIDE, cta_id::<0>() * SIDE);
    let x = simdgroup_alloc::<T, 8, 8>();
    let w = simdgroup_alloc::<T, 8, 8>();
    let sums = simdgroup_alloc::<f32, 8, 8>();
    for at in range(0, k, SIDE) {
        stage("xs", a, [SIDE, SIDE], [top, at], [m, k], false);
        stage("ws", b, [SIDE, SIDE], [at, left], [k, n], false);
        threadgroup_barrier();
        simdgroup_load(x, "xs", 0, SIDE);
        simdgroup_load(w, "ws", 0, SIDE);
        simdgroup_matmul(x, w, sums);
        threadgroup_barrier();
    }
    for e in 0..2 {
        let (row, column) = simdgroup_position(e);
        threadgroup_store("cs", row * SIDE + column, simdgroup_elem_load(sums, e));
    }
    threadgroup_barrier();
    unstage("cs", c, [SIDE, SIDE], [top, left], [m, n], false);
}

/// c = a · bᵀ in T, 2 × 2 matrices of c a warp; m is a multiple of 16 times the warps of a CTA, n of 16, k of 8.
#[kernel(mode = Reduction, variants(ORDER = ["ieee", "native"], suffix = "_{ORDER}"))]
pub fn eights_block<T>(a: Tensor<T>, b: Tensor<T>, mut c: Tensor<T>, #[scalar] n: u32, #[scalar] k: u32) {
    if ORDER == "native" {
        simdgroup_numerics(Numerics::TensorCore);
    }
    let top = (cta_id::<1>() * warps_per_cta() + warp_id()) * 16;
    let left = cta_id::<0>() * 16;
    let mut sums = [[simdgroup_alloc::<T, 8, 8>(); 2]; 2];
    let mut x = [simdgroup_alloc::<T, 8, 8>(); 2];
    let mut w = [simdgroup_alloc::<T, 8, 8>(); 2];
    for at in range(0, k, SIDE) {
        for i in 0..2 {
            simdgroup_load(x[i], a, (top + i * SIDE) * k + at, k);
            simdgroup_load(w[i], "b", (left + i * SIDE) * k + at, k, true);
        }
        for i in 0..2 {
            for j in 0..2 {
                simdgroup_matmul(x[i], w[j], sums[i][j]);
            }
        }
    }
    for i in 0..2 {
        for j in 0..2 {
            for e in 0..2 {
                let (row, column) = simdgroup_position(e);
                let index = (top + i * SIDE + row) * n + left + j * SIDE + column;
                store(c[index], simdgroup_elem_load(sums[i][j], e));
            }
        }
    }
}
