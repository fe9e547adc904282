//! The format-driven codec: bits to an exact value and back, for any [`Format`].
//!
//! Slow and plain on purpose: the fast conversions are tested against it, and it is tested against arithmetic on
//! big integers. On entry: bits no wider than the format. On exit: one rounding, in the mode asked for.

use super::format::{Format, Specials};
use super::round::Rounding;

/// A value as a floating-point format means it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// Not a number; sign and payload are not kept.
    Nan,
    /// An infinity.
    Infinite {
        /// Whether it is −∞.
        negative: bool,
    },
    /// `significand · 2^exponent`; a zero keeps its sign.
    Finite {
        /// The sign.
        negative: bool,
        /// Any integer, not normalised.
        significand: u128,
        /// Any exponent.
        exponent: i32,
    },
}

/// What becomes of a value beyond the largest finite number, where rounding does not already decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// Infinity, or NaN where the format has no infinity, or else the largest number.
    Special,
    /// The largest number, for infinities too.
    Saturate,
}

/// The value of some bits. Bits above the format's width are ignored.
pub const fn decode(bits: u64, format: Format) -> Exact {
    let negative = bits & format.sign_mask() != 0;
    let magnitude = bits & format.magnitude_mask();
    let mantissa = magnitude & format.mantissa_mask();
    let field = (magnitude >> format.mantissa_bits) as i32;
    if magnitude > format.max_finite() {
        let is_infinite = matches!(format.specials, Specials::Ieee) && mantissa == 0;
        return if is_infinite { Exact::Infinite { negative } } else { Exact::Nan };
    }
    let (significand, field) =
        if field == 0 && format.has_zero { (mantissa, 1) } else { (mantissa | format.implicit_bit(), field) };
    let exponent = field - 1 + format.least_exponent();
    Exact::Finite { negative, significand: significand as u128, exponent }
}

/// The bits of a value, rounded once. A NaN becomes the canonical one, or the largest number in a format without. In a
/// format without a sign anything below zero becomes 0; a format without a zero is [`encode_power`]'s.
pub const fn encode(value: Exact, format: Format, rounding: Rounding, overflow: Overflow) -> u64 {
    let (negative, magnitude) = match value {
        Exact::Nan => {
            return match format.canonical_nan() {
                Some(nan) => nan,
                None => format.max_finite(),
            };
        }
        Exact::Infinite { negative: true } | Exact::Finite { negative: true, .. } if !format.is_signed => {
            return 0;
        }
        Exact::Infinite { negative } => (negative, beyond(format, overflow)),
        Exact::Finite { negative, significand, exponent } => {
            (negative, encode_magnitude(significand, exponent, format, rounding, overflow))
        }
    };
    magnitude | if negative { format.sign_mask() } else { 0 }
}

/// The bits of a value in a format of powers of two alone (e8m0), the next one down, or with `up` the next one up.
/// What is not above zero becomes the smallest power, what is beyond the largest becomes that, infinity too.
pub const fn encode_power(value: Exact, format: Format, up: bool) -> u64 {
    match value {
        Exact::Nan => format.magnitude_mask(),
        Exact::Infinite { negative: true } | Exact::Finite { negative: true, .. } => 0,
        Exact::Infinite { negative: false } => format.max_finite(),
        Exact::Finite { negative: false, significand: 0, .. } => 0,
        Exact::Finite { negative: false, significand, exponent } => {
            let top = 127 - significand.leading_zeros() as i32;
            let is_between = !significand.is_power_of_two();
            let field = exponent as i64 + top as i64 + format.bias as i64 + (up && is_between) as i64;
            let largest = format.max_finite() as i64;
            (if field < 0 {
                0
            } else if field > largest {
                largest
            } else {
                field
            }) as u64
        }
    }
}

const fn encode_magnitude(
    significand: u128,
    exponent: i32,
    format: Format,
    rounding: Rounding,
    overflow: Overflow,
) -> u64 {
    if significand == 0 {
        return 0;
    }
    let top = 127 - significand.leading_zeros() as i32;
    // The exponent of the result's last place before rounding: that of a full mantissa, but never below the least.
    let place = exponent + top - format.mantissa_bits as i32;
    let place = if place > format.least_exponent() { place } else { format.least_exponent() };
    let rounded = shift(significand, place - exponent, rounding);
    // The implicit bit of a normal number, and a carry out of the mantissa, both count up the exponent field.
    let field = (place - format.least_exponent()) as u64;
    let magnitude = match field {
        // Beyond any field: the shift below would lose it.
        0x1_0000.. => u64::MAX,
        _ => (field << format.mantissa_bits) + rounded,
    };
    if magnitude <= format.max_finite() {
        return magnitude;
    }
    match rounding {
        Rounding::NearestEven => beyond(format, overflow),
        Rounding::TowardZero | Rounding::ToOdd => format.max_finite(),
    }
}

const fn beyond(format: Format, overflow: Overflow) -> u64 {
    match (overflow, format.infinity(), format.canonical_nan()) {
        (Overflow::Special, Some(infinity), _) => infinity,
        (Overflow::Special, None, Some(nan)) => nan,
        (Overflow::Special, None, None) | (Overflow::Saturate, _, _) => format.max_finite(),
    }
}

/// `significand / 2^places`, rounded; a negative count multiplies, and the product fits because a mantissa does.
const fn shift(significand: u128, places: i32, rounding: Rounding) -> u64 {
    if places <= 0 {
        return (significand << -places) as u64;
    }
    let (kept, lost, half) = match places {
        1..=127 => (significand >> places, significand & ((1 << places) - 1), 1 << (places - 1)),
        128 => (0, significand, 1 << 127),
        _ => (0, (significand != 0) as u128, 2),
    };
    let kept = kept as u64;
    match rounding {
        Rounding::NearestEven => kept + (lost > half || (lost == half && kept & 1 == 1)) as u64,
        Rounding::TowardZero => kept,
        Rounding::ToOdd => kept | (lost != 0) as u64,
    }
}
