//! (e^a ± e^−a)/2.
//!
//! On entry 0 ≤ a ≤ 87 and a is no NaN.

use super::exp2::{ROUNDER, scale};
use super::exponential::{Exponential, LN2_HI, LN2_LO, nearest};
use super::ops::{Ops, Word};

/// e^a/2 + factor·e^−a, where `factor` is ½ or −½.
///
/// With a = k·ln 2 + r, e^±r = cosh r ± sinh r by their polynomials. Of the sum 2^(k−1)·e^r + … only 1 + r is great
/// enough to need two parts.
pub(super) fn halves<F: Ops>(a: F, factor: f32) -> F {
    let (k, shifted) = nearest(a);
    let r_hi = k.fma(F::of(-LN2_HI), a);
    let r = k.fma(F::of(-LN2_LO), r_hi);
    let square = r * r;
    let cosh = square * square.polynomial(&COSH);
    let sinh = (square * r) * square.polynomial(&SINH);
    let exponent = shifted.bits() << Word::of(23);
    let power = (F::Word::of(0.5f32.to_bits()) + exponent).real();
    let inverse = (F::Word::of(factor.to_bits()) - exponent).real();
    let hi = power.fma(r_hi, power);
    let lost = power.fma(r_hi, power - hi);
    let below = ((cosh - sinh) - r) + F::of(1.0);
    let above = k.fma(F::of(-LN2_LO), cosh + sinh);
    hi + power.fma(above, inverse.fma(below, lost))
}

/// e^a/2 for a > 80, or NaN.
pub(super) fn half_exp<F: Ops>(a: F) -> F {
    let e = Exponential::of(a.min_nan(F::of(95.0)));
    scale(e.mantissa.hi + e.mantissa.lo, e.shifted.bits() - Word::of(ROUNDER.to_bits() + 1))
}

/// (cosh √z − 1)/z on [0, (½ln 2)²]; times z, 2⁻³³.
pub(super) const COSH: [f32; 3] = [0.5, 0.041_666_456, 0.001_393_582_3];
/// (sinh √z − √z)/√z³ on [0, (½ln 2)²]; 2⁻³⁴ of sinh.
const SINH: [f32; 3] = [0.166_666_67, 0.008_333_175, 0.000_199_739_88];
