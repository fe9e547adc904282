//! The error function.

use super::exp2::{COEFFICIENTS as POWERS, ROUNDER};
use super::ops::{Ops, Word};

/// erf x. erf ±0 = ±0, erf ±∞ = ±1; ±1 from |x| = 3.92 on.
///
/// Up to 0.93 it is x + x·p(x²). Beyond, it is 1 − 2^(x·q(x)), where a polynomial stands for log₂(erfc x)/x: erfc is small
/// there, so that the errors of both polynomials are too.
pub fn erf<F: Ops>(x: F) -> F {
    // A NaN goes the short way.
    F::branch(x.abs().gt(F::of(0.93)), || far(x), || near(x))
}

/// erf x for |x| ≤ 0.93.
pub(super) fn near<F: Ops>(x: F) -> F {
    (x * x).polynomial(&NEAR).fma(x, x)
}

fn far<F: Ops>(x: F) -> F {
    let t = x.abs().min(F::of(4.0));
    let q = t.polynomial(&FAR);
    let shifted = q.fma(t, F::of(ROUNDER));
    let fraction = q.fma(t, F::of(ROUNDER) - shifted);
    let power = (fraction.polynomial(&POWERS).bits() + (shifted.bits() << Word::of(23))).real();
    ((F::of(1.0) - power).bits() | (x.bits() & Word::of(0x8000_0000))).real()
}

/// erf(√s)/√s − 1 for s ≤ 0.93², the sum to 2⁻³⁰.
const NEAR: [f32; 7] = [
    0.128_379_17,
    -0.376_126_3,
    0.112_836_257,
    -0.026_855_731,
    0.005_192_405,
    -0.000_804_976_97,
    0.000_079_966_5,
];

/// log₂(erfc t)/t on [0.93, 4]; the error it makes in erf is 2⁻³⁰·⁵.
const FAR: [f32; 7] = [
    -1.628_309,
    -0.916_274_6,
    -0.153_359_26,
    0.034_361_195,
    -0.005_292_982,
    0.000_475_128_56,
    -0.000_017_150_955,
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
