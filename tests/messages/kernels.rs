//! Kernels that are wrong, or that are launched wrongly. Messages quote these lines with their numbers.

use warpsmith::dsl::prelude::*;

#[kernel]
pub fn scaled<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] factor: f32) {
    let i = program_id::<0>();
    store(out[i], load(x[i]).cast::<f32>() * factor);
}

#[kernel(mode = Reduction)]
pub fn barrier_of_some(x: Tensor<f32>, mut out: Tensor<f32>) {
    let tile = shared::<f32>(64);
    if tid < 32 {
        tile[tid] = x[tid];
        threadgroup_barrier();
        out[tid] = tile[63 - tid];
    }
}

#[kernel(mode = Reduction)]
pub fn too_much_shared(x: Tensor<f32>, mut out: Tensor<f32>) {
    let tile = shared::<f32>(60_000);
    tile[tid] = x[tid];
    threadgroup_barrier();
    out[tid] = tile[tid];
}

#[kernel]
pub fn empty_tile(x: Tensor<f32>, mut out: Tensor<f32>) {
    let i = program_id::<0>();
    let tile = shared::<f32>(0);
    tile[i] = x[i];
    out[i] = tile[i];
}
