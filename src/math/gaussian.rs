//! The tail of the normal distribution as a product: e^(−z), with z = x² or ½x², times a function that varies slowly.
//!
//! On entry x is a number of a tail's interval; a NaN stays one. On exit each factor is a sum of two f32 that is good to some
//! 2⁻²⁷, so that the last product is what rounds the result. Each factor comes negated, which saves negations inside; their
//! product has the right sign. Deliberately not here: which interval is whose, and what lies outside.

use super::double::Double;
use super::exp2::ROUNDER;
use super::ops::{Ops, Word};

/// −e^(−z) = sum · 2^k for z = factor · x in [0, 110], with k in the low bits of the second; `opposite` = −factor.
///
/// The product z is exact as s + e, and s − k·ln 2 is exact for the upper part of ln 2, as it has a bit for each place
/// that is left.
pub(super) fn negated_power<F: Ops>(factor: F, opposite: F, x: F) -> (Double<F>, F) {
    let s = factor * x;
    let minus_e = opposite.fma(x, s);
    let shifted = s.fma(F::of(-std::f32::consts::LOG2_E), F::of(ROUNDER));
    let k = shifted - F::of(ROUNDER);
    let r = k.fma(F::of(LN2_HI), s);
    let rest = k.fma(F::of(-LN2_LO), minus_e);
    let high = r - F::of(1.0);
    let low = r - (high + F::of(1.0));
    let low = (r * r).fma(r.polynomial(&NEGATED_POWER), low);
    let hi = high + low;
    (Double::new(hi, rest.fma(hi, (high - hi) + low)), shifted)
}

/// The product of two sums, rounded once but for their last places.
pub(super) fn product<F: Ops>(a: Double<F>, b: Double<F>) -> F {
    a.hi.fma(b.hi, a.hi.fma(b.lo, a.lo * b.hi))
}

/// `mantissa` · 2^k, k in the low bits of `shifted`, for a normal result; [`scale`](super::scale) serves the others.
pub(super) fn scaled<F: Ops>(mantissa: F, shifted: F) -> F {
    (mantissa.bits() + (shifted.bits() << Word::of(23))).real()
}

/// A function w(x) = (centre + p)/(x + shift), with a polynomial p in 1/(x + shift) for each of two intervals.
///
/// The numerator varies so little that an error of p's last place is small beside it, and what the division leaves is
/// added to the quotient.
pub(super) struct Quotient<const NEAR: usize, const FAR: usize> {
    /// What is added to x: a number of few bits.
    pub shift: f32,
    /// About the middle of (x + shift)·w(x).
    pub centre: f32,
    /// The argument of the first polynomial is this − 1/(x + shift).
    pub near_origin: f32,
    /// The first polynomial.
    pub near: [f32; NEAR],
    /// From where on the second one stands.
    pub limit: f32,
    /// The same of the second one.
    pub far_origin: f32,
    /// The second polynomial.
    pub far: [f32; FAR],
}

impl<const NEAR: usize, const FAR: usize> Quotient<NEAR, FAR> {
    /// −factor·w(x), where `centre` is factor·[`centre`](Self::centre), which must be exact; no factor is 1.
    pub(super) fn negated<F: Ops>(&self, x: F, factor: Option<F>, centre: F) -> Double<F> {
        let shift = F::of(self.shift);
        let divisor = x + shift;
        let rest = x - (divisor - shift);
        let inverse = F::of(-1.0) / divisor;
        let p = (inverse + F::of(self.near_origin))
            .polynomial(&self.near)
            .unless(x.gt(F::of(self.limit)), || (inverse + F::of(self.far_origin)).polynomial(&self.far));
        let numerator = p + F::of(self.centre);
        let numerator = factor.map_or(numerator, |factor| numerator * factor);
        let hi = numerator * inverse;
        let left = hi.fma(divisor, centre);
        let left = factor.map_or_else(|| left + p, |factor| p.fma(factor, left));
        Double::new(hi, hi.fma(rest, left) * inverse)
    }
}

/// ln 2 to 24 bits.
const LN2_HI: f32 = std::f32::consts::LN_2;
/// ln 2 − `LN2_HI`.
const LN2_LO: f32 = -1.904_654_3e-9;

/// −(e^(−r) − 1 + r)/r² on [−½ln 2, ½ln 2]; the error it makes in e^(−r) is 2⁻²⁸.
const NEGATED_POWER: [f32; 5] = [-0.499_999_94, 0.166_665_21, -0.041_668_29, 0.008_368_716, -0.001_381_903_2];
