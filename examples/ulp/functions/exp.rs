//! Exponentials and hyperbolic functions.

use super::{Unary, unary};
use crate::precise::{BITS, NEAREST};

/// The rows. CUDA's bounds are those of its programming guide's table of single-precision functions.
pub const UNARIES: &[Unary] = &[
    unary!(exp, f64::exp, |p, x| p.f32(x).exp(BITS, NEAREST, &mut p.constants), Some(1.0)),
    unary!(exp2, f64::exp2, |p, x| p.f64(2.0).pow(&p.f32(x), BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(tanh, f64::tanh, |p, x| p.f32(x).tanh(BITS, NEAREST, &mut p.constants), Some(2.0)),
];
