//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// Vectors that a thread has on their way.
const BATCH: usize = 4;

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

/// out = x · gain / √(mean of x² + eps), a CTA a row of `n`, which is a multiple of `W`.
///
/// Each thread keeps `W` sums, so that no square waits for the one before, and asks for `BATCH` vectors before it uses
/// the first.
#[kernel(mode = Reduction, variants(W = [4, 8], suffix = "_x{W}"))]
pub fn rms_norm<T>(x: Tensor<T>, gain: Tensor<T>, mut out: Tensor<T>, #[scalar] eps: f32, #[scalar] n: u32) {
    let first = program_id::<0>().cast::<u64>() * n;
    let vectors = n / W;
    let stride = lsize * BATCH;
    let batched = vectors / stride * stride;
    let mut squares = [cast::<f32>(0); W];
    for start in range(tid, batched, stride) {
        let values =
            std::array::from_fn::<_, BATCH, _>(|part| load_vec::<W>(x, first + (start + lsize * part) * W));
        for vector in values {
            for lane in 0..W {
                let value = vector[lane].cast::<f32>();
                squares[lane] = fma(value, value, squares[lane]);
            }
        }
    }
    for vector in range(batched + tid, vectors, lsize) {
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
    for start in range(tid, batched, stride) {
        let at = std::array::from_fn::<_, BATCH, _>(|part| (start + lsize * part) * W);
        let values = at.map(|at| load_vec::<W>(x, first + at));
        let gains = at.map(|at| load_vec::<W>(gain, at));
        for part in 0..BATCH {
            store_vec(out, first + at[part], scaled::<W>(values[part], gains[part], scale));
        }
    }
    for vector in range(batched + tid, vectors, lsize) {
        let at = vector * W;
        let (values, gains) = (load_vec::<W>(x, first + at), load_vec::<W>(gain, at));
        store_vec(out, first + at, scaled::<W>(values, gains, scale));
    }
}

/// Each value times the scale, then times its gain, in f32.
fn scaled<const W: usize>(values: [Val; W], gains: [Val; W], scale: Val) -> [Val; W] {
    std::array::from_fn(|lane| values[lane].cast::<f32>() * scale * gains[lane].cast::<f32>())
}
