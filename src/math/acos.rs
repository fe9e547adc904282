//! The arccosine.

use super::arc::{Arc, rough_inverse_root};
use super::ops::{Ops, Word};

/// acos x in [0, π]. acos 1 = +0; NaN where |x| > 1.
///
/// π/2 − asin x up to ½, beyond it 2·asin √((1 − |x|)/2) or what is left of π, with what the root was rounded by added.
pub fn acos<F: Ops>(x: F) -> F {
    let magnitude = x.abs();
    let half = magnitude.fma(F::of(-0.5), F::of(0.5));
    let root = half.sqrt();
    let sign = x.bits() & Word::of(0x8000_0000);
    let rest = (-root).fma(root, half);
    let doubled = ((root + root).bits() | sign).real();
    let is_great = magnitude.gt(F::of(0.5));
    let end = F::select(x.lt(F::of(0.0)), F::of(std::f32::consts::PI), F::of(0.0));
    let square = F::select(is_great, half, x * x);
    let arc = Arc {
        base: F::select(is_great, end, F::of(std::f32::consts::FRAC_PI_2)),
        first: F::select(is_great, doubled, -x),
        rest: (F::select(is_great, rest, F::of(0.0)), (rough_inverse_root(half) | sign).real()),
    };
    arc.plus_arcsine(square)
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_PI_2, PI};

    use super::acos;

    #[test]
    fn special_values() {
        assert_eq!(acos(1.0f32).to_bits(), 0);
        assert_eq!(acos(-1.0f32).to_bits(), PI.to_bits());
        for zero in [0.0f32, -0.0, 1e-45, -1e-45] {
            assert_eq!(acos(zero).to_bits(), FRAC_PI_2.to_bits());
        }
        for none in [1.000_000_1, -1.000_000_1, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(acos(none).is_nan());
        }
    }

    #[test]
    fn known_values() {
        for x in [0.1f32, -0.5, 0.500_000_06, -0.7, 0.999, -0.999, 0.999_999_94] {
            assert!((f64::from(acos(x)) / f64::from(x).acos() - 1.0).abs() < 1e-7, "{x}");
        }
    }
}
