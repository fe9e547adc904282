//! What the kernels should compute, in f64 but for what is a function's argument, which is rounded to f32.

use super::super::rounding::real;
use crate::case::TestBuffer;
use crate::ir::DType;

fn single(x: f64) -> f64 {
    real(x, DType::F32)
}

/// x + sin²(alpha · x) / beta with one alpha and one beta for the places of a channel.
pub(super) fn snake(x: &TestBuffer, alpha: &[f64], beta: &[f64]) -> Vec<f64> {
    let places = x.shape()[2] as usize;
    let value = |(i, x): (usize, f64)| {
        let channel = i / places % alpha.len();
        let wave = single(single(alpha[channel] * x).sin());
        x + single(wave * wave) / beta[channel]
    };
    x.as_f64().into_iter().enumerate().map(value).collect()
}

/// e^x of each, rounded.
pub(super) fn powers(x: &TestBuffer) -> Vec<f64> {
    x.as_f64().into_iter().map(|x| single(x.exp())).collect()
}
