//! e^x to more than 24 bits, and the quotient e^x/(1 + e^x): what functions built of an exponential share.
//!
//! On entry x is no NaN and 2^k is a normal number (|x| ≤ 87). Nothing here looks at special values.

use super::double::Double;
use super::exp2::ROUNDER;
use super::ops::{Ops, Word};

/// e^x = (hi + lo)·2^k.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponential<F: Ops> {
    /// e^r in [0.7, 1.42].
    pub(super) mantissa: Double<F>,
    /// k in its low bits; those above are [`ROUNDER`]'s.
    pub(super) shifted: F,
}

impl<F: Ops> Exponential<F> {
    /// Within some 2⁻²⁵·⁵: Cody and Waite's reduction x = k·ln 2 + r.
    pub(super) fn of(x: F) -> Self {
        let (k, shifted) = nearest(x);
        Self { mantissa: mantissa(k.fma(F::of(-LN2_HI), x), k * F::of(-LN2_LO)), shifted }
    }

    /// 2^k, where that is a normal number.
    pub(super) fn power(&self) -> F {
        power(self.shifted)
    }
}

/// The integer nearest to x/ln 2, and the number with it in its low bits.
pub(super) fn nearest<F: Ops>(x: F) -> (F, F) {
    let shifted = x.fma(F::of(std::f32::consts::LOG2_E), F::of(ROUNDER));
    (shifted - F::of(ROUNDER), shifted)
}

/// e^(r + r_lo) in two parts, |r| ≤ ½ln 2 and |r_lo| ≤ 2⁻¹²: 1 + r·p(r), with what rounding the sum lost and what the
/// sum of r's parts lost.
pub(super) fn mantissa<F: Ops>(r: F, r_lo: F) -> Double<F> {
    let rounded = r + r_lo;
    let over = rounded.polynomial(&OVER);
    let hi = over.fma(rounded, F::of(1.0));
    // 1 − hi is exact.
    Double::new(hi, over.fma(r_lo, over.fma(r, F::of(1.0) - hi)))
}

/// 2^k of the k in the low bits of `shifted`.
pub(super) fn power<F: Ops>(shifted: F) -> F {
    ((shifted.bits() << Word::of(23)) + Word::of(1f32.to_bits())).real()
}

/// ln 2 to 17 bits: its products with |k| < 2⁷ are exact.
pub(super) const LN2_HI: f32 = 0.693_145_75;
/// ln 2 − `LN2_HI`.
pub(super) const LN2_LO: f32 = 1.428_606_8e-6;

/// (e^r − 1)/r on [−½ln 2, ½ln 2]; times r, 2⁻²⁸ of e^r.
const OVER: [f32; 6] = [1.0, 0.499_999_94, 0.166_665_21, 0.041_668_262, 0.008_368_674, 0.001_382_104_1];

impl<F: Ops> Exponential<F> {
    /// −factor · e^x/(1 + e^x), but for the factor 2^k; x ≤ 0 up to rounding. The relative error before the last
    /// rounding is some 2⁻²⁵.
    pub(super) fn negated_share(&self, factor: F) -> F {
        let power = self.power();
        let Double { hi, lo } = self.mantissa;
        // 1 + e^x in two parts: the product with a power of two is exact, and so is 1 − d_hi + power·hi.
        let d_hi = power.fma(hi, F::of(1.0));
        let d_lo = power.fma(lo, power.fma(hi, F::of(1.0) - d_hi));
        // q ≈ −1/d to 2⁻¹⁸ after one step of Newton's: a division would be slower on every target.
        let q = d_hi.polynomial(&RECIPROCAL);
        let q = q.fma(q.fma(d_hi, F::of(1.0)), q);
        // −factor/d is share + q·rest.
        let share = factor * q;
        let rest = share.fma(d_lo, share.fma(d_hi, factor));
        hi.fma(share, lo.fma(share, hi * (q * rest)))
    }
}

/// max(x, 0) − |x|·y with y = e^−v/(1 + e^−v) and `e` = e^−v, v ≥ 0 and even in x: a function x·(1/(1 + e^±v)) on both
/// sides of 0.
pub(super) fn weighted<F: Ops>(x: F, magnitude: F, e: &Exponential<F>) -> F {
    let sum = e.power().fma(e.negated_share(magnitude), x.max(F::of(0.0)));
    // A sum that underflows, and −0, have the sign of x.
    (sum.bits() | (x.bits() & Word::of(1 << 31))).real()
}

/// −1/d on [1, 2] to 2⁻⁹, and exactly −½ at 2 when evaluated, so that halves of subnormal numbers are rounded once.
pub(super) const RECIPROCAL: [f32; 4] = [-2.800_844_7, 2.878_857_6, -1.287_942_4, 0.211_862_37];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reciprocal_of_two_is_exact() {
        assert_eq!(2f32.polynomial(&RECIPROCAL), -0.5);
    }
}
