//! Activations: the references are their formulas.

use astro_float::{BigFloat, Radix};

use super::{Unary, unary};
use crate::precise::{BITS, NEAREST, Precise};

/// The rows; CUDA has none of them.
pub(crate) const UNARIES: &[Unary] = &[
    unary!(
        gelu,
        |x| {
            // 1 + tanh u = 2/(1 + e^−2u). Both parts of 2u are rounded once, as the formula's constants are.
            let u = (TWICE * x * (1.0 + CUBE * x * x)).clamp(-30.0, 30.0);
            x / (1.0 + (-u).exp())
        },
        gelu_precise,
        None
    ),
    unary!(sigmoid, |x| 1.0 / (1.0 + (-x).exp()), |p, x| one_plus_exp(p, -x).reciprocal(BITS, NEAREST), None),
    unary!(silu, |x| x / (1.0 + (-x).exp()), silu_precise, None),
    unary!(softplus, |x| x.max(0.0) + (-x.abs()).exp().ln_1p(), softplus_precise, None),
    unary!(mish, mish_reference, mish_precise, None),
];

/// Twice the formula's 0.7978845608.
const TWICE: f64 = 2.0 * 0.797_884_560_8;
/// The formula's.
const CUBE: f64 = 0.044_715;

fn silu_precise(p: &mut Precise, x: f32) -> BigFloat {
    p.begins(x, 0.25).unwrap_or_else(|| p.f32(x).div(&one_plus_exp(p, -x), BITS, NEAREST))
}

fn gelu_precise(p: &mut Precise, x: f32) -> BigFloat {
    if let Some(value) = p.begins(x, TWICE / 4.0) {
        return value;
    }
    let mut decimal = |text: &str| BigFloat::parse(text, Radix::Dec, BITS, NEAREST, &mut p.constants);
    let (factor, cube, limit) = (decimal("1.5957691216"), decimal("0.044715"), decimal("30"));
    let (x, one) = (p.f32(x), p.f64(1.0));
    let inner = x.mul(&x, BITS, NEAREST).mul(&cube, BITS, NEAREST).add(&one, BITS, NEAREST);
    let twice = factor.mul(&x, BITS, NEAREST).mul(&inner, BITS, NEAREST);
    let twice = if twice.abs_cmp(&limit).is_some_and(|order| order > 0) {
        if twice.is_negative() { limit.neg() } else { limit }
    } else {
        twice
    };
    let e = twice.neg().exp(BITS, NEAREST, &mut p.constants);
    x.div(&e.add(&one, BITS, NEAREST), BITS, NEAREST)
}

/// 1 + e^x.
fn one_plus_exp(p: &mut Precise, x: f32) -> BigFloat {
    let e = p.f32(x).exp(BITS, NEAREST, &mut p.constants);
    e.add(&p.f64(1.0), BITS, NEAREST)
}

/// log(1 + e^x), at twice the bits: where x is far below 0, log cancels.
fn softplus_precise(p: &mut Precise, x: f32) -> BigFloat {
    let wide = 2 * BITS;
    let e = p.f32(x).exp(wide, NEAREST, &mut p.constants);
    e.add(&p.f64(1.0), wide, NEAREST).ln(wide, NEAREST, &mut p.constants)
}

/// x·tanh(log(1 + e^x)), by e^x or by e^−x, whichever doesn't overflow.
fn mish_reference(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    let e = (-x.abs()).exp();
    if x < 0.0 {
        x * (e * (2.0 + e) / (2.0 + e * (2.0 + e)))
    } else {
        x * ((1.0 + 2.0 * e) / (1.0 + 2.0 * e * (1.0 + e)))
    }
}

fn mish_precise(p: &mut Precise, x: f32) -> BigFloat {
    let n = p.f32(x).exp(BITS, NEAREST, &mut p.constants);
    let two = p.f64(2.0);
    let product = n.add(&two, BITS, NEAREST).mul(&n, BITS, NEAREST);
    let factor = product.div(&product.add(&two, BITS, NEAREST), BITS, NEAREST);
    p.f32(x).mul(&factor, BITS, NEAREST)
}
