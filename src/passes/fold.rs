//! Folds what is constant: operations on constants, identities that keep every bit, and branches on a constant.
//!
//! On entry: a valid kernel. On exit: no pure operation has only constant operands, except approximations (their bits
//! are the chip's) and those that would make a float NaN (its bits are not ours to choose); no `if` has a constant
//! condition. Results keep their ids where an operation became a constant; where one is another value, its uses are
//! replaced and `dce` drops it. Deliberately not here: float identities, none of which keeps a NaN's bits; common
//! subexpressions.

use crate::diag::Spanned;
use crate::entity::SecondaryMap;
use crate::ir::constant::{Constants, evaluate};
use crate::ir::op::{
    Binary, BinaryOp, Compare, CompareOp, Const, For, Guard, If, Inline, Load, Model, Unary, UnaryOp, Width,
};
use crate::ir::{DType, InstId, Kernel, Literal, Op, RegionId, ValueId};

use super::{Config, PassError};

/// Folds the whole kernel.
///
/// # Errors
/// None; the type is that of every pass.
pub fn run(kernel: &mut Kernel, _config: &Config) -> Result<(), Vec<Spanned<PassError>>> {
    let count = kernel.values.len();
    let mut cast = SecondaryMap::with_len(false, count);
    let mut negated = SecondaryMap::with_len(None, count);
    for inst in kernel.insts.values() {
        if let Op::Bitcast(bitcast) = &inst.op {
            cast[bitcast.a] = true;
        } else if let (Op::Unary(unary), &[result]) = (&inst.op, &inst.results[..]) {
            negated[result] = Some(unary.clone());
        }
    }
    let mut literals = SecondaryMap::with_len(None, count);
    let constants = Constants::of(kernel);
    for value in kernel.values.ids() {
        literals[value] = constants.get(value);
    }
    let replaced = SecondaryMap::with_len(None, count);
    let body = kernel.body;
    Fold { kernel, literals, replaced, cast, unaries: negated }.region(body);
    Ok(())
}

struct Fold<'k> {
    kernel: &'k mut Kernel,
    literals: SecondaryMap<ValueId, Option<Literal>>,
    replaced: SecondaryMap<ValueId, Option<ValueId>>,
    /// Values that a `bitcast` takes: it sees a NaN from a load otherwise than one from an operation, so what defines
    /// such a float must stay what it is.
    cast: SecondaryMap<ValueId, bool>,
    /// By result, the unary operations, for pairs that undo each other.
    unaries: SecondaryMap<ValueId, Option<Unary>>,
}

/// What a result turned out to be.
enum Known {
    Literal(Literal),
    Value(ValueId),
}

/// Whether control goes on behind an instruction.
#[derive(PartialEq)]
enum After {
    Reached,
    Dead,
}

impl Fold<'_> {
    fn region(&mut self, region: RegionId) {
        let insts = std::mem::take(&mut self.kernel.regions[region].insts);
        let mut kept = Vec::with_capacity(insts.len());
        self.sequence(&insts, &mut kept);
        self.kernel.regions[region].insts = kept;
    }

    fn sequence(&mut self, insts: &[InstId], kept: &mut Vec<InstId>) -> After {
        for &id in insts {
            let replaced = &self.replaced;
            let inst = &mut self.kernel.insts[id];
            inst.op.map_uses(&mut |value| replaced[value].unwrap_or(value));
            if let Op::If(If { cond, then, els }) = inst.op {
                if let Some(cond) = self.literals[cond] {
                    let taken = if cond.is_zero() { els } else { then };
                    let arm = std::mem::take(&mut self.kernel.regions[taken].insts);
                    // A `break` or `continue` that now always happens ends this region too.
                    if self.sequence(&arm, kept) == After::Dead {
                        return After::Dead;
                    }
                    continue;
                }
                self.region(then);
                self.region(els);
            } else if let Op::For(For { body, .. }) = inst.op {
                self.region(body);
            } else if let Op::Loop(ref body) = inst.op {
                let body = body.body;
                self.region(body);
            } else if let Op::Inline(Inline { model: Model(Some(model)), .. }) = inst.op {
                self.region(model);
            } else {
                self.inst(id);
            }
            kept.push(id);
            if matches!(self.kernel.insts[id].op, Op::Break(_) | Op::Continue(_)) {
                return After::Dead;
            }
        }
        After::Reached
    }

    fn inst(&mut self, id: InstId) {
        let inst = &self.kernel.insts[id];
        let &[result] = &inst.results[..] else { return };
        if matches!(inst.op, Op::Const(_)) {
            return;
        }
        match self.simplify(&inst.op) {
            Some(Known::Literal(value)) => {
                self.kernel.insts[id].op = Const { value }.into();
                self.literals[result] = Some(value);
            }
            Some(Known::Value(value)) => {
                let pinned = self.cast[result] && self.kernel.dtype(result).is_float();
                if !pinned {
                    self.replaced[result] = Some(value);
                    self.literals[result] = self.literals[value];
                }
            }
            None => {
                if let Op::Load(load) = &mut self.kernel.insts[id].op {
                    unguard(load, &self.literals);
                }
            }
        }
    }

    fn simplify(&self, op: &Op) -> Option<Known> {
        let literal = |value: ValueId| self.literals[value];
        if let Some(value) = evaluate(op, &mut |value| literal(value)) {
            return Some(Known::Literal(value));
        }
        if let Op::Select(select) = op {
            if select.a == select.b {
                return Some(Known::Value(select.a));
            }
            let chosen = if literal(select.cond)?.is_zero() { select.b } else { select.a };
            return Some(Known::Value(chosen));
        }
        if let Op::Convert(convert) = op {
            let dtype = self.kernel.dtype(convert.a);
            return (dtype == convert.to && !dtype.is_float()).then_some(Known::Value(convert.a));
        }
        if let Op::Load(load) = op {
            let never = load.guard.0.and_then(literal).is_some_and(Literal::is_zero);
            let dtype = load.place.base.dtype(self.kernel);
            let zero = Literal::from_bits(dtype, 0);
            return (never && load.width == Width::X1).then_some(Known::Literal(zero));
        }
        if let Op::Unary(unary) = op {
            return self.undone(unary);
        }
        if let Op::Compare(compare) = op {
            return self.same_operands(compare);
        }
        if let Op::Binary(binary) = op { self.identity(binary) } else { None }
    }

    /// `not not x` and, for integers, `neg neg x`.
    fn undone(&self, outer: &Unary) -> Option<Known> {
        let inner = self.unaries[outer.a].as_ref()?;
        let own_inverse = matches!(outer.op, UnaryOp::Not | UnaryOp::Neg) && inner.op == outer.op;
        let exact = own_inverse && !self.kernel.dtype(outer.a).is_float();
        let value = self.replaced[inner.a].unwrap_or(inner.a);
        exact.then_some(Known::Value(value))
    }

    /// A number compared with itself, where it can't be NaN.
    fn same_operands(&self, compare: &Compare) -> Option<Known> {
        if compare.a != compare.b || self.kernel.dtype(compare.a).is_float() {
            return None;
        }
        let holds = match compare.op {
            CompareOp::Eq | CompareOp::Le | CompareOp::Ge => true,
            CompareOp::Ne | CompareOp::Lt | CompareOp::Gt => false,
        };
        Some(Known::Literal(Literal::bool(holds)))
    }

    fn identity(&self, binary: &Binary) -> Option<Known> {
        let &Binary { op, a, b } = binary;
        let dtype = self.kernel.dtype(a);
        if dtype.is_float() {
            return None;
        }
        if a == b {
            return same_twice(op, dtype, a);
        }
        let right = self.literals[b].and_then(|b| with_right(op, dtype, a, b));
        let left = || self.literals[a].and_then(|a| with_left(op, dtype, a, b));
        right.or_else(left)
    }
}

fn zero(dtype: DType) -> Option<Known> {
    Some(Known::Literal(Literal::from_bits(dtype, 0)))
}

/// `x op x` of integers and bools.
fn same_twice(op: BinaryOp, dtype: DType, x: ValueId) -> Option<Known> {
    match op {
        BinaryOp::Sub | BinaryOp::Xor => zero(dtype),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Min | BinaryOp::Max => Some(Known::Value(x)),
        BinaryOp::Add
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::MinNan
        | BinaryOp::MaxNan
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHi
        | BinaryOp::Copysign => None,
    }
}

/// `x op constant` of integers and bools.
fn with_right(op: BinaryOp, dtype: DType, x: ValueId, constant: Literal) -> Option<Known> {
    let is_one = constant.bits == 1 && dtype != DType::Bool;
    let is_ones = constant.bits == dtype.mask();
    let itself = |holds: bool| holds.then_some(Known::Value(x));
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor => itself(constant.is_zero()),
        BinaryOp::Mul if constant.is_zero() => zero(dtype),
        BinaryOp::Mul | BinaryOp::Div => itself(is_one),
        BinaryOp::Rem if is_one => zero(dtype),
        // x % 0 is x.
        BinaryOp::Rem => itself(constant.is_zero()),
        BinaryOp::And if constant.is_zero() => zero(dtype),
        BinaryOp::And => itself(is_ones),
        BinaryOp::Or if is_ones => Some(Known::Literal(constant)),
        BinaryOp::Or => itself(constant.is_zero()),
        BinaryOp::Shl if constant.bits >= u64::from(dtype.bits()) => zero(dtype),
        BinaryOp::Shr if constant.bits >= u64::from(dtype.bits()) && !dtype.is_signed() => zero(dtype),
        BinaryOp::Shl | BinaryOp::Shr => itself(constant.is_zero()),
        BinaryOp::MulHi if constant.is_zero() => zero(dtype),
        BinaryOp::MulHi
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MinNan
        | BinaryOp::MaxNan
        | BinaryOp::Copysign => None,
    }
}

/// `constant op x` of integers and bools.
fn with_left(op: BinaryOp, dtype: DType, constant: Literal, x: ValueId) -> Option<Known> {
    match op {
        BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::MulHi => {
            with_right(op, dtype, x, constant)
        }
        BinaryOp::Shl | BinaryOp::Shr if constant.is_zero() => zero(dtype),
        BinaryOp::Sub
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MinNan
        | BinaryOp::MaxNan
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Copysign => None,
    }
}

/// Drops a guard that always holds. A constant index stays guarded: the validator judges bare ones.
fn unguard(load: &mut Load, literals: &SecondaryMap<ValueId, Option<Literal>>) {
    let always = load.guard.0.and_then(|guard| literals[guard]).is_some_and(|guard| !guard.is_zero());
    if always && literals[load.place.index].is_none() {
        load.guard = Guard(None);
    }
}
