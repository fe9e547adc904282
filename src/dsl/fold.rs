//! Folding of integer and `bool` constants while building. Results wrap to their type, as the operations do.
//!
//! Floats are left to the kernel, save literals taking a type and sign flips, which no rounding mode can touch.

use half::{bf16, f16};

use super::val::{Node, Val};
use crate::ir::op::{BinaryOp, CompareOp, UnaryOp};
use crate::ir::{DType, Literal};

/// An unsuffixed integer in a type; `None` where it does not fit. A negative one fits an unsigned type of its width,
/// and a bit pattern fits the signed type.
pub(crate) fn literal_int(value: i128, to: DType) -> Option<Literal> {
    if to == DType::Bool {
        return (0..=1).contains(&value).then(|| Literal::bool(value == 1));
    }
    if to.is_float() {
        return literal_float(value as f64, to);
    }
    let bits = to.bits();
    let fits = (-(1i128 << (bits - 1))..(1i128 << bits)).contains(&value);
    fits.then(|| Literal::from_bits(to, value as u64))
}

/// An unsuffixed float in a float type, rounded once.
pub(crate) fn literal_float(value: f64, to: DType) -> Option<Literal> {
    let bits = match to {
        DType::F64 => value.to_bits(),
        DType::F32 => u64::from((value as f32).to_bits()),
        DType::F16 => u64::from(f16::from_f32(to_odd_f32(value)).to_bits()),
        DType::BF16 => u64::from(bf16::from_f32(to_odd_f32(value)).to_bits()),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => return None,
    };
    Some(Literal::from_bits(to, bits))
}

/// Rounds to f32 by round-to-odd, so that a second rounding to a narrower type sees what was dropped.
fn to_odd_f32(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    if back == value || !near.is_finite() || near.to_bits() & 1 == 1 {
        return near;
    }
    // The even neighbour was chosen: the odd one lies on the other side of the value.
    let bits = near.to_bits();
    f32::from_bits(if value.abs() > back.abs() { bits + 1 } else { bits - 1 })
}

/// A constant converted by value; `None` where that is left to the kernel.
pub(crate) fn convert(val: Val, to: DType) -> Option<Literal> {
    let literal = val.strong_literal()?;
    if literal.dtype == to {
        return Some(literal);
    }
    let value = literal.as_int()?;
    if to == DType::Bool {
        return Some(Literal::bool(value != 0));
    }
    if !to.is_float() {
        return Some(Literal::from_bits(to, value as u64));
    }
    // Exact in f64, so that one rounding remains.
    (value.unsigned_abs() < 1 << 53).then(|| literal_float(value as f64, to)).flatten()
}

/// A two-operand operation on integer constants of one type.
pub(crate) fn binary(op: BinaryOp, a: Val, b: Val) -> Option<Literal> {
    let (left, right) = constants(a, b)?;
    let dtype = left.dtype;
    let (x, y) = (left.as_int()?, right.as_int()?);
    let bits = dtype.bits();
    let value = match op {
        BinaryOp::And => return Some(Literal::from_bits(dtype, left.bits & right.bits)),
        BinaryOp::Or => return Some(Literal::from_bits(dtype, left.bits | right.bits)),
        BinaryOp::Xor => return Some(Literal::from_bits(dtype, left.bits ^ right.bits)),
        _ if dtype == DType::Bool => return None,
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div => {
            if y == 0 {
                -1
            } else {
                x / y
            }
        }
        BinaryOp::Rem => {
            if y == 0 {
                x
            } else {
                x % y
            }
        }
        BinaryOp::Min => x.min(y),
        BinaryOp::Max => x.max(y),
        BinaryOp::Shl => {
            if right.bits >= u64::from(bits) {
                0
            } else {
                x << right.bits
            }
        }
        BinaryOp::Shr => x >> right.bits.min(u64::from(bits)),
        BinaryOp::MulHi | BinaryOp::MinNan | BinaryOp::MaxNan | BinaryOp::Copysign => return None,
    };
    Some(Literal::from_bits(dtype, value as u64))
}

/// A comparison of integer constants of one type.
pub(crate) fn compare(op: CompareOp, a: Val, b: Val) -> Option<bool> {
    let (left, right) = constants(a, b)?;
    let (x, y) = (left.as_int()?, right.as_int()?);
    Some(match op {
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::Lt => x < y,
        CompareOp::Le => x <= y,
        CompareOp::Gt => x > y,
        CompareOp::Ge => x >= y,
    })
}

/// A one-operand operation on a constant.
pub(crate) fn unary(op: UnaryOp, a: Val) -> Option<Literal> {
    let Node::Const(literal) = a.node else { return None };
    let dtype = literal.dtype;
    let sign = 1u64 << (dtype.bits() - 1);
    match op {
        UnaryOp::Neg if dtype.is_float() => Some(Literal::from_bits(dtype, literal.bits ^ sign)),
        UnaryOp::Neg => literal.as_int().map(|value| Literal::from_bits(dtype, (-value) as u64)),
        UnaryOp::Not if !dtype.is_float() => Some(Literal::from_bits(dtype, !literal.bits)),
        UnaryOp::Not
        | UnaryOp::Abs
        | UnaryOp::Sqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::Round
        | UnaryOp::Popcount
        | UnaryOp::Clz
        | UnaryOp::Ctz => None,
    }
}

fn constants(a: Val, b: Val) -> Option<(Literal, Literal)> {
    match (a.node, b.node) {
        (Node::Const(left), Node::Const(right)) if left.dtype == right.dtype => Some((left, right)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(dtype: DType, value: i128) -> Val {
        Val::constant(Literal::int(dtype, value).unwrap())
    }

    #[test]
    fn integers_wrap_and_divide_as_the_operations_do() {
        let fold = |op, dtype, a, b| binary(op, int(dtype, a), int(dtype, b)).unwrap().as_int().unwrap();
        assert_eq!(fold(BinaryOp::Sub, DType::U32, 0, 1), 0xffff_ffff);
        assert_eq!(fold(BinaryOp::Div, DType::I32, 7, 0), -1);
        assert_eq!(fold(BinaryOp::Rem, DType::I32, -7, 2), -1);
        assert_eq!(fold(BinaryOp::Div, DType::I8, -128, -1), -128);
        assert_eq!(fold(BinaryOp::Shl, DType::U8, 1, 8), 0);
        assert_eq!(fold(BinaryOp::Shr, DType::I32, -8, 40), -1);
        assert_eq!(fold(BinaryOp::Mul, DType::U64, i128::from(u64::MAX), i128::from(u64::MAX)), 1);
    }

    #[test]
    fn a_literal_takes_a_narrow_type_with_one_rounding() {
        // 1 + 2^-11 + 2^-40 is above the tie of f16; through f32 it would fall onto the tie and round to 1.
        let value = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(literal_float(value, DType::F16).unwrap().bits, 0x3c01);
        assert_eq!(literal_float(-value, DType::F16).unwrap().bits, 0xbc01);
        let below = 1.0 + 2f64.powi(-8) - 2f64.powi(-40);
        assert_eq!(literal_float(below, DType::BF16).unwrap().bits, 0x3f80);
        assert_eq!(literal_int(65504, DType::F16).unwrap().bits, 0x7bff);
        assert!(literal_int(256, DType::U8).is_none());
        assert_eq!(literal_int(-1, DType::U8).unwrap().bits, 0xff);
    }
}
