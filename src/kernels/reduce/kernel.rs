//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// Vectors that a thread has on their way.
const BATCH: usize = 4;

/// `out[r] = Σ x[r, i]`, a CTA a row of `n`.
#[kernel(mode = Reduction)]
pub fn row_sum<T, A>(x: Tensor<T>, mut out: Tensor<A>, #[scalar] n: u32) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let mut sum = cast::<A>(0);
    for i in range(tid, n, lsize) {
        sum += load(x[first + i]).cast::<A>();
    }
    let total = reduce_sum(sum);
    if tid == 0 {
        store(out[row], total);
    }
}

/// `out[r] = Σ x[r, i]`, a CTA a row of `n`, which is a multiple of `W`.
///
/// Each thread keeps `W` sums, so that no addition waits for the one before, and asks for `BATCH` vectors before it adds
/// the first: latency is hidden by loads on their way, and a loop with one load an iteration has too few.
#[kernel(mode = Reduction, variants(W = [4, 8], suffix = "_x{W}"))]
pub fn row_sum<T, A>(x: Tensor<T>, mut out: Tensor<A>, #[scalar] n: u32) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let vectors = n / W;
    let stride = lsize * BATCH;
    let batched = vectors / stride * stride;
    let mut sums = [cast::<A>(0); W];
    for start in range(tid, batched, stride) {
        let values =
            std::array::from_fn::<_, BATCH, _>(|part| load_vec::<W>(x, first + (start + lsize * part) * W));
        for vector in values {
            for lane in 0..W {
                sums[lane] += vector[lane].cast::<A>();
            }
        }
    }
    for vector in range(batched + tid, vectors, lsize) {
        let values = load_vec::<W>(x, first + vector * W);
        for lane in 0..W {
            sums[lane] += values[lane].cast::<A>();
        }
    }
    let mut sum = sums[0];
    for lane in 1..W {
        sum += sums[lane];
    }
    let total = reduce_sum(sum);
    if tid == 0 {
        store(out[row], total);
    }
}

/// `out[r] = max x[r, i]`, a CTA a row of `n`.
#[kernel(mode = Reduction)]
pub fn row_max<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let row = program_id::<0>();
    let first = row.cast::<u64>() * n;
    let greatest = reduce_max(strided_reduce(x, first, first + n, max));
    if tid == 0 {
        store(out[row], greatest);
    }
}

/// `out[0] = Σ a[i] · b[i]`, by one CTA.
#[kernel(mode = Reduction)]
pub fn dot<T, A>(a: Tensor<T>, b: Tensor<T>, mut out: Tensor<A>, #[scalar] n: u32) {
    let mut sum = cast::<A>(0);
    for i in range(tid, n, lsize) {
        sum += load(a[i]).cast::<A>() * load(b[i]).cast::<A>();
    }
    let total = reduce_sum(sum);
    if tid == 0 {
        store(out[0], total);
    }
}

/// `y[r] = Σ a[r, k] · x[k]`, a warp a row: CTAs of whole warps.
#[kernel(mode = Reduction)]
pub fn gemv<T>(a: Tensor<T>, x: Tensor<T>, mut y: Tensor<T>, #[scalar] rows: u32, #[scalar] cols: u32) {
    let row = program_id::<0>() * warps_per_cta() + warp_id();
    if row < rows {
        let first = row.cast::<u64>() * cols;
        let mut sum = 0.0f32;
        for k in range(lane_id(), cols, 32) {
            sum = fma(load(a[first + k]).cast::<f32>(), load(x[k]).cast::<f32>(), sum);
        }
        let total = simd_sum(sum);
        if lane_id() == 0 {
            store(y[row], total);
        }
    }
}
