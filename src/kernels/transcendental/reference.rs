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

/// log(1 + e^x).
pub(super) fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs())) + if x.is_nan() { x } else { 0.0 }
}

/// x·tanh(softplus(x)), at −∞ as written.
pub(super) fn mish(x: f64) -> f64 {
    x * libm::tanh(softplus(x))
}

/// 1/√x.
pub(super) fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// The inverse of `erf`: a bisection, which needs no formula, then two steps of Newton's.
pub(super) fn erfinv(y: f64) -> f64 {
    if y.abs() >= 1.0 || y.is_nan() {
        return if y.abs() == 1.0 { f64::INFINITY.copysign(y) } else { f64::NAN };
    }
    // erfc keeps the places that 1 − |y| has.
    let rest = 1.0 - y.abs();
    let (mut low, mut high) = (0.0f64, 6.5f64);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if libm::erfc(middle) > rest { low = middle } else { high = middle }
    }
    let mut x = 0.5 * (low + high);
    for _ in 0..2 {
        let error = if y.abs() < 0.5 { libm::erf(x) - y.abs() } else { rest - libm::erfc(x) };
        x -= error / (std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-x * x));
    }
    x.copysign(y)
}

/// The number ≥ 0 whose hyperbolic cosine is x. `libm` gives numbers below 1 too.
pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// log(eᵃ + eᵇ).
pub(super) fn logaddexp(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let (low, high) = (a.min(b), a.max(b));
    if high.is_infinite() { high } else { high + libm::log1p(libm::exp(low - high)) }
}
