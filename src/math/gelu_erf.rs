//! The exact form of the Gaussian error linear unit.

use super::exp2::{ROUNDER, scale};
use super::gaussian::{Quotient, negated_power, product, scaled};
use super::ops::{Ops, Word};

/// ½·x·(1 + erf(x/√2)), which is x·Φ(x) with the normal distribution's Φ.
///
/// The error is that of the formula in exact numbers, the far negative tail included: results below 2⁻¹²⁶ are subnormal
/// and rounded once, −0 from −14.4 down. ±0 gives itself, +∞ gives +∞. −∞ gives NaN, as the formula does (−∞·0), not its
/// limit −0; the greatest negative numbers give −0.
///
/// Up to |x| = ½, Φ is ½ + x·p(x²) as a sum of two f32. Beyond, |x|·Φ(−|x|) = e^(−½x²)·|x|·w(|x|) with ½x² to 48 bits, which
/// is what is negated, or taken from x. (x + 1)·w(x) varies from 0.42 to 0.53; it is a polynomial in 1/(x + 1).
pub fn gelu_erf<F: Ops>(x: F) -> F {
    // A NaN goes the short way.
    let t = x.abs();
    F::branch(t.gt(F::of(0.5)), || far(x, t), || near(x))
}

fn near<F: Ops>(x: F) -> F {
    let p = (x * x).polynomial(&NEAR);
    let hi = p.fma(x, F::of(0.5));
    let lo = p.fma(x, F::of(0.5) - hi);
    // Last the greater product, so that −0 stays.
    hi.fma(x, lo * x)
}

fn far<F: Ops>(x: F, t: F) -> F {
    let (half, minus_half) = (t * F::of(0.5), t * F::of(-0.5));
    let (power, shifted) = negated_power(half, minus_half, t);
    let tail = scaled(product(power, W.negated(t, Some(t), half)), shifted);
    (x.max(F::of(0.0)) - tail).unless(t.gt(F::of(12.5)), || beyond(x, t))
}

/// Where the tail may be subnormal, and is nothing beside a positive x.
fn beyond<F: Ops>(x: F, t: F) -> F {
    let clamped = t.min(F::of(14.6));
    let half = clamped * F::of(0.5);
    let (power, shifted) = negated_power(half, -half, clamped);
    let mantissa = product(power, W.negated(clamped, Some(clamped), half));
    let tail = scale(mantissa, shifted.bits() - Word::of(ROUNDER.to_bits()));
    // ∞·0 is the formula's NaN.
    F::select(x.lt(F::of(0.0)), -(tail + t * F::of(0.0)), x)
}

/// (Φ(√s) − ½)/√s for s ≤ ¼; the error it makes in Φ(−√s) is 2⁻²⁸·⁵.
const NEAR: [f32; 4] = [0.398_942_26, -0.066_489_48, 0.009_961_191, -0.001_122_884_2];

/// ½·e^(½x²)·erfc(x/√2) from ½ to 14.6, to 2⁻²⁹ up to 3 and to 2⁻²⁸·⁵ beyond.
const W: Quotient<10, 8> = Quotient {
    shift: 1.0,
    centre: 0.5,
    near_origin: 0.458_251_95,
    near: [
        0.020_389_583,
        -0.080_464_11,
        -0.351_909,
        -0.289_759_64,
        0.030_500_51,
        0.447_511_85,
        0.742_484_9,
        0.650_481_2,
        -0.321_842_9,
        -1.634_927,
    ],
    limit: 3.0,
    far_origin: 0.157_104_49,
    far: [
        -0.041_670_86,
        -0.336_883_54,
        -0.373_833_12,
        0.548_675_84,
        1.294_887_2,
        -0.638_159_33,
        -5.538_021_6,
        -4.424_960_6,
    ],
};

#[cfg(test)]
mod tests {
    use super::gelu_erf;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (-0.0, -0.0),
            (f32::INFINITY, f32::INFINITY),
            (f32::MAX, f32::MAX),
            (f32::MIN, -0.0),
            (1.0, 0.841_344_7),
            (-1.0, -0.158_655_25),
            (0.25, 0.149_676_58),
            (88.0, 88.0),
            (104.0, 104.0),
            (-88.0, -0.0),
            (-104.0, -0.0),
            (-14.0, -f32::from_bits(78)),
        ] {
            assert_eq!(gelu_erf(x).to_bits(), f32::to_bits(expected), "{x:e}");
        }
        assert!(gelu_erf(f32::NAN).is_nan());
        assert!(gelu_erf(f32::NEG_INFINITY).is_nan());
    }
}
