//! The promotion table: the common type of two operands. There is one, and no operation has its own.

use super::build::Build;
use super::val::{Node, Val};
use crate::ir::DType;

/// The common type of two types.
///
/// Same type: that type. Integer with float: the float. Float with float: the wider; f16 with bf16: f32. Integer with
/// integer: the wider, value kept; of one width: the unsigned. `bool` with a number: the number's; with `bool`: `bool`,
/// which arithmetic widens further.
pub(crate) fn common(a: DType, b: DType) -> DType {
    if a == b {
        return a;
    }
    match (a.is_float(), b.is_float()) {
        (true, false) => a,
        (false, true) => b,
        (true, true) => match a.bits().cmp(&b.bits()) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => DType::F32,
        },
        (false, false) => match (a, b) {
            (DType::Bool, number) | (number, DType::Bool) => number,
            _ => match a.bits().cmp(&b.bits()) {
                std::cmp::Ordering::Greater => a,
                std::cmp::Ordering::Less => b,
                std::cmp::Ordering::Equal if a.is_signed() => b,
                std::cmp::Ordering::Equal => a,
            },
        },
    }
}

/// The type that arithmetic on `bool`s is done in: they count as 0 and 1.
pub(crate) fn numeric(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::U32 } else { dtype }
}

/// The common type of two values, where an unsuffixed literal takes the other's type.
pub(crate) fn common_of(a: Val, b: Val) -> DType {
    match (a.is_strong(), b.is_strong()) {
        (true, true) => common(a.dtype(), b.dtype()),
        (true, false) => adopted(b, a.dtype()),
        (false, true) => adopted(a, b.dtype()),
        (false, false) => match (a.node, b.node) {
            // 0 − 1 alone: signed as soon as one is negative.
            (Node::Int(a), Node::Int(b)) if a < 0 || b < 0 => DType::I32,
            _ => common(a.dtype(), b.dtype()),
        },
    }
}

/// The type that a literal takes beside a value of type `other`.
fn adopted(literal: Val, other: DType) -> DType {
    match literal.node {
        Node::Flt(_) if !other.is_float() => DType::F32,
        Node::Int(_) if other == DType::Bool => literal.dtype(),
        Node::Int(_) | Node::Flt(_) | Node::Value(..) | Node::Const(_) => other,
    }
}

impl Build {
    /// Both values in their common type. There is none with a storage format, whose rounding would have to be named: the
    /// operation refuses them as they are.
    pub(crate) fn unify(&mut self, a: Val, b: Val) -> (Val, Val) {
        if a.dtype().storage().is_some() || b.dtype().storage().is_some() {
            return (a, b);
        }
        let dtype = common_of(a, b);
        (self.adopt(a, dtype), self.adopt(b, dtype))
    }

    /// Both values in their common type, which is a number's.
    pub(crate) fn unify_numbers(&mut self, a: Val, b: Val) -> (Val, Val) {
        if a.dtype().storage().is_some() || b.dtype().storage().is_some() {
            return (a, b);
        }
        let dtype = numeric(common_of(a, b));
        (self.adopt(a, dtype), self.adopt(b, dtype))
    }

    /// The operands of a shift: the left's signedness at the wider width, so that `>>` of a signed value stays
    /// arithmetic whatever the count's type is.
    pub(crate) fn unify_shift(&mut self, a: Val, b: Val) -> (Val, Val) {
        if a.dtype().storage().is_some() || b.dtype().storage().is_some() {
            return (a, b);
        }
        let wider = numeric(common_of(a, b));
        let left = numeric(if a.is_strong() { a.dtype() } else { wider });
        let dtype = if !a.is_strong() || left.bits() >= wider.bits() {
            left
        } else {
            match (left.is_signed(), wider) {
                (true, DType::U16) => DType::I16,
                (true, DType::U32) => DType::I32,
                (true, DType::U64) => DType::I64,
                (false, DType::I16) => DType::U16,
                (false, DType::I32) => DType::U32,
                (false, DType::I64) => DType::U64,
                (_, other) => other,
            }
        };
        (self.adopt(a, dtype), self.adopt(b, dtype))
    }
}
