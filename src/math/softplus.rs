//! log(1 + e^x).

use super::double::Double;
use super::exp;
use super::exponential::Exponential;
use super::ops::{Ops, Word};

/// log(1 + e^x): ln 2 at ±0, 0 at −∞, ∞ at ∞, x from 17.4 up. It is e^x below −60, with subnormal results from −87.4.
///
/// max(x, 0) + log1p(e) with e = e^−|x|, and log1p(e) = 2 artanh(e/(2 + e)): a series of odd powers whose first term alone
/// needs two parts.
pub fn softplus<F: Ops>(x: F) -> F {
    let below = (x.bits() | Word::of(1 << 31)).real();
    let e = Exponential::of(below);
    let Double { hi, lo } = e.mantissa;
    let exponent = e.shifted.bits() << Word::of(23);
    let negated_power = (exponent + Word::of((-1f32).to_bits())).real();
    let twice_power = (exponent + Word::of(2f32.to_bits())).real();
    // −(2 + e) in two parts, and q ≈ 1/(2 + e) to 2⁻¹⁸ after one step of Newton's.
    let d_hi = negated_power.fma(hi, F::of(-2.0));
    let d_lo = negated_power.fma(lo, negated_power.fma(hi, F::of(-2.0) - d_hi));
    let q = d_hi.polynomial(&RECIPROCAL);
    let q = q.fma(q.fma(d_hi, F::of(1.0)), q);
    // v = 2e/(2 + e) = first + left.
    let quotient = hi * q;
    let rest = quotient.fma(d_lo, quotient.fma(d_hi, hi)) + lo;
    let first = twice_power * quotient;
    let left = twice_power * (q * rest);
    let v = first + left;
    let square = v * v;
    let others = (v * square).fma(square.polynomial(&ARTANH), left);
    // A sum of the greater and the lesser keeps what rounding loses.
    let linear = x.max(F::of(0.0));
    let sum = Double::fast_sum(first.max(linear), first.min(linear));
    let ordinary = sum.hi + (sum.lo + others);
    ordinary.unless(!below.ge(F::of(-60.0)), || F::select(x.gt(F::of(0.0)), x, exp(x)))
}

/// −1/d on [−3, −2] to 2⁻⁸·⁹.
const RECIPROCAL: [f32; 3] = [1.224_719_5, 0.494_826_14, 0.065_975_375];
/// (2 artanh(v/2) − v)/v³ in v² on [0, (2/3)²]; times v³, 2⁻²⁷·⁷ of log1p.
const ARTANH: [f32; 4] = [0.083_333_02, 0.012_506_701, 0.002_187_723, 0.000_547_029_54];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, std::f32::consts::LN_2),
            (-0.0, std::f32::consts::LN_2),
            (f32::INFINITY, f32::INFINITY),
            (f32::NEG_INFINITY, 0.0),
            (88.0, 88.0),
            (-88.0, 6.054_601e-39),
            (-104.0, 0.0),
            (17.5, 17.5),
        ] {
            let (x, expected): (f32, f32) = (x, expected);
            assert_eq!(softplus(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(softplus(f32::NAN).is_nan());
    }
}
