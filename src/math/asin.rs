//! The arcsine.

use super::arc::{Arc, rough_inverse_root};
use super::ops::{Ops, Word};

/// asin x in [−π/2, π/2]. asin ±0 = ±0; NaN where |x| > 1.
///
/// Above ½ it is π/2 − 2·asin √((1 − x)/2), with what the root was rounded by added.
pub fn asin<F: Ops>(x: F) -> F {
    let magnitude = x.abs();
    let half = magnitude.fma(F::of(-0.5), F::of(0.5));
    let root = half.sqrt();
    let rest = root.fma(root, -half);
    let is_great = magnitude.gt(F::of(0.5));
    let square = F::select(is_great, half, x * x);
    let arc = Arc {
        base: F::select(is_great, F::of(std::f32::consts::FRAC_PI_2), F::of(0.0)),
        first: F::select(is_great, root * F::of(-2.0), magnitude),
        rest: (F::select(is_great, rest, F::of(0.0)), rough_inverse_root(half).real()),
    };
    arc.plus_arcsine(square).copysign(x)
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::asin;

    #[test]
    fn special_values() {
        for zero in [0.0f32, -0.0, 1e-45, -1e-45, 1e-30] {
            assert_eq!(asin(zero).to_bits(), zero.to_bits());
        }
        assert_eq!(asin(1.0f32).to_bits(), FRAC_PI_2.to_bits());
        assert_eq!(asin(-1.0f32).to_bits(), (-FRAC_PI_2).to_bits());
        for none in [1.000_000_1, -1.000_000_1, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(asin(none).is_nan());
        }
    }

    #[test]
    fn known_values() {
        for x in [0.1f32, -0.5, 0.500_000_06, -0.7, 0.999, 0.999_999_94] {
            assert!((f64::from(asin(x)) / f64::from(x).asin() - 1.0).abs() < 1e-7, "{x}");
        }
    }
}
