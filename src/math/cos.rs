//! The cosine.

use super::ops::Ops;
use super::sin_cos::sin_turned;

/// cos x, x in radians, over the whole range. 1 of ±0; NaN of ±∞.
pub fn cos<F: Ops>(x: F) -> F {
    // The sine a quarter of a turn on.
    sin_turned(x, 1)
}

#[cfg(test)]
mod tests {
    use super::super::{sin, sin_cos};
    use super::cos;

    #[test]
    fn special_values() {
        for zero in [0.0f32, -0.0, 1e-45, -1e-45, 1e-30] {
            assert_eq!(cos(zero).to_bits(), 1f32.to_bits());
        }
        for none in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(cos(none).is_nan());
        }
    }

    #[test]
    fn both_have_the_bits_of_each_alone() {
        for step in 0..1_000_000u32 {
            let x = f32::from_bits(step.wrapping_mul(0x9e37_79b1));
            let (s, c) = sin_cos(x);
            assert!(s.to_bits() == sin(x).to_bits() || s.is_nan() && sin(x).is_nan(), "{x}");
            assert!(c.to_bits() == cos(x).to_bits() || c.is_nan() && cos(x).is_nan(), "{x}");
        }
    }
}
