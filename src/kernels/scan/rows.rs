//! The kernels of rows: a CTA a row of `n`, in chunks of one element a thread with a carry between them.

use warpsmith::dsl::prelude::*;

/// `out[r, i]` = Σ `x[r, 0..=i]`.
#[kernel(mode = Reduction)]
pub fn row_cumsum<T, A>(x: Tensor<T>, mut out: Tensor<A>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    strided_scan(x, out, first, first + n);
}

macro_rules! carried_kernels {
    ($($(#[$doc:meta])* $kernel:ident $scan:ident $reduce:ident |$a:ident, $b:ident| $combined:expr, $identity:expr;)*) => {$(
        $(#[$doc])*
        #[kernel(mode = Reduction)]
        pub fn $kernel<T, A>(x: Tensor<T>, mut out: Tensor<A>, #[scalar] n: u32) {
            let first = program_id::<0>().cast::<u64>() * n;
            let mut carry = cast::<A>($identity);
            for start in range(0, n, lsize) {
                let i = start + tid;
                let value = select(i < n, load(x[first + i]).cast::<A>(), carry);
                let ($a, $b) = (carry.cast::<A>(), $scan(value));
                if i < n {
                    store(out[first + i], $combined);
                }
                let ($a, $b) = (carry.cast::<A>(), $reduce(value));
                carry = $combined;
            }
        }
    )*};
}

carried_kernels! {
    /// `out[r, i]` = the greatest of `x[r, 0..=i]`; NaN loses, also to the −∞ in front.
    row_cummax scan_inclusive_max reduce_max |a, b| max(a, b), neg_infinity();
    /// `out[r, i]` = the least of `x[r, 0..=i]`; NaN loses, also to the ∞ in front.
    row_cummin scan_inclusive_min reduce_min |a, b| min(a, b), infinity();
}

/// `out[r, i]` = Π `x[r, 0..=i]`.
#[kernel(mode = Reduction)]
pub fn row_cumprod<T, A>(x: Tensor<T>, mut out: Tensor<A>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let mut carry = cast::<A>(1);
    for start in range(0, n, lsize) {
        let i = start + tid;
        let value = select(i < n, load(x[first + i]).cast::<A>(), 1);
        let prefix = scan_inclusive_product(value);
        if i < n {
            store(out[first + i], carry * prefix);
        }
        carry = carry * reduce_product(value);
    }
}

/// `out[r, i]` = Σ `x[r, 0..i]`.
#[kernel(mode = Reduction)]
pub fn row_sum_before<T, A>(x: Tensor<T>, mut out: Tensor<A>, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let mut carry = cast::<A>(0);
    for start in range(0, n, lsize) {
        let i = start + tid;
        let value = select(i < n, load(x[first + i]).cast::<A>(), 0);
        let before = scan_exclusive(value);
        if i < n {
            store(out[first + i], carry + before);
        }
        carry += reduce_sum(value);
    }
}

/// Where the greatest and the least of each row are.
#[kernel(mode = Reduction)]
pub fn row_places<T>(x: Tensor<T>, mut greatest: Tensor<u32>, mut least: Tensor<u32>, #[scalar] n: u32) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let (high, low) = (strided_argmax(x, first, first + n), strided_argmin(x, first, first + n));
    if tid == 0 {
        store(greatest[row], high - first);
        store(least[row], low - first);
    }
}

/// The elements of each row whose keep is not 0, in their order, at the row's start; `count[r]` of them.
#[kernel(mode = Reduction)]
pub fn row_compact<T>(
    x: Tensor<T>,
    keep: Tensor<u8>,
    mut out: Tensor<T>,
    mut count: Tensor<u32>,
    #[scalar] n: u32,
) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let mut kept = 0u32;
    for start in range(0, n, lsize) {
        let i = start + tid;
        let is_kept = select(i < n, load(keep[first + i]), 0) != 0;
        let place = scan_exclusive(is_kept.cast::<u32>());
        if is_kept {
            store(out[first + kept + place], load(x[first + i]));
        }
        kept += reduce_sum(is_kept.cast::<u32>());
    }
    if tid == 0 {
        store(count[row], kept);
    }
}

/// `out[r, i]` = `x[r, i]` · `scale` · `weight[i]`, products from the left, each in the type of its factors.
#[kernel(mode = Reduction)]
pub fn row_scaled<T>(
    x: Tensor<T>,
    weight: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] scale: f32,
    #[scalar] n: u32,
) {
    let first = program_id::<0>().cast::<u64>() * n;
    strided_store(x, out, first, first + n, scale, weight);
}

/// `out[r]` = Σ exp(`x[r, i]` − `s`).
#[kernel(mode = Reduction)]
pub fn row_exp_sum<T>(x: Tensor<T>, mut out: Tensor<f32>, #[scalar] s: f32, #[scalar] n: u32) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let sum = reduce_sum(strided_reduce_exp_sub(x, first, first + n, s));
    if tid == 0 {
        store(out[row], sum);
    }
}
