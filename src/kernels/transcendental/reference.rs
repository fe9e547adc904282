//! The formulas in f64, from the rounded inputs.

use crate::case::TestBuffer;

/// A function of one operand on every element.
pub(super) fn unary(x: &TestBuffer, f: fn(f64) -> f64) -> Vec<f64> {
    x.as_f64().into_iter().map(f).collect()
}

/// A function of two operands on every pair.
pub(super) fn binary(a: &TestBuffer, b: &TestBuffer, f: fn(f64, f64) -> f64) -> Vec<f64> {
    a.as_f64().into_iter().zip(b.as_f64()).map(|(a, b)| f(a, b)).collect()
}
