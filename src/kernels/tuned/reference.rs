//! The formulas in plain Rust, from the rounded inputs.

use super::super::rounding::wrapped;
use crate::case::TestBuffer;
use crate::ir::DType;

/// The sums of each row of `n` up to each element.
pub(super) fn row_scan(x: &TestBuffer, n: usize) -> Vec<f64> {
    let row = |row: &[f64]| {
        let mut sum = 0.0;
        row.iter()
            .map(|value| {
                sum += value;
                sum
            })
            .collect::<Vec<_>>()
    };
    x.as_f64().chunks(n).flat_map(row).collect()
}

/// Where the greatest of each row of `n` stands; of equal ones the first, of NaN alone 0.
pub(super) fn row_argmax(x: &TestBuffer, n: usize) -> Vec<f64> {
    let row = |row: &[f64]| {
        let mut best: Option<usize> = None;
        for (index, value) in row.iter().enumerate() {
            if !value.is_nan() && best.is_none_or(|best| *value > row[best]) {
                best = Some(index);
            }
        }
        best.unwrap_or(0) as f64
    };
    x.as_f64().chunks(n).map(row).collect()
}

/// The sums of integers up to each, wrapped.
pub(super) fn wrapped_scan(x: &TestBuffer, to: DType) -> TestBuffer {
    let mut sum = 0i128;
    let sums: Vec<i128> = x
        .as_int()
        .iter()
        .map(|value| {
            sum += value;
            sum
        })
        .collect();
    wrapped("out", &sums, to)
}
