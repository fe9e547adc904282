//! Conversions between the IEEE formats, on bits.
//!
//! Narrowing is one integer algorithm for every pair, rounding once from the source's own bits; f32 → f16 and
//! f32 → bf16, which kernels run per element, have 32-bit forms that a compiler turns into vector code. Widening is
//! exact. A NaN becomes the canonical NaN of the result's format.

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
    // Below: units of 2^-24, so a significand with exponent field e moves right by 126 - e. From 31 places on
    // nothing is left, nor is it from 26 on.
    let significand = (magnitude & 0x007F_FFFF) | 0x0080_0000;
    let places = 126_u32.saturating_sub(magnitude >> 23);
    let places = if places > 31 {
        31
    } else if places == 0 {
        1
    } else {
        places
    };
    let half = 1 << (places - 1);
    let subnormal = (significand + (half - 1) + ((significand >> places) & 1)) >> places;
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
    bf16::from_bits(if bits & 0x7FFF_FFFF > 0x7F80_0000 { 0x7FFF } else { rounded as u16 })
}

/// f64 → f16, directly: through f32 it would round twice.
#[inline]
pub const fn f16_from_f64(value: f64) -> f16 {
    f16::from_bits(narrow_bits(value.to_bits(), Format::F64, Format::F16, Rounding::NearestEven) as u16)
}

/// f64 → bf16, directly: through f32 it would round twice.
#[inline]
pub const fn bf16_from_f64(value: f64) -> bf16 {
    bf16::from_bits(narrow_bits(value.to_bits(), Format::F64, Format::BF16, Rounding::NearestEven) as u16)
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
    // Both the conversion and the product are exact, and the product is a normal number.
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
