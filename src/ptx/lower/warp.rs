//! Warp operations: shuffles and reductions with computed member masks.
//!
//! Warp operations stand under warp-uniform control only (the validator refuses others for now), so the members are
//! those of the whole kernel: the lanes that exist and lie within the extent, computed once at entry, and a full mask
//! only where the launch class proves it.

use super::arith::yes;
use super::state::{Lowering, Members};
use crate::ir::op::{ReduceOp, Shuffle, ShuffleMode, WarpReduce};
use crate::ir::{DType, ValueId};
use crate::ptx::isa::modifier::{CmpOp, Ftz, MulHalf, PropagateNan, Rounding, Sat, ShflMode, XorSignAbs};
use crate::ptx::isa::types::SelpType;
use crate::ptx::isa::types::{CvtType, FloatType, IntType, PackType, SetpType};
use crate::ptx::isa::{
    self, AddFloat, BarWarpSync, Def, Inst, MaxFloat, MinFloat, MovPack, MovUnpack, MulFloat, PairedDef, Reg,
    RegClass, Selp, Shfl, Use, VecDef, VecUse,
};

impl Lowering<'_> {
    fn members(&self) -> Use {
        match self.members {
            Members::Full => Use::Int(0xffff_ffff),
            Members::Mask { mask, .. } => mask.into(),
            Members::None => unreachable!("the prologue computes members for a kernel with warp operations"),
        }
    }

    pub(super) fn warp_barrier(&mut self) {
        let members = self.members();
        self.emit_guarded(BarWarpSync { members }, self.active);
    }

    pub(super) fn shuffle(&mut self, op: &Shuffle, dst: Reg) {
        let dtype = self.dtype(op.value);
        let (mode, clamp) = match op.mode {
            ShuffleMode::Idx => (ShflMode::Idx, 0x1f),
            ShuffleMode::Up => (ShflMode::Up, 0),
            ShuffleMode::Down => (ShflMode::Down, 0x1f),
            ShuffleMode::Xor => (ShflMode::Bfly, 0x1f),
        };
        let constant = self.constant(op.lane).map(|literal| literal.bits);
        if op.mode != ShuffleMode::Idx && constant.is_some_and(|lane| lane > 31) {
            // Past the warp: the own value.
            let own = self.reg(op.value);
            return self.copy(dst, own);
        }
        let lane = constant.map_or_else(|| self.operand(op.lane), |lane| Use::Int((lane & 31).cast_signed()));
        if op.mode == ShuffleMode::Idx || constant.is_some() {
            return self.exchange(dtype, dst, op.value, mode, lane, clamp);
        }
        // The hardware looks at five bits of the distance only; more is past the warp.
        let moved = self.temp_of(dtype);
        self.exchange(dtype, moved, op.value, mode, lane, clamp);
        let past = self.setp(CmpOp::Gt, SetpType::U32, lane, Use::Int(31));
        let own = self.reg(op.value);
        if dtype == DType::Bool {
            return self.select_pred(dst, past, own, moved);
        }
        self.selp(dtype, dst, past, own, moved);
    }

    /// One exchange of a value of any type: as 32-bit words.
    fn exchange(&mut self, dtype: DType, dst: Reg, value: ValueId, mode: ShflMode, lane: Use, clamp: i64) {
        let src = self.reg(value);
        match self.class_of(dtype) {
            RegClass::B64 => self.exchange_pair(dst, src, mode, lane, clamp),
            RegClass::B16 => {
                let (word, moved) = (self.temp(RegClass::B32), self.temp(RegClass::B32));
                self.cvt(CvtType::U32, CvtType::U16, word, src);
                self.shfl(moved, word, mode, lane, clamp);
                self.cvt(CvtType::U16, CvtType::U32, dst, moved);
            }
            RegClass::Pred => {
                let (word, moved) = (self.temp(RegClass::B32), self.temp(RegClass::B32));
                self.selp(DType::U32, word, src, Use::Int(1), Use::Int(0));
                self.shfl(moved, word, mode, lane, clamp);
                let set = self.setp(CmpOp::Ne, SetpType::U32, moved, Use::Int(0));
                self.copy(dst, set);
            }
            RegClass::B32 | RegClass::B8 | RegClass::B128 => self.shfl(dst, src, mode, lane, clamp),
        }
    }

    fn exchange_pair(&mut self, dst: Reg, src: Reg, mode: ShflMode, lane: Use, clamp: i64) {
        let halves = [self.temp(RegClass::B32), self.temp(RegClass::B32)];
        let moved = [self.temp(RegClass::B32), self.temp(RegClass::B32)];
        self.emit(MovUnpack { ty: PackType::B64, dst: VecDef::of(&halves), src: src.into() });
        for (&half, &moved) in halves.iter().zip(&moved) {
            self.shfl(moved, half, mode, lane, clamp);
        }
        let parts = moved.map(Use::from);
        self.emit(MovPack { ty: PackType::B64, dst: Def(dst), src: VecUse::of(&parts) });
    }

    fn shfl(&mut self, dst: Reg, src: Reg, mode: ShflMode, lane: Use, clamp: i64) {
        let members = self.members();
        let (dst, src, clamp, in_range) = (Def(dst), src.into(), Use::Int(clamp), PairedDef::Absent);
        // A lane beyond the extent is no member, and must not take part.
        self.emit_guarded(Shfl { mode, dst, in_range, src, lane, clamp, members }, self.active);
    }

    fn shfl_any(&mut self, dst: Reg, src: Reg, mode: ShflMode, lane: Use) {
        match src.class() {
            RegClass::B64 => self.exchange_pair(dst, src, mode, lane, 0x1f),
            RegClass::Pred | RegClass::B8 | RegClass::B16 | RegClass::B32 | RegClass::B128 => {
                self.shfl(dst, src, mode, lane, 0x1f);
            }
        }
    }

    /// Reduces over ranks. A full warp takes xor butterflies: the same bits, since every operation commutes. A warp
    /// that may be partial takes the tree itself, each lane reading a lane that is a member.
    pub(super) fn warp_reduce(&mut self, op: &WarpReduce, dst: Reg) {
        let dtype = self.dtype(op.value);
        let mut value = self.reg(op.value);
        match self.members {
            Members::Full => {
                for step in [16, 8, 4, 2, 1] {
                    let other = self.temp_of(dtype);
                    self.shfl_any(other, value, ShflMode::Bfly, Use::Int(step));
                    let next = if step == 1 { dst } else { self.temp_of(dtype) };
                    self.emit(combine(op.op, dtype, next, value, other));
                    value = next;
                }
            }
            Members::Mask { count, lane, .. } => {
                for step in [16, 8, 4, 2, 1] {
                    let partner = self.temp(RegClass::B32);
                    let (sat, ty) = (Sat(false), IntType::U32);
                    self.emit(isa::Add { sat, ty, dst: Def(partner), a: lane.into(), b: Use::Int(step) });
                    let exists = self.setp(CmpOp::Lt, SetpType::U32, partner, count);
                    let source = self.temp(RegClass::B32);
                    self.emit(Selp {
                        ty: SelpType::B32,
                        dst: Def(source),
                        a: partner.into(),
                        b: lane.into(),
                        cond: yes(exists),
                    });
                    let (other, sum, next) = (self.temp_of(dtype), self.temp_of(dtype), self.temp_of(dtype));
                    self.shfl_any(other, value, ShflMode::Idx, source.into());
                    self.emit(combine(op.op, dtype, sum, value, other));
                    self.selp(dtype, next, exists, sum, value);
                    value = next;
                }
                self.shfl_any(dst, value, ShflMode::Idx, Use::Int(0));
            }
            Members::None => unreachable!("the prologue computes members for a kernel with warp operations"),
        }
    }
}

/// `dst = a op b`, as the two-operand operation of the reduction.
fn combine(op: ReduceOp, dtype: DType, dst: Reg, a: Reg, b: Reg) -> Inst {
    let (dst, a, b): (_, Use, Use) = (Def(dst), a.into(), b.into());
    let (round, ftz, sat) = (Some(Rounding::Rn), Ftz(false), Sat(false));
    let (nan, xorsign) = (PropagateNan(false), XorSignAbs(false));
    if dtype.is_float() {
        let ty = if dtype == DType::F64 { FloatType::F64 } else { FloatType::F32 };
        return match op {
            ReduceOp::Sum => AddFloat { round, ftz, sat, ty, dst, a, b }.into(),
            ReduceOp::Product => MulFloat { round, ftz, sat, ty, dst, a, b }.into(),
            ReduceOp::Max => MaxFloat { ftz, nan, xorsign, ty, dst, a, b }.into(),
            ReduceOp::Min => MinFloat { ftz, nan, xorsign, ty, dst, a, b }.into(),
        };
    }
    let ty = super::arith::int_type(dtype);
    match op {
        ReduceOp::Sum => isa::Add { sat, ty, dst, a, b }.into(),
        ReduceOp::Product => isa::Mul { half: MulHalf::Lo, ty, dst, a, b }.into(),
        ReduceOp::Max => isa::Max { ty, dst, a, b }.into(),
        ReduceOp::Min => isa::Min { ty, dst, a, b }.into(),
    }
}
