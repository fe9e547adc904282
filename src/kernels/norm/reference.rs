//! What the kernels should compute, in f64.

use crate::case::TestBuffer;

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
