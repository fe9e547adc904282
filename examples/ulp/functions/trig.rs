//! Trigonometric functions and their inverses.

use super::{Unary, unary};
use crate::precise::{BITS, NEAREST};

/// The rows of one operand. CUDA's bounds are those of its programming guide's table of single-precision functions.
pub const UNARIES: &[Unary] = &[
    unary!(sin, f64::sin, |p, x| p.f32(x).sin(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(cos, f64::cos, |p, x| p.f32(x).cos(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(tan, f64::tan, |p, x| p.f32(x).tan(BITS, NEAREST, &mut p.constants), Some(4.0)),
];
