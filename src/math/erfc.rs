//! The complementary error function.

use super::erf::near;
use super::exp2::{ROUNDER, scale};
use super::gaussian::{Quotient, negated_power, product, scaled};
use super::ops::{Ops, Word};

/// 1 − erf x. erfc −∞ = 2, erfc +∞ = 0; results below 2⁻¹²⁶ (from x = 9.19 on) are subnormal and rounded once, 0 from 10.06
/// on.
///
/// Up to |x| = 0.46875 it is the difference; beyond, e^(−x²)·w(|x|) with x² to 48 bits, which is taken from 2 where x is
/// negative. (x + ¾)·w(x) varies from 0.603 to 0.77; it is a polynomial in 1/(x + ¾).
pub fn erfc<F: Ops>(x: F) -> F {
    // A NaN goes the short way.
    let t = x.abs();
    F::branch(t.gt(F::of(0.46875)), || far(x, t), || F::of(1.0) - near(x))
}

fn far<F: Ops>(x: F, t: F) -> F {
    let t = t.min(F::of(10.1));
    let (power, shifted) = negated_power(t, -t, t);
    let mantissa = product(power, W.negated(t, None, F::of(W.centre)));
    let tail = scaled(mantissa, shifted)
        .unless(t.gt(F::of(9.19)), || scale(mantissa, shifted.bits() - Word::of(ROUNDER.to_bits())));
    F::select(x.lt(F::of(0.0)), F::of(2.0) - tail, tail)
}

/// e^(x²)·erfc x from 0.46875 to 10.1, to 2⁻²⁷ up to 2.5 and to 2⁻²⁸·⁵ beyond.
const W: Quotient<9, 7> = Quotient {
    shift: 0.75,
    centre: 0.6875,
    near_origin: 0.563_964_84,
    near: [
        0.05959935,
        -0.15926291,
        -0.30228356,
        -0.120000735,
        0.10007693,
        0.21041477,
        0.17151347,
        -0.0136270905,
        -0.1841027,
    ],
    limit: 2.5,
    far_origin: 0.199_951_17,
    far: [-0.0407924, -0.38443154, -0.22511682, 0.3617214, 0.4098367, -0.41429573, -1.0630583],
};

#[cfg(test)]
mod tests {
    use super::erfc;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 1.0),
            (-0.0, 1.0),
            (f32::INFINITY, 0.0),
            (f32::NEG_INFINITY, 2.0),
            (1.0, 0.157_299_2),
            (0.25, 0.723_673_6),
            (-1.0, 1.842_700_8),
            (-4.5, 2.0),
            (9.5, f32::from_bits(26_898)),
            (11.0, 0.0),
        ] {
            assert_eq!(erfc(x).to_bits(), f32::to_bits(expected), "{x:e}");
        }
        assert!(erfc(f32::NAN).is_nan());
    }
}
