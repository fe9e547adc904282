//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// out = x · gain / √(mean of x² + eps), a CTA a row of `n`.
#[kernel(mode = Reduction)]
pub fn rms_norm<T>(x: Tensor<T>, gain: Tensor<T>, mut out: Tensor<T>, #[scalar] eps: f32, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let mut squares = 0.0f32;
    for i in range(tid, n, lsize) {
        let value = load(x[first + i]).cast::<f32>();
        squares = fma(value, value, squares);
    }
    let mean = reduce_sum(squares) / n.cast::<f32>();
    let scale = 1.0f32 / sqrt(mean + eps);
    for i in range(tid, n, lsize) {
        let value = load(x[first + i]).cast::<f32>();
        store(out[first + i], value * scale * load(gain[i]).cast::<f32>());
    }
}

/// out = x · gain / √(mean of x² + eps), a CTA a row of `n`, which is a multiple of `W`. Each thread keeps `W` sums, so
/// that no square waits for the one before.
#[kernel(mode = Reduction, variants(W = [4, 8], suffix = "_x{W}"))]
pub fn rms_norm<T>(x: Tensor<T>, gain: Tensor<T>, mut out: Tensor<T>, #[scalar] eps: f32, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let mut squares = [cast::<f32>(0); W];
    for vector in unroll(range(tid, n / W, lsize), 4) {
        let values = load_vec::<W>(x, first + vector * W);
        for lane in 0..W {
            let value = values[lane].cast::<f32>();
            squares[lane] = fma(value, value, squares[lane]);
        }
    }
    let mut sum = squares[0];
    for lane in 1..W {
        sum += squares[lane];
    }
    let mean = reduce_sum(sum) / n.cast::<f32>();
    let scale = 1.0f32 / sqrt(mean + eps);
    for vector in unroll(range(tid, n / W, lsize), 4) {
        let at = vector * W;
        let values = load_vec::<W>(x, first + at);
        let gains = load_vec::<W>(gain, at);
        let scaled = std::array::from_fn::<_, W, _>(|lane| {
            values[lane].cast::<f32>() * scale * gains[lane].cast::<f32>()
        });
        store_vec(out, first + at, scaled);
    }
}
