//! 2^x, and scaling by a power of two with one rounding.

use std::f32::consts::LN_2;

use super::ops::{Ops, Word};

/// 1.5·2²³: added to a small f32 it leaves the nearest integer in the low mantissa bits.
pub(super) const ROUNDER: f32 = 12_582_912.0;

/// 2^x. Exact at integers; 0 from −150 down, ∞ from 128 up.
pub fn exp2<F: Ops>(x: F) -> F {
    let shifted = x + F::of(ROUNDER);
    let fraction = x - (shifted - F::of(ROUNDER));
    let mantissa = fraction.polynomial(&COEFFICIENTS);
    let ordinary = (mantissa.bits() + (shifted.bits() << Word::of(23))).real();
    // Outside, the exponent field can't hold the result, or x is so large that `shifted` lost its place.
    ordinary.unless(!x.abs().le(F::of(125.5)), || {
        // The clamp keeps a NaN; beyond it the result is 0 or ∞ anyway.
        let x = x.max_nan(F::of(-200.0)).min_nan(F::of(200.0));
        let shifted = x + F::of(ROUNDER);
        let fraction = x - (shifted - F::of(ROUNDER));
        scale(fraction.polynomial(&COEFFICIENTS), shifted.bits() - Word::of(ROUNDER.to_bits()))
    })
}

/// 2^f on [−½, ½] to 2⁻²⁸; the constant is 1 so that integers are exact.
pub(super) const COEFFICIENTS: [f32; 7] =
    [1.0, LN_2, 0.240_226_48, 0.055_503_596, 0.009_618_5, 0.001_339_097_6, 0.000_153_289_07];

/// `mantissa · 2^exponent` with one rounding, for mantissas in [½, 2] and |exponent| < 252, a signed word.
pub(super) fn scale<F: Ops>(mantissa: F, exponent: F::Word) -> F {
    let half = exponent.signed_shr(Word::of(1));
    let power = |exponent: F::Word| ((exponent + Word::of(127)) << Word::of(23)).real();
    // The first factor is exact: it leaves a normal number. The second rounds, or overflows.
    (mantissa * power(half)) * power(exponent - half)
}
