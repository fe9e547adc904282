//! What operations give on constants.
//!
//! On entry: a kernel whose ids are in range. On exit: the literal an operation gives, by the scalar semantics of
//! `numerics`, or `None` where it is not a function of constant operands. A float result that is NaN is `None` too:
//! its payload is unspecified, and a `bitcast` sees a constant NaN otherwise than a computed one.

use half::{bf16, f16};

use super::kernel::{Kernel, ValueId};
use super::op::{BinaryOp, CompareOp, Op, UnaryOp};
use super::types::{DType, Literal};
use crate::entity::SecondaryMap;
use crate::numerics::{CastMode, Convert, Float, Int, Odd};

/// The values of a kernel that a `const` defines.
#[derive(Clone, Debug)]
pub struct Constants {
    literals: SecondaryMap<ValueId, Option<Literal>>,
}

impl Constants {
    /// Those of a kernel whose ids are in range.
    pub fn of(kernel: &Kernel) -> Self {
        let mut literals = SecondaryMap::with_len(None, kernel.values.len());
        for inst in kernel.insts.values() {
            if let (Op::Const(constant), &[result]) = (&inst.op, &inst.results[..]) {
                literals[result] = Some(constant.value);
            }
        }
        Self { literals }
    }

    /// The constant, if the value is one.
    pub fn get(&self, value: ValueId) -> Option<Literal> {
        self.literals[value]
    }
}

/// What `op` gives where `operand` knows its operands; `None` where it is not a function of them or one is unknown.
pub fn evaluate(op: &Op, operand: &mut dyn FnMut(ValueId) -> Option<Literal>) -> Option<Literal> {
    let result = match op {
        Op::Const(constant) => return Some(constant.value),
        Op::Unary(unary) => self::unary(unary.op, operand(unary.a)?),
        Op::Binary(binary) => self::binary(binary.op, operand(binary.a)?, operand(binary.b)?),
        Op::Fma(fma) => self::fma(operand(fma.a)?, operand(fma.b)?, operand(fma.c)?),
        Op::Compare(compare) => self::compare(compare.op, operand(compare.a)?, operand(compare.b)?),
        Op::Select(select) => {
            let chosen = if operand(select.cond)?.is_zero() { select.b } else { select.a };
            operand(chosen)
        }
        Op::Convert(convert) => self::convert_with(operand(convert.a)?, convert.to, convert.mode),
        Op::Bitcast(bitcast) => Some(Literal::from_bits(bitcast.to, operand(bitcast.a)?.bits)),
        // The target's bits are not known here.
        Op::Approx(_)
        | Op::Scalar(_)
        | Op::Shape(_)
        | Op::Stride(_)
        | Op::Geometry(_)
        | Op::LocalGet(_)
        | Op::LocalSet(_)
        | Op::Load(_)
        | Op::Store(_)
        | Op::Atomic(_)
        | Op::AtomicCas(_)
        | Op::AtomicLoad(_)
        | Op::AtomicStore(_)
        | Op::Fence(_)
        | Op::Shuffle(_)
        | Op::WarpReduce(_)
        | Op::WarpScan(_)
        | Op::Vote(_)
        | Op::Ballot(_)
        | Op::Match(_)
        | Op::WarpBarrier(_)
        | Op::CtaBarrier(_)
        | Op::NamedBarrier(_)
        | Op::Mma(_)
        | Op::LdMatrix(_)
        | Op::CpAsync(_)
        | Op::CpAsyncCommit(_)
        | Op::CpAsyncWait(_)
        | Op::Inline(_)
        | Op::Yield(_)
        | Op::If(_)
        | Op::For(_)
        | Op::Loop(_)
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Comment(_) => None,
    };
    result.filter(|literal| !literal.as_f64().is_some_and(f64::is_nan))
}

/// Calls a generic function with the Rust type of a [`DType`]: one family for the types it takes, `None` for others.
macro_rules! with_type {
    ($dtype:expr, int $int:ident, float $float:ident, bool $bool:expr) => {
        match $dtype {
            DType::I8 => $int!(i8),
            DType::I16 => $int!(i16),
            DType::I32 => $int!(i32),
            DType::I64 => $int!(i64),
            DType::U8 => $int!(u8),
            DType::U16 => $int!(u16),
            DType::U32 => $int!(u32),
            DType::U64 => $int!(u64),
            DType::F16 => $float!(f16),
            DType::BF16 => $float!(bf16),
            DType::F32 => $float!(f32),
            DType::F64 => $float!(f64),
            DType::Bool => $bool,
            // Those that compute nothing.
            DType::Storage(_) => None,
        }
    };
}

/// A one-operand operation on a constant.
pub(crate) fn unary(op: UnaryOp, a: Literal) -> Option<Literal> {
    macro_rules! int {
        ($ty:ty) => {
            int_unary(op, <$ty as Int>::of_bits(a.bits), a.dtype)
        };
    }
    macro_rules! float {
        ($ty:ty) => {
            float_unary(op, <$ty as Float>::of_bits(a.bits)).map(|r| Literal::from_bits(a.dtype, r.bits()))
        };
    }
    with_type!(a.dtype, int int, float float, bool (op == UnaryOp::Not).then(|| Literal::bool(a.is_zero())))
}

fn int_unary<T: Int>(op: UnaryOp, a: T, dtype: DType) -> Option<Literal> {
    let same = |result: T| Some(Literal::from_bits(dtype, result.bits()));
    match op {
        UnaryOp::Neg => same(a.ineg()),
        UnaryOp::Abs => same(a.iabs()),
        UnaryOp::Not => Some(Literal::from_bits(dtype, !a.bits())),
        UnaryOp::Popcount => Some(Literal::u32(a.ipopcount())),
        UnaryOp::Clz => Some(Literal::u32(a.iclz())),
        UnaryOp::Ctz => Some(Literal::u32(a.ictz())),
        UnaryOp::Sqrt | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::Round => None,
    }
}

fn float_unary<T: Float>(op: UnaryOp, a: T) -> Option<T> {
    match op {
        UnaryOp::Neg => Some(a.fneg()),
        UnaryOp::Abs => Some(a.fabs()),
        UnaryOp::Sqrt => Some(a.fsqrt()),
        UnaryOp::Floor => Some(a.ffloor()),
        UnaryOp::Ceil => Some(a.fceil()),
        UnaryOp::Trunc => Some(a.ftrunc()),
        UnaryOp::Round => Some(a.fround()),
        UnaryOp::Not | UnaryOp::Popcount | UnaryOp::Clz | UnaryOp::Ctz => None,
    }
}

/// A two-operand operation on constants of one type.
pub(crate) fn binary(op: BinaryOp, a: Literal, b: Literal) -> Option<Literal> {
    macro_rules! int {
        ($ty:ty) => {
            int_binary(op, <$ty as Int>::of_bits(a.bits), <$ty as Int>::of_bits(b.bits))
                .map(|r| Literal::from_bits(a.dtype, r.bits()))
        };
    }
    macro_rules! float {
        ($ty:ty) => {
            float_binary(op, <$ty as Float>::of_bits(a.bits), <$ty as Float>::of_bits(b.bits))
                .map(|r| Literal::from_bits(a.dtype, r.bits()))
        };
    }
    if a.dtype != b.dtype {
        return None;
    }
    with_type!(a.dtype, int int, float float, bool bitwise(op, a.bits, b.bits).map(|bits| Literal::from_bits(a.dtype, bits)))
}

fn bitwise(op: BinaryOp, a: u64, b: u64) -> Option<u64> {
    match op {
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MinNan
        | BinaryOp::MaxNan
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHi
        | BinaryOp::Copysign => None,
    }
}

fn int_binary<T: Int>(op: BinaryOp, a: T, b: T) -> Option<T> {
    Some(match op {
        BinaryOp::Add => a.iadd(b),
        BinaryOp::Sub => a.isub(b),
        BinaryOp::Mul => a.imul(b),
        BinaryOp::Div => a.idiv(b),
        BinaryOp::Rem => a.irem(b),
        BinaryOp::Min => a.imin(b),
        BinaryOp::Max => a.imax(b),
        BinaryOp::MulHi => a.imul_hi(b),
        BinaryOp::Shl => a.ishl(b.bits()),
        BinaryOp::Shr => a.ishr(b.bits()),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => T::of_bits(bitwise(op, a.bits(), b.bits())?),
        BinaryOp::MinNan | BinaryOp::MaxNan | BinaryOp::Copysign => return None,
    })
}

fn float_binary<T: Float>(op: BinaryOp, a: T, b: T) -> Option<T> {
    match op {
        BinaryOp::Add => Some(a.fadd(b)),
        BinaryOp::Sub => Some(a.fsub(b)),
        BinaryOp::Mul => Some(a.fmul(b)),
        BinaryOp::Div => Some(a.fdiv(b)),
        BinaryOp::Min => Some(a.fmin(b)),
        BinaryOp::Max => Some(a.fmax(b)),
        BinaryOp::MinNan => Some(a.fmin_nan(b)),
        BinaryOp::MaxNan => Some(a.fmax_nan(b)),
        BinaryOp::Copysign => Some(a.fcopysign(b)),
        BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHi => None,
    }
}

fn fma(a: Literal, b: Literal, c: Literal) -> Option<Literal> {
    macro_rules! int {
        ($ty:ty) => {
            None
        };
    }
    macro_rules! float {
        ($ty:ty) => {{
            let of = <$ty as Float>::of_bits;
            Some(Literal::from_bits(a.dtype, of(a.bits).ffma(of(b.bits), of(c.bits)).bits()))
        }};
    }
    with_type!(a.dtype, int int, float float, bool None)
}

/// A comparison of constants of one type.
pub(crate) fn compare(op: CompareOp, a: Literal, b: Literal) -> Option<Literal> {
    if a.dtype.storage().is_some() {
        return None;
    }
    let order = match (a.as_int(), b.as_int()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (_, _) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    };
    let holds = match op {
        CompareOp::Eq => order.is_some_and(|order| order.is_eq()),
        CompareOp::Ne => !order.is_some_and(|order| order.is_eq()),
        CompareOp::Lt => order.is_some_and(|order| order.is_lt()),
        CompareOp::Le => order.is_some_and(|order| order.is_le()),
        CompareOp::Gt => order.is_some_and(|order| order.is_gt()),
        CompareOp::Ge => order.is_some_and(|order| order.is_ge()),
    };
    Some(Literal::bool(holds))
}

/// What converts to every type.
trait ToAny:
    Odd
    + Convert<bool>
    + Convert<i8>
    + Convert<i16>
    + Convert<i32>
    + Convert<i64>
    + Convert<u8>
    + Convert<u16>
    + Convert<u32>
    + Convert<u64>
    + Convert<f16>
    + Convert<bf16>
    + Convert<f32>
    + Convert<f64>
{
    fn to(self, to: DType, mode: CastMode) -> Option<Literal> {
        macro_rules! int {
            ($ty:ty) => {
                Some(Int::bits(<Self as Convert<$ty>>::convert(self)))
            };
        }
        macro_rules! float {
            ($ty:ty) => {
                Some(Float::bits(<Self as Convert<$ty>>::convert(self)))
            };
        }
        let bits = match to.storage() {
            Some(storage) => storage.takes(mode).then(|| u64::from(storage.encode(self.odd(), mode))),
            None => {
                with_type!(to, int int, float float, bool Some(u64::from(<Self as Convert<bool>>::convert(self))))
            }
        };
        bits.map(|bits| Literal::from_bits(to, bits))
    }
}

macro_rules! to_any {
    ($($ty:ty)*) => { $(impl ToAny for $ty {})* };
}
to_any!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64);

/// A conversion by value in the default mode.
pub(crate) fn convert(a: Literal, to: DType) -> Option<Literal> {
    convert_with(a, to, CastMode::Default)
}

/// A conversion by value; `None` where the target does not take the mode.
pub(crate) fn convert_with(a: Literal, to: DType, mode: CastMode) -> Option<Literal> {
    macro_rules! int {
        ($ty:ty) => {
            <$ty as Int>::of_bits(a.bits).to(to, mode)
        };
    }
    macro_rules! float {
        ($ty:ty) => {
            <$ty as Float>::of_bits(a.bits).to(to, mode)
        };
    }
    if a.dtype == to {
        return Some(a);
    }
    match a.dtype.storage() {
        Some(storage) => storage.decode(a.bits as u32).to(to, mode),
        None => with_type!(a.dtype, int int, float float, bool (!a.is_zero()).to(to, mode)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    /// The last value of a body, computed from constants.
    fn last(body: &str) -> Option<String> {
        let kernel = parse(&format!("kernel @k() {{ {body} }}")).unwrap();
        let mut known = Constants::of(&kernel);
        let mut result = None;
        for inst in kernel.insts.values() {
            result = evaluate(&inst.op, &mut |value| known.get(value));
            known.literals[inst.results[0]] = result;
        }
        result.map(|literal| literal.to_string())
    }

    #[test]
    fn integers_follow_the_contract_at_the_edges() {
        for (body, want) in [
            ("v0 = div 7u32, 0u32", "4294967295u32"),
            ("v0 = rem -7i32, 0i32", "-7i32"),
            ("v0 = div -128i8, -1i8", "-128i8"),
            ("v0 = shl 1u32, 32u32", "0u32"),
            ("v0 = shr -1i16, 99i16", "-1i16"),
            ("v0 = mul_hi 4294967295u32, 2u32", "1u32"),
            ("v0 = clz 0u8", "8u32"),
            ("v0 = not false", "true"),
            ("v0 = cvt.i8 300u32", "44i8"),
            ("v0 = cvt.u8 -3.5f32", "0u8"),
            ("v0 = cvt.i32 f32:0x7fc00000", "0i32"),
            ("v0 = cvt.f32 16777217u32", "16777216.0f32"),
        ] {
            assert_eq!(last(body).as_deref(), Some(want), "{body}");
        }
    }

    #[test]
    fn floats_round_once_and_never_fold_to_nan() {
        for (body, want) in [
            ("v0 = add 16777216.0f32, 1.0f32", Some("16777216.0f32")),
            ("v0 = add 2048.0f16, 1.0f16", Some("2048.0f16")),
            ("v0 = min -0.0f32, 0.0f32", Some("-0.0f32")),
            ("v0 = max f32:0x7fc00000, 1.0f32", Some("1.0f32")),
            ("v0 = div 0.0f32, 0.0f32", None),
            ("v0 = neg f32:0x7fc00000", None),
            ("v0 = ne f32:0x7fc00000, f32:0x7fc00000", Some("true")),
            ("v0 = bitcast.u32 f32:0xffc00001", Some("4290772993u32")),
            ("v0 = cvt.bf16 f64:0x3ff0000000000001", Some("1.0bf16")),
        ] {
            assert_eq!(last(body).as_deref(), want, "{body}");
        }
    }
}
