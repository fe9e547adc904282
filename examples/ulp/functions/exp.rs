//! Exponentials and hyperbolic functions.

use astro_float::BigFloat;

use super::{Unary, unary};
use crate::precise::{BITS, NEAREST, Precise};

/// The rows. CUDA's bounds are those of its programming guide's table of single-precision functions.
pub(crate) const UNARIES: &[Unary] = &[
    unary!(exp, f64::exp, |p, x| p.f32(x).exp(BITS, NEAREST, &mut p.constants), Some(1.0)),
    unary!(exp2, f64::exp2, |p, x| p.f64(2.0).pow(&p.f32(x), BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(expm1, f64::exp_m1, expm1_precise, Some(1.0)),
    unary!(sinh, f64::sinh, |p, x| p.f32(x).sinh(BITS, NEAREST, &mut p.constants), Some(3.0)),
    unary!(cosh, f64::cosh, |p, x| p.f32(x).cosh(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(tanh, f64::tanh, |p, x| p.f32(x).tanh(BITS, NEAREST, &mut p.constants), Some(2.0)),
];

fn expm1_precise(p: &mut Precise, x: f32) -> BigFloat {
    let x = p.f32(x);
    // Enough bits that 192 are left where x is subnormal.
    let wide = 2 * BITS;
    x.exp(wide, NEAREST, &mut p.constants).sub(&p.f64(1.0), wide, NEAREST)
}
