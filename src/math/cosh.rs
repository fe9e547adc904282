//! The hyperbolic cosine.

use super::hyperbolic::{half_exp, halves};
use super::ops::Ops;

/// cosh x: 1 at ±0, ∞ from ±89.42 on.
///
/// e^|x|/2 + e^−|x|/2.
pub fn cosh<F: Ops>(x: F) -> F {
    let magnitude = x.abs();
    halves(magnitude, 0.5).unless(!magnitude.le(F::of(87.0)), || half_exp(magnitude))
}
