//! The scalar types of MSL that kernels use.

use crate::ir::DType;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::msl) enum Scalar {
    Bool,
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Half,
    Bfloat,
    Float,
}

impl Scalar {
    /// The type of the same values; `None` for f64, which Metal lacks. A storage format's values are words.
    pub(in crate::msl) fn of(dtype: DType) -> Option<Self> {
        Some(match dtype {
            DType::Bool => Self::Bool,
            DType::I8 => Self::Char,
            DType::U8 => Self::Uchar,
            DType::I16 => Self::Short,
            DType::U16 => Self::Ushort,
            DType::I32 => Self::Int,
            DType::U32 => Self::Uint,
            DType::I64 => Self::Long,
            DType::U64 => Self::Ulong,
            DType::F16 => Self::Half,
            DType::BF16 => Self::Bfloat,
            DType::F32 => Self::Float,
            DType::F64 => return None,
            DType::Storage(storage) => {
                if storage.bits() <= 8 {
                    Self::Uchar
                } else {
                    Self::Uint
                }
            }
        })
    }

    /// The type of the IR with the same values.
    pub(in crate::msl) fn dtype(self) -> DType {
        match self {
            Self::Bool => DType::Bool,
            Self::Char => DType::I8,
            Self::Uchar => DType::U8,
            Self::Short => DType::I16,
            Self::Ushort => DType::U16,
            Self::Int => DType::I32,
            Self::Uint => DType::U32,
            Self::Long => DType::I64,
            Self::Ulong => DType::U64,
            Self::Half => DType::F16,
            Self::Bfloat => DType::BF16,
            Self::Float => DType::F32,
        }
    }

    pub(in crate::msl) fn is_float(self) -> bool {
        self.dtype().is_float()
    }

    pub(in crate::msl) fn is_signed(self) -> bool {
        self.dtype().is_signed()
    }

    pub(in crate::msl) fn bits(self) -> u32 {
        self.dtype().bits()
    }

    /// The unsigned integer of the same width: what holds the bits of a float, or a shift count.
    pub(in crate::msl) fn same_width_unsigned(self) -> Self {
        match self {
            Self::Bool => Self::Bool,
            Self::Char | Self::Uchar => Self::Uchar,
            Self::Short | Self::Ushort | Self::Half | Self::Bfloat => Self::Ushort,
            Self::Int | Self::Uint | Self::Float => Self::Uint,
            Self::Long | Self::Ulong => Self::Ulong,
        }
    }

    /// The unsigned integer that arithmetic of this type is done in: C++ promotes narrower ones to `int`, whose overflow
    /// is undefined, so they are widened to `uint` by hand.
    pub(in crate::msl) fn wrapping(self) -> Self {
        if self.bits() == 64 { Self::Ulong } else { Self::Uint }
    }

    /// The bits of +∞ of a float format, as the wide integer that the prelude aligns them to the top of.
    pub(in crate::msl) fn infinity(self) -> u64 {
        match self {
            Self::Half => 0x7c00,
            Self::Bfloat => 0x7f80,
            Self::Float => 0x7f80_0000,
            Self::Bool
            | Self::Char
            | Self::Uchar
            | Self::Short
            | Self::Ushort
            | Self::Int
            | Self::Uint
            | Self::Long
            | Self::Ulong => 0,
        }
    }
}
