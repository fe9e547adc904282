//! The hyperbolic sine.

use super::hyperbolic::{half_exp, halves};
use super::ops::Ops;

/// sinh x: ±0 at ±0, ±∞ from ±89.42 on.
///
/// Below 1 an odd polynomial; above it e^|x|/2 − e^−|x|/2.
pub fn sinh<F: Ops>(x: F) -> F {
    let magnitude = x.abs();
    let ordinary = F::branch(
        magnitude.lt(F::of(1.0)),
        || {
            let square = x * x;
            (square * x).fma(square.polynomial(&ODD), x)
        },
        || halves(magnitude, -0.5).copysign(x),
    );
    ordinary.unless(!magnitude.le(F::of(87.0)), || half_exp(magnitude).copysign(x))
}

/// (sinh √z − √z)/√z³ on [0, 1.1]; 2⁻³¹ of sinh.
const ODD: [f32; 4] = [0.166_666_66, 0.008_333_4, 0.000_198_277_89, 2.858_845_8e-6];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (-0.0, -0.0),
            (f32::INFINITY, f32::INFINITY),
            (f32::NEG_INFINITY, f32::NEG_INFINITY),
            (90.0, f32::INFINITY),
            (1.0, 1.175_201_2),
            (-f32::from_bits(1), -f32::from_bits(1)),
        ] {
            let (x, expected): (f32, f32) = (x, expected);
            assert_eq!(sinh(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(sinh(f32::NAN).is_nan());
    }
}
