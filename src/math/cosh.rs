//! The hyperbolic cosine.

use super::hyperbolic::{COSH, half_exp, halves};
use super::ops::Ops;

/// cosh x: 1 at ±0, ∞ from ±89.42 on.
///
/// Below ½ln 2 an even polynomial; above it e^|x|/2 + e^−|x|/2.
pub fn cosh<F: Ops>(x: F) -> F {
    let magnitude = x.abs();
    let ordinary = F::branch(
        magnitude.lt(F::of(0.346_6)),
        || {
            let square = x * x;
            square.fma(square.polynomial(&COSH), F::of(1.0))
        },
        || halves(magnitude, 0.5),
    );
    ordinary.unless(!magnitude.le(F::of(87.0)), || half_exp(magnitude))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 1.0),
            (-0.0, 1.0),
            (f32::INFINITY, f32::INFINITY),
            (f32::NEG_INFINITY, f32::INFINITY),
            (-90.0, f32::INFINITY),
            (1.0, 1.543_080_7),
            (-1.0, 1.543_080_7),
        ] {
            let (x, expected): (f32, f32) = (x, expected);
            assert_eq!(cosh(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(cosh(f32::NAN).is_nan());
    }
}
