//! e^x − 1.

use super::exp2::{ROUNDER, scale};
use super::exponential::{Exponential, LN2_HI, LN2_LO, nearest, power};
use super::ops::{Ops, Word};

/// e^x − 1. ±0 at ±0; −1 from −17.4 down, ∞ from 88.73 up.
///
/// Below 0.6 a polynomial. Above, with e^x = 2^k·(1 + r + r²·p), it is (2^k − 1) + 2^k·r in two parts and 2^k·r²·p, as
/// long as 2^k − 1 is exact.
pub fn expm1<F: Ops>(x: F) -> F {
    let magnitude = x.abs();
    let ordinary = F::branch(
        magnitude.lt(F::of(0.6)),
        || {
            let value = (x * x).fma(x.polynomial(&SQUARE), x);
            // −0 has its own sign.
            (value.bits() | (x.bits() & Word::of(1 << 31))).real()
        },
        || {
            let (k, shifted) = nearest(x);
            let r_hi = k.fma(F::of(-LN2_HI), x);
            let r = k.fma(F::of(-LN2_LO), r_hi);
            let power = power(shifted);
            let less = power - F::of(1.0);
            let hi = power.fma(r_hi, less);
            // The step back is exact.
            let lost = power.fma(r_hi, less - hi);
            let above = k.fma(F::of(-LN2_LO), (r * r) * r.polynomial(&REDUCED));
            hi + power.fma(above, lost)
        },
    );
    ordinary.unless(!magnitude.le(F::of(16.9)), || {
        // The clamp keeps a NaN; beyond it the result is −1 or ∞ anyway.
        let e = Exponential::of(x.max_nan(F::of(-30.0)).min_nan(F::of(95.0)));
        let k = e.shifted.bits() - Word::of(ROUNDER.to_bits());
        let one = scale(F::of(1.0), F::Word::of(0) - k);
        scale(e.mantissa.hi + (e.mantissa.lo - one), k)
    })
}

/// (e^x − 1 − x)/x² on [−0.6, 0.65]; times x², 2⁻³⁰ of e^x − 1.
const SQUARE: [f32; 7] =
    [0.5, 0.166_666_7, 0.041_666_68, 0.008_332_817, 0.001_388_745_5, 0.000_200_587_06, 0.000_025_216_25];
/// (e^r − 1 − r)/r² on [−½ln 2, ½ln 2]; times r², 2⁻²⁸ of e^r.
const REDUCED: [f32; 5] = [0.499_999_94, 0.166_665_21, 0.041_668_266, 0.008_368_678, 0.001_382_074_9];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (-0.0, -0.0),
            (f32::INFINITY, f32::INFINITY),
            (f32::NEG_INFINITY, -1.0),
            (-20.0, -1.0),
            (89.0, f32::INFINITY),
            (1.0, 1.718_281_9),
            (-f32::from_bits(1), -f32::from_bits(1)),
        ] {
            let (x, expected): (f32, f32) = (x, expected);
            assert_eq!(expm1(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(expm1(f32::NAN).is_nan());
    }
}
