//! Type suffixes of opcodes: one enum per set that some instruction takes.
//!
//! Exit: every such enum converts to a [`ScalarType`], which knows its width, its kind and its register class; the
//! small sets let the code that handles an instruction match without arms that can't happen.

use super::modifier::{Modifier, strip_word};
use super::reg::RegClass;

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// Uninterpreted bits.
    Bits,
    /// Unsigned integer.
    Unsigned,
    /// Signed integer.
    Signed,
    /// One float.
    Float,
    /// Two floats in one register.
    Packed,
    /// A predicate.
    Pred,
}

macro_rules! scalar_types {
    ($($variant:ident $text:literal $class:ident $kind:ident,)*) => {
        /// Any type suffix.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the names are the suffixes")]
        pub enum ScalarType { $($variant,)* }

        impl ScalarType {
            /// All types.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The suffix with its dot.
            pub const fn spelling(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The class of register that holds exactly one value.
            pub const fn class(self) -> RegClass {
                match self { $(Self::$variant => RegClass::$class,)* }
            }

            /// What the bits mean.
            pub const fn kind(self) -> TypeKind {
                match self { $(Self::$variant => TypeKind::$kind,)* }
            }

            /// Finds a type by its suffix.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

scalar_types! {
    Pred ".pred" Pred Pred,
    B8 ".b8" B8 Bits, U8 ".u8" B8 Unsigned, S8 ".s8" B8 Signed,
    B16 ".b16" B16 Bits, U16 ".u16" B16 Unsigned, S16 ".s16" B16 Signed,
    F16 ".f16" B16 Float, BF16 ".bf16" B16 Float,
    E4M3x2 ".e4m3x2" B16 Packed, E5M2x2 ".e5m2x2" B16 Packed, E2M3x2 ".e2m3x2" B16 Packed,
    E3M2x2 ".e3m2x2" B16 Packed, E2M1x2 ".e2m1x2" B8 Packed, UE8M0x2 ".ue8m0x2" B16 Packed,
    B32 ".b32" B32 Bits, U32 ".u32" B32 Unsigned, S32 ".s32" B32 Signed,
    S16x2 ".s16x2" B32 Packed, U16x2 ".u16x2" B32 Packed,
    F32 ".f32" B32 Float, TF32 ".tf32" B32 Float, F16x2 ".f16x2" B32 Packed, BF16x2 ".bf16x2" B32 Packed,
    B64 ".b64" B64 Bits, U64 ".u64" B64 Unsigned, S64 ".s64" B64 Signed, F64 ".f64" B64 Float, F32x2 ".f32x2" B64 Packed,
    B128 ".b128" B128 Bits,
}

impl ScalarType {
    /// Width in bits; 1 for a predicate.
    pub const fn bits(self) -> u32 {
        self.class().bits()
    }

    /// Width in bytes of a value in memory.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is a single float.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), TypeKind::Float)
    }

    /// Whether it is a signed or unsigned integer.
    pub const fn is_int(self) -> bool {
        matches!(self.kind(), TypeKind::Signed | TypeKind::Unsigned)
    }
}

macro_rules! type_sets {
    ($($(#[$meta:meta])* $name:ident { $($variant:ident)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the names are the suffixes")]
        pub enum $name { $($variant,)* }

        impl $name {
            /// All types of the set.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The type among all types.
            pub const fn scalar(self) -> ScalarType {
                match self { $(Self::$variant => ScalarType::$variant,)* }
            }
        }

        impl From<$name> for ScalarType {
            fn from(ty: $name) -> Self {
                ty.scalar()
            }
        }

        impl Modifier for $name {
            fn print(self, out: &mut String) {
                out.push_str(self.scalar().spelling());
            }

            fn parse(rest: &mut &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|ty| strip_word(rest, ty.scalar().spelling()).is_some())
            }

            fn choices() -> Vec<Self> {
                Self::ALL.to_vec()
            }
        }
    )*};
}

type_sets! {
    /// Integers of arithmetic.
    IntType { U16 U32 U64 S16 S32 S64 }
    /// Signed integers.
    SignedType { S16 S32 S64 }
    /// Integers of a bit field.
    FieldType { U32 U64 S32 S64 }
    /// Floats of arithmetic, packed ones too.
    FloatType { F16 F16x2 BF16 BF16x2 F32 F64 }
    /// A pair of f32 in one register.
    PairFloat { F32x2 }
    /// The two 16-bit floats.
    ShortFloat { F16 BF16 }
    /// The two wide floats.
    WideFloat { F32 F64 }
    /// The only type of several approximations.
    SingleFloat { F32 }
    /// Floats of `ex2` and `tanh`.
    ApproxFloat { F16 F16x2 BF16 BF16x2 F32 }
    /// Bits of logic and shifts.
    BitType { B16 B32 B64 }
    /// Bits of counting, reversing and inserting.
    WordType { B32 B64 }
    /// Types of a right shift.
    ShrType { B16 B32 B64 U16 U32 U64 S16 S32 S64 }
    /// Types of `mov`.
    MovType { B16 B32 B64 U16 U32 U64 S16 S32 S64 F32 F64 }
    /// Types of `mov` between a vector and a register.
    PackType { B16 B32 B64 }
    /// Types of a special register.
    SpecialType { U16 B32 B64 U32 U64 S32 S64 }
    /// Types of an address.
    AddressType { B32 B64 U32 U64 S32 S64 }
    /// Types of `selp`.
    SelpType { B16 B32 B64 U16 U32 U64 S16 S32 S64 F32 F64 }
    /// Types of `setp`.
    SetpType { B16 B32 B64 U16 U32 U64 S16 S32 S64 F16 F16x2 BF16 BF16x2 F32 F64 }
    /// Results of `set`.
    SetType { U16 S16 U32 S32 F16 BF16 F16x2 BF16x2 F32 }
    /// The two integers of 32 bits.
    Signs32 { U32 S32 }
    /// Pairs of 16-bit integers.
    PackedInt { S16x2 U16x2 }
    /// Integers that `.relu` goes with.
    ReluInt { S32 S16x2 }
    /// Types of loads and stores.
    MemType { B8 B16 B32 B64 U8 U16 U32 U64 S8 S16 S32 S64 F32 F64 }
    /// Types that `cvt` converts between.
    CvtType { U8 U16 U32 U64 S8 S16 S32 S64 F16 BF16 F32 F64 }
    /// Packed results of a conversion of two values.
    PackedHalf { F16x2 BF16x2 }
    /// Pairs of fp8, fp6 and fp4.
    NarrowX2 { E4M3x2 E5M2x2 E2M3x2 E3M2x2 E2M1x2 }
    /// Pairs of fp8.
    Fp8X2 { E4M3x2 E5M2x2 }
    /// A pair of scales.
    ScaleX2 { UE8M0x2 }
    /// The result of a rounding to tf32.
    Tf32Type { TF32 }
    /// Types of atomic operations.
    AtomType { B32 B64 U32 U64 S32 S64 F16 F16x2 BF16 BF16x2 F32 F64 }
    /// Elements of an atomic operation on a vector.
    AtomVectorType { F16 F16x2 BF16 BF16x2 F32 }
    /// Types of compare and swap.
    CasType { B16 B32 B64 }
    /// The widths of an address of shared memory.
    ClusterPointer { U32 U64 }
    /// The width of a generic address.
    PointerType { U64 }
}

impl MulResult for IntType {}

/// The type of a product.
pub(super) trait MulResult: Into<ScalarType> + Copy {
    /// An integer of the product's width: twice as wide for `.wide`.
    fn product(self, wide: bool) -> ScalarType {
        let ty: ScalarType = self.into();
        match (wide, ty.class()) {
            (true, RegClass::B16) => ScalarType::U32,
            (true, _) => ScalarType::U64,
            (false, _) => ty,
        }
    }
}
