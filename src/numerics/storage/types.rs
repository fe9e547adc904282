//! One Rust type a storage format: elements of buffers on the host, and what kernels name a dtype by.

use std::fmt;

use super::{CastMode, Odd, Storage};

macro_rules! storage_types {
    ($($(#[$meta:meta])* $name:ident: $word:ty = $variant:ident;)*) => {$(
        $(#[$meta])*
        #[expect(non_camel_case_types, reason = "named as the format is, like f32 and half's types")]
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name($word);

        impl $name {
            /// The format.
            pub const STORAGE: Storage = Storage::$variant;

            /// The value of some bits; those that the format has not are dropped.
            #[inline]
            pub const fn from_bits(bits: $word) -> Self {
                Self(bits & Self::STORAGE.mask() as $word)
            }

            /// The bits.
            #[inline]
            pub const fn to_bits(self) -> $word {
                self.0
            }

            /// An f32, rounded once in a mode that the format takes.
            #[inline]
            pub const fn from_f32_with(value: f32, mode: CastMode) -> Self {
                Self(Self::STORAGE.encode(value, mode) as $word)
            }

            /// An f64, rounded once in a mode that the format takes.
            #[inline]
            pub fn from_f64_with(value: f64, mode: CastMode) -> Self {
                Self::from_f32_with(value.odd(), mode)
            }

            /// The number, exactly.
            #[inline]
            pub const fn to_f32(self) -> f32 {
                Self::STORAGE.decode(self.0 as u32)
            }

            /// The number, exactly.
            #[inline]
            pub const fn to_f64(self) -> f64 {
                self.to_f32() as f64
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}{}", self.to_f32(), Self::STORAGE.name())
            }
        }
    )*};
}

storage_types! {
    /// fp8 with four exponent bits: ±448, NaN, no infinity.
    e4m3: u8 = E4M3;
    /// fp8 with five exponent bits: ±57344, infinities, NaN.
    e5m2: u8 = E5M2;
    /// fp6 with two exponent bits, ±7.5, in the low six bits of a byte.
    e2m3: u8 = E2M3;
    /// fp6 with three exponent bits, ±28, in the low six bits of a byte.
    e3m2: u8 = E3M2;
    /// fp4, ±6, in the low four bits of a byte.
    e2m1: u8 = E2M1;
    /// A power of two from 2⁻¹²⁷ to 2¹²⁷, or NaN.
    e8m0: u8 = E8M0;
    /// e4m3 without a sign, in the low seven bits of a byte.
    ue4m3: u8 = UE4M3;
    /// f32 with ten mantissa bits, as an f32 pattern whose low 13 bits are zero.
    tf32: u32 = TF32;
}

/// The conversions of formats that round to nearest even.
macro_rules! nearest {
    ($($name:ident)*) => {$(
        impl $name {
            /// An f32 to nearest even. Beyond the largest number: that number, or infinity for tf32.
            #[inline]
            pub const fn from_f32(value: f32) -> Self {
                Self::from_f32_with(value, CastMode::Default)
            }

            /// An f64 to nearest even, rounded once.
            #[inline]
            pub fn from_f64(value: f64) -> Self {
                Self::from_f64_with(value, CastMode::Default)
            }
        }
    )*};
}

nearest!(e4m3 e5m2 e2m3 e3m2 e2m1 ue4m3 tf32);

impl e8m0 {
    /// The power of two not above; 00 for what is not above zero.
    #[inline]
    pub const fn from_f32_rz(value: f32) -> Self {
        Self::from_f32_with(value, CastMode::TowardZero)
    }

    /// The power of two not below, up to 2¹²⁷; 00 for what is not above zero.
    #[inline]
    pub const fn from_f32_rp(value: f32) -> Self {
        Self::from_f32_with(value, CastMode::Up)
    }
}
