//! The error function.

use super::exp2::{COEFFICIENTS as POWERS, ROUNDER};
use super::ops::{Ops, Word};

/// erf x. erf ±0 = ±0, erf ±∞ = ±1; ±1 from |x| = 3.92 on.
///
/// Up to 0.9 it is x + x·p(x²). Beyond, it is 1 − 2^(x·q(x)), where a polynomial stands for log₂(erfc x)/x: erfc is small
/// there, so that the errors of both polynomials are too.
pub fn erf<F: Ops>(x: F) -> F {
    // A NaN goes the short way.
    let t = x.abs();
    F::branch(t.gt(F::of(0.9)), || far(x, t), || near(x))
}

/// erf x for |x| ≤ 0.9.
pub(super) fn near<F: Ops>(x: F) -> F {
    (x * x).polynomial(&NEAR).fma(x, x)
}

fn far<F: Ops>(x: F, t: F) -> F {
    let t = t.min(F::of(4.0));
    let q = t.polynomial(&FAR);
    let shifted = q.fma(t, F::of(ROUNDER));
    let fraction = q.fma(t, F::of(ROUNDER) - shifted);
    // 1 − 2^k·(1 + f·p) = (1 − 2^k) − 2^k·f·p, whose first part is exact.
    let minus_power = ((shifted.bits() << Word::of(23)) + Word::of((-1f32).to_bits())).real();
    let rest = F::of(1.0) + minus_power;
    let magnitude = (minus_power * fraction).fma(fraction.polynomial(&POWERS[1..]), rest);
    (magnitude.bits() | (x.bits() & Word::of(0x8000_0000))).real()
}

/// erf(√s)/√s − 1 for s ≤ 0.9², the sum to 2⁻³⁰.
const NEAR: [f32; 7] =
    [0.128_379_17, -0.376_126_3, 0.112_836_24, -0.026_855_56, 0.005_191_753, -0.000_803_975_3, 0.000_079_431];

/// log₂(erfc t)/t on [0.9, 4]; the error it makes in erf is 2⁻³⁰.
const FAR: [f32; 7] = [
    -1.628_284_7,
    -0.916_373_3,
    -0.153_196_16,
    0.034_220_85,
    -0.005_226_707,
    0.000_458_852_1,
    -0.000_015_527_42,
];

#[cfg(test)]
mod tests {
    use super::erf;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (f32::INFINITY, 1.0),
            (4.5, 1.0),
            (1.0, 0.842_700_8),
            (0.5, 0.520_499_9),
            (f32::from_bits(1), f32::from_bits(1)),
            (f32::MAX, 1.0),
        ] {
            assert_eq!(erf(x).to_bits(), f32::to_bits(expected), "{x:e}");
            assert_eq!(erf(-x).to_bits(), f32::to_bits(-expected), "{x:e}");
        }
        assert!(erf(f32::NAN).is_nan());
    }
}
