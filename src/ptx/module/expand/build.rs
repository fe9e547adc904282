//! The instructions that stand for calls.
//!
//! Entry: registers of the expanded entry. Exit: checked forms; those that have none for a class of register are `None`.

use crate::ptx::isa::modifier::{CmpOp, Ftz, Nc, Sat, Space, Uni};
use crate::ptx::isa::types::{IntType, MemType, MovType, PackType, SelpType, SetpType};
use crate::ptx::isa::{
    Add, Address, Bra, Def, Inst, LabelId, Ld, Mov, MovPred, MovUnpack, Op, PairedDef, PredUse, Reg,
    RegClass, Selp, Setp, St, Use, VecDef, VecUse,
};

pub(super) fn jump(target: LabelId) -> Bra {
    Bra { uni: Uni(false), target }
}

/// Jumps where the predicate is true; negated, where it is false.
pub(super) fn jump_if(pred: Reg, negated: bool, target: LabelId) -> Inst {
    Inst::guarded(pred, negated, jump(target))
}

/// `flag = a cmp b`.
pub(super) fn compare(flag: Reg, cmp: CmpOp, ty: SetpType, a: Use, b: Use) -> Setp {
    Setp { cmp, ftz: Ftz(false), ty, dst: Def(flag), complement: PairedDef::Absent, a, b }
}

/// `dst = a + number`.
pub(super) fn add(ty: IntType, dst: Reg, a: Reg, number: i64) -> Add {
    Add { sat: Sat(false), ty, dst: Def(dst), a: Use::Reg(a), b: Use::Int(number) }
}

/// The low half of a register of 64 bits.
pub(super) fn low_half(dst: Reg, src: Reg) -> MovUnpack {
    MovUnpack { ty: PackType::B64, dst: VecDef([Some(dst), None].into_iter().collect()), src: Use::Reg(src) }
}

/// 1 for a predicate that is true, else 0.
pub(super) fn number_of(dst: Reg, pred: Reg) -> Selp {
    let cond = PredUse { reg: pred, negated: false };
    Selp { ty: SelpType::B32, dst: Def(dst), a: Use::Int(1), b: Use::Int(0), cond }
}

/// The type in memory of what a register of this class holds; that of a predicate is the number that stands for it.
pub(super) const fn bits_type(class: RegClass) -> Option<MemType> {
    match class {
        RegClass::Pred | RegClass::B8 => Some(MemType::B8),
        RegClass::B16 => Some(MemType::B16),
        RegClass::B32 => Some(MemType::B32),
        RegClass::B64 => Some(MemType::B64),
        RegClass::B128 => None,
    }
}

pub(super) fn store(space: Space, ty: MemType, addr: Address, value: Use) -> Op {
    let src = VecUse::one(value);
    let (order, scope, cache, l1, vec) = (None, None, None, None, None);
    St { order, scope, space: Some(space), cache, l1, vec, ty, addr, src }.into()
}

pub(super) fn load(space: Space, ty: MemType, reg: Reg, addr: Address) -> Op {
    let dst = VecDef::one(reg);
    let (order, scope, cache, l1, l2, vec) = (None, None, None, None, None, None);
    Ld { order, scope, space: Some(space), cache, nc: Nc(false), l1, l2, vec, ty, dst, addr }.into()
}

/// Copies a value into a register of its class.
pub(super) fn copy(dst: Reg, src: Use) -> Option<Op> {
    let ty = match dst.class() {
        RegClass::Pred => {
            let reg = src.reg()?;
            return Some(MovPred { dst: Def(dst), src: PredUse { reg, negated: false } }.into());
        }
        RegClass::B16 => MovType::B16,
        RegClass::B32 => MovType::B32,
        RegClass::B64 => MovType::B64,
        RegClass::B8 | RegClass::B128 => return None,
    };
    Some(Mov { ty, dst: Def(dst), src }.into())
}
