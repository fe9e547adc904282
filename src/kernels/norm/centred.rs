//! The kernels of the family that subtract the mean first.

use warpsmith::dsl::prelude::*;

/// The mean of `n` elements from `first` on, and 1/√(variance + eps), by the whole CTA.
///
/// The variance is the mean of the squared distances, in a walk of its own: the difference of two means of squares loses
/// every digit when the mean is large.
#[kernel_fn]
fn moments<T: KernelType>(x: Tensor<T>, first: Val, n: Val, eps: Val) -> [Val; 2] {
    let mut sum = 0.0f32;
    for i in range(tid, n, lsize) {
        sum += load(x[first + i]).cast::<f32>();
    }
    let mean = reduce_sum(sum) / n.cast::<f32>();
    let mut squares = 0.0f32;
    for i in range(tid, n, lsize) {
        let distance = load(x[first + i]).cast::<f32>() - mean;
        squares = fma(distance, distance, squares);
    }
    let variance = reduce_sum(squares) / n.cast::<f32>();
    let scale = 1.0f32 / sqrt(variance + eps);
    [mean, scale]
}

/// out = (x − mean) / √(variance + eps) · gamma + beta, a CTA a row of `n`.
#[kernel(mode = Reduction)]
pub fn layer_norm<T>(
    x: Tensor<T>,
    gamma: Tensor<T>,
    beta: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] eps: f32,
    #[scalar] n: u32,
) {
    let first = program_id::<0>().cast::<u64>() * n;
    let [mean, scale] = moments(x, first, n, eps.val());
    for i in range(tid, n, lsize) {
        let normal = (load(x[first + i]).cast::<f32>() - mean) * scale;
        store(out[first + i], normal * load(gamma[i]).cast::<f32>() + load(beta[i]).cast::<f32>());
    }
}

/// out = (x − mean) / √(variance + eps) · gamma + beta, both by channel, on `channels` × `spatial` of an item, mean and
/// variance over a group of `channels / groups` of them: a CTA a group of an item (axis 0 the group, axis 1 the item).
#[kernel(mode = Reduction)]
pub fn group_norm<T>(
    x: Tensor<T>,
    gamma: Tensor<T>,
    beta: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] eps: f32,
    #[scalar] channels: u32,
    #[scalar] spatial: u32,
    #[scalar] groups: u32,
) {
    let group = program_id::<0>();
    let members = channels / groups;
    let n = members * spatial;
    let first = (program_id::<1>().cast::<u64>() * groups + group) * n;
    let [mean, scale] = moments(x, first, n, eps.val());
    for i in range(tid, n, lsize) {
        let channel = group * members + i / spatial;
        let normal = (load(x[first + i]).cast::<f32>() - mean) * scale;
        store(
            out[first + i],
            normal * load(gamma[channel]).cast::<f32>() + load(beta[channel]).cast::<f32>(),
        );
    }
}
