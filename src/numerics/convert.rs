//! Conversions between all scalar types, each with one rounding at most.
//!
//! | from → to | result |
//! | --- | --- |
//! | int → int | the low bits, or zero- or sign-extended by the source's type |
//! | int → float | nearest even, directly; ∞ above the range of f16 |
//! | float → int | toward zero, clamped to the range, NaN → 0 |
//! | float → float | nearest even; NaN → the canonical NaN |
//! | bool → number | 0 or 1 |
//! | number → bool | whether it differs from zero; NaN does, −0 does not |

use half::{bf16, f16};

use super::float::Float;
use super::format::Format;
use super::narrow::{bf16_from_f32, bf16_from_f64, f16_from_f32, f16_from_f64, f32_from_f64};
use super::round::{Rounding, shift_right};

/// Conversion to `To` by the table above.
pub trait Convert<To>: Copy {
    /// The value in the other type.
    fn convert(self) -> To;
}

/// A magnitude in an IEEE format, rounded once to nearest even.
#[inline]
const fn magnitude_bits(magnitude: u64, format: Format) -> u64 {
    let infinity = format.max_finite() + 1;
    // With the top bit at 63, the implicit bit of the rounded significand adds the last 1 to the exponent field.
    let lead = if magnitude == 0 { 63 } else { magnitude.leading_zeros() };
    let field = (63 - lead) as u64 + format.bias as u64 - 1;
    let rounded = shift_right(magnitude << lead, 63 - format.mantissa_bits, Rounding::NearestEven);
    let bits = (field << format.mantissa_bits) + rounded;
    if magnitude == 0 {
        0
    } else if bits > infinity {
        infinity
    } else {
        bits
    }
}

macro_rules! convert {
    ($($from:ty => $to:ty: |$value:ident| $body:expr;)*) => {
        $(impl Convert<$to> for $from {
            #[inline]
            fn convert(self) -> $to {
                let $value = self;
                $body
            }
        })*
    };
}

macro_rules! int_to_ints {
    ($from:ident: $($to:ident)*) => { $(convert!($from => $to: |value| value as $to;);)* };
}

/// Everything an integer type converts to, and the floats that convert to it.
macro_rules! int_conversions {
    ($($int:ident: $is_negative:expr, $magnitude:expr;)*) => {
        $(
            int_to_ints!($int: i8 i16 i32 i64 u8 u16 u32 u64);
            convert! {
                $int => bool: |value| value != 0;
                bool => $int: |value| value as $int;
                // Rust defines these to round to nearest even.
                $int => f32: |value| value as f32;
                $int => f64: |value| value as f64;
                $int => f16: |value| {
                    let bits = magnitude_bits($magnitude(value), Format::F16) as u16;
                    f16::from_bits(if $is_negative(value) { bits | 0x8000 } else { bits })
                };
                $int => bf16: |value| {
                    let bits = magnitude_bits($magnitude(value), Format::BF16) as u16;
                    bf16::from_bits(if $is_negative(value) { bits | 0x8000 } else { bits })
                };
                // Rust defines these to truncate, clamp, and take NaN to 0; the step to f32 is exact.
                f32 => $int: |value| value as $int;
                f64 => $int: |value| value as $int;
                f16 => $int: |value| value.widen_f32() as $int;
                bf16 => $int: |value| value.widen_f32() as $int;
            }
        )*
    };
}

int_conversions! {
    i8: i8::is_negative, |value: i8| value.unsigned_abs() as u64;
    i16: i16::is_negative, |value: i16| value.unsigned_abs() as u64;
    i32: i32::is_negative, |value: i32| value.unsigned_abs() as u64;
    i64: i64::is_negative, i64::unsigned_abs;
    u8: |_| false, u64::from;
    u16: |_| false, u64::from;
    u32: |_| false, u64::from;
    u64: |_| false, u64::from;
}

macro_rules! float_conversions {
    ($($float:ident)*) => {
        $(convert! {
            $float => bool: |value| value.fabs().bits() != 0;
            bool => $float: |value| if value { $float::of_f64(1.0) } else { $float::of_bits(0) };
            $float => $float: |value| value.canonical();
        })*
    };
}

float_conversions!(f16 bf16 f32 f64);

convert! {
    bool => bool: |value| value;
    f16 => f32: |value| value.widen_f32();
    bf16 => f32: |value| value.widen_f32();
    f16 => f64: |value| value.widen_f64();
    bf16 => f64: |value| value.widen_f64();
    f32 => f64: |value| value.widen_f64();
    f64 => f32: |value| f32_from_f64(value);
    f32 => f16: |value| f16_from_f32(value);
    f32 => bf16: |value| bf16_from_f32(value);
    f64 => f16: |value| f16_from_f64(value);
    f64 => bf16: |value| bf16_from_f64(value);
    f16 => bf16: |value| bf16_from_f32(value.widen_f32());
    bf16 => f16: |value| f16_from_f32(value.widen_f32());
}
