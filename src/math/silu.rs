//! x/(1 + e^−x).

use super::exp2::{ROUNDER, scale};
use super::exponential::{Exponential, weighted};
use super::ops::{Ops, Word};

/// x/(1 + e^−x), also called swish. ±0 at ±0, ∞ at ∞, x from 17.4 up; −0 from −108.6 down to the least finite number,
/// subnormal results before it rounded once. At −∞ the formula is −∞/∞: NaN.
///
/// It is max(x, 0) − |x|·y with y = e^−|x|/(1 + e^−|x|), for either sign.
pub fn silu<F: Ops>(x: F) -> F {
    let below = (x.bits() | Word::of(1 << 31)).real();
    let magnitude = x.abs();
    let e = Exponential::of(below);
    let ordinary = weighted(x, magnitude, &e);
    ordinary.unless(!below.ge(F::of(-87.0)), || F::select(x.gt(F::of(0.0)), x, far_below(x)))
}

/// x/(1 + e^−x) where that is x·e^x, below −60, or NaN.
pub(super) fn far_below<F: Ops>(x: F) -> F {
    // The clamp keeps a NaN; below it the product is −0.
    let clamped = x.max_nan(F::of(-130.0)).min_nan(F::of(-60.0));
    let e = Exponential::of(clamped);
    let product = clamped.fma(e.mantissa.hi, clamped * e.mantissa.lo);
    let value = scale(product, e.shifted.bits() - Word::of(ROUNDER.to_bits()));
    F::select(x.eq(F::of(f32::NEG_INFINITY)), F::of(f32::NAN), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (-0.0, -0.0),
            (f32::INFINITY, f32::INFINITY),
            (88.0, 88.0),
            (-88.0, -5.328_049_7e-37),
            (104.0, 104.0),
            (-104.0, -7.085_84e-44),
            (f32::MIN, -0.0),
            (1.0, 0.731_058_6),
            (f32::from_bits(2), f32::from_bits(1)),
            (-f32::from_bits(1), -0.0),
        ] {
            let (x, expected): (f32, f32) = (x, expected);
            assert_eq!(silu(x).to_bits(), expected.to_bits(), "{x}");
        }
        assert!(silu(f32::NAN).is_nan());
        assert!(silu(f32::NEG_INFINITY).is_nan());
    }
}
