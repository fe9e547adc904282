//! The formula in f64, from the rounded inputs.

use crate::case::TestBuffer;

/// Softmax of each row of `n`.
pub(super) fn softmax(x: &TestBuffer, n: usize) -> Vec<f64> {
    x.as_f64().chunks(n).flat_map(row).collect()
}

fn row(values: &[f64]) -> Vec<f64> {
    if values.iter().all(|&value| value == f64::NEG_INFINITY) {
        return vec![0.0; values.len()];
    }
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = values.iter().map(|value| libm::exp(value - greatest)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}
