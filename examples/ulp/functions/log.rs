//! Logarithms, powers and the inverse hyperbolic functions.

use astro_float::BigFloat;

use super::{Binary, Unary, unary};
use crate::precise::{BITS, NEAREST, Precise};

/// The rows of one operand. CUDA's bounds are those of its programming guide's table of single-precision functions.
pub const UNARIES: &[Unary] = &[
    unary!(log, f64::ln, |p, x| p.f32(x).ln(BITS, NEAREST, &mut p.constants), Some(1.0)),
    unary!(log2, f64::log2, |p, x| p.f32(x).log2(BITS, NEAREST, &mut p.constants), Some(1.0)),
    unary!(log10, f64::log10, |p, x| p.f32(x).log10(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(log1p, f64::ln_1p, precise_log1p, Some(1.0)),
];

/// The rows of two.
pub const BINARIES: &[Binary] = &[];

/// Bits in which 1 + x is exact for every f32, with 192 more.
const WIDE: usize = 512;

fn precise_log1p(p: &mut Precise, x: f32) -> BigFloat {
    let sum = p.f64(1.0).add(&p.f32(x), WIDE, NEAREST);
    sum.ln(WIDE, NEAREST, &mut p.constants)
}
