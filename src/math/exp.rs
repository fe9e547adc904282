//! e^x.

use super::exp2::{ROUNDER, scale};
use super::ops::{Ops, Word};

/// e^x. 0 from −103.98 down, ∞ from 88.73 up; results below 2⁻¹²⁶ are subnormal and rounded once.
pub fn exp<F: Ops>(x: F) -> F {
    let (mantissa, shifted) = reduce(x);
    let ordinary = (mantissa.bits() + (shifted.bits() << Word::of(23))).real();
    ordinary.unless(!x.abs().le(F::of(87.0)), || {
        // The clamp keeps a NaN; beyond it the result is 0 or ∞ anyway.
        let (mantissa, shifted) = reduce(x.max_nan(F::of(-110.0)).min_nan(F::of(95.0)));
        scale(mantissa, shifted.bits() - Word::of(ROUNDER.to_bits()))
    })
}

/// e^x = mantissa · 2^k, with k in the low bits of the second.
fn reduce<F: Ops>(x: F) -> (F, F) {
    let shifted = x.fma(F::of(std::f32::consts::LOG2_E), F::of(ROUNDER));
    let k = shifted - F::of(ROUNDER);
    let r = k.fma(F::of(-LN2_HI), x);
    let r = k.fma(F::of(-LN2_LO), r);
    (r.polynomial(&COEFFICIENTS), shifted)
}

/// ln 2 to 24 bits, the product with k ≤ 2⁸ rounded once by the fused step.
const LN2_HI: f32 = std::f32::consts::LN_2;
/// ln 2 − `LN2_HI`.
const LN2_LO: f32 = -1.904_654_3e-9;

/// e^r on [−½ln 2, ½ln 2] to 2⁻²⁸.
const COEFFICIENTS: [f32; 7] =
    [1.0, 1.0, 0.499_999_94, 0.166_665_21, 0.041_668_262, 0.008_368_674, 0.001_382_104_1];
