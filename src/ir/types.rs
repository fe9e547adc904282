//! Data types and literals.
//!
//! A [`DType`] is both what a buffer holds and what a value is. The [`Storage`] formats (fp8, fp4, …) share one variant:
//! they are loaded, stored, moved and converted, and nothing else. Deliberately not here: conversions, which `numerics` does.

use std::fmt;

use half::{bf16, f16};

use super::op::Keyword;
use crate::numerics::Storage;

/// The type of a value and of a buffer's elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the variants are named as Rust names the types")]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    Storage(Storage),
}

impl Keyword for DType {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Bool, "bool"),
        (Self::I8, "i8"),
        (Self::I16, "i16"),
        (Self::I32, "i32"),
        (Self::I64, "i64"),
        (Self::U8, "u8"),
        (Self::U16, "u16"),
        (Self::U32, "u32"),
        (Self::U64, "u64"),
        (Self::F16, "f16"),
        (Self::BF16, "bf16"),
        (Self::F32, "f32"),
        (Self::F64, "f64"),
        (Self::E4M3, Storage::E4M3.name()),
        (Self::E5M2, Storage::E5M2.name()),
        (Self::E2M3, Storage::E2M3.name()),
        (Self::E3M2, Storage::E3M2.name()),
        (Self::E2M1, Storage::E2M1.name()),
        (Self::E8M0, Storage::E8M0.name()),
        (Self::UE4M3, Storage::UE4M3.name()),
        (Self::TF32, Storage::TF32.name()),
    ];
}

/// The storage formats by name, as the other types are named.
#[expect(missing_docs, reason = "the constants are named as Rust names the types")]
impl DType {
    pub const E4M3: Self = Self::Storage(Storage::E4M3);
    pub const E5M2: Self = Self::Storage(Storage::E5M2);
    pub const E2M3: Self = Self::Storage(Storage::E2M3);
    pub const E3M2: Self = Self::Storage(Storage::E3M2);
    pub const E2M1: Self = Self::Storage(Storage::E2M1);
    pub const E8M0: Self = Self::Storage(Storage::E8M0);
    pub const UE4M3: Self = Self::Storage(Storage::UE4M3);
    pub const TF32: Self = Self::Storage(Storage::TF32);
}

impl DType {
    /// The Rust name: `f32`, `bf16`, `u8` …
    pub fn name(self) -> &'static str {
        self.keyword()
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::from_keyword(name)
    }

    /// Every type, in declaration order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.iter().map(|&(dtype, _)| dtype)
    }

    /// Width of a value in bits; a `bool` has one.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::I8 | Self::U8 => 8,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 16,
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
            Self::Storage(storage) => storage.bits(),
        }
    }

    /// Bytes of one element in memory; a `bool` takes one, holding 0 or 1.
    pub fn size(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is one of `f16 bf16 f32 f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// Whether it is an integer; `bool` is not.
    pub fn is_int(self) -> bool {
        !self.is_float() && self != Self::Bool && self.storage().is_none()
    }

    /// The format, of a type that only holds numbers.
    pub fn storage(self) -> Option<Storage> {
        if let Self::Storage(storage) = self { Some(storage) } else { None }
    }

    /// Whether its values are reals, with a NaN or not: a float or a storage format. Two NaN are equal as results.
    pub fn is_real(self) -> bool {
        self.is_float() || self.storage().is_some()
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// The bits that a value of this type can have set.
    pub fn mask(self) -> u64 {
        match self.storage() {
            Some(storage) => u64::from(storage.mask()),
            None => u64::MAX >> (64 - self.bits()),
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A constant: a type and its bit pattern, zero-extended to 64 bits.
///
/// It prints as Rust writes it (`16u32`, `-1.5f32`, `true`); a float that has no exact decimal of that form (NaN,
/// infinity) prints its bits, `f32:0x7fc00000`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Literal {
    /// The type.
    pub dtype: DType,
    /// The bit pattern; bits above the type's width are zero.
    pub bits: u64,
}

impl Literal {
    /// A constant from its bit pattern; bits above the type's width are dropped.
    pub fn from_bits(dtype: DType, bits: u64) -> Self {
        Self { dtype, bits: bits & dtype.mask() }
    }

    /// An integer constant, wrapped to the type; `None` when `value` does not fit or the type is not an integer.
    pub fn int(dtype: DType, value: i128) -> Option<Self> {
        let (low, high) = int_range(dtype)?;
        (low..=high).contains(&value).then(|| Self::from_bits(dtype, value as u64))
    }

    /// A `u32` constant.
    pub fn u32(value: u32) -> Self {
        Self { dtype: DType::U32, bits: u64::from(value) }
    }

    /// A `bool` constant.
    pub fn bool(value: bool) -> Self {
        Self { dtype: DType::Bool, bits: u64::from(value) }
    }

    /// An `f32` constant.
    pub fn f32(value: f32) -> Self {
        Self { dtype: DType::F32, bits: u64::from(value.to_bits()) }
    }

    /// The value of an integer or `bool` constant, sign-extended where the type is signed.
    pub fn as_int(self) -> Option<i128> {
        if self.dtype.is_real() {
            return None;
        }
        let unused = 64 - self.dtype.bits();
        Some(if self.dtype.is_signed() {
            i128::from(((self.bits << unused) as i64) >> unused)
        } else {
            i128::from(self.bits)
        })
    }

    /// The value of a float constant, or of one in a storage format, exact.
    pub fn as_f64(self) -> Option<f64> {
        match self.dtype {
            DType::F16 => Some(f16::from_bits(self.bits as u16).to_f64()),
            DType::BF16 => Some(bf16::from_bits(self.bits as u16).to_f64()),
            DType::F32 => Some(f64::from(f32::from_bits(self.bits as u32))),
            DType::F64 => Some(f64::from_bits(self.bits)),
            DType::Storage(storage) => Some(f64::from(storage.decode(self.bits as u32))),
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64 => None,
        }
    }

    /// Whether every bit is zero: integer 0, `false`, +0.
    pub fn is_zero(self) -> bool {
        self.bits == 0
    }
}

/// The least and greatest value of an integer type.
pub fn int_range(dtype: DType) -> Option<(i128, i128)> {
    if !dtype.is_int() {
        return None;
    }
    let bits = dtype.bits();
    Some(if dtype.is_signed() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    })
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dtype == DType::Bool {
            return write!(f, "{}", self.bits != 0);
        }
        if let Some(int) = self.as_int() {
            return write!(f, "{int}{}", self.dtype);
        }
        match self.as_f64() {
            // The shortest decimal of an f32 stands for the f32 alone, so it is printed as one.
            // A storage format has no literal of its own, as its rounding would have to be named.
            Some(_) if self.dtype.storage().is_some() => write!(f, "{}:{:#x}", self.dtype, self.bits),
            Some(value) if value.is_finite() && self.dtype == DType::F64 => write!(f, "{value:?}f64"),
            Some(value) if value.is_finite() => write!(f, "{:?}{}", value as f32, self.dtype),
            Some(_) | None => write!(f, "{}:{:#x}", self.dtype, self.bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_print_as_rust_writes_them() {
        assert_eq!(Literal::u32(16).to_string(), "16u32");
        assert_eq!(Literal::from_bits(DType::I8, 0xff).to_string(), "-1i8");
        assert_eq!(Literal::f32(-1.5).to_string(), "-1.5f32");
        assert_eq!(Literal::f32(f32::NAN).to_string(), "f32:0x7fc00000");
        assert_eq!(Literal::bool(true).to_string(), "true");
        assert_eq!(Literal::from_bits(DType::F16, 0x3c00).to_string(), "1.0f16");
    }

    #[test]
    fn integers_out_of_range_are_refused() {
        assert!(Literal::int(DType::U8, 256).is_none());
        assert!(Literal::int(DType::I8, -129).is_none());
        assert_eq!(Literal::int(DType::I8, -128).and_then(Literal::as_int), Some(-128));
        assert!(Literal::int(DType::F32, 1).is_none());
    }
}
