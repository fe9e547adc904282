//! What the kernels should compute, in f64.

use super::super::rounding::real;
use crate::case::TestBuffer;
use crate::ir::DType;

/// x · gain / √(mean of x² + eps), row by row.
pub(super) fn rms_norm(x: &TestBuffer, gain: &TestBuffer, eps: f32) -> Vec<f64> {
    let gain = gain.as_f64();
    let normalised = |row: &[f64]| -> Vec<f64> {
        let mean = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
        let root = (mean + f64::from(eps)).sqrt();
        row.iter().zip(&gain).map(|(x, gain)| x / root * gain).collect()
    };
    x.as_f64().chunks(gain.len().max(1)).flat_map(normalised).collect()
}

/// The same with the scalars of a row rounded to f32, for rows at whose ends that decides: a sum of squares that
/// overflows makes the factor 0.
pub(super) fn rms_norm_f32(x: &TestBuffer, gain: &TestBuffer, eps: f32) -> Vec<f64> {
    let gain = gain.as_f64();
    let single = |x: f64| real(x, DType::F32);
    let normalised = |row: &[f64]| -> Vec<f64> {
        let mean = single(single(row.iter().map(|x| x * x).sum()) / row.len() as f64);
        let scale = single(1.0 / single(single(mean + f64::from(eps)).sqrt()));
        row.iter().zip(&gain).map(|(x, gain)| x * scale * gain).collect()
    };
    x.as_f64().chunks(gain.len().max(1)).flat_map(normalised).collect()
}

/// How a group is normalised: mean, then variance, then 1/√, each in f32 because their overflow decides what comes out.
struct Moments {
    mean: f64,
    scale: f64,
}

impl Moments {
    fn of(group: &[f64], eps: f32) -> Self {
        let single = |x: f64| real(x, DType::F32);
        let count = group.len() as f64;
        let mean = single(single(group.iter().sum()) / count);
        let squares = group.iter().map(|x| single(x - mean)).map(|x| x * x).sum();
        let variance = single(single(squares) / count);
        Self { mean, scale: single(1.0 / single(single(variance + f64::from(eps)).sqrt())) }
    }

    /// x normalised, times gamma, plus beta.
    fn apply(&self, x: f64, gamma: f64, beta: f64) -> f64 {
        real(x - self.mean, DType::F32) * self.scale * gamma + beta
    }
}

/// (x − mean) / √(variance + eps) · gamma + beta, row by row.
pub(super) fn layer_norm(x: &TestBuffer, gamma: &TestBuffer, beta: &TestBuffer, eps: f32) -> Vec<f64> {
    group_norm(x, gamma, beta, eps, [gamma.len() as usize, 1, 1])
}

/// The same over groups of channels, of which each has `spatial` elements with one gamma and one beta.
pub(super) fn group_norm(
    x: &TestBuffer,
    gamma: &TestBuffer,
    beta: &TestBuffer,
    eps: f32,
    [channels, spatial, groups]: [usize; 3],
) -> Vec<f64> {
    let (x, gamma, beta) = (x.as_f64(), gamma.as_f64(), beta.as_f64());
    let members = channels / groups;
    let normalised = |(number, group): (usize, &[f64])| -> Vec<f64> {
        let moments = Moments::of(group, eps);
        let channel = |i: usize| number % groups * members + i / spatial;
        let element = |(i, &x): (usize, &f64)| moments.apply(x, gamma[channel(i)], beta[channel(i)]);
        group.iter().enumerate().map(element).collect()
    };
    x.chunks((members * spatial).max(1)).enumerate().flat_map(normalised).collect()
}
