//! What the kernels of rows should compute, where it is no plain fold.

use super::super::folds::{Fold, Number, buffer, numbers, place};
use super::super::rounding::{real, rounded};
use crate::case::TestBuffer;
use crate::ir::DType;

/// Where the greatest (`Max`) or least (`Min`) of each row is.
pub(super) fn places(name: &str, x: &TestBuffer, n: usize, fold: Fold) -> TestBuffer {
    let at: Vec<_> = numbers(x).chunks(n).map(|row| Number::Int(place(fold, row) as i128)).collect();
    buffer(name, &at, DType::U32)
}

/// The bytes of the kept elements of each row.
pub(super) fn kept(x: &TestBuffer, keep: &TestBuffer, n: usize) -> Vec<Vec<u8>> {
    let size = x.dtype().size() as usize;
    let bytes = x.bytes().unwrap_or_default();
    let rows = bytes.chunks(n * size).zip(keep.as_int().chunks(n).map(<[i128]>::to_vec).collect::<Vec<_>>());
    rows.map(|(row, keep)| {
        let kept = row.chunks(size).zip(keep).filter(|(_, keep)| *keep != 0);
        kept.flat_map(|(element, _)| element.to_vec()).collect()
    })
    .collect()
}

/// x · scale · weight, each product rounded to f32, then to the type.
pub(super) fn scaled(x: &TestBuffer, weight: &TestBuffer, scale: f32, n: usize) -> TestBuffer {
    let weights = weight.as_f64();
    let value = |(i, x): (usize, f64)| {
        let product = real(x * f64::from(scale), DType::F32);
        real(product * weights[i % n], DType::F32)
    };
    let values: Vec<_> = x.as_f64().into_iter().enumerate().map(value).collect();
    rounded("out", &values, x.dtype())
}

/// Σ exp(x − s) of each row.
pub(super) fn exp_sums(x: &TestBuffer, s: f32, n: usize) -> Vec<f64> {
    let power = |x: &f64| libm::exp(x - f64::from(s));
    x.as_f64().chunks(n).map(|row| row.iter().map(power).sum()).collect()
}

/// Of each CTA's part of `x` the sum, for each element, and the sum of what is before it.
pub(super) fn cut_sums(x: &TestBuffer, cta: usize) -> (Vec<f64>, Vec<f64>) {
    let parts = || x.as_f64();
    let sums = parts().chunks(cta).flat_map(|part| vec![part.iter().sum(); part.len()]).collect();
    let before = parts()
        .chunks(cta)
        .flat_map(|part| (0..part.len()).map(|end| part[..end].iter().sum()).collect::<Vec<f64>>())
        .collect();
    (sums, before)
}

/// How far the least of each warp is from 6.
pub(super) fn cut_rounds(x: &TestBuffer, cta: usize) -> Vec<f64> {
    let rounds = |warp: &[f64]| vec![6.0 - warp.iter().copied().fold(6.0, f64::min); warp.len()];
    x.as_f64().chunks(cta).flat_map(|part| part.chunks(32).flat_map(rounds).collect::<Vec<_>>()).collect()
}
