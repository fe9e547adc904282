//! 1/(1 + e^−x).

use super::exp;
use super::exponential::{Exponential, RECIPROCAL};
use super::ops::{Ops, Word};

/// The logistic function 1/(1 + e^−x): 0 at −∞, ½ at ±0, 1 at ∞ and from 17.4 up. It is e^x below −87, subnormal from
/// −87.4 and 0 from −103.98 down.
///
/// With y = e^−|x|/(1 + e^−|x|) it is y for negative x and 1 − y for others.
pub fn sigmoid<F: Ops>(x: F) -> F {
    let below = (x.bits() | Word::of(1 << 31)).real();
    let e = Exponential::of(below);
    let (hi, lo, power) = (e.mantissa.hi, e.mantissa.lo, e.power());
    // 1 + e^−|x| in two parts: each step back is exact.
    let d_hi = power.fma(hi, F::of(1.0));
    let d_lo = power.fma(lo, power.fma(hi, F::of(1.0) - d_hi));
    // q ≈ −1/d, and what it lacks by one step of the third order.
    let q = d_hi.polynomial(&RECIPROCAL);
    let rest = q.fma(d_lo, q.fma(d_hi, F::of(1.0)));
    let rest = rest.fma(rest, rest);
    let negated = hi.fma(q, q * hi.fma(rest, lo));
    let one = F::select(x.lt(F::of(0.0)), F::of(0.0), F::of(1.0));
    let ordinary = power.fma(negated, one).abs();
    ordinary.unless(!below.ge(F::of(-87.0)), || F::select(x.gt(F::of(0.0)), F::of(1.0), exp(x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.5),
            (-0.0, 0.5),
            (f32::INFINITY, 1.0),
            (f32::NEG_INFINITY, 0.0),
            (88.0, 1.0),
            (-88.0, 6.054_601e-39),
            (104.0, 1.0),
            (-104.0, 0.0),
            (1.0, 0.731_058_6),
        ] {
            let (x, expected): (f32, f32) = (x, expected);
            assert_eq!(sigmoid(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(sigmoid(f32::NAN).is_nan());
    }
}
