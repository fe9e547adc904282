//! The kernels of the family that need the exponential function only.

use warpsmith::dsl::prelude::*;

/// out = exp(x − m) / Σ exp(x − m) with m the greatest of the row, a CTA a row of `n`: three walks.
#[kernel(mode = Reduction)]
pub fn row_softmax<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let greatest = reduce_max(strided_reduce(x, first, first + n, max));
    let mut sum = 0.0f32;
    for i in range(tid, n, lsize) {
        sum += exp(load(x[first + i]).cast::<f32>() - greatest);
    }
    let total = reduce_sum(sum);
    for i in range(tid, n, lsize) {
        store(out[first + i], exp(load(x[first + i]).cast::<f32>() - greatest) / total);
    }
}

/// The softmax of x / temperature, a CTA a row of `n`.
#[kernel(mode = Reduction)]
pub fn row_softmax_tempered<T>(
    x: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] temperature: f32,
    #[scalar] n: u32,
) {
    let first = program_id::<0>().cast::<u64>() * n;
    let mut partial = neg_infinity();
    for i in range(tid, n, lsize) {
        partial = max(partial, load(x[first + i]).cast::<f32>() / temperature);
    }
    let greatest = reduce_max(partial);
    let mut sum = 0.0f32;
    for i in range(tid, n, lsize) {
        sum += exp(load(x[first + i]).cast::<f32>() / temperature - greatest);
    }
    let total = reduce_sum(sum);
    for i in range(tid, n, lsize) {
        let value = load(x[first + i]).cast::<f32>() / temperature;
        store(out[first + i], exp(value - greatest) / total);
    }
}

/// The softmax of a row of `n` in two walks, a CTA a row: the sum is kept relative to the greatest so far, and scaled
/// when that grows. A row of −∞ gives zeros.
#[kernel(mode = Reduction)]
pub fn row_softmax_online<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let mut greatest = neg_infinity();
    let mut sum = 0.0f32;
    for i in range(tid, n, lsize) {
        let value = load(x[first + i]).cast::<f32>();
        let next = max(greatest, value);
        let shift = unless_empty(next);
        sum = sum * exp(greatest - shift) + exp(value - shift);
        greatest = next;
    }
    let shift = unless_empty(reduce_max(greatest));
    let total = reduce_sum(sum * exp(greatest - shift));
    for i in range(tid, n, lsize) {
        let power = exp(load(x[first + i]).cast::<f32>() - shift);
        store(out[first + i], select(total == 0, 0.0f32, power / total));
    }
}

/// The softmax of x · scale over the first `row % queries + offset + 1` elements of each row of `n`, the others 0: a
/// CTA a row. A row without elements gives zeros.
#[kernel(mode = Reduction)]
pub fn row_softmax_causal<T>(
    x: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] scale: f32,
    #[scalar] n: u32,
    #[scalar] queries: u32,
    #[scalar] offset: i32,
) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let end = (row % queries).cast::<i32>() + offset + 1;
    let mut greatest = neg_infinity();
    let mut sum = 0.0f32;
    for i in range(tid, n, lsize) {
        let is_seen = i.cast::<i32>() < end;
        let value = select(is_seen, load(x[first + i]).cast::<f32>() * scale, neg_infinity());
        let next = max(greatest, value);
        let shift = unless_empty(next);
        sum = sum * exp(greatest - shift) + exp(value - shift);
        greatest = next;
    }
    let shift = unless_empty(reduce_max(greatest));
    let total = reduce_sum(sum * exp(greatest - shift));
    for i in range(tid, n, lsize) {
        let is_seen = i.cast::<i32>() < end;
        let value = select(is_seen, load(x[first + i]).cast::<f32>() * scale, neg_infinity());
        store(out[first + i], select(total == 0, 0.0f32, exp(value - shift) / total));
    }
}

/// A greatest element as what is subtracted from each: 0 for −∞, because −∞ − −∞ is no number, and exp(−∞ − 0) is the 0
/// that is meant.
#[kernel_fn]
fn unless_empty(greatest: Val) -> Val {
    select(greatest == neg_infinity(), 0.0f32, greatest)
}
