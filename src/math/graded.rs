//! 2^x and e^x to a stated number of bits, for operands that are rounded to f16 or bf16 next.
//!
//! Every function here is straight-line code. It computes the root of the result, whose exponent is within range wherever
//! the result's isn't beyond it, and squares that: a result that is subnormal, or overflows, is rounded by the product.

use std::f32::consts::LN_2;

use super::exp2::ROUNDER;
use super::ops::{Ops, Word};

/// 2^x with a relative error of at most 2^−BITS, BITS ≤ 20, wherever the result is a normal number; a subnormal result
/// is off by at most one more step of 2⁻¹⁴⁹. 0 from −150 down, ∞ from 128 up, NaN of NaN; 1 at 0 where BITS isn't 8.
///
/// 10 operations for up to 8 bits, 11 for up to 12, 12 for up to 17, 13 for up to 20.
pub fn exp2_p<const BITS: u32, F: Ops>(x: F) -> F {
    // The clamp keeps a NaN; beyond it the square is 0 or ∞.
    exp2_p_below::<BITS, F>(x.min_nan(F::of(LIMIT)))
}

/// [`exp2_p`] for x < 250, such as a difference from a maximum: one operation less. Beyond, the result has no meaning.
pub fn exp2_p_below<const BITS: u32, F: Ops>(x: F) -> F {
    let x = x.max_nan(F::of(-LIMIT));
    let (k_negated, shifted) = nearest(x, 0.5);
    square::<BITS, F>(x.fma(F::of(0.5), k_negated), shifted)
}

/// e^x with a relative error of at most 2^−BITS, BITS ≤ 20, wherever the result is a normal number; a subnormal result
/// is off by at most one more step of 2⁻¹⁴⁹. 0 from −103.98 down, ∞ from 88.73 up, NaN of NaN; 1 at 0 where BITS isn't 8.
///
/// As many operations as [`exp2_p`], and one more for 19 and 20 bits.
pub fn exp_p<const BITS: u32, F: Ops>(x: F) -> F {
    exp_p_below::<BITS, F>(x.min_nan(F::of(LIMIT * LN_2)))
}

/// [`exp_p`] for x < 173, such as a difference from a maximum: one operation less. Beyond, the result has no meaning.
pub fn exp_p_below<const BITS: u32, F: Ops>(x: F) -> F {
    let x = x.max_nan(F::of(-LIMIT * LN_2));
    let (k_negated, shifted) = nearest(x, HALF_LOG2_E);
    let fraction = x.fma(F::of(HALF_LOG2_E), k_negated);
    // The constant's own error is 2⁻²⁶ of an exponent of up to 128.
    let fraction = if BITS > 18 { x.fma(F::of(HALF_LOG2_E_LO), fraction) } else { fraction };
    square::<BITS, F>(fraction, shifted)
}

/// Where a root is still a normal number.
const LIMIT: f32 = 250.0;
/// ½ log₂ e.
const HALF_LOG2_E: f32 = 0.5 * std::f32::consts::LOG2_E;
/// ½ log₂ e − `HALF_LOG2_E`.
const HALF_LOG2_E_LO: f32 = 9.629_809e-9;

/// [`ROUNDER`] and the bias of an exponent field: shifted left, the sum of it and k is 2^k.
const BIASED: f32 = ROUNDER + 127.0;

/// The integer nearest to x · factor, negated, and the number with it in its low bits.
fn nearest<F: Ops>(x: F, factor: f32) -> (F, F) {
    let shifted = x.fma(F::of(factor), F::of(BIASED));
    (F::of(BIASED) - shifted, shifted)
}

/// (2^(fraction + k))² of the k in the low bits of `shifted`.
fn square<const BITS: u32, F: Ops>(fraction: F, shifted: F) -> F {
    let mantissa = fraction.polynomial(const { root(BITS) });
    // A product, where an addition to the exponent field would make a number of a NaN.
    let root = mantissa * (shifted.bits() << Word::of(23)).real();
    root * root
}

/// 2^f on [−½, ½] to half a bit more than `bits` + 1; the constant is 1 where that leaves enough.
const fn root(bits: u32) -> &'static [f32] {
    assert!(bits <= 20, "graded exponentials have 20 bits at most");
    match bits {
        0..8 => &[1.0, 0.702_953_16, 0.239_863_44],
        8 => &[1.000_444_3, 0.703_460_2, 0.238_426_15],
        9..13 => &[1.0, 0.693_283_26, 0.242_213_34, 0.055_008_277],
        13..18 => &[1.0, 0.693_124_1, 0.240_240_95, 0.055_907_02, 0.009_583_143],
        _ => &[1.0, LN_2, 0.240_222_45, 0.055_507_09, 0.009_671_38, 0.001_327_048_3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest relative error of normal results and the greatest of others in steps, over every sign, exponent and
    /// upper mantissa, with every hundredth step of the lower.
    fn errors(function: fn(f32) -> f32, reference: fn(f64) -> f64) -> (f64, f64) {
        let (mut relative, mut steps) = (0f64, 0f64);
        for bits in (0..=u32::MAX).step_by(997) {
            let x = f32::from_bits(bits);
            let (got, right) = (function(x), reference(f64::from(x)));
            if x.is_nan() || right >= 2f64.powi(128) {
                assert!(if x.is_nan() { got.is_nan() } else { got == f32::INFINITY }, "{x:e} gives {got:e}");
            } else if right >= 2f64.powi(-126) {
                // What overflows by rounding alone is off by no more than the bound.
                let got = if got.is_infinite() { 2f64.powi(128) } else { f64::from(got) };
                relative = relative.max((got / right - 1.0).abs());
            } else {
                assert!(got.is_sign_positive(), "{x:e}");
                steps = steps.max((f64::from(got) - right).abs() * 2f64.powi(149));
            }
        }
        (relative, steps)
    }

    fn check(bits: u32, function: fn(f32) -> f32, reference: fn(f64) -> f64) {
        let (relative, steps) = errors(function, reference);
        println!("{bits} bits: 2^{:.2}, {steps:.3} steps", relative.log2());
        assert!(relative <= 2f64.powi(-bits.cast_signed()), "{bits} bits: 2^{:.3}", relative.log2());
        // A subnormal result has the error of its root squared, then half a step.
        assert!(steps <= 0.5 + 2f64.powi(23 - bits.cast_signed()), "{bits} bits: {steps} steps");
    }

    macro_rules! grades {
        ($($bits:literal)*) => {
            #[test]
            fn errors_are_within_what_is_stated() {
                $(
                    check($bits, exp2_p::<$bits, f32>, f64::exp2);
                    check($bits, exp_p::<$bits, f32>, f64::exp);
                )*
            }
        };
    }

    grades!(7 8 11 12 14 17 18 20);

    #[test]
    fn special_values() {
        for (x, expected) in [
            (f32::NEG_INFINITY, 0.0),
            (f32::MIN, 0.0),
            (-151.0, 0.0),
            (0.0, 1.0),
            (-0.0, 1.0),
            (128.0, f32::INFINITY),
            (f32::MAX, f32::INFINITY),
            (f32::INFINITY, f32::INFINITY),
        ] {
            assert_eq!(exp2_p::<11, f32>(x), expected, "{x}");
            assert_eq!(exp_p::<11, f32>(x), expected, "{x}");
        }
        assert_eq!(exp2_p::<11, f32>(-149.0), f32::from_bits(1));
    }

    #[test]
    fn without_the_upper_clamp_the_bits_are_the_same() {
        for bits in (0..0x8000_0000u32).step_by(100_003) {
            let x = -f32::from_bits(bits);
            assert_eq!(exp2_p::<11, f32>(x).to_bits(), exp2_p_below::<11, f32>(x).to_bits(), "{x}");
            assert_eq!(exp_p::<11, f32>(x).to_bits(), exp_p_below::<11, f32>(x).to_bits(), "{x}");
        }
    }
}
