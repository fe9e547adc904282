//! The inverse hyperbolic tangent.

use super::log_reduce::per_shift;
use super::ops::{Ops, Word};

/// artanh x, for |x| ≤ 1. ±0 and subnormals give themselves, ±1 gives ±∞, beyond is NaN.
///
/// artanh a = ½·ln m with m = (1 + a)/(1 − a). Dividing m by 2^k gives ½·k·ln 2 + artanh s, where
/// s = (2^−k·(1 + a) − (1 − a))/(2^−k·(1 + a) + (1 − a)) is one quotient. k = 0 below ½, where s = a exactly; from there
/// on m/2^k is about [¾, 3/2), so that |s| ≤ ⅕.
pub fn atanh<F: Ops>(x: F) -> F {
    let bits = x.bits();
    let a = (bits & Word::of(0x7fff_ffff)).real();
    let complement = F::of(1.0) - a;
    // 1/m, as 1/(1 + a) is within 2 % of the line from ½ to 1; the constant keeps the greatest k at 24.
    let inverse = a.fma(F::of(-1.0 / 3.0), F::of(5.0 / 6.0)).fma(complement, F::of(f32::EPSILON / 8.0));
    // Of a number that falls the exponent's negative is the one wanted: k·2²³ of 1/m in (⅓·2^−k, ⅔·2^−k].
    let k = (F::Word::of((2f32 / 3.0).to_bits() + 0x7f_ffff) - inverse.bits()) & Word::of(0xff80_0000);
    let k = Word::select(a.lt(F::of(0.5)), Word::of(0), k);
    let power = (F::Word::of(1f32.to_bits()) - k).real();
    // (2^−k − 1) + a is exact; the denominator is 2·(1 − a) more.
    let numerator = power.fma(a, (power - F::of(1.0)) + a);
    let s = numerator / complement.fma(F::of(2.0), numerator);
    let square = s * s;
    let fraction = (s * square).fma(square.polynomial(&ATANH), s);
    let value = k.signed_to_real().fma(F::of(-per_shift(std::f32::consts::LN_2 / 2.0)), fraction);
    let ordinary = (value.bits() | (bits & Word::of(0x8000_0000))).real();
    ordinary.unless(!a.lt(F::of(1.0)), || {
        F::select(a.eq(F::of(1.0)), F::of(f32::INFINITY).copysign(x), F::of(f32::NAN))
    })
}

/// (artanh s − s)/s³ in s² for |s| ≤ ½, to 2⁻²⁹·⁴ of the function.
const ATANH: [f32; 6] = [0.333_333_02, 0.200_024_53, 0.142_237_86, 0.118_163_86, 0.051_604_36, 0.176_378_5];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        let least = f32::from_bits(1);
        for (x, right) in [
            (0.0, 0.0),
            (least, least),
            (1.0, f32::INFINITY),
            (0.5, 0.549_306_15),
            // The greatest below 1.
            (0.999_999_94, 8.664_34),
        ] {
            assert_eq!(atanh(x).to_bits(), f32::to_bits(right), "of {x:e}");
            assert_eq!(atanh(-x).to_bits(), f32::to_bits(-right), "of −{x:e}");
        }
        for x in [1.000_000_1, 2.0, f32::MAX, f32::INFINITY, f32::NAN] {
            assert!(atanh(x).is_nan() && atanh(-x).is_nan(), "of {x:e}");
        }
    }
}
