//! What the kernels should compute, in f64; what is a function's argument is rounded to f32, as in the kernel.

use super::super::activations::sigmoid;
use super::super::rounding::real;
use crate::case::TestBuffer;
use crate::ir::DType;

/// f(a, b) for the pairs of each row of 2 · n, which stand in halves or side by side.
pub(super) fn gated(x: &TestBuffer, n: usize, is_pairs: bool, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let of_row = |row: &[f64]| -> Vec<f64> {
        let operands = |i: usize| if is_pairs { (row[2 * i], row[2 * i + 1]) } else { (row[i], row[n + i]) };
        (0..n).map(operands).map(|(a, b)| f(a, b)).collect()
    };
    x.as_f64().chunks((2 * n).max(1)).flat_map(of_row).collect()
}

/// max(x, 0); NaN of a NaN.
pub(super) fn relu(x: f64) -> f64 {
    if x.is_nan() || x > 0.0 { x } else { 0.0 }
}

/// No more than `bound`; NaN of a NaN.
pub(super) fn at_most(x: f64, bound: f64) -> f64 {
    if x > bound { bound } else { x }
}

/// Within ± `bound`; NaN of a NaN.
pub(super) fn held(x: f64, bound: f64) -> f64 {
    if x < -bound { -bound } else { at_most(x, bound) }
}

/// g · sigmoid(alpha · g) · (u + 1), with both clamped.
pub(super) fn biased(a: f64, b: f64, alpha: f64, limit: f64) -> f64 {
    let (gate, up) = (at_most(a, limit), held(b, limit));
    gate * sigmoid(real(alpha * gate, DType::F32)) * real(up + 1.0, DType::F32)
}
