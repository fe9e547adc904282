//! Conversions between the IEEE formats, on bits.
//!
//! [`narrow_bits`] is one integer algorithm for every pair, rounding once from the source's own bits. What kernels
//! run per element has forms that a compiler turns into vector code, with the same bits. Widening is exact. A NaN
//! becomes the canonical NaN of the result's format.

use half::{bf16, f16};

use super::format::Format;
use super::round::{Rounding, shift_right};

/// `bits` of format `from` in format `to`, rounded once. Both are IEEE formats, and `to` has neither more mantissa
/// nor a wider range.
#[inline]
pub const fn narrow_bits(bits: u64, from: Format, to: Format, rounding: Rounding) -> u64 {
    let drop = from.mantissa_bits - to.mantissa_bits;
    let rebias = (from.bias - to.bias) as u64;
    let to_infinity = to.max_finite() + 1;
    let from_infinity = from.max_finite() + 1;
    let sign = (bits & from.sign_mask()) >> (from.width() - to.width());
    let magnitude = bits & from.magnitude_mask();
    let field = magnitude >> from.mantissa_bits;
    let rounded = if magnitude > from_infinity {
        return to.magnitude_mask();
    } else if field > rebias {
        // The exponent field rides above the mantissa: a carry out of rounding lands in it, as it should.
        shift_right(magnitude - (rebias << from.mantissa_bits), drop, rounding)
    } else {
        let (significand, field) = if field == 0 {
            (magnitude, 1)
        } else {
            ((magnitude & from.mantissa_mask()) | from.implicit_bit(), field)
        };
        shift_right(significand, drop + (rebias + 1 - field) as u32, rounding)
    };
    let is_infinite = magnitude == from_infinity;
    let limit = match rounding {
        Rounding::TowardZero | Rounding::ToOdd if !is_infinite => to.max_finite(),
        Rounding::NearestEven | Rounding::TowardZero | Rounding::ToOdd => to_infinity,
    };
    sign | if rounded > limit { limit } else { rounded }
}

/// `bits` of format `from` in format `to`, exactly. Both are IEEE formats, and `to` has at least the mantissa and
/// the range of `from`.
#[inline]
pub const fn widen_bits(bits: u64, from: Format, to: Format) -> u64 {
    let extra = to.mantissa_bits - from.mantissa_bits;
    let rebias = (to.bias - from.bias) as u64;
    let sign = (bits & from.sign_mask()) << (to.width() - from.width());
    let magnitude = bits & from.magnitude_mask();
    let from_infinity = from.max_finite() + 1;
    if magnitude > from_infinity {
        return to.magnitude_mask();
    }
    if magnitude == from_infinity {
        return sign | (to.max_finite() + 1);
    }
    if magnitude >= from.implicit_bit() {
        return sign | ((magnitude << extra) + (rebias << to.mantissa_bits));
    }
    if magnitude == 0 || rebias == 0 {
        return sign | (magnitude << extra);
    }
    // A subnormal becomes normal: move its top bit to where the implicit bit stands and lower the exponent.
    let lead = magnitude.leading_zeros() - (63 - from.mantissa_bits);
    let mantissa = (magnitude << (lead + extra)) - to.implicit_bit();
    sign | (((rebias + 1 - lead as u64) << to.mantissa_bits) + mantissa)
}

/// f32 → f16.
#[inline]
pub const fn f16_from_f32(value: f32) -> f16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7FFF_FFFF;
    // From 2^-14 on: drop 13 bits and rebias the exponent by 112.
    let normal = magnitude.wrapping_sub(112 << 23);
    let normal = (normal.wrapping_add(0xFFF + ((normal >> 13) & 1))) >> 13;
    // Below, the result counts units of 2^-24, which is the last place of f32 numbers from 0.5 to 1: adding 0.5
    // makes the one rounding, and vectorises where a shift by a variable would not.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3F00_0000);
    // Signed, because baseline vector units compare signed integers only.
    let magnitude = magnitude as i32;
    let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
    let bounded = if magnitude >= 0x4780_0000 { 0x7C00 } else { finite };
    f16::from_bits(if magnitude > 0x7F80_0000 { 0x7FFF } else { (sign | bounded) as u16 })
}

/// f32 → bf16.
#[inline]
pub const fn bf16_from_f32(value: f32) -> bf16 {
    let bits = value.to_bits();
    // The carry runs through mantissa and exponent up to infinity; it can't pass infinity, which has a mantissa of 0.
    let rounded = (bits.wrapping_add(0x7FFF + ((bits >> 16) & 1))) >> 16;
    bf16::from_bits(if (bits & 0x7FFF_FFFF) as i32 > 0x7F80_0000 { 0x7FFF } else { rounded as u16 })
}

/// f64 → f32, rounded to odd: the bits of [`f32_from_f64_with`] for numbers, by operations that vectorise.
#[inline]
pub const fn odd_f32_from_f64(value: f64) -> f32 {
    let nearest = value as f32;
    let back = nearest as f64;
    // NaN compares false both ways and stays. An overflow to infinity steps back to the largest number, which is odd.
    let inexact = (back < value) | (back > value);
    let is_even = nearest.to_bits() & 1 == 0;
    let step = if back.abs() < value.abs() { 1 } else { u32::MAX };
    f32::from_bits(if inexact & is_even { nearest.to_bits().wrapping_add(step) } else { nearest.to_bits() })
}

/// f64 → f16. The step through f32 is rounded to odd, so that the second rounding sees what the first one lost.
#[inline]
pub const fn f16_from_f64(value: f64) -> f16 {
    f16_from_f32(odd_f32_from_f64(value))
}

/// f64 → bf16, as [`f16_from_f64`]; even a subnormal f32 has 16 places more than the bf16 it becomes.
#[inline]
pub const fn bf16_from_f64(value: f64) -> bf16 {
    bf16_from_f32(odd_f32_from_f64(value))
}

/// f64 → f32.
#[inline]
pub const fn f32_from_f64(value: f64) -> f32 {
    let narrowed = value as f32;
    if value.is_nan() { f32::from_bits(0x7FFF_FFFF) } else { narrowed }
}

/// f64 → f32 in a named rounding; `ToOdd` is the step before a second, narrower conversion.
#[inline]
pub const fn f32_from_f64_with(value: f64, rounding: Rounding) -> f32 {
    f32::from_bits(narrow_bits(value.to_bits(), Format::F64, Format::F32, rounding) as u32)
}

/// f16 → f32.
#[inline]
pub const fn f16_to_f32(value: f16) -> f32 {
    let bits = value.to_bits() as u32;
    let sign = (bits & 0x8000) << 16;
    let magnitude = bits & 0x7FFF;
    let normal = (magnitude << 13) + (112 << 23);
    // Both the conversion and the product are exact, and the product is a normal number. Signed, because baseline
    // vector units convert and compare signed integers only.
    let magnitude = magnitude as i32;
    let subnormal = (magnitude as f32 * f32::from_bits(103 << 23)).to_bits();
    let finite = if magnitude < 0x0400 { subnormal } else { normal };
    let bounded = if magnitude >= 0x7C00 { 0x7F80_0000 } else { finite };
    f32::from_bits(if magnitude > 0x7C00 { 0x7FFF_FFFF } else { sign | bounded })
}

/// bf16 → f32.
#[inline]
pub const fn bf16_to_f32(value: bf16) -> f32 {
    let bits = value.to_bits() as u32;
    f32::from_bits(if bits & 0x7FFF > 0x7F80 { 0x7FFF_FFFF } else { bits << 16 })
}
