//! e^x − 1.

use super::exp2::{ROUNDER, scale};
use super::exponential::{Exponential, power, reduce};
use super::ops::{Ops, Word};

/// e^x − 1. ±0 at ±0; −1 from −17.4 down, ∞ from 88.73 up.
///
/// Below 0.6 a polynomial. Above, with e^x = 2^k·(1 + r·p), (2^k − 1) + 2^k·r·p: one rounding, as long as 2^k − 1 is exact.
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
            let (r, shifted) = reduce(x);
            let power = power(shifted);
            (power * r).fma(r.polynomial(&super::exponential::OVER), power - F::of(1.0))
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
