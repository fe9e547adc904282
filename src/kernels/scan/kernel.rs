//! The kernels of whole CTAs: each thread has one element.

use warpsmith::dsl::prelude::*;

macro_rules! cta_kernels {
    ($($kernel:ident $word:ident)*) => {$(
        #[doc = concat!("`out[i]` = ", stringify!($word), " of x over the CTA of thread i, in every thread.")]
        #[kernel(mode = Reduction)]
        pub fn $kernel<T, A>(x: Tensor<T>, mut out: Tensor<A>) {
            let i = program_id::<0>() * lsize + tid;
            store(out[i], $word(load(x[i])));
        }
    )*};
}

cta_kernels! {
    cta_sum reduce_sum
    cta_product reduce_product
    cta_max reduce_max
    cta_min reduce_min
    cta_and reduce_and
    cta_or reduce_or
    cta_xor reduce_xor
    cta_cumsum scan_inclusive
    cta_cumprod scan_inclusive_product
    cta_cummax scan_inclusive_max
    cta_cummin scan_inclusive_min
    cta_sum_before scan_exclusive
    cta_product_before scan_exclusive_product
    cta_max_before scan_exclusive_max
    cta_min_before scan_exclusive_min
}

/// Σ and the prefixes before each thread of CTAs on three axes, by linear thread index; threads that the extent cuts off
/// count as 0 and store nothing.
#[kernel(mode = SimdGroup2D)]
pub fn cta_sum_3d<T, A>(x: Tensor<T>, mut out: Tensor<A>, mut before: Tensor<A>, #[scalar] n: u32) {
    let cta = (cta_id::<2>() * grid_dim::<1>() + cta_id::<1>()) * grid_dim::<0>() + cta_id::<0>();
    let threads = cta_dim::<0>() * cta_dim::<1>() * cta_dim::<2>();
    let i = cta * threads + warp_id() * 32 + lane_id();
    let value = select(i < n, load(x[i]), 0);
    let sum = reduce_sum(value);
    let prefix = scan_exclusive(value);
    if i < n {
        store(out[i], sum);
        store(before[i], prefix);
    }
}

/// `out[c]` = Σ of the elements of CTA c: the first step of a scan of a whole vector.
#[kernel(mode = Reduction)]
pub fn vector_scan_sums<T, A>(x: Tensor<T>, mut out: Tensor<A>, #[scalar] n: u32) {
    let i = program_id::<0>() * lsize + tid;
    let sum = reduce_sum(select(i < n, load(x[i]), 0));
    if tid == 0 {
        store(out[program_id::<0>()], sum);
    }
}

/// `out[c]` = Σ of what is before c, by one CTA: the second step.
#[kernel(mode = Reduction)]
pub fn vector_scan_bases<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let mut base = cast::<T>(0);
    for start in range(0, n, lsize) {
        let i = start + tid;
        let value = select(i < n, load(x[i]), 0);
        let before = scan_exclusive(value);
        if i < n {
            store(out[i], base + before);
        }
        base += reduce_sum(value);
    }
}

/// `out[i]` = `base[c]` + Σ up to i in its CTA c: the third step.
#[kernel(mode = Reduction)]
pub fn vector_scan_add<T, A>(x: Tensor<T>, base: Tensor<A>, mut out: Tensor<A>, #[scalar] n: u32) {
    let i = program_id::<0>() * lsize + tid;
    let prefix = scan_inclusive(select(i < n, load(x[i]), 0));
    if i < n {
        store(out[i], load(base[program_id::<0>()]) + prefix);
    }
}
