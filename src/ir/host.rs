//! What the host hands to a kernel: elements of buffers, scalars, counts.
//!
//! The one place that says which Rust type is which [`DType`], and which host value may be given for which scalar.
//! On entry: any value of these types. On exit: the bytes a device sees (little-endian; a `bool` is a byte 0 or 1), or
//! a [`ScalarError`] where giving the value would change it. Deliberately not here: binding to a kernel's parameters.

use half::{bf16, f16};

use super::types::{DType, Literal};
use crate::diag::{Code, Help};
use crate::numerics::{
    CastMode, Odd, Storage, bf16_from_f64, e2m1, e2m3, e3m2, e4m3, e5m2, e8m0, f16_from_f64, f32_from_f64,
    tf32, ue4m3,
};

/// A Rust type that is the element of a buffer.
pub trait Element: Copy + Send + Sync + 'static {
    /// Its dtype.
    const DTYPE: DType;

    /// Its bit pattern, as in a [`Literal`].
    fn bits(self) -> u64;

    /// The value of a bit pattern; bits above the type's width are ignored.
    fn from_bits(bits: u64) -> Self;
}

macro_rules! int_elements {
    ($($ty:ident $dtype:ident,)*) => {
        $(
            impl Element for $ty {
                const DTYPE: DType = DType::$dtype;

                fn bits(self) -> u64 {
                    self as u64 & DType::$dtype.mask()
                }

                fn from_bits(bits: u64) -> Self {
                    bits as $ty
                }
            }
        )*
    };
}
int_elements! { i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64, }

macro_rules! float_elements {
    ($($ty:ident $raw:ident $dtype:ident,)*) => {
        $(
            impl Element for $ty {
                const DTYPE: DType = DType::$dtype;

                fn bits(self) -> u64 {
                    u64::from(self.to_bits())
                }

                fn from_bits(bits: u64) -> Self {
                    <$ty>::from_bits(bits as $raw)
                }
            }
        )*
    };
}
float_elements! { f16 u16 F16, bf16 u16 BF16, f32 u32 F32, f64 u64 F64, }

macro_rules! storage_elements {
    ($($ty:ident $raw:ident $format:ident,)*) => {
        $(
            impl Element for $ty {
                const DTYPE: DType = DType::Storage(Storage::$format);

                fn bits(self) -> u64 {
                    u64::from(self.to_bits())
                }

                fn from_bits(bits: u64) -> Self {
                    <$ty>::from_bits(bits as $raw)
                }
            }
        )*
    };
}
storage_elements! {
    e4m3 u8 E4M3, e5m2 u8 E5M2, e2m3 u8 E2M3, e3m2 u8 E3M2, e2m1 u8 E2M1, e8m0 u8 E8M0, ue4m3 u8 UE4M3,
    tf32 u32 TF32,
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;

    fn bits(self) -> u64 {
        u64::from(self)
    }

    fn from_bits(bits: u64) -> Self {
        bits & 0xff != 0
    }
}

/// The bytes of elements, as a device holds them.
pub fn to_bytes<T: Element>(values: &[T]) -> Vec<u8> {
    let size = T::DTYPE.size() as usize;
    let mut bytes = Vec::with_capacity(values.len() * size);
    for value in values {
        bytes.extend_from_slice(&value.bits().to_le_bytes()[..size]);
    }
    bytes
}

/// The elements that bytes of a device hold; a last part that is no whole element is left out.
pub fn from_bytes<T: Element>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::DTYPE.size() as usize).map(|element| T::from_bits(element_bits(element))).collect()
}

/// The bit pattern of one element's bytes, at most eight.
pub fn element_bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

/// `value` as a constant of `dtype`: floats and storage formats rounded once to nearest even (e8m0 down), integers truncated and saturated, `bool` by
/// "not 0". What inputs and references are made of.
pub fn literal_of(value: f64, dtype: DType) -> Literal {
    let bits = match dtype {
        DType::Bool => u64::from(value != 0.0),
        DType::I8 => (value as i8).bits(),
        DType::I16 => (value as i16).bits(),
        DType::I32 => (value as i32).bits(),
        DType::I64 => (value as i64).bits(),
        DType::U8 => (value as u8).bits(),
        DType::U16 => (value as u16).bits(),
        DType::U32 => (value as u32).bits(),
        DType::U64 => (value as u64).bits(),
        DType::F16 => f16_from_f64(value).bits(),
        DType::BF16 => bf16_from_f64(value).bits(),
        DType::F32 => f32_from_f64(value).bits(),
        DType::F64 => value.bits(),
        DType::Storage(storage) => {
            // e8m0 has no nearest even; its scales are rounded down here.
            let mode =
                if storage.takes(CastMode::Default) { CastMode::Default } else { CastMode::TowardZero };
            u64::from(storage.encode(value.odd(), mode))
        }
    };
    Literal::from_bits(dtype, bits)
}

/// The number a constant is; 64-bit integers beyond 2⁵³ are rounded.
pub fn value_of(literal: Literal) -> f64 {
    literal.as_f64().or_else(|| literal.as_int().map(|int| int as f64)).unwrap_or(f64::NAN)
}

/// A host value given for a scalar parameter.
///
/// ```
/// use warpsmith::ir::{DType, Scalar};
///
/// let rows = Scalar::from(1003usize);
/// assert_eq!(rows.to(DType::U32).map(|literal| literal.bits), Ok(1003));
/// assert!(Scalar::from(-1).to(DType::U32).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scalar(pub Literal);

impl<T: Element> From<T> for Scalar {
    fn from(value: T) -> Self {
        Self(Literal::from_bits(T::DTYPE, value.bits()))
    }
}

impl From<usize> for Scalar {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl From<Literal> for Scalar {
    fn from(value: Literal) -> Self {
        Self(value)
    }
}

impl Scalar {
    /// The value for a parameter of type `dtype`. Integers must fit, into floats exactly; floats are rounded once to
    /// a narrower float; a float is no integer, a `bool` nothing but a `bool`, and a code
    /// of a storage format nothing but that.
    ///
    /// # Errors
    /// The value has no such counterpart.
    pub fn to(self, dtype: DType) -> Result<Literal, ScalarError> {
        let Self(given) = self;
        if given.dtype == dtype {
            return Ok(given);
        }
        let refused = Err(ScalarError { given, dtype });
        let exact_only = |dtype: DType| dtype == DType::Bool || dtype.storage().is_some();
        if exact_only(given.dtype) || exact_only(dtype) {
            return refused;
        }
        match (given.as_int(), dtype.is_float()) {
            (Some(int), false) => Literal::int(dtype, int).map_or(refused, Ok),
            (Some(int), true) => {
                let literal = literal_of(int as f64, dtype);
                if value_of(literal) as i128 == int { Ok(literal) } else { refused }
            }
            (None, true) => Ok(literal_of(value_of(given), dtype)),
            (None, false) => refused,
        }
    }
}

/// A host value that a scalar parameter can't take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{given} can't be given for a scalar of type {dtype}")]
pub struct ScalarError {
    /// What was given.
    pub given: Literal,
    /// The parameter's type.
    pub dtype: DType,
}

impl Help for ScalarError {
    fn help(&self) -> Option<String> {
        let Self { given, dtype } = self;
        let exact_only = |dtype: DType| dtype == DType::Bool || dtype.storage().is_some();
        Some(if exact_only(*dtype) || exact_only(given.dtype) {
            format!("give a value of type {dtype}")
        } else if given.dtype.is_float() {
            format!("give an integer that fits {dtype}")
        } else {
            format!("give a value that {dtype} can hold exactly")
        })
    }

    fn code(&self) -> Code {
        Code::ScalarValue
    }
}

/// A host number that counts something: elements, threads, CTAs.
pub trait HostCount: Copy {
    /// The count, unless it is negative.
    fn count(self) -> Option<u64>;
}

macro_rules! counts {
    ($($ty:ident)*) => {
        $(impl HostCount for $ty {
            fn count(self) -> Option<u64> {
                u64::try_from(self).ok()
            }
        })*
    };
}
counts! { usize u16 u32 u64 i32 i64 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_bytes_round_trip() {
        let values = [f16::from_f32(1.5), f16::from_bits(0xfc01)];
        let back: Vec<f16> = from_bytes(&to_bytes(&values));
        assert_eq!(back.map_bits(), values.map_bits());
        assert_eq!(to_bytes(&[true, false]), [1, 0]);
        assert_eq!(from_bytes::<i16>(&to_bytes(&[-2i16, 300])), [-2, 300]);
        assert_eq!(from_bytes::<bool>(&[7, 0]), [true, false]);
    }

    trait MapBits {
        fn map_bits(&self) -> Vec<u16>;
    }

    impl MapBits for [f16] {
        fn map_bits(&self) -> Vec<u16> {
            self.iter().map(|value| value.to_bits()).collect()
        }
    }

    #[test]
    fn a_scalar_is_never_changed_silently() {
        let to = |scalar: Scalar, dtype| scalar.to(dtype).map(|literal| literal.to_string());
        assert_eq!(to(7usize.into(), DType::U32), Ok("7u32".into()));
        assert_eq!(to(7.into(), DType::F16), Ok("7.0f16".into()));
        assert_eq!(to(1e-5f32.into(), DType::F32), Ok("1e-5f32".into()));
        assert_eq!(to(0.1f64.into(), DType::F32), Ok("0.1f32".into()));
        for (given, dtype) in [
            (Scalar::from(1u64 << 32), DType::U32),
            (Scalar::from(2049), DType::F16),
            (Scalar::from(1.0f32), DType::U32),
            (Scalar::from(true), DType::U32),
            (Scalar::from(1), DType::Bool),
            (Scalar::from(u64::MAX), DType::F64),
        ] {
            assert!(to(given, dtype).is_err(), "{given:?} for {dtype}");
        }
        let error = Scalar::from(-1).to(DType::U32).expect_err("negative");
        assert_eq!(error.to_string(), "-1i32 can't be given for a scalar of type u32");
    }

    #[test]
    fn a_number_becomes_a_constant_of_any_type() {
        assert_eq!(literal_of(-300.7, DType::I8).to_string(), "-128i8");
        assert_eq!(literal_of(65520.0, DType::F16).as_f64(), Some(f64::INFINITY));
        assert_eq!(literal_of(0.5, DType::Bool), Literal::bool(true));
        assert_eq!(value_of(literal_of(-3.9, DType::I16)), -3.0);
    }
}
