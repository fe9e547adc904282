//! Logarithms, powers and the inverse hyperbolic functions.

use astro_float::BigFloat;

use super::{Binary, Unary, binary, unary};
use crate::precise::{BITS, NEAREST, Precise};

/// The rows of one operand. CUDA's bounds are those of its programming guide's table of single-precision functions.
pub(crate) const UNARIES: &[Unary] = &[
    unary!(log, f64::ln, |p, x| p.f32(x).ln(BITS, NEAREST, &mut p.constants), Some(1.0)),
    unary!(log2, f64::log2, |p, x| p.f32(x).log2(BITS, NEAREST, &mut p.constants), Some(1.0)),
    unary!(log10, f64::log10, |p, x| p.f32(x).log10(BITS, NEAREST, &mut p.constants), Some(2.0)),
    unary!(log1p, f64::ln_1p, precise_log1p, Some(1.0)),
    unary!(asinh, libm::asinh, precise_asinh, Some(3.0)),
    unary!(acosh, reference_acosh, precise_acosh, Some(4.0)),
    unary!(atanh, libm::atanh, precise_atanh, Some(3.0)),
];

/// The rows of two.
pub(crate) const BINARIES: &[Binary] = &[binary!(pow, f64::powf, precise_pow, pow_pair, Some(4.0))];

/// Bits in which 1 + x is exact for every f32, with 192 more.
const WIDE: usize = 512;

fn precise_log1p(p: &mut Precise, x: f32) -> BigFloat {
    let sum = p.f64(1.0).add(&p.f32(x), WIDE, NEAREST);
    sum.ln(WIDE, NEAREST, &mut p.constants)
}

/// ln(a + √(a² + 1)), odd.
fn precise_asinh(p: &mut Precise, x: f32) -> BigFloat {
    let (a, one) = (p.f32(x.abs()), p.f64(1.0));
    let root = a.mul(&a, WIDE, NEAREST).add(&one, WIDE, NEAREST).sqrt(WIDE, NEAREST);
    let value = a.add(&root, WIDE, NEAREST).ln(WIDE, NEAREST, &mut p.constants);
    if x < 0.0 { value.neg() } else { value }
}

/// The library's is a number for some negative x.
fn reference_acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// ln(x + √(x² − 1)).
fn precise_acosh(p: &mut Precise, x: f32) -> BigFloat {
    let (x, one) = (p.f32(x), p.f64(1.0));
    let root = x.mul(&x, WIDE, NEAREST).sub(&one, WIDE, NEAREST).sqrt(WIDE, NEAREST);
    x.add(&root, WIDE, NEAREST).ln(WIDE, NEAREST, &mut p.constants)
}

/// ½·ln((1 + x)/(1 − x)).
fn precise_atanh(p: &mut Precise, x: f32) -> BigFloat {
    let (x, one) = (p.f32(x), p.f64(1.0));
    let ratio = one.add(&x, WIDE, NEAREST).div(&one.sub(&x, WIDE, NEAREST), WIDE, NEAREST);
    ratio.ln(WIDE, NEAREST, &mut p.constants).mul(&p.f64(0.5), WIDE, NEAREST)
}

/// The sign apart; integer powers by multiplication, so that an exact one, a tie between two f32 among them, is exact.
fn precise_pow(p: &mut Precise, x: f32, y: f32) -> BigFloat {
    let base = p.f32(x.abs());
    let power = if y == y.trunc() && y.abs() <= 64.0 {
        let power = (0..y.abs() as u32).fold(p.f64(1.0), |power, _| power.mul(&base, WIDE, NEAREST));
        if y < 0.0 { p.f64(1.0).div(&power, WIDE, NEAREST) } else { power }
    } else {
        base.pow(&p.f32(y), BITS, NEAREST, &mut p.constants)
    };
    if x < 0.0 && y.abs() % 2.0 == 1.0 { power.neg() } else { power }
}

/// What Annex F names, and the ends of the formats.
const SPECIAL: [f32; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    2.0,
    -2.0,
    0.5,
    -0.5,
    3.0,
    -3.0,
    1.5,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    16_777_215.0,
    -16_777_216.0,
    1.000_000_1,
    0.999_999_94,
];

/// Numbers from one by a hash (splitmix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [from, to).
    fn uniform(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn float(&mut self) -> f32 {
        f32::from_bits(self.bits() as u32)
    }

    /// Positive and normal, uniform in exponent.
    fn normal(&mut self) -> f32 {
        f32::from_bits(0x0080_0000 + (self.bits() % 0x7f00_0000) as u32)
    }

    fn special(&mut self) -> f32 {
        SPECIAL[(self.bits() % SPECIAL.len() as u64) as usize]
    }

    /// A y that brings x^y to a result uniform in exponent over the finite range and a little beyond.
    fn exponent_for(&mut self, x: f32) -> f32 {
        (self.uniform(-153.0, 129.0) / f64::from(x.abs()).log2()) as f32
    }
}

/// Eight kinds of pairs in turn.
fn pow_pair(index: u64) -> (f32, f32) {
    let mut random = Random(index.wrapping_mul(0xd134_2543_de82_ef95));
    match index % 8 {
        // Arbitrary bits, and what is special with anything.
        0 => match random.bits() % 4 {
            0 => (random.special(), random.special()),
            1 => (random.special(), random.float()),
            2 => (random.float(), random.special()),
            _ => (random.float(), random.float()),
        },
        // x near 1, a huge y.
        1 => {
            let distance = 2f64.powf(random.uniform(-24.0, -1.0));
            let x = if random.bits().is_multiple_of(2) { 1.0 + distance } else { 1.0 - distance } as f32;
            (x, random.exponent_for(x))
        }
        // Results over the whole range.
        2 | 3 => {
            let x = random.normal();
            (x, random.exponent_for(x))
        }
        // An integer y, and either sign of x.
        4 => {
            let y = (random.bits() % 129) as f32 - 64.0;
            let x =
                2f64.powf((random.uniform(-153.0, 129.0) / f64::from(y.abs().max(1.2))).clamp(-126.0, 127.9));
            (if random.bits().is_multiple_of(2) { x } else { -x } as f32, y)
        }
        // y an integer and a half.
        5 => {
            let y = (random.bits() % 128) as f32 - 63.5;
            (2f64.powf((random.uniform(-153.0, 129.0) / f64::from(y)).clamp(-126.0, 127.9)) as f32, y)
        }
        // A negative x near 1 with a great integer, odd or even; now and then not an integer.
        6 => {
            let x = -(2f64.powf(random.uniform(-0.01, 0.01)) as f32);
            let y = random.exponent_for(x);
            (x, if random.bits().is_multiple_of(16) { y } else { y.trunc() })
        }
        // A subnormal x.
        _ => {
            let x = f32::from_bits(random.bits() as u32 & 0x007f_ffff | 1);
            (x, random.exponent_for(x))
        }
    }
}
