//! The inverse hyperbolic cosine.

use super::log_reduce::ln_of_sum;
use super::ops::Ops;

/// arcosh x, for x ≥ 1. +0 at 1, ∞ at ∞; NaN below 1.
///
/// With t = x − 1 the square of the function is 2t + t²·s(t), analytic from x = −1 on: below 2 it is the root of that, which
/// halves the error. From there on ln(x + √(x² − 1)), with the sum as 2x − 1/(x + √(x² − 1)).
pub fn acosh<F: Ops>(x: F) -> F {
    F::branch(
        x.lt(F::of(2.0)),
        || {
            // Where the polynomial no longer holds the square stays negative, and its root NaN.
            let t = (x - F::of(1.0)).max(F::of(-0.5));
            (t * t.polynomial(&SQUARE)).fma(t, t + t).sqrt()
        },
        || {
            let root = x.fma(x, F::of(-1.0)).sqrt();
            ln_of_sum(x, F::of(-0.25) / (x + root)).unless(!x.lt(F::of(f32::INFINITY)), || x)
        },
    )
}

/// (arcosh² (1 + t) − 2t)/t² for t in [0, 1], to 2⁻³⁰ of the square.
const SQUARE: [f32; 7] = [
    -0.333_333_2,
    0.088_885_06,
    -0.028_536_12,
    0.010_002_657,
    -0.003_467_889_3,
    0.000_979_161_9,
    -0.000_151_575_6,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, right) in [
            (1.0, 0.0),
            (1.25, std::f32::consts::LN_2),
            (2.0, 1.316_958),
            (f32::INFINITY, f32::INFINITY),
            (f32::MAX, 89.415_985),
        ] {
            assert_eq!(acosh(x).to_bits(), f32::to_bits(right), "of {x:e}");
        }
        for x in [0.999_999_94, 0.5, 0.0, -0.0, -1.0, -6590.0, f32::MIN, f32::NEG_INFINITY, f32::NAN] {
            assert!(acosh(x).is_nan(), "of {x:e}");
        }
    }
}
