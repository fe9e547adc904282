//! Floating-point operations of the four IEEE formats.
//!
//! f32 and f64 use the host's operations, which Rust defines to round once to nearest even. f16 and bf16 compute in
//! f32 and round again where that can't matter: a sum, difference, product, quotient or root of p-bit numbers
//! survives a first rounding to at least 2p + 2 bits, and f32 has 24 ≥ 2·11 + 2. A fused multiply-add does not; it
//! goes through f64, for f16 as it is and for bf16 rounded to odd (the reason stands at each).

use std::cmp::Ordering;

use half::{bf16, f16};

use super::format::Format;
use super::narrow::{bf16_from_f32, bf16_from_f64, bf16_to_f32, f16_from_f32, f16_from_f64, f16_to_f32};
use super::round::add_to_odd;

/// A floating-point type of the IR. All operations round once to nearest even unless they say otherwise, and make
/// no NaN but [`CANONICAL_NAN`](Self::CANONICAL_NAN).
pub trait Float: Copy {
    /// The type's format.
    const FORMAT: Format;
    /// The NaN that operations make: sign 0, every other bit 1.
    const CANONICAL_NAN: Self;

    /// The bits, zero-extended.
    fn bits(self) -> u64;
    /// The value of the low bits.
    fn of_bits(bits: u64) -> Self;
    /// The value in f32: exact for f16 and bf16, rounded for f64.
    fn widen_f32(self) -> f32;
    /// The value in f64, exactly.
    fn widen_f64(self) -> f64;
    /// An f64 rounded to this type.
    fn of_f64(value: f64) -> Self;

    /// Whether it is a NaN, judged by bits.
    fn is_nan_bits(self) -> bool;
    /// Itself, or the canonical NaN for any NaN.
    fn canonical(self) -> Self;

    /// `a + b`.
    fn fadd(self, other: Self) -> Self;
    /// `a − b`.
    fn fsub(self, other: Self) -> Self;
    /// `a · b`.
    fn fmul(self, other: Self) -> Self;
    /// `a / b`.
    fn fdiv(self, other: Self) -> Self;
    /// `√a`; −0 gives −0, anything else below zero a NaN.
    fn fsqrt(self) -> Self;
    /// `a · b + c`, rounded once.
    fn ffma(self, factor: Self, addend: Self) -> Self;

    /// The smaller, with −0 < +0; of one NaN and a number, the number.
    fn fmin(self, other: Self) -> Self;
    /// The larger, with −0 < +0; of one NaN and a number, the number.
    fn fmax(self, other: Self) -> Self;
    /// The smaller, with −0 < +0; a NaN if either is one.
    fn fmin_nan(self, other: Self) -> Self;
    /// The larger, with −0 < +0; a NaN if either is one.
    fn fmax_nan(self, other: Self) -> Self;

    /// The nearest integer, ties to even. Zero results keep the operand's sign.
    fn fround(self) -> Self;
    /// The largest integer not above.
    fn ffloor(self) -> Self;
    /// The smallest integer not below.
    fn fceil(self) -> Self;
    /// The integer part.
    fn ftrunc(self) -> Self;

    /// The sign bit cleared: a bit operation, of a NaN too.
    fn fabs(self) -> Self;
    /// The sign bit flipped: a bit operation, of a NaN too.
    fn fneg(self) -> Self;
    /// These bits with the sign bit of `sign`: a bit operation, of a NaN too.
    fn fcopysign(self, sign: Self) -> Self;

    /// The order, or `None` with a NaN; the two zeros are equal.
    fn fcompare(self, other: Self) -> Option<Ordering>;
}

/// The operations that only look at bits, in the type's own width so that they vectorise at that width.
macro_rules! bit_operations {
    ($bits:ty, $signed:ty) => {
        const FORMAT: Format = FORMAT;
        const CANONICAL_NAN: Self = Self::from_bits(MAGNITUDE);

        #[inline]
        fn bits(self) -> u64 {
            self.to_bits() as u64
        }

        #[inline]
        fn of_bits(bits: u64) -> Self {
            Self::from_bits(bits as $bits)
        }

        #[inline]
        fn is_nan_bits(self) -> bool {
            self.to_bits() & MAGNITUDE > INFINITY
        }

        #[inline]
        fn canonical(self) -> Self {
            if self.is_nan_bits() { Self::CANONICAL_NAN } else { self }
        }

        #[inline]
        fn fmin(self, other: Self) -> Self {
            let smaller = if order(self) <= order(other) { self } else { other };
            let chosen = if self.is_nan_bits() { other } else { smaller };
            if other.is_nan_bits() { self.canonical() } else { chosen }
        }

        #[inline]
        fn fmax(self, other: Self) -> Self {
            let larger = if order(self) >= order(other) { self } else { other };
            let chosen = if self.is_nan_bits() { other } else { larger };
            if other.is_nan_bits() { self.canonical() } else { chosen }
        }

        #[inline]
        fn fmin_nan(self, other: Self) -> Self {
            let smaller = if order(self) <= order(other) { self } else { other };
            if self.is_nan_bits() | other.is_nan_bits() { Self::CANONICAL_NAN } else { smaller }
        }

        #[inline]
        fn fmax_nan(self, other: Self) -> Self {
            let larger = if order(self) >= order(other) { self } else { other };
            if self.is_nan_bits() | other.is_nan_bits() { Self::CANONICAL_NAN } else { larger }
        }

        #[inline]
        fn fabs(self) -> Self {
            Self::from_bits(self.to_bits() & MAGNITUDE)
        }

        #[inline]
        fn fneg(self) -> Self {
            Self::from_bits(self.to_bits() ^ SIGN)
        }

        #[inline]
        fn fcopysign(self, sign: Self) -> Self {
            Self::from_bits((self.to_bits() & MAGNITUDE) | (sign.to_bits() & SIGN))
        }
    };
}

/// What [`bit_operations`] needs around the impl: masks of the format, and a number in the order of the values.
macro_rules! bit_masks {
    ($float:ty, $bits:ty, $signed:ty, $format:expr) => {
        const FORMAT: Format = $format;
        const MAGNITUDE: $bits = FORMAT.magnitude_mask() as $bits;
        const SIGN: $bits = FORMAT.sign_mask() as $bits;
        const INFINITY: $bits = FORMAT.max_finite() as $bits + 1;

        /// Sign and magnitude as an integer that orders like the value, −0 below +0.
        #[inline]
        fn order(value: $float) -> $signed {
            let bits = value.to_bits() as $signed;
            bits ^ ((bits >> (<$signed>::BITS - 1)) & MAGNITUDE as $signed)
        }
    };
}

macro_rules! native_float {
    ($float:ident, $bits:ty, $signed:ty, $format:expr, $to_f32:expr, $of_f64:expr) => {
        const _: () = {
            bit_masks!($float, $bits, $signed, $format);

            impl Float for $float {
                bit_operations!($bits, $signed);

                #[inline]
                fn widen_f32(self) -> f32 {
                    $to_f32(self)
                }

                #[inline]
                fn widen_f64(self) -> f64 {
                    (self as f64).canonical()
                }

                #[inline]
                fn of_f64(value: f64) -> Self {
                    $of_f64(value)
                }

                #[inline]
                fn fadd(self, other: Self) -> Self {
                    (self + other).canonical()
                }

                #[inline]
                fn fsub(self, other: Self) -> Self {
                    (self - other).canonical()
                }

                #[inline]
                fn fmul(self, other: Self) -> Self {
                    (self * other).canonical()
                }

                #[inline]
                fn fdiv(self, other: Self) -> Self {
                    (self / other).canonical()
                }

                #[inline]
                fn fsqrt(self) -> Self {
                    self.sqrt().canonical()
                }

                #[inline]
                fn ffma(self, factor: Self, addend: Self) -> Self {
                    self.mul_add(factor, addend).canonical()
                }

                #[inline]
                fn fround(self) -> Self {
                    self.round_ties_even().canonical()
                }

                #[inline]
                fn ffloor(self) -> Self {
                    self.floor().canonical()
                }

                #[inline]
                fn fceil(self) -> Self {
                    self.ceil().canonical()
                }

                #[inline]
                fn ftrunc(self) -> Self {
                    self.trunc().canonical()
                }

                #[inline]
                fn fcompare(self, other: Self) -> Option<Ordering> {
                    self.partial_cmp(&other)
                }
            }
        };
    };
}

native_float!(f32, u32, i32, Format::F32, f32::canonical, super::narrow::f32_from_f64);
native_float!(f64, u64, i64, Format::F64, super::narrow::f32_from_f64, f64::canonical);

macro_rules! half_float {
    ($float:ident, $format:expr, $widen:ident, $narrow:ident, $narrow_f64:ident, $fma:ident) => {
        const _: () = {
            bit_masks!($float, u16, i16, $format);

            impl Float for $float {
                bit_operations!(u16, i16);

                #[inline]
                fn widen_f32(self) -> f32 {
                    $widen(self)
                }

                #[inline]
                fn widen_f64(self) -> f64 {
                    ($widen(self) as f64).canonical()
                }

                #[inline]
                fn of_f64(value: f64) -> Self {
                    $narrow_f64(value)
                }

                #[inline]
                fn fadd(self, other: Self) -> Self {
                    $narrow($widen(self) + $widen(other))
                }

                #[inline]
                fn fsub(self, other: Self) -> Self {
                    $narrow($widen(self) - $widen(other))
                }

                #[inline]
                fn fmul(self, other: Self) -> Self {
                    $narrow($widen(self) * $widen(other))
                }

                #[inline]
                fn fdiv(self, other: Self) -> Self {
                    $narrow($widen(self) / $widen(other))
                }

                #[inline]
                fn fsqrt(self) -> Self {
                    $narrow($widen(self).sqrt())
                }

                #[inline]
                fn ffma(self, factor: Self, addend: Self) -> Self {
                    $fma($widen(self), $widen(factor), $widen(addend))
                }

                // An integer near a number of this type is a number of this type, so these are exact on the way back.
                #[inline]
                fn fround(self) -> Self {
                    $narrow($widen(self).round_ties_even())
                }

                #[inline]
                fn ffloor(self) -> Self {
                    $narrow($widen(self).floor())
                }

                #[inline]
                fn fceil(self) -> Self {
                    $narrow($widen(self).ceil())
                }

                #[inline]
                fn ftrunc(self) -> Self {
                    $narrow($widen(self).trunc())
                }

                #[inline]
                fn fcompare(self, other: Self) -> Option<Ordering> {
                    $widen(self).partial_cmp(&$widen(other))
                }
            }
        };
    };
}

half_float!(f16, Format::F16, f16_to_f32, f16_from_f32, f16_from_f64, f16_fma);
half_float!(bf16, Format::BF16, bf16_to_f32, bf16_from_f32, bf16_from_f64, bf16_fma);

/// f16 fma. The product is exact (22 bits). Where the f64 sum is inexact, product and addend lie more than 31
/// binary places apart: either the product is far below half a unit of the addend, which is an f16 number itself
/// and no midpoint, or the product is beyond 2^29 and overflows. Elsewhere the sum is exact. So f64 → f16 is the
/// only rounding that shows.
#[inline]
fn f16_fma(a: f32, b: f32, c: f32) -> f16 {
    f16_from_f64(a as f64 * b as f64 + c as f64)
}

/// bf16 fma. The product is exact (16 bits), but it may be a midpoint of bf16 with an addend so far below that an
/// f64 sum forgets it; rounding to odd keeps it, and f64 has more than the two spare bits that needs.
#[inline]
fn bf16_fma(a: f32, b: f32, c: f32) -> bf16 {
    bf16_from_f64(add_to_odd(a as f64 * b as f64, c as f64))
}
