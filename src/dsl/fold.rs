//! Folding of integer and `bool` constants while building, by the operations' own semantics (`ir::constant`).
//!
//! Floats are left to the kernel, save literals taking a type and sign flips, which no rounding mode can touch.

use super::val::{Node, Val};
use crate::ir::constant;
use crate::ir::op::{BinaryOp, CompareOp, UnaryOp};
use crate::ir::{DType, Literal};

/// An unsuffixed integer in a type; `None` where it does not fit. A negative one fits an unsigned type of its width,
/// and a bit pattern fits the signed type.
pub(crate) fn literal_int(value: i128, to: DType) -> Option<Literal> {
    if to == DType::Bool {
        return (0..=1).contains(&value).then(|| Literal::bool(value == 1));
    }
    if to.is_real() {
        return literal_float(value as f64, to);
    }
    let bits = to.bits();
    let fits = (-(1i128 << (bits - 1))..(1i128 << bits)).contains(&value);
    fits.then(|| Literal::from_bits(to, value as u64))
}

/// An unsuffixed float in a float type or storage format, rounded once.
pub(crate) fn literal_float(value: f64, to: DType) -> Option<Literal> {
    to.is_real().then(|| constant::convert(Literal::from_bits(DType::F64, value.to_bits()), to)).flatten()
}

/// A constant converted by value; `None` where that is left to the kernel.
pub(crate) fn convert(val: Val, to: DType) -> Option<Literal> {
    let literal = val.strong_literal()?;
    if literal.dtype == to {
        return Some(literal);
    }
    (!literal.dtype.is_real()).then(|| constant::convert(literal, to)).flatten()
}

/// A two-operand operation on integer constants of one type.
pub(crate) fn binary(op: BinaryOp, a: Val, b: Val) -> Option<Literal> {
    let (left, right) = constants(a, b)?;
    constant::binary(op, left, right)
}

/// A comparison of integer constants of one type.
pub(crate) fn compare(op: CompareOp, a: Val, b: Val) -> Option<bool> {
    let (left, right) = constants(a, b)?;
    Some(!constant::compare(op, left, right)?.is_zero())
}

/// A one-operand operation on a constant; of floats the sign flip alone, which is how a negative literal is written.
pub(crate) fn unary(op: UnaryOp, a: Val) -> Option<Literal> {
    let Node::Const(literal) = a.node else { return None };
    let folds = matches!(op, UnaryOp::Neg) || (op == UnaryOp::Not && !literal.dtype.is_float());
    folds.then(|| constant::unary(op, literal)).flatten()
}

fn constants(a: Val, b: Val) -> Option<(Literal, Literal)> {
    match (a.node, b.node) {
        (Node::Const(left), Node::Const(right)) if left.dtype == right.dtype && !left.dtype.is_float() => {
            Some((left, right))
        }
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
