//! The hyperbolic tangent.

use super::exp2::ROUNDER;
use super::exponential::{LN2_HI, LN2_LO};
use super::ops::{Ops, Word};

/// tanh x: ±0 at ±0, ±1 at ±∞ and from ±10 on.
///
/// Below 0.6 an odd polynomial; above it 2/(1 + e^−2|x|) − 1, whose quotient is q·(1 + rest) with q so short of bits that
/// q − 1 is exact.
pub fn tanh<F: Ops>(x: F) -> F {
    F::branch(
        x.abs().lt(F::of(0.6)),
        || {
            let square = x * x;
            (square * x).fma(square.polynomial(&ODD), x)
        },
        || {
            // −|x|; from −10 down the result is 1. The clamp keeps a NaN.
            let below = (x.bits() | Word::of(1 << 31)).real().max_nan(F::of(-10.0));
            negated_beyond(below)
        },
    )
    .copysign(x)
}

/// −tanh |x| of −|x|.
fn negated_beyond<F: Ops>(below: F) -> F {
    // e^−2|x| = 2^k·e^2r.
    let shifted = below.fma(F::of(2.0 * std::f32::consts::LOG2_E), F::of(ROUNDER));
    let k = shifted - F::of(ROUNDER);
    let r = k.fma(F::of(-0.5 * LN2_LO), k.fma(F::of(-0.5 * LN2_HI), below));
    let mantissa = r.polynomial(&TWICE);
    // ½(1 + e^−2|x|), in two parts.
    let half = ((shifted.bits() << Word::of(23)) + Word::of(0.5f32.to_bits())).real();
    let d_hi = half.fma(mantissa, F::of(0.5));
    let d_lo = half.fma(mantissa, F::of(0.5) - d_hi);
    let q = d_hi.polynomial(&RECIPROCAL);
    let rest = q.fma(d_lo, q.fma(d_hi, F::of(1.0)));
    q.fma(rest.fma(rest, rest), q + F::of(1.0))
}

/// (tanh √z − √z)/√z³ on [0, 0.36]; 2⁻²⁸·⁴ of tanh.
const ODD: [f32; 5] = [-0.333_333, 0.133_319_36, -0.053_784_717, 0.020_798_625, -0.005_897_966_7];
/// e^2r on [−¼ln 2, ¼ln 2] to 2⁻²⁸.
const TWICE: [f32; 7] = [1.0, 2.0, 1.999_999_8, 1.333_321_7, 0.666_692_2, 0.267_797_57, 0.088_454_66];
/// −1/d on [½, 1] to 2⁻⁹.
const RECIPROCAL: [f32; 4] = [-5.656_822_7, 11.757_268, -10.648_046, 3.549_334];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0f32),
            (-0.0, -0.0),
            (f32::INFINITY, 1.0),
            (f32::NEG_INFINITY, -1.0),
            (10.0, 1.0),
            (-100.0, -1.0),
            (f32::from_bits(1), f32::from_bits(1)),
            (1.0, 0.761_594_2),
        ] {
            assert_eq!(tanh(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(tanh(f32::NAN).is_nan());
    }
}
