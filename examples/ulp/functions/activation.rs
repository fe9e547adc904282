//! Activations: the references are their formulas.

use astro_float::{BigFloat, Radix};

use super::{Unary, unary};
use crate::precise::{BITS, NEAREST, Precise};

/// The rows; CUDA has none of them.
pub const UNARIES: &[Unary] = &[
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
    unary!(silu, |x| x / (1.0 + (-x).exp()), |p, x| p.f32(x).div(&one_plus_exp(p, -x), BITS, NEAREST), None),
];

/// Twice the formula's 0.7978845608.
const TWICE: f64 = 2.0 * 0.797_884_560_8;
/// The formula's.
const CUBE: f64 = 0.044_715;

fn gelu_precise(p: &mut Precise, x: f32) -> BigFloat {
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
