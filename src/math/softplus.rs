//! log(1 + e^x).

use super::double::Double;
use super::exp;
use super::exponential::Exponential;
use super::ops::{Ops, Word};

/// log(1 + e^x): ln 2 at ±0, 0 at −∞, ∞ at ∞, x from 17.4 up. It is e^x below −60, with subnormal results from −87.4.
///
/// max(x, 0) + log1p(e) with e = e^−|x| in two parts, and log1p(e) = e·((1 − e/2) + e²·p(e)) on [0, 1], with the first
/// sum and its product in two parts.
pub fn softplus<F: Ops>(x: F) -> F {
    let below = (x.bits() | Word::of(1 << 31)).real();
    let e = Exponential::of(below);
    let power = e.power();
    let (hi, lo) = (power * e.mantissa.hi, power * e.mantissa.lo);
    let base = hi.fma(F::of(-0.5), F::of(1.0));
    let base_lo = hi.fma(F::of(-0.5), F::of(1.0) - base);
    let above = (hi * hi).fma(hi.polynomial(&LOG1P), base_lo);
    // The derivative 1/(1 + e), with which the low part counts, is the square of the factor within a tenth.
    let factor = base + above;
    let rest = hi.fma(above, (lo * factor) * factor);
    let product = Double::product(hi, base);
    let sum = Double::sum(x.max(F::of(0.0)), product.hi);
    let ordinary = sum.hi + (sum.lo + (product.lo + rest));
    ordinary.unless(!below.ge(F::of(-60.0)), || F::select(x.gt(F::of(0.0)), x, exp(x)))
}

/// (log1p(e) − e + e²/2)/e³ on [0, 1]; times e³, 2⁻²⁹·⁷ of log1p.
const LOG1P: [f32; 9] = [
    0.333_330_93,
    -0.249_933_12,
    0.199_263_27,
    -0.162_282_82,
    0.126_791_79,
    -0.085_910_7,
    0.044_290_2,
    -0.014_677_739,
    0.002_275_374_5,
];
