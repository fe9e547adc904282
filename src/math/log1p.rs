//! ln(1 + x).

use super::log_reduce::{ln_1p_fraction, per_shift, shift};
use super::ops::{Ops, Word};

/// ln(1 + x). ±0 and subnormals give themselves; −∞ at −1, NaN below, ∞ at ∞.
///
/// k comes from the rounded 1 + x, f = (2^−k − 1) + 2^−k·x from x itself, which is exact for the k where a rounding
/// would show because 1 + f is in [¾, 3/2) (Sterbenz). The interval begins a place
/// higher, lest a sum that was rounded up to 3/2 be divided by 2. Then as [`log`](super::log()).
pub fn log1p<F: Ops>(x: F) -> F {
    let sum = (x + F::of(1.0)).bits();
    let shift = shift::<F>(sum, 0.75 + f32::EPSILON / 2.0);
    // 4·2^−k, because 2^−128 is subnormal. Subtracting +0 (where k = 0) keeps an x of −0.
    let power = (shift + Word::of(4f32.to_bits())).real();
    let f = (x.bits() + shift).real() - power.fma(F::of(-0.25), F::of(1.0));
    let ordinary = shift.signed_to_real().fma(F::of(per_shift(std::f32::consts::LN_2)), ln_1p_fraction(f));
    // 1 + x is not a positive number.
    let is_other = F::Word::of(0x7f7f_fffe).lt(sum - Word::of(1));
    ordinary.unless(is_other, || {
        // ∞ and NaN give themselves.
        let value = F::select(x.lt(F::of(-1.0)), F::of(f32::NAN), x);
        F::select(x.eq(F::of(-1.0)), F::of(f32::NEG_INFINITY), value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        let least = f32::from_bits(1);
        for (x, right) in [
            (0.0, 0.0),
            (-0.0, -0.0),
            (least, least),
            (-least, -least),
            (-1.0, f32::NEG_INFINITY),
            (f32::INFINITY, f32::INFINITY),
            (1.0, std::f32::consts::LN_2),
            (-0.5, -std::f32::consts::LN_2),
            (f32::MAX, 88.722_84),
        ] {
            assert_eq!(log1p(x).to_bits(), f32::to_bits(right), "of {x:e}");
        }
        for x in [-1.000_000_1, f32::MIN, f32::NEG_INFINITY, f32::NAN] {
            assert!(log1p(x).is_nan(), "of {x:e}");
        }
    }
}
