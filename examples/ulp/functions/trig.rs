//! Trigonometric functions and their inverses.

use astro_float::BigFloat;

use super::{Binary, Unary, binary, unary};
use crate::precise::{BITS, NEAREST, Precise};

/// The rows of one operand. CUDA's bounds are those of its programming guide's table of single-precision functions.
pub(crate) const UNARIES: &[Unary] = &[
    unary!(sin, f64::sin, |p, x| p.f32(x).sin(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(cos, f64::cos, |p, x| p.f32(x).cos(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(tan, f64::tan, |p, x| p.f32(x).tan(BITS, NEAREST, &mut p.constants), Some(4.0)),
    unary!(asin, f64::asin, |p, x| p.f32(x).asin(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(acos, f64::acos, |p, x| p.f32(x).acos(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(
        atan,
        f64::atan,
        |p, x| if x.is_infinite() {
            quarters(p, 2.0f64.copysign(f64::from(x)))
        } else {
            p.f32(x).atan(BITS, NEAREST, &mut p.constants)
        },
        Some(2.0)
    ),
];

/// The rows of two operands.
pub(crate) const BINARIES: &[Binary] = &[binary!(atan2, f64::atan2, angle, point, Some(3.0))];

/// `count · π/4`.
fn quarters(p: &mut Precise, count: f64) -> BigFloat {
    let pi = p.constants.pi(BITS, NEAREST);
    pi.mul(&p.f64(count / 4.0), BITS, NEAREST)
}

/// The angle of (x, y), which is neither zero nor NaN.
fn angle(p: &mut Precise, y: f32, x: f32) -> BigFloat {
    if x == 0.0 || y.is_infinite() {
        let count = match (y.is_infinite() && x.is_infinite(), x.is_sign_negative()) {
            (false, _) => 2.0f64,
            (true, false) => 1.0,
            (true, true) => 3.0,
        };
        return quarters(p, count.copysign(f64::from(y)));
    }
    let half_turn = quarters(p, if y.is_sign_negative() { -4.0 } else { 4.0 });
    if y == 0.0 || x.is_infinite() {
        return half_turn;
    }
    let quotient = p.f32(y).div(&p.f32(x), BITS, NEAREST);
    let angle = quotient.atan(BITS, NEAREST, &mut p.constants);
    if x > 0.0 { angle } else { angle.add(&half_turn, BITS, NEAREST) }
}

/// Numbers at which something happens.
const LANDMARKS: [f32; 16] = [
    0.0,
    f32::from_bits(1),
    f32::from_bits(0x007f_ffff),
    f32::MIN_POSITIVE,
    8.271_806e-25, // 2⁻⁸⁰
    5.421_011e-20, // 2⁻⁶⁴
    0.999_999_94,
    1.0,
    1.000_000_1,
    1.844_674_4e19, // 2⁶⁴
    1.329_228e36,   // 2¹²⁰
    1.329_227_9e36, // and the number below
    1.701_411_8e38, // 2¹²⁷
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
];

/// The number of this sign bit, biased exponent (kept in range, 0 subnormal) and mantissa.
fn number(sign: u64, exponent: i64, mantissa: u64) -> f32 {
    let exponent = exponent.clamp(0, 254) as u32;
    f32::from_bits(((sign as u32 & 1) << 31) | (exponent << 23) | (mantissa as u32 & 0x7f_ffff))
}

/// y and x of the pair with this number: eight kinds in turn, each random by a hash.
fn point(index: u64) -> (f32, f32) {
    let kind = index % 8;
    let (one, two, three) = (hash(index * 3), hash(index * 3 + 1), hash(index * 3 + 2));
    // An offset of the exponent in `from..=to`.
    let offset = |from: i64, to: i64| from + (three % (to - from + 1) as u64) as i64;
    let x_exponent = (one >> 32 & 0xff) as i64;
    let x = number(one >> 31, x_exponent, one);
    let near = |from: i64, to: i64| number(two >> 31, x_exponent + offset(from, to), two);
    match kind {
        0 => (f32::from_bits(two as u32), f32::from_bits(one as u32)),
        // Some places from the diagonal.
        1 => {
            let places = (three % 64) as i32 - 32;
            let magnitude = (x.abs().to_bits() as i32 + places).clamp(0, 0x7f7f_ffff) as u32;
            (f32::from_bits(magnitude | (two as u32 & 0x8000_0000)), x)
        }
        2 => (near(-3, 3), x),
        3 => (near(-30, 30), x),
        // Near π, and near −π.
        4 => (near(-30, -8), -x.abs()),
        // Subnormal quotients.
        5 => (near(-152, -120), x.abs()),
        // Subnormal operands.
        6 => {
            let small = |bits: u64| number(bits >> 31, (bits >> 32 & 3) as i64 / 2, bits);
            (small(two), small(one))
        }
        _ => {
            let landmark = |bits: u64| {
                LANDMARKS[(bits >> 40 & 15) as usize].copysign(if bits & 1 == 0 { 1.0 } else { -1.0 })
            };
            match three % 3 {
                0 => (landmark(two), landmark(one)),
                1 => (landmark(two), x),
                _ => (near(-126, 127), landmark(one)),
            }
        }
    }
}

/// The finaliser of splitmix64.
fn hash(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
