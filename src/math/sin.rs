//! The sine.

use super::ops::Ops;
use super::sin_cos::sin_turned;

/// sin x, x in radians, over the whole range. sin ±0 = ±0; NaN of ±∞.
pub fn sin<F: Ops>(x: F) -> F {
    sin_turned(x, 0)
}

#[cfg(test)]
mod tests {
    use super::sin;

    #[test]
    fn special_values() {
        for zero in [0.0f32, -0.0, 1e-45, -1e-45, 1e-30] {
            assert_eq!(sin(zero).to_bits(), zero.to_bits());
        }
        for none in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(sin(none).is_nan());
        }
    }

    #[test]
    fn known_values() {
        for x in [1.0f32, -1.0, 3.0, 1e5, 131_072.0, 131_072.02, -1e6, 1e22, f32::MAX, f32::MIN] {
            assert!((f64::from(sin(x)) - f64::from(x).sin()).abs() < 6e-8, "{x}");
        }
        // The f32 that comes nearest to a multiple of π/2.
        let nearest = 16_367_173.0 * 2f32.powi(72);
        assert!((f64::from(super::super::cos(nearest)) / f64::from(nearest).cos() - 1.0).abs() < 1e-7);
    }
}
