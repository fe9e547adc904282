//! The functions in f64, on the inputs as the dtype rounded them, and how far an approximation may lie from them.

use super::super::activations::silu;
use crate::case::{TestBuffer, Tolerance, abs, rel, ulp};
use crate::ir::DType;

/// The function of each element.
pub(super) fn map(x: &TestBuffer, function: fn(f64) -> f64) -> Vec<f64> {
    x.as_f64().into_iter().map(function).collect()
}

/// silu(gate) · up.
pub(super) fn swiglu(gate: &TestBuffer, up: &TestBuffer) -> Vec<f64> {
    gate.as_f64().into_iter().zip(up.as_f64()).map(|(gate, up)| silu(gate) * up).collect()
}

/// A bound for f32, and for the narrow formats what rounding makes of it.
pub(super) fn narrow(dtype: DType, single: Tolerance) -> Tolerance {
    if dtype == DType::F32 { single } else { ulp(1) }
}

/// `tanh.approx`: an error of 2^−11 is a step of f16.
pub(super) fn tanh_bound(dtype: DType) -> Tolerance {
    match dtype {
        DType::F16 => ulp(2),
        DType::BF16 => ulp(1),
        _ => rel(4.92e-4),
    }
}

/// `sin.approx` and `cos.approx` within 2π; a narrow result has the step below 1 to round in.
pub(super) fn wave_bound(dtype: DType) -> Tolerance {
    abs(match dtype {
        DType::F16 => power(-10),
        DType::BF16 => power(-7),
        _ => power(-20),
    })
}

/// `approx::exp` and what is made of it: a constant part, and one for each unit of |x| ≤ `most`.
pub(super) fn exp_bound(constant: f64, most: f64) -> Tolerance {
    rel(constant + most * power(-23))
}

/// 2^exponent.
pub(super) fn power(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}
