//! Roots, the error function and its kin.

use astro_float::BigFloat;

use super::{Binary, Unary, unary};
use crate::precise::{BITS, NEAREST, Precise};

/// The rows. CUDA's bounds are those of its programming guide's table of single-precision functions.
pub(crate) const UNARIES: &[Unary] = &[
    unary!(
        rsqrt,
        |x| 1.0 / x.sqrt(),
        |p, x| p.f32(x).sqrt(BITS, NEAREST).reciprocal(BITS, NEAREST),
        Some(2.0)
    ),
    unary!(cbrt, libm::cbrt, |p, x| p.f32(x).cbrt(BITS, NEAREST), Some(1.0)),
    unary!(erf, libm::erf, |p, x| precise_erf(p, &p.f32(x)), Some(2.0)),
    unary!(erfc, libm::erfc, |p, x| precise_erfc(p, &p.f32(x)), Some(4.0)),
    unary!(erfinv, erfinv, |p, x| precise_erfinv(p, x), Some(2.0)),
    unary!(
        gelu_erf,
        gelu_erf,
        // The derivative of Φ at 0 is 1/√2π.
        |p, x| p.begins(x, 0.398_942_280_401_432_7).unwrap_or_else(|| precise_gelu(p, x)),
        None
    ),
];

fn add(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.add(b, WIDE, NEAREST)
}

fn mul(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.mul(b, WIDE, NEAREST)
}

fn div(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.div(b, WIDE, NEAREST)
}

/// Bits inside, since 1 − erf cancels up to 150 of them.
const WIDE: usize = BITS + 256;

/// 2/√π.
fn slope(p: &mut Precise) -> BigFloat {
    let pi = p.constants.pi(WIDE, NEAREST).sqrt(WIDE, NEAREST);
    div(&p.f64(2.0), &pi)
}

/// erf x = 2/√π · e^(−x²) · Σ 2ⁿ·x^(2n+1)/(1·3·…·(2n+1)), whose terms have one sign (DLMF 7.6.2).
fn precise_erf(p: &mut Precise, x: &BigFloat) -> BigFloat {
    if x.is_zero() {
        return x.clone();
    }
    // Beyond, erf and 1 agree to more places than anything asks for.
    if x.abs().cmp(&p.f64(12.0)).is_some_and(|order| order > 0) {
        return if x.is_negative() { p.f64(-1.0) } else { p.f64(1.0) };
    }
    let square = mul(x, x);
    let twice = add(&square, &square);
    let (mut sum, mut term) = (x.clone(), x.clone());
    for n in 1u32.. {
        term = div(&mul(&term, &twice), &p.f64(f64::from(2 * n + 1)));
        sum = add(&sum, &term);
        let gone = term.exponent().unwrap_or(i32::MIN);
        if i64::from(gone) + (WIDE as i64) < i64::from(sum.exponent().unwrap_or(0)) {
            break;
        }
    }
    let power = square.neg().exp(WIDE, NEAREST, &mut p.constants);
    mul(&mul(&sum, &power), &slope(p))
}

/// 1 − erf x; 448 bits bear the cancellation down to 2⁻²⁵⁶, and beyond x = 12 the result is below anything an f32 has.
fn precise_erfc(p: &mut Precise, x: &BigFloat) -> BigFloat {
    let erf = precise_erf(p, x);
    let rest = p.f64(1.0).sub(&erf, WIDE, NEAREST);
    if rest.is_zero() { p.f64(f64::MIN_POSITIVE) } else { rest }
}

/// ½·x·erfc(−x/√2).
fn precise_gelu(p: &mut Precise, x: f32) -> BigFloat {
    let x = p.f32(x);
    let root = p.f64(0.5).sqrt(WIDE, NEAREST);
    let tail = precise_erfc(p, &mul(&x, &root).neg());
    mul(&mul(&x, &tail), &p.f64(0.5))
}

/// Newton's method on erf from the f64 result.
fn precise_erfinv(p: &mut Precise, x: f32) -> BigFloat {
    let (target, mut y) = (p.f32(x), p.f64(erfinv(f64::from(x))));
    let slope = slope(p);
    for _ in 0..4 {
        let off = precise_erf(p, &y).sub(&target, WIDE, NEAREST);
        let power = mul(&y, &y).exp(WIDE, NEAREST, &mut p.constants);
        y = y.sub(&div(&mul(&off, &power), &slope), WIDE, NEAREST);
    }
    y
}

fn erfinv(x: f64) -> f64 {
    if x.abs() >= 1.0 || x.is_nan() {
        return if x.abs() == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    if x.abs() < 1e-9 {
        // The next term is x³/4 of it.
        return x * INVERSE_SLOPE;
    }
    let magnitude = x.abs();
    let rest = 1.0 - magnitude;
    // Winitzki's approximation, good to 2e-3; Halley's steps triple the places.
    let log = (rest * (1.0 + magnitude)).ln();
    let half = 2.0 / (std::f64::consts::PI * 0.147) + log / 2.0;
    let mut y = ((half * half - log / 0.147).sqrt() - half).sqrt();
    for _ in 0..3 {
        // Both differences cancel exactly enough on their side.
        let off = if magnitude < 0.5 { libm::erf(y) - magnitude } else { rest - libm::erfc(y) };
        let step = off * (y * y).exp() * INVERSE_SLOPE;
        y -= step / (1.0 + y * step);
    }
    y.copysign(x)
}

/// √π/2.
const INVERSE_SLOPE: f64 = 0.886_226_925_452_758;

/// The formula as it is written has a NaN at −∞, where its limit would be −0.
fn gelu_erf(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    let t = -x * std::f64::consts::FRAC_1_SQRT_2;
    // What the product's rounding leaves, as erfc's slope makes it matter in the tail.
    let rest = (-x).mul_add(std::f64::consts::FRAC_1_SQRT_2, -t) - x * ROOT_REST;
    let slope = if t.abs() < 20.0 { (-t * t).exp() / INVERSE_SLOPE } else { 0.0 };
    let rest = if rest.is_finite() { rest } else { 0.0 };
    0.5 * x * (libm::erfc(t) - rest * slope)
}

/// √½ − its f64.
const ROOT_REST: f64 = -4.833_646_656_726_456e-17;

/// Those of two operands.
pub(crate) const BINARIES: &[Binary] = &[Binary {
    name: "remainder",
    block: remainder_block,
    reference: |x, y| x % y,
    precise: |p, x, y| p.f64(f64::from(x) % f64::from(y)),
    pair: |index| {
        // Bits spread by two odd multipliers: every sign and exponent of each.
        let mixed = (index ^ (index >> 7)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (f32::from_bits((mixed >> 32) as u32), f32::from_bits(mixed as u32))
    },
    // Exact.
    cuda_bound: Some(0.0),
}];

#[multiversion::multiversion(targets("x86_64+avx+avx2+fma"))]
fn remainder_block(inputs: &[(f32, f32)], results: &mut [f32]) {
    for (result, &(x, y)) in results.iter_mut().zip(inputs) {
        *result = warpsmith::math::remainder(x, y);
    }
}
