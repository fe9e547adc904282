//! Values to 192 bits, for what f64 can't decide.

use astro_float::{BigFloat, Consts, RoundingMode};

/// Significand bits.
pub const BITS: usize = 192;
/// To nearest.
pub const NEAREST: RoundingMode = RoundingMode::ToEven;

/// What multiple-precision functions need.
pub struct Precise {
    /// Constants computed so far.
    pub constants: Consts,
}

impl std::fmt::Debug for Precise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Precise")
    }
}

impl Precise {
    /// No constant computed yet.
    pub fn new() -> Self {
        Self { constants: Consts::new().expect("memory for a few constants") }
    }

    /// An f64, exactly.
    pub fn f64(&self, value: f64) -> BigFloat {
        BigFloat::from_f64(value, BITS)
    }

    /// An f32, exactly.
    pub fn f32(&self, value: f32) -> BigFloat {
        BigFloat::from_f64(f64::from(value), BITS)
    }

    /// Whether |value| is above |other|; `None` where they are equal.
    pub fn magnitude_exceeds(&mut self, value: &BigFloat, other: &BigFloat) -> Option<bool> {
        // `abs_cmp` minds the signs.
        match value.abs().cmp(&other.abs()) {
            Some(0) | None => None,
            Some(order) => Some(order > 0),
        }
    }

    /// |value − got| in units of 2^place.
    pub fn distance(&mut self, value: &BigFloat, got: f32, place: i32) -> f64 {
        let difference = value.sub(&self.f32(got), BITS, NEAREST);
        to_f64(&difference).abs() * 2f64.powi(-place)
    }
}

/// The nearest f64, up to its last place.
fn to_f64(value: &BigFloat) -> f64 {
    let Some((digits, _, sign, exponent, _)) = value.as_raw_parts() else { return 0.0 };
    let Some(&top) = digits.last() else { return 0.0 };
    let magnitude = top as f64 * 2f64.powi(exponent - 64);
    if sign == astro_float::Sign::Neg { -magnitude } else { magnitude }
}
