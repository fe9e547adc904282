//! Values to 192 bits, for what f64 can't decide.

use std::cell::RefCell;

use astro_float::{BigFloat, Consts, RoundingMode};

thread_local! {
    /// One for each thread, because the constants take longest.
    static PRECISE: RefCell<Precise> = RefCell::new(Precise::new());
}

/// Runs `f` with this thread's.
pub(crate) fn with<R>(f: impl FnOnce(&mut Precise) -> R) -> R {
    PRECISE.with_borrow_mut(f)
}

/// Significand bits.
pub(crate) const BITS: usize = 192;
/// To nearest.
pub(crate) const NEAREST: RoundingMode = RoundingMode::ToEven;

/// What multiple-precision functions need.
pub(crate) struct Precise {
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
    fn new() -> Self {
        Self { constants: Consts::new().expect("memory for a few constants") }
    }

    /// An f64, exactly.
    pub(crate) fn f64(&self, value: f64) -> BigFloat {
        BigFloat::from_f64(value, BITS)
    }

    /// An f32, exactly.
    pub(crate) fn f32(&self, value: f32) -> BigFloat {
        BigFloat::from_f64(f64::from(value), BITS)
    }

    /// x/2 + c·x², for functions that begin so: of numbers so small that the next term is beyond 192 bits. Half of an
    /// odd subnormal is a tie, and there are millions.
    pub(crate) fn begins(&self, x: f32, c: f64) -> Option<BigFloat> {
        let is_tiny = x != 0.0 && x.abs() < 2f32.powi(-100);
        is_tiny.then(|| {
            let x = self.f32(x);
            let square = x.mul(&x, BITS, NEAREST).mul(&self.f64(c), BITS, NEAREST);
            x.mul(&self.f64(0.5), BITS, NEAREST).add(&square, BITS, NEAREST)
        })
    }

    /// Whether |value| is above |other|; `None` where they are equal.
    pub(crate) fn magnitude_exceeds(&mut self, value: &BigFloat, other: &BigFloat) -> Option<bool> {
        // `abs_cmp` minds the signs.
        match value.abs().cmp(&other.abs()) {
            Some(0) | None => None,
            Some(order) => Some(order > 0),
        }
    }

    /// |value − got| in units of 2^place.
    pub(crate) fn distance(&mut self, value: &BigFloat, got: f32, place: i32) -> f64 {
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
