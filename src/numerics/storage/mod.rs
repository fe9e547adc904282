//! Formats that only hold numbers: fp8, fp6, fp4, scales, tf32, and integers of few bits.
//!
//! There is no arithmetic on them: they are loaded, stored, moved, and converted to and from the types that have it.
//! Every one of their numbers is an f32, so a conversion *from* one is exact up to f32, and one *to* it rounds once
//! from any type: wider types pass through an f32 that is rounded to odd ([`Odd`]), which the second rounding can't
//! tell from the exact value because f32 keeps at least thirteen bits more than the widest of them keeps.
//!
//! | type | bits | sign, exponent, mantissa | bias | largest | least normal | least | specials |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | `e4m3` | 8 | 1, 4, 3 | 7 | 448 (7E) | 2⁻⁶ | 2⁻⁹ | NaN S.1111.111; no infinity |
//! | `e5m2` | 8 | 1, 5, 2 | 15 | 57344 (7B) | 2⁻¹⁴ | 2⁻¹⁶ | ∞ S.11111.00, NaN S.11111.{01,10,11} |
//! | `e2m3` | 6 | 1, 2, 3 | 1 | 7.5 (1F) | 1 | 2⁻³ | none |
//! | `e3m2` | 6 | 1, 3, 2 | 3 | 28 (1F) | 2⁻² | 2⁻⁴ | none |
//! | `e2m1` | 4 | 1, 2, 1 | 1 | 6 (7) | 1 | 2⁻¹ | none |
//! | `e8m0` | 8 | 0, 8, 0 | 127 | 2¹²⁷ (FE) | | 2⁻¹²⁷ (00) | NaN FF; no zero |
//! | `ue4m3` | 7 | 0, 4, 3 | 7 | 448 (7E) | 2⁻⁶ | 2⁻⁹ | NaN 7F |
//! | `tf32` | 32 | 1, 8, 10 | 127 | (2 − 2⁻¹⁰)·2¹²⁷ | 2⁻¹²⁶ | 2⁻¹³⁶ | as f32 |
//!
//! In memory each takes one byte, tf32 four: an f32 pattern whose low 13 bits are zero. A code narrower than its byte
//! stands in the low bits; the others are zero when it is stored and ignored when it is loaded.
//!
//! Encoding is by [`CastMode`]. A NaN becomes the canonical one (sign 0, every other bit 1), or the largest number in a
//! format without. −0 and what rounds to it keep their sign where there is one. Deliberately not here: packing of
//! several codes into a word, block formats.

mod fast;
mod int;
mod types;

pub use int::{int_decode, int_encode};
pub use types::{e2m1, e2m3, e3m2, e4m3, e5m2, e8m0, tf32, ue4m3};

use super::codec::{Exact, Overflow, decode, encode, encode_power};
use super::format::{Format, Specials};
use super::narrow::odd_f32_from_f64;
use super::round::Rounding;
use super::{Convert, bf16, f16};

/// A storage format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Storage {
    /// fp8 with four exponent bits, as OCP's OFP8 E4M3.
    E4M3,
    /// fp8 with five exponent bits, the upper half of an f16.
    E5M2,
    /// fp6 with two exponent bits.
    E2M3,
    /// fp6 with three exponent bits.
    E3M2,
    /// fp4.
    E2M1,
    /// A power of two: the scale of a block (OCP MX).
    E8M0,
    /// e4m3 without a sign: the scale of a block (NVFP4).
    UE4M3,
    /// f32 with ten mantissa bits.
    TF32,
}

/// How a conversion to a storage format rounds, and what it does beyond the largest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CastMode {
    /// Nearest even. Beyond the largest number, and for infinities, the largest number; tf32 has infinities and takes
    /// them, as f32 does. Of e8m0, which has no nearest even, there is no default.
    #[default]
    Default,
    /// Nearest even; infinity beyond the largest number (e5m2), NaN where there is no infinity (e4m3, ue4m3).
    Nonsat,
    /// The one nearer to zero (e8m0, tf32).
    TowardZero,
    /// The one not below (e8m0).
    Up,
}

impl CastMode {
    /// Every mode.
    pub const ALL: [Self; 4] = [Self::Default, Self::Nonsat, Self::TowardZero, Self::Up];

    /// What text puts behind the type; nothing for the default.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Default => "",
            Self::Nonsat => ".nonsat",
            Self::TowardZero => ".rz",
            Self::Up => ".rp",
        }
    }

    /// What a conversion lacks that does not take the mode, in words.
    pub(crate) const fn lack(self) -> &'static str {
        match self {
            Self::Default => "has no default rounding",
            Self::Nonsat => "has no unsaturated form",
            Self::TowardZero => "does not round toward zero",
            Self::Up => "does not round up",
        }
    }
}

impl Storage {
    /// Every format.
    pub const ALL: [Self; 8] =
        [Self::E4M3, Self::E5M2, Self::E2M3, Self::E3M2, Self::E2M1, Self::E8M0, Self::UE4M3, Self::TF32];

    /// The type's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::E4M3 => "e4m3",
            Self::E5M2 => "e5m2",
            Self::E2M3 => "e2m3",
            Self::E3M2 => "e3m2",
            Self::E2M1 => "e2m1",
            Self::E8M0 => "e8m0",
            Self::UE4M3 => "ue4m3",
            Self::TF32 => "tf32",
        }
    }

    /// The code's fields. tf32's code here has 19 bits; in a word it stands 13 places higher.
    pub const fn format(self) -> Format {
        const fn format(exponent_bits: u32, mantissa_bits: u32, bias: i32, specials: Specials) -> Format {
            Format { exponent_bits, mantissa_bits, bias, specials, is_signed: true, has_zero: true }
        }
        match self {
            Self::E4M3 => format(4, 3, 7, Specials::NanOnly),
            Self::E5M2 => format(5, 2, 15, Specials::Ieee),
            Self::E2M3 => format(2, 3, 1, Specials::None),
            Self::E3M2 => format(3, 2, 3, Specials::None),
            Self::E2M1 => format(2, 1, 1, Specials::None),
            Self::E8M0 => {
                Format { is_signed: false, has_zero: false, ..format(8, 0, 127, Specials::NanOnly) }
            }
            Self::UE4M3 => Format { is_signed: false, ..format(4, 3, 7, Specials::NanOnly) },
            Self::TF32 => format(8, 10, 127, Specials::Ieee),
        }
    }

    /// How far above bit 0 the code stands in its word.
    pub const fn shift(self) -> u32 {
        match self {
            Self::TF32 => 13,
            Self::E4M3 | Self::E5M2 | Self::E2M3 | Self::E3M2 | Self::E2M1 | Self::E8M0 | Self::UE4M3 => 0,
        }
    }

    /// Width of a value in bits; tf32's 32 hold an f32 pattern.
    pub const fn bits(self) -> u32 {
        self.format().width() + self.shift()
    }

    /// The bits that a value can have set.
    pub const fn mask(self) -> u32 {
        let format = self.format();
        ((format.sign_mask() | format.magnitude_mask()) as u32) << self.shift()
    }

    /// The bits of the memory that a value takes: those of [`mask`](Self::mask) and those that are zero.
    pub const fn full(self) -> u32 {
        if self.bits() <= 8 { 0xFF } else { u32::MAX }
    }

    /// The canonical NaN in its word, where the format has one.
    pub const fn nan(self) -> Option<u32> {
        match self.format().canonical_nan() {
            Some(nan) => Some((nan as u32) << self.shift()),
            None => None,
        }
    }

    /// The largest finite number, in its word.
    pub const fn max_finite(self) -> u32 {
        (self.format().max_finite() as u32) << self.shift()
    }

    /// Whether a conversion to the format takes a mode.
    pub const fn takes(self, mode: CastMode) -> bool {
        match mode {
            CastMode::Default => !matches!(self, Self::E8M0),
            CastMode::Nonsat => matches!(self, Self::E4M3 | Self::E5M2 | Self::UE4M3),
            CastMode::TowardZero => matches!(self, Self::E8M0 | Self::TF32),
            CastMode::Up => matches!(self, Self::E8M0),
        }
    }

    /// The word of an f32, rounded once. A mode that the format does not take means its nearest relative: none of e8m0
    /// is toward zero.
    #[inline]
    pub const fn encode(self, value: f32, mode: CastMode) -> u32 {
        fast::encode(self, value, mode)
    }

    /// The number that a word holds, exactly. Bits outside [`mask`](Self::mask) are ignored.
    #[inline]
    pub const fn decode(self, word: u32) -> f32 {
        fast::decode(self, word)
    }

    /// [`encode`](Self::encode) of any exact value, by the format-driven codec: slow, and what the fast one is judged by.
    pub const fn encode_exact(self, value: Exact, mode: CastMode) -> u32 {
        let format = self.format();
        let code = match self {
            Self::E8M0 => encode_power(value, format, matches!(mode, CastMode::Up)),
            Self::E4M3 | Self::E5M2 | Self::E2M3 | Self::E3M2 | Self::E2M1 | Self::UE4M3 | Self::TF32 => {
                let rounding = match mode {
                    CastMode::TowardZero => Rounding::TowardZero,
                    CastMode::Default | CastMode::Nonsat | CastMode::Up => Rounding::NearestEven,
                };
                let overflow = match (self, mode) {
                    (Self::TF32, _) | (_, CastMode::Nonsat) => Overflow::Special,
                    (_, CastMode::Default | CastMode::TowardZero | CastMode::Up) => Overflow::Saturate,
                };
                encode(value, format, rounding, overflow)
            }
        };
        (code as u32) << self.shift()
    }

    /// [`decode`](Self::decode) by the format-driven codec.
    pub const fn decode_exact(self, word: u32) -> Exact {
        decode((word >> self.shift()) as u64, self.format())
    }
}

/// The step before a conversion to a storage format: an f32 that the format can't tell from the number itself.
pub trait Odd: Copy {
    /// The number in f32, rounded to odd where it has more bits.
    fn odd(self) -> f32;
}

macro_rules! exact {
    ($($ty:ty)*) => {
        $(impl Odd for $ty {
            #[inline]
            fn odd(self) -> f32 {
                <Self as Convert<f32>>::convert(self)
            }
        })*
    };
}

exact!(bool i8 u8 i16 u16 f16 bf16 f32);

impl Odd for f64 {
    #[inline]
    fn odd(self) -> f32 {
        odd_f32_from_f64(self)
    }
}

/// The top 24 bits of a magnitude, the last of them set where anything below was: an f32 holds that.
#[inline]
const fn odd_magnitude(magnitude: u64) -> f32 {
    let shift = 40u32.saturating_sub(magnitude.leading_zeros());
    let kept = magnitude >> shift;
    let sticky = (kept << shift != magnitude) as u64;
    (kept | sticky) as f32 * f32::from_bits((127 + shift) << 23)
}

impl Odd for u64 {
    #[inline]
    fn odd(self) -> f32 {
        odd_magnitude(self)
    }
}

impl Odd for u32 {
    #[inline]
    fn odd(self) -> f32 {
        odd_magnitude(u64::from(self))
    }
}

impl Odd for i64 {
    #[inline]
    fn odd(self) -> f32 {
        let magnitude = odd_magnitude(self.unsigned_abs());
        if self < 0 { -magnitude } else { magnitude }
    }
}

impl Odd for i32 {
    #[inline]
    fn odd(self) -> f32 {
        i64::from(self).odd()
    }
}
