//! ½x(1 + tanh(…)), the approximation by the hyperbolic tangent.

use super::exponential::{Exponential, LN2_HI, LN2_LO, mantissa, nearest, weighted};
use super::ops::{Ops, Word};

/// ½x(1 + tanh(clamp(0.7978845608(x + 0.044715x³), −15, 15))), the decimal constants and the clamp exactly. Within the
/// clamp, |x| ≤ 6.50, this is x·e^v/(1 + e^v) with v twice tanh's operand; above it x; below it x/(1 + e³⁰), which is
/// x·9.36e−14 and −∞ at −∞. ±0 at ±0.
///
/// It is max(x, 0) − |x|·y with y = e^−|v|/(1 + e^−|v|), for either sign. |v| = |x|·(A + B·x²) is computed to 2⁻³⁰ of
/// it: e^v has |v| times the relative error of v.
pub fn gelu<F: Ops>(x: F) -> F {
    let magnitude = x.abs();
    let below = (x.bits() | Word::of(1 << 31)).real();
    // x² = x_lo − negated_square, both exact; so is A_HI − sum, since A_HI has 22 bits.
    let negated_square = magnitude * below;
    let square_lo = magnitude.fma(magnitude, negated_square);
    let sum = negated_square.fma(F::of(-B_HI), F::of(A_HI));
    let sum_lo = negated_square.fma(F::of(-B_HI), F::of(A_HI) - sum)
        + square_lo.fma(F::of(B_HI), negated_square.fma(F::of(-B_LO), F::of(A_LO)));
    // −|v| = v + v_lo, and e^−|v|.
    let v = below * sum;
    let v_lo = below.fma(sum_lo, below.fma(sum, magnitude * sum));
    let (k, shifted) = nearest(v);
    let mantissa = mantissa(k.fma(F::of(-LN2_HI), v), k.fma(F::of(-LN2_LO), v_lo));
    let e = Exponential { mantissa, shifted };
    let ordinary = weighted(x, magnitude, &e);
    ordinary.unless(!magnitude.le(F::of(LAST_WITHIN)), || {
        // e³⁰ is great enough to leave x as it is above. A NaN goes the second way.
        let share = x.fma(F::of(LEAST_HI), x * F::of(LEAST_LO));
        F::select(x.gt(F::of(0.0)), x, share)
    })
}

/// 2 · 0.7978845608.
const A_HI: f32 = 1.595_768_9;
const A_LO: f32 = 1.930_721_7e-7;
/// 2 · 0.7978845608 · 0.044715.
const B_HI: f32 = 0.071_354_814;
const B_LO: f32 = 2.398_576_2e-9;
/// The last whose tanh operand is within the clamp: at 6.502976690… it is 15.
const LAST_WITHIN: f32 = 6.502_976_4;
/// 1/(1 + e³⁰).
const LEAST_HI: f32 = 9.357_623e-14;
const LEAST_LO: f32 = 5.661_946e-22;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (-0.0, -0.0),
            (f32::INFINITY, f32::INFINITY),
            (f32::NEG_INFINITY, f32::NEG_INFINITY),
            (88.0, 88.0),
            (-88.0, -8.234_708e-12),
            (104.0, 104.0),
            (-104.0, -9.731_928e-12),
            (1.0, 0.841_192),
            (-f32::from_bits(1), -0.0),
        ] {
            let (x, expected): (f32, f32) = (x, expected);
            assert_eq!(gelu(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(gelu(f32::NAN).is_nan());
    }
}
