//! Rounding for references: reals and integers to a format, once.
//!
//! On entry: exact numbers, or the parts of one. On exit: the nearest number of the format, ties to even, overflow to
//! infinity. Written from the formats' definitions in plain f64 and integer steps, because a reference that rounded by
//! `numerics` would agree with its mistakes. Deliberately not here: f64 results that need more than f64 to round.

use crate::case::TestBuffer;
use crate::ir::DType;

/// Digits, least exponent of a normal number and greatest number of a format.
fn format(dtype: DType) -> Option<(u32, i32, f64)> {
    match dtype {
        DType::F16 => Some((11, -14, 65_504.0)),
        DType::BF16 => Some((8, -126, f64::from(f32::from_bits(0x7f7f_0000)))),
        DType::F32 => Some((24, -126, f64::from(f32::MAX))),
        DType::F64 => Some((53, -1022, f64::MAX)),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Storage(_) => None,
    }
}

/// A real in a float format.
pub(crate) fn real(x: f64, dtype: DType) -> f64 {
    let Some((digits, least, greatest)) = format(dtype).filter(|_| dtype != DType::F64) else { return x };
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let quantum = 2f64.powi(exponent.max(least) - (digits as i32 - 1));
    let rounded = (x / quantum).round_ties_even() * quantum;
    if rounded.abs() > greatest { f64::INFINITY.copysign(x) } else { rounded.copysign(x) }
}

/// An integer in a float format. Through f64 it could round twice.
pub(crate) fn integer(x: i128, dtype: DType) -> f64 {
    let Some((digits, _, greatest)) = format(dtype) else { return x as f64 };
    let magnitude = x.unsigned_abs();
    let dropped = (128 - magnitude.leading_zeros()).saturating_sub(digits);
    let (kept, half) = (magnitude >> dropped, (1u128 << dropped) >> 1);
    let rest = magnitude - (kept << dropped);
    let up = dropped > 0 && (rest > half || (rest == half && kept % 2 == 1));
    let rounded = ((kept + u128::from(up)) << dropped) as f64;
    let limited = if rounded > greatest { f64::INFINITY } else { rounded };
    if x < 0 { -limited } else { limited }
}

/// a · b + c rounded once, for factors of at most 24 digits: their product is exact in f64, and the sum is rounded to
/// odd before it is rounded to the format, which is harmless with 53 ≥ 24 + 2 digits.
pub(crate) fn multiply_add(a: f64, b: f64, c: f64, dtype: DType) -> f64 {
    let product = a * b;
    let sum = product + c;
    let other = sum - product;
    let lost = (product - (sum - other)) + (c - other);
    let is_even = sum.to_bits().is_multiple_of(2);
    if !sum.is_finite() || lost == 0.0 || !is_even {
        return real(sum, dtype);
    }
    let away = (lost > 0.0) == (sum > 0.0);
    real(f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 }), dtype)
}

/// The low bits of integers as the elements of a buffer.
pub(crate) fn wrapped(name: &str, values: &[i128], dtype: DType) -> TestBuffer {
    let size = dtype.size() as usize;
    let bytes = values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(size)).collect();
    TestBuffer::from_vec(name, bytes, dtype)
}

/// Reals rounded to a float format as the elements of a buffer.
pub(crate) fn rounded(name: &str, values: &[f64], dtype: DType) -> TestBuffer {
    let values: Vec<_> = values.iter().map(|&value| real(value, dtype)).collect();
    TestBuffer::from_f64(name, &values, dtype)
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    #[test]
    fn every_16_bit_number_is_its_own_rounding() {
        for bits in 0..=u16::MAX {
            for (x, dtype) in
                [(f16::from_bits(bits).to_f64(), DType::F16), (bf16::from_bits(bits).to_f64(), DType::BF16)]
            {
                assert!(real(x, dtype).to_bits() == x.to_bits() || x.is_nan(), "{x} {dtype}");
            }
        }
    }

    #[test]
    fn f32_is_what_rustc_makes_of_it() {
        let patterns = (0u64..200_000).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for x in patterns.map(f64::from_bits).filter(|x| !x.is_nan()) {
            assert_eq!(real(x, DType::F32).to_bits(), f64::from(x as f32).to_bits(), "{x:e}");
        }
        for x in (0u64..200_000).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64) {
            assert_eq!(integer(x.into(), DType::F32), f64::from(x as f32));
            assert_eq!(integer(x.into(), DType::F64), x as f64);
        }
    }

    #[test]
    fn ties_and_ends() {
        assert_eq!(real(2049.0, DType::F16), 2048.0);
        assert_eq!(real(2051.0, DType::F16), 2052.0);
        assert_eq!(real(65_519.9, DType::F16), 65_504.0);
        assert_eq!(real(65_520.0, DType::F16), f64::INFINITY);
        assert_eq!(real(-2f64.powi(-25), DType::F16).to_bits(), (-0.0f64).to_bits());
        // A tie of bf16, broken by the last digit of a 64-bit integer.
        assert_eq!(integer((257 << 50) + 1, DType::BF16), 258.0 * 2f64.powi(50));
        assert_eq!(integer(257 << 50, DType::BF16), 256.0 * 2f64.powi(50));
    }

    #[test]
    fn multiply_add_rounds_once() {
        for i in 0..100_000u64 {
            let number =
                |salt: u64| f32::from_bits((i * 3 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) as u32 >> 1);
            let (a, b, c) = (number(0), number(1), number(2));
            let fused = f64::from(a.mul_add(b, c));
            let ours = multiply_add(a.into(), b.into(), c.into(), DType::F32);
            assert!(fused == ours || (fused.is_nan() && ours.is_nan()), "{a} {b} {c}: {fused} {ours}");
        }
    }
}
