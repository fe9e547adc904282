//! The arctangent.

use super::arc::Arc;
use super::ops::Ops;

/// atan x in [−π/2, π/2]. atan ±0 = ±0, atan ±∞ = ±π/2.
///
/// Above 1 it is π/2 − atan 1/x.
pub fn atan<F: Ops>(x: F) -> F {
    // The result is π/2 from 2²⁶ on; beyond the clamp ∞ · 0 would come up.
    let magnitude = x.abs().min_nan(F::of(1e18));
    let inverse = F::of(-1.0) / magnitude;
    let is_steep = magnitude.gt(F::of(1.0));
    let first = F::select(is_steep, inverse, magnitude);
    let base = F::select(is_steep, F::of(std::f32::consts::FRAC_PI_2), F::of(0.0));
    // The quotient's rounding, times the slope there.
    let rest = F::select(is_steep, inverse.fma(magnitude, F::of(1.0)), F::of(0.0));
    let rest = (rest, first * F::of(0.6));
    Arc { base, first, rest }.plus_arctangent().copysign(x)
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::atan;

    #[test]
    fn special_values() {
        for zero in [0.0f32, -0.0, 1e-45, -1e-45, 1e-30] {
            assert_eq!(atan(zero).to_bits(), zero.to_bits());
        }
        assert_eq!(atan(f32::INFINITY).to_bits(), FRAC_PI_2.to_bits());
        assert_eq!(atan(f32::NEG_INFINITY).to_bits(), (-FRAC_PI_2).to_bits());
        assert!(atan(f32::NAN).is_nan());
    }

    #[test]
    fn known_values() {
        for x in [0.1f32, -0.5, 1.0, -1.0, 1.000_000_1, 2.0, -1e10, f32::MAX] {
            assert!((f64::from(atan(x)) / f64::from(x).atan() - 1.0).abs() < 1e-7, "{x}");
        }
    }
}
