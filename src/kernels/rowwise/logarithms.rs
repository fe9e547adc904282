//! The kernels of the family that end in a logarithm.

use warpsmith::dsl::prelude::*;

/// out = (x − m) − log Σ exp(x − m) with m the greatest of the row, a CTA a row of `n`: three walks.
#[kernel(mode = Reduction)]
pub fn row_log_softmax<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let greatest = reduce_max(strided_reduce(x, first, first + n, max));
    let mut sum = 0.0f32;
    for i in range(tid, n, lsize) {
        sum += exp(load(x[first + i]).cast::<f32>() - greatest);
    }
    let total = log(reduce_sum(sum));
    for i in range(tid, n, lsize) {
        store(out[first + i], (load(x[first + i]).cast::<f32>() - greatest) - total);
    }
}

/// `out[r] = m + log Σ exp(x[r, i] − m)`, a CTA a row of `n`: two walks.
#[kernel(mode = Reduction)]
pub fn row_logsumexp<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let shift = unless_infinite(reduce_max(strided_reduce(x, first, first + n, max)));
    let mut sum = 0.0f32;
    for i in range(tid, n, lsize) {
        sum += exp(load(x[first + i]).cast::<f32>() - shift);
    }
    let total = reduce_sum(sum);
    if tid == 0 {
        store(out[row], shift + log(total));
    }
}

/// The same in one walk: the sum is kept relative to the greatest so far, and scaled when that grows.
#[kernel(mode = Reduction)]
pub fn row_logsumexp_online<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let mut greatest = neg_infinity();
    let mut sum = 0.0f32;
    for i in range(tid, n, lsize) {
        let value = load(x[first + i]).cast::<f32>();
        let next = max(greatest, value);
        let shift = unless_infinite(next);
        sum = sum * exp(greatest - shift) + exp(value - shift);
        greatest = next;
    }
    let shift = unless_infinite(reduce_max(greatest));
    let total = reduce_sum(sum * exp(greatest - shift));
    if tid == 0 {
        store(out[row], shift + log(total));
    }
}

/// A greatest element as what is subtracted from each: 0 for either infinity, so that a row of −∞ gives log 0 = −∞ and
/// one with +∞ gives log ∞ = ∞.
#[kernel_fn]
fn unless_infinite(greatest: Val) -> Val {
    select(abs(greatest) == infinity(), 0.0f32, greatest)
}
