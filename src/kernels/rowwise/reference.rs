//! What the kernels should compute, in f64 but for the differences that are exponents, which are rounded to f32.
//!
//! A difference of 16 rounded to f32 moves its exponential by 1e-6; the kernels round it, and so does the reference, so
//! that the tolerance is left for what the functions and the sums do.

use super::super::rounding::real;
use crate::case::TestBuffer;
use crate::ir::DType;

pub(super) fn single(x: f64) -> f64 {
    real(x, DType::F32)
}

/// The greatest number of a row; −∞ for none.
fn greatest(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// exp(x − shift), with the difference rounded.
fn power(x: f64, shift: f64) -> f64 {
    single(single(x - shift).exp())
}

/// exp(x − m) / Σ exp(x − m). A row of −∞ gives NaN.
fn as_written(row: &[f64]) -> Vec<f64> {
    let shift = greatest(row);
    let total: f64 = row.iter().map(|&x| power(x, shift)).sum();
    row.iter().map(|&x| power(x, shift) / total).collect()
}

/// The same, but zeros for a row of −∞.
fn zeros_for_nothing(row: &[f64]) -> Vec<f64> {
    let is_empty = row.iter().all(|&x| x == f64::NEG_INFINITY);
    if is_empty { vec![0.0; row.len()] } else { as_written(row) }
}

fn rows(x: &TestBuffer, n: usize) -> Vec<Vec<f64>> {
    x.as_f64().chunks(n.max(1)).map(<[f64]>::to_vec).collect()
}

/// The softmax of each row as the formula is written.
pub(super) fn softmax(x: &TestBuffer, n: usize) -> Vec<f64> {
    rows(x, n).iter().flat_map(|row| as_written(row)).collect()
}

/// The softmax of each row, zeros for a row of −∞.
pub(super) fn softmax_online(x: &TestBuffer, n: usize) -> Vec<f64> {
    rows(x, n).iter().flat_map(|row| zeros_for_nothing(row)).collect()
}

/// The softmax of x / temperature.
pub(super) fn softmax_tempered(x: &TestBuffer, n: usize, temperature: f32) -> Vec<f64> {
    let cooled = |row: &Vec<f64>| row.iter().map(|x| single(x / f64::from(temperature))).collect::<Vec<_>>();
    rows(x, n).iter().flat_map(|row| as_written(&cooled(row))).collect()
}

/// The softmax of x · scale where a row sees only its beginning.
pub(super) fn softmax_causal(x: &TestBuffer, n: usize, scale: f32, queries: usize, offset: i32) -> Vec<f64> {
    let masked = |(number, row): (usize, &Vec<f64>)| -> Vec<f64> {
        let end = (number % queries) as i64 + i64::from(offset) + 1;
        let seen = |(i, x): (usize, &f64)| {
            if (i as i64) < end { single(x * f64::from(scale)) } else { f64::NEG_INFINITY }
        };
        zeros_for_nothing(&row.iter().enumerate().map(seen).collect::<Vec<_>>())
    };
    rows(x, n).iter().enumerate().flat_map(masked).collect()
}

/// (x − m) − log Σ exp(x − m).
pub(super) fn log_softmax(x: &TestBuffer, n: usize) -> Vec<f64> {
    let of_row = |row: &Vec<f64>| -> Vec<f64> {
        let shift = greatest(row);
        let total = row.iter().map(|&x| power(x, shift)).sum::<f64>().ln();
        row.iter().map(|&x| single(x - shift) - total).collect()
    };
    rows(x, n).iter().flat_map(of_row).collect()
}

/// log Σ exp(x); −∞ for a row of −∞, ∞ for one with ∞.
pub(super) fn logsumexp(x: &TestBuffer, n: usize) -> Vec<f64> {
    let of_row = |row: &Vec<f64>| {
        let greatest = greatest(row);
        if greatest.is_infinite() && !row.iter().any(|x| x.is_nan()) {
            return greatest;
        }
        greatest + row.iter().map(|&x| power(x, greatest)).sum::<f64>().ln()
    };
    rows(x, n).iter().map(of_row).collect()
}
