//! Warp operations: shuffles, votes, reductions and scans, with the mask of their region.
//!
//! The mask is that of the members where the operation stands (`mask`): full only where that is proven.

use super::arith::yes;
use super::float::float_type;
use super::rank::Way;
use super::state::{Lowering, Members};
use crate::ir::op::{
    Ballot, Match, Op, Reach, ReduceOp, Shuffle, ShuffleMode, Vote, VoteMode, WarpReduce, WarpScan,
};
use crate::ir::{DType, ValueId};
use crate::ptx::isa::modifier::{
    self, CmpOp, Ftz, MulHalf, PropagateNan, ReduxOp, Rounding, Sat, ShflMode, XorSignAbs,
};
use crate::ptx::isa::types::{BitType, CvtType, PackType, SetpType, WordType};
use crate::ptx::isa::{
    self, AddFloat, BarWarpSync, Def, Inst, MatchAny, MaxFloat, MinFloat, MovPack, MovUnpack, MulFloat,
    PairedDef, Redux, Reg, RegClass, Shfl, Use, VecDef, VecUse,
};

/// Where a lane reads from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) mode: ShflMode,
    pub(super) lane: Use,
    pub(super) clamp: i64,
}

impl Lowering<'_> {
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
        let from = Source { mode, lane, clamp };
        if op.mode == ShuffleMode::Idx || constant.is_some() {
            return self.exchange(dtype, dst, op.value, from);
        }
        // The hardware looks at five bits of the distance only; more is past the warp.
        let moved = self.temp_of(dtype);
        self.exchange(dtype, moved, op.value, from);
        let past = self.setp(CmpOp::Gt, SetpType::U32, lane, Use::Int(31));
        let own = self.reg(op.value);
        if dtype == DType::Bool {
            return self.select_pred(dst, past, own, moved);
        }
        self.selp(dtype, dst, past, own, moved);
    }

    /// One exchange of a value of any type: as 32-bit words.
    fn exchange(&mut self, dtype: DType, dst: Reg, value: ValueId, from: Source) {
        let src = self.reg(value);
        match self.class_of(dtype) {
            RegClass::B64 => self.shfl_from(dst, src, from),
            RegClass::B16 => {
                let (word, moved) = (self.temp(RegClass::B32), self.temp(RegClass::B32));
                self.cvt(CvtType::U32, CvtType::U16, word, src);
                self.shfl_from(moved, word, from);
                self.cvt(CvtType::U16, CvtType::U32, dst, moved);
            }
            RegClass::Pred => {
                let (word, moved) = (self.temp(RegClass::B32), self.temp(RegClass::B32));
                self.selp(DType::U32, word, src, Use::Int(1), Use::Int(0));
                self.shfl_from(moved, word, from);
                let set = self.setp(CmpOp::Ne, SetpType::U32, moved, Use::Int(0));
                self.copy(dst, set);
            }
            RegClass::B32 | RegClass::B8 | RegClass::B128 => self.shfl_from(dst, src, from),
        }
    }

    /// One exchange of a register of 32 or 64 bits.
    pub(super) fn shfl_from(&mut self, dst: Reg, src: Reg, from: Source) {
        if src.class() != RegClass::B64 {
            return self.shfl(dst, src, from);
        }
        let halves = [self.temp(RegClass::B32), self.temp(RegClass::B32)];
        let moved = [self.temp(RegClass::B32), self.temp(RegClass::B32)];
        self.emit(MovUnpack { ty: PackType::B64, dst: VecDef::of(&halves), src: src.into() });
        for (&half, &moved) in halves.iter().zip(&moved) {
            self.shfl(moved, half, from);
        }
        let parts = moved.map(Use::from);
        self.emit(MovPack { ty: PackType::B64, dst: Def(dst), src: VecUse::of(&parts) });
    }

    fn shfl(&mut self, dst: Reg, src: Reg, Source { mode, lane, clamp }: Source) {
        let members = self.members();
        let (dst, src, clamp, in_range) = (Def(dst), src.into(), Use::Int(clamp), PairedDef::Absent);
        // A lane beyond the extent is no member, and must not take part.
        self.emit_guarded(Shfl { mode, dst, in_range, src, lane, clamp, members }, self.active);
    }

    /// Reduces over ranks. 32-bit integers have an instruction; a full warp takes xor butterflies, the same bits, since
    /// every operation commutes; any other takes the tree itself, each lane reading a lane that is a member.
    pub(super) fn warp_reduce(&mut self, op: &WarpReduce, dst: Reg) {
        let dtype = self.dtype(op.value);
        let mut value = self.reg(op.value);
        if let Some(redux) = redux(op.op, dtype) {
            let members = self.members();
            let (dst, src) = (Def(dst), value.into());
            return self.emit_guarded(Redux { op: redux, dst, src, members }, self.active);
        }
        if matches!(self.members, Members::Full) {
            for step in [16, 8, 4, 2, 1] {
                let other = self.temp_of(dtype);
                let from = Source { mode: ShflMode::Bfly, lane: Use::Int(step), clamp: 0x1f };
                self.shfl_from(other, value, from);
                let next = if step == 1 { dst } else { self.temp_of(dtype) };
                self.emit(combine(op.op, dtype, next, value, other));
                value = next;
            }
            return;
        }
        for neighbour in self.neighbours(Way::Above).into_iter().rev() {
            let (other, both, next) = (self.temp_of(dtype), self.temp_of(dtype), self.temp_of(dtype));
            self.shfl_from(other, value, neighbour.source);
            self.emit(combine(op.op, dtype, both, value, other));
            self.selp(dtype, next, neighbour.exists, both, value);
            value = next;
        }
        let lane = self.first_member();
        self.shfl_from(dst, value, Source { mode: ShflMode::Idx, lane, clamp: 0x1f });
    }

    /// Prefixes over ranks.
    pub(super) fn warp_scan(&mut self, op: &WarpScan, dst: Reg) {
        let dtype = self.dtype(op.value);
        let mut value = self.reg(op.value);
        let neighbours = self.neighbours(Way::Below);
        let exclusive = op.reach == Reach::Exclusive;
        for (step, neighbour) in neighbours.into_iter().enumerate() {
            let (other, both) = (self.temp_of(dtype), self.temp_of(dtype));
            let next = if step == 4 && !exclusive { dst } else { self.temp_of(dtype) };
            self.shfl_from(other, value, neighbour.source);
            self.emit(combine(op.op, dtype, both, other, value));
            self.selp(dtype, next, neighbour.exists, both, value);
            value = next;
        }
        if exclusive {
            let (before, first) = (self.temp_of(dtype), self.temp_of(dtype));
            self.shfl_from(before, value, neighbours[0].source);
            self.set_constant(first, op.op.identity(dtype));
            self.selp(dtype, dst, neighbours[0].exists, before, first);
        }
    }

    /// What the operation gives a lane that is alone.
    pub(super) fn alone(&mut self, op: &Op) -> Reg {
        match op {
            Op::Shuffle(Shuffle { value, .. })
            | Op::WarpReduce(WarpReduce { value, .. })
            | Op::WarpScan(WarpScan { value, .. })
            | Op::Vote(Vote { cond: value, .. }) => self.reg(*value),
            _ => {
                let (lane, bit) = (self.lane(), self.temp(RegClass::B32));
                let (ty, count) = (BitType::B32, lane.into());
                self.emit(isa::Shl { ty, dst: Def(bit), a: Use::Int(1), count });
                let Op::Ballot(op) = op else { return bit };
                let (cond, own) = (self.reg(op.cond), self.temp(RegClass::B32));
                self.selp(DType::U32, own, cond, bit, Use::Int(0));
                own
            }
        }
    }

    pub(super) fn vote(&mut self, op: &Vote, dst: Reg) {
        let (src, members) = (yes(self.reg(op.cond)), self.members());
        let mode = match op.mode {
            VoteMode::Any => modifier::VoteMode::Any,
            VoteMode::All => modifier::VoteMode::All,
        };
        self.emit_guarded(isa::Vote { mode, dst: Def(dst), src, members }, self.active);
    }

    pub(super) fn ballot(&mut self, op: &Ballot, dst: Reg) {
        let (cond, among) = (yes(self.reg(op.cond)), self.members());
        self.ballot_of(dst, cond, among);
    }

    /// Narrow integers are in registers in one form for each value, so that they match where their words do.
    pub(super) fn match_any(&mut self, op: &Match, dst: Reg) {
        let src = self.reg(op.value);
        let ty = if src.class() == RegClass::B64 { WordType::B64 } else { WordType::B32 };
        let members = self.members();
        self.emit_guarded(MatchAny { ty, dst: Def(dst), src: src.into(), members }, self.active);
    }
}

/// The instruction that reduces in one go, if there is one.
fn redux(op: ReduceOp, dtype: DType) -> Option<ReduxOp> {
    let signed = match dtype {
        DType::I32 => true,
        DType::U32 => false,
        _ => return None,
    };
    Some(match (op, signed) {
        (ReduceOp::Sum, true) => ReduxOp::AddS32,
        (ReduceOp::Sum, false) => ReduxOp::AddU32,
        (ReduceOp::Max, true) => ReduxOp::MaxS32,
        (ReduceOp::Max, false) => ReduxOp::MaxU32,
        (ReduceOp::Min, true) => ReduxOp::MinS32,
        (ReduceOp::Min, false) => ReduxOp::MinU32,
        (ReduceOp::And, _) => ReduxOp::And,
        (ReduceOp::Or, _) => ReduxOp::Or,
        (ReduceOp::Xor, _) => ReduxOp::Xor,
        (ReduceOp::Product, _) => return None,
    })
}

/// `dst = a op b`, as the two-operand operation of the reduction.
pub(super) fn combine(op: ReduceOp, dtype: DType, dst: Reg, a: Reg, b: Reg) -> Inst {
    let (dst, a, b): (_, Use, Use) = (Def(dst), a.into(), b.into());
    let (round, ftz, sat) = (Some(Rounding::Rn), Ftz(false), Sat(false));
    let (nan, xorsign) = (PropagateNan(false), XorSignAbs(false));
    if dtype.is_float() {
        let ty = float_type(dtype);
        return match op {
            ReduceOp::Sum => AddFloat { round, ftz, sat, ty, dst, a, b }.into(),
            ReduceOp::Product => MulFloat { round, ftz, sat, ty, dst, a, b }.into(),
            ReduceOp::Max => MaxFloat { ftz, nan, xorsign, ty, dst, a, b }.into(),
            ReduceOp::Min => MinFloat { ftz, nan, xorsign, ty, dst, a, b }.into(),
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => {
                unreachable!("validate() checked that an integer is reduced by bits")
            }
        };
    }
    let ty = super::arith::int_type(dtype);
    let bits = if dtype.bits() == 64 { BitType::B64 } else { BitType::B32 };
    match op {
        ReduceOp::And => isa::And { ty: bits, dst, a, b }.into(),
        ReduceOp::Or => isa::Or { ty: bits, dst, a, b }.into(),
        ReduceOp::Xor => isa::Xor { ty: bits, dst, a, b }.into(),
        ReduceOp::Sum => isa::Add { sat, ty, dst, a, b }.into(),
        ReduceOp::Product => isa::Mul { half: MulHalf::Lo, ty, dst, a, b }.into(),
        ReduceOp::Max => isa::Max { ty, dst, a, b }.into(),
        ReduceOp::Min => isa::Min { ty, dst, a, b }.into(),
    }
}
