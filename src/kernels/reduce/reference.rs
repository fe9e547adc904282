//! What the kernels should compute: floats in f64, integers exactly.

use super::super::rounding::wrapped;
use crate::case::TestBuffer;
use crate::ir::DType;

/// Σ of each row, as reals.
pub(super) fn row_sums(x: &TestBuffer, n: usize) -> Vec<f64> {
    x.as_f64().chunks(n).map(|row| row.iter().sum()).collect()
}

/// Σ of each row, in an integer type that wraps.
pub(super) fn row_sums_wrapped(x: &TestBuffer, n: usize, to: DType) -> TestBuffer {
    let sums: Vec<i128> = x.as_int().chunks(n).map(|row| row.iter().sum()).collect();
    wrapped("out", &sums, to)
}

/// The greatest of each row; NaN only counts by its absence.
pub(super) fn row_maxima(x: &TestBuffer, n: usize) -> TestBuffer {
    if !x.dtype().is_float() {
        let greatest = |row: &[i128]| row.iter().copied().max().unwrap_or_default();
        return wrapped("out", &x.as_int().chunks(n).map(greatest).collect::<Vec<_>>(), x.dtype());
    }
    let greatest = |row: &[f64]| {
        let numbers = row.iter().copied().filter(|x| !x.is_nan());
        // `total_cmp` orders −0 before +0, as the kernel's maximum does.
        numbers.max_by(f64::total_cmp).unwrap_or(f64::NEG_INFINITY)
    };
    let values: Vec<_> = x.as_f64().chunks(n).map(greatest).collect();
    TestBuffer::from_f64("out", &values, x.dtype())
}

/// Σ a · b, as reals.
pub(super) fn dot(a: &TestBuffer, b: &TestBuffer) -> f64 {
    a.as_f64().iter().zip(b.as_f64()).map(|(a, b)| a * b).sum()
}

/// Σ a · b, in an integer type that wraps.
pub(super) fn dot_wrapped(a: &TestBuffer, b: &TestBuffer, to: DType) -> TestBuffer {
    let sum = a.as_int().iter().zip(b.as_int()).fold(0i128, |sum, (a, b)| sum.wrapping_add(a * b));
    wrapped("out", &[sum], to)
}

/// Σ a[r, k] · x[k] for each row, as reals.
pub(super) fn gemv(a: &TestBuffer, x: &TestBuffer) -> Vec<f64> {
    let x = x.as_f64();
    a.as_f64().chunks(x.len()).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect()
}
