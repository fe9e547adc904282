//! Functions of values: selection of the lesser and greater, fused multiply-add, bit fiddling, rounding to integers.
//!
//! Not here: transcendental functions, which are sequences of these.

use super::build::with;
use super::error::BuildError;
use super::ops::{arithmetic, unary};
use super::promote::{common_of, numeric};
use super::types::KernelType;
use super::val::{Int, IntoVal, Val};
use crate::ir::op::{BinaryOp, CompareOp, Convert, Fma, UnaryOp};
use crate::ir::{DType, Literal};

/// A loaded element: `load(x[i])` is `x[i]`.
pub fn load(element: impl IntoVal) -> Val {
    element.val()
}

/// Converts by value: see [`Val::cast`].
pub fn cast<D: KernelType>(value: impl IntoVal) -> Val {
    value.val().cast::<D>()
}

/// The same bits as another type of the same width.
pub fn bitcast<D: KernelType>(value: impl IntoVal) -> Val {
    value.val().bitcast::<D>()
}

macro_rules! binaries {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(a: impl IntoVal, b: impl IntoVal) -> Val {
            arithmetic(BinaryOp::$op, a, b)
        }
    )*};
}

binaries! {
    /// The greater; of a NaN and a number the number; −0 is below +0.
    max = Max;
    /// The lesser; of a NaN and a number the number; −0 is below +0.
    min = Min;
    /// The upper half of the double-width product of integers.
    mul_hi = MulHi;
}

macro_rules! float_binaries {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(a: impl IntoVal, b: impl IntoVal) -> Val {
            let (a, b) = (a.val(), b.val());
            with(|build| {
                let dtype = float(common_of(a, b));
                let (a, b) = (build.adopt(a, dtype), build.adopt(b, dtype));
                build.binary(BinaryOp::$op, a, b)
            })
        }
    )*};
}

float_binaries! {
    /// The greater, or NaN where either is.
    max_nan = MaxNan;
    /// The lesser, or NaN where either is.
    min_nan = MinNan;
    /// The magnitude of the first with the sign of the second.
    copysign = Copysign;
}

/// Functions of reals take integers as `f32`, and refuse what only holds numbers.
pub(super) fn float(dtype: DType) -> DType {
    if dtype.is_real() { dtype } else { DType::F32 }
}

/// The operand of a function of reals.
fn real(value: impl IntoVal) -> Val {
    let value = value.val();
    with(|build| build.adopt(value, float(value.dtype())))
}

/// a × b + c with one rounding.
pub fn fma(a: impl IntoVal, b: impl IntoVal, c: impl IntoVal) -> Val {
    let (a, b, c) = (a.val(), b.val(), c.val());
    with(|build| {
        let pair = if a.is_strong() || b.is_strong() { common_of(a, b) } else { c.dtype() };
        let all = if c.is_strong() && (a.is_strong() || b.is_strong()) {
            super::promote::common(pair, c.dtype())
        } else {
            pair
        };
        let dtype = float(all);
        let [a, b, c] = [a, b, c].map(|operand| {
            let operand = build.adopt(operand, dtype);
            build.id(operand)
        });
        build.value(Fma { a, b, c })
    })
}

macro_rules! reals {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(value: impl IntoVal) -> Val {
            unary(UnaryOp::$op, real(value))
        }
    )*};
}

reals! {
    /// Square root, rounded to nearest even.
    sqrt = Sqrt;
    /// Greatest integer not above.
    floor = Floor;
    /// Least integer not below.
    ceil = Ceil;
    /// Toward zero.
    trunc = Trunc;
    /// To the nearest integer, ties to even.
    round = Round;
}

/// The magnitude, of any number.
pub fn abs(value: impl IntoVal) -> Val {
    let value = value.val();
    let value = with(|build| build.adopt(value, numeric(value.dtype())));
    unary(UnaryOp::Abs, value)
}

/// 1 / x, rounded once.
pub fn recip(value: impl IntoVal) -> Val {
    arithmetic(BinaryOp::Div, 1.0f64, real(value))
}

/// −1, 0 or 1 with the value's sign, in its type; 0 of a zero, NaN of a NaN.
pub fn sign(value: impl IntoVal) -> Val {
    let value = value.val();
    let value = with(|build| build.adopt(value, numeric(value.dtype())));
    let zero = with(|build| build.adopt(Int(0).val(), value.dtype()));
    let positive = super::ops::compare(CompareOp::Gt, value, zero);
    let negative = super::ops::compare(CompareOp::Lt, value, zero);
    let below = super::select::select_eager(negative, minus_one(value.dtype()), zero);
    let signed = super::select::select_eager(positive, Int(1), below);
    if !value.dtype().is_float() {
        return signed;
    }
    let is_nan = super::ops::compare(CompareOp::Ne, value, value);
    super::select::select_eager(is_nan, value, signed)
}

fn minus_one(dtype: DType) -> Val {
    // An unsigned value is never below 0; the arm only has to have its type.
    Val::weak_int(if dtype.is_signed() || dtype.is_float() { -1 } else { 0 })
}

/// max(x, 0); 0 of a NaN.
pub fn relu(value: impl IntoVal) -> Val {
    arithmetic(BinaryOp::Max, value, Int(0))
}

/// +∞ as an `f32`.
pub fn infinity() -> Val {
    Val::constant(Literal::f32(f32::INFINITY))
}

/// −∞ as an `f32`.
pub fn neg_infinity() -> Val {
    Val::constant(Literal::f32(f32::NEG_INFINITY))
}

/// The canonical NaN as an `f32`.
pub fn nan() -> Val {
    Val::constant(Literal::from_bits(DType::F32, 0x7fc0_0000))
}

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(value: impl IntoVal) -> Val {
            unary(UnaryOp::$op, value)
        }
    )*};
}

counts! {
    /// Bits set, a `u32`.
    popcount = Popcount;
    /// Zero bits above the highest set one, a `u32`; the width for 0.
    clz = Clz;
    /// Zero bits below the lowest set one, a `u32`; the width for 0.
    ctz = Ctz;
}

/// `width` bits of an integer from bit `offset` up, the upper ones filled with the field's sign where the type is
/// signed. A field of no bits is 0; bits past the value's top read as 0.
pub fn bitfield_extract(value: impl IntoVal, offset: impl IntoVal, width: impl IntoVal) -> Val {
    let (value, offset, width) = (value.val(), offset.val(), width.val());
    let dtype = value.dtype();
    let field = (value.unsigned() >> offset) & field_mask(dtype, width);
    if !dtype.is_signed() {
        return field.reinterpret(dtype);
    }
    // Sign extension by the field's top bit: (f ^ m) − m.
    let top = super::select::select_eager(
        super::ops::compare(CompareOp::Eq, width, Int(0)),
        Int(0),
        one(dtype) << (width - Int(1)),
    );
    ((field ^ top) - top).reinterpret(dtype)
}

/// `value` with `width` bits from bit `offset` up replaced by the low bits of `field`.
pub fn bitfield_insert(
    value: impl IntoVal,
    field: impl IntoVal,
    offset: impl IntoVal,
    width: impl IntoVal,
) -> Val {
    let (value, field, offset, width) = (value.val(), field.val(), offset.val(), width.val());
    let dtype = value.dtype();
    let field = with(|build| build.adopt(field, dtype)).unsigned();
    let mask = field_mask(dtype, width) << offset;
    ((value.unsigned() & !mask) | ((field << offset) & mask)).reinterpret(dtype)
}

/// The low `width` bits set; all where `width` is the type's or more.
fn field_mask(dtype: DType, width: Val) -> Val {
    // A shift by the width or more gives 0, and 0 − 1 is all ones.
    (one(dtype) << width) - one(dtype)
}

fn one(dtype: DType) -> Val {
    Val::constant(Literal::from_bits(unsigned_of(dtype), 1))
}

fn unsigned_of(dtype: DType) -> DType {
    match dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        other => other,
    }
}

impl Val {
    /// A signed integer's bits as the unsigned type.
    fn unsigned(self) -> Self {
        self.reinterpret(unsigned_of(self.dtype()))
    }

    /// An integer of the same width.
    fn reinterpret(self, to: DType) -> Self {
        with(|build| {
            if let Some(literal) = super::fold::convert(self, to) {
                return Val::constant(literal);
            }
            let a = build.id(self);
            if build.ir.kernel().dtype(a) == to { build.val(a) } else { build.value(Convert::new(to, a)) }
        })
    }
}

/// Four bytes picked from the eight of `high:low`; each nibble of `selector` names one, 0 the lowest of `low`.
///
/// Only the lower three bits of a nibble count: there is no sign replication.
pub fn byte_perm(low: impl IntoVal, high: impl IntoVal, selector: impl IntoVal) -> Val {
    let [low, high, selector] = [low.val(), high.val(), selector.val()].map(|operand| {
        with(|build| {
            if !numeric(operand.dtype()).is_int() || operand.dtype().bits() > 32 {
                build.error(BuildError::Refused {
                    what: format!("`byte_perm` of `{}`", operand.dtype()),
                    help: "it takes 32-bit integers",
                });
            }
            build.adopt(operand, DType::U32)
        })
    });
    let both = low.cast::<u64>() | (high.cast::<u64>() << 32u64);
    let mut result: Option<Val> = None;
    for byte in 0..4u32 {
        let picked = (selector >> (4 * byte)) & 7u32;
        let shift = (picked * 8u32).cast::<u64>();
        let bits = ((both >> shift) & 0xffu64).cast::<u32>() << (8 * byte);
        result = Some(match result {
            None => bits,
            Some(lower) => lower | bits,
        });
    }
    result.expect("four bytes are picked")
}
