//! x·tanh(log(1 + e^x)).

use super::double::Double;
use super::exponential::Exponential;
use super::ops::{Ops, Word};
use super::silu::far_below;

/// x·tanh(log(1 + e^x)): ±0 at ±0, ∞ at ∞, x from 9.4 up; x·e^x below −60, subnormal results rounded once, −0 from
/// −108.6 down to the least finite number. At −∞ the formula is −∞·0: NaN.
///
/// With n = e^x the factor is n(n + 2)/(n(n + 2) + 2). Of e = e^−|x| it is e(2 + e)/(2 + e(2 + e)) where x is negative,
/// else 1 − 2e²/(2e² + 1 + 2e); sums, products and the quotient in two parts.
pub fn mish<F: Ops>(x: F) -> F {
    let magnitude = x.abs();
    let e = Exponential::of((x.bits() | Word::of(1 << 31)).real());
    let power = e.power();
    let (hi, lo) = (power * e.mantissa.hi, power * e.mantissa.lo);
    let negative = x.lt(F::of(0.0));
    // 2 + e, or 1 + 2e.
    let factor = F::select(negative, F::of(1.0), F::of(2.0));
    let (scaled, scaled_lo) = (hi * factor, lo * factor);
    let base = F::select(negative, F::of(2.0), F::of(1.0));
    let sum = base + scaled;
    let sum_lo = (scaled - (sum - base)) + scaled_lo;
    // The numerator e·(2 + e), or e·2e; the denominator is 2 or 1 + 2e more.
    let (g, g_lo) = (F::select(negative, sum, scaled), F::select(negative, sum_lo, scaled_lo));
    let product = Double::product(hi, g);
    let n = Double::new(product.hi, hi.fma(g_lo, lo.fma(g, product.lo)));
    let (b, b_lo) = (F::select(negative, F::of(2.0), sum), F::select(negative, F::of(0.0), sum_lo));
    let d_hi = b + n.hi;
    let d_lo = (n.hi - (d_hi - b)) + (n.lo + b_lo);
    // −|x|·n/d, in the form share + q·rest.
    let q = F::of(-1.0) / d_hi;
    let share = magnitude * q;
    let rest = share.fma(d_lo, share.fma(d_hi, magnitude));
    let negated = n.hi.fma(share, n.lo.fma(share, n.hi * (q * rest)));
    let ordinary = negated + x.max(F::of(0.0));
    let is_ordinary =
        (magnitude.bits() - Word::of(TINY.to_bits())).lt(Word::of(60f32.to_bits() - TINY.to_bits()));
    ordinary.unless(!is_ordinary, || {
        // The slope at 0 is 0.6.
        let tiny = x.fma(F::of(SLOPE), x * F::of(SLOPE_LO));
        F::select(magnitude.lt(F::of(TINY)), tiny, F::select(x.gt(F::of(0.0)), x, far_below(x)))
    })
}

/// Below it the square term is no part of the result, and steps of subnormal numbers would be.
const TINY: f32 = 1e-30;
/// 0.6 toward zero, so that what is left is positive too and −0 stays.
const SLOPE: f32 = 0.599_999_96;
/// 0.6 − `SLOPE`.
const SLOPE_LO: f32 = 3.576_279e-8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (-0.0, -0.0),
            (f32::INFINITY, f32::INFINITY),
            (88.0, 88.0),
            (-88.0, -5.328_049_7e-37),
            (f32::MIN, -0.0),
            (10.0, 10.0),
            (f32::from_bits(5), f32::from_bits(3)),
            (-f32::from_bits(1), -f32::from_bits(1)),
        ] {
            let (x, expected): (f32, f32) = (x, expected);
            assert_eq!(mish(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(mish(f32::NAN).is_nan());
        assert!(mish(f32::NEG_INFINITY).is_nan());
    }
}
