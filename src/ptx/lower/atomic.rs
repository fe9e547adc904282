//! Atomic operations, ordered loads and stores, and fences.
//!
//! What PTX has as one instruction is one: `red` where nobody reads the old value, else `atom`, with order and scope
//! written out. The rest (extremes of floats, exchanges of 16-bit floats, `bf16` sums before sm_90) is a loop around
//! `atom.cas`. Extremes of floats are no integer extremes in disguise: those would keep a NaN that is there, where the
//! contract lets the number win.

use super::float::fma;
use super::memory::{Access, mem_type};
use super::state::Lowering;
use super::warp::combine;
use crate::ir::op::{
    Atomic, AtomicCas, AtomicLoad, AtomicOp, AtomicStore, Fence, MemoryOrder, MemoryScope, Op, ReduceOp,
};
use crate::ir::{DType, ValueId};
use crate::ptx::isa::modifier::{
    AtomOp, AtomOrder, Cas, CmpOp, FenceOrder, LoadOrder, Nc, NoFtz, RedOp, RedOrder, Scope, StoreOrder,
};
use crate::ptx::isa::types::{AtomType, CasType, MemType, PackType, SetpType};
use crate::ptx::isa::{
    self, Atom, AtomCas, Def, Ld, MovUnpack, Red, Reg, RegClass, SinkDef, St, Use, VecDef, VecUse,
};
use crate::target::Feature;

/// 1 in `bf16`.
const BF16_ONE: u64 = 0x3f80;

impl Lowering<'_> {
    /// Whether an operation becomes a loop, which lanes leave one by one.
    pub(super) fn spins(&self, op: &Op) -> bool {
        matches!(op, Op::Atomic(op) if self.native(op.op, op.place.base.dtype(self.kernel)).is_none())
    }

    /// The instruction that does the operation on one element.
    fn native(&self, op: AtomicOp, dtype: DType) -> Option<(AtomOp, AtomType)> {
        let bits = if dtype.bits() == 64 { AtomType::B64 } else { AtomType::B32 };
        match op {
            AtomicOp::Add => Some((
                AtomOp::Add,
                match dtype {
                    DType::I32 => AtomType::S32,
                    // There is no `.s64`; sums wrap all the same.
                    DType::I64 | DType::U64 => AtomType::U64,
                    DType::F16 => AtomType::F16,
                    DType::BF16 if self.target.has(Feature::BF16_ARITH) => AtomType::BF16,
                    DType::BF16 => return None,
                    DType::F32 => AtomType::F32,
                    DType::F64 => AtomType::F64,
                    DType::Bool
                    | DType::I8
                    | DType::I16
                    | DType::U8
                    | DType::U16
                    | DType::U32
                    | DType::Storage(_) => AtomType::U32,
                },
            )),
            AtomicOp::Min | AtomicOp::Max => {
                let op = if op == AtomicOp::Min { AtomOp::Min } else { AtomOp::Max };
                let ty = match dtype {
                    DType::I32 => AtomType::S32,
                    DType::U32 => AtomType::U32,
                    DType::I64 => AtomType::S64,
                    DType::U64 => AtomType::U64,
                    _ => return None,
                };
                Some((op, ty))
            }
            AtomicOp::And => Some((AtomOp::And, bits)),
            AtomicOp::Or => Some((AtomOp::Or, bits)),
            AtomicOp::Xor => Some((AtomOp::Xor, bits)),
            AtomicOp::Exch => (dtype.bits() >= 32).then_some((AtomOp::Exch, bits)),
        }
    }

    pub(super) fn atomic(&mut self, op: &Atomic, results: &[ValueId]) {
        let access = self.access(&op.place, None);
        let values = &op.values.0;
        let Some((atom, ty)) = self.native(op.op, access.dtype) else {
            for (part, (&value, &result)) in values.iter().zip(results).enumerate() {
                self.spin(op, &access.element(part), value, result);
            }
            return;
        };
        let aligned = self.vector_is_aligned(&access, values.len());
        if let (&[low, high], true) = (&values[..], aligned) {
            let halves = [self.reg(low).into(), self.reg(high).into()];
            let pair = self.pack(&halves);
            let ty = if access.dtype == DType::BF16 { AtomType::BF16x2 } else { AtomType::F16x2 };
            let Some(word) = self.old_value(results, RegClass::B32, op.order, access.guard) else {
                return self.emit_red(op, &access, atom, ty, pair.into());
            };
            self.emit_atom(op, &access, atom, ty, word, pair.into());
            let results: Vec<Reg> = results.iter().map(|&result| self.define(result)).collect();
            return self.emit(MovUnpack { ty: PackType::B32, dst: VecDef::of(&results), src: word.into() });
        }
        for (part, (&value, &result)) in values.iter().zip(results).enumerate() {
            let access = access.element(part);
            let value = self.operand(value);
            if self.needs_result(&[result], op.order) {
                let dst = self.define(result);
                self.clear_beyond(dst, access.guard);
                self.emit_atom(op, &access, atom, ty, dst, value);
            } else {
                self.emit_red(op, &access, atom, ty, value);
            }
        }
    }

    /// Whether `red` won't do: it gives nothing and doesn't acquire, and there is none that exchanges.
    fn needs_result(&self, results: &[ValueId], order: MemoryOrder) -> bool {
        results.iter().any(|&result| self.used[result])
            || matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel)
    }

    fn old_value(
        &mut self,
        results: &[ValueId],
        class: RegClass,
        order: MemoryOrder,
        guard: Option<Reg>,
    ) -> Option<Reg> {
        if !self.needs_result(results, order) {
            return None;
        }
        let dst = self.temp(class);
        self.clear_beyond(dst, guard);
        Some(dst)
    }

    /// Threads that don't take part get 0.
    fn clear_beyond(&mut self, dst: Reg, guard: Option<Reg>) {
        if guard.is_some() {
            self.zero(dst);
        }
    }

    fn emit_atom(&mut self, op: &Atomic, access: &Access, atom: AtomOp, ty: AtomType, dst: Reg, value: Use) {
        let row = Atom {
            order: Some(atom_order(op.order)),
            scope: Some(scope(op.scope)),
            space: Some(access.space),
            op: atom,
            noftz: no_ftz(ty),
            ty,
            dst: SinkDef(Some(dst)),
            addr: access.address,
            value,
        };
        self.emit_guarded(row, access.guard);
    }

    fn emit_red(&mut self, op: &Atomic, access: &Access, atom: AtomOp, ty: AtomType, value: Use) {
        let Some(red) = red_op(atom) else {
            let dst = self.temp(ty.scalar().class());
            return self.emit_atom(op, access, atom, ty, dst, value);
        };
        let release = matches!(op.order, MemoryOrder::Release | MemoryOrder::AcqRel);
        let row = Red {
            order: Some(if release { RedOrder::Release } else { RedOrder::Relaxed }),
            scope: Some(scope(op.scope)),
            space: Some(access.space),
            op: red,
            noftz: no_ftz(ty),
            ty,
            addr: access.address,
            value,
        };
        self.emit_guarded(row, access.guard);
    }

    /// Tries again and again to put there what the operation makes of what is there.
    fn spin(&mut self, op: &Atomic, access: &Access, value: ValueId, result: ValueId) {
        let (dtype, operand) = (access.dtype, self.reg(value));
        let (ty, compare, load) = words(dtype);
        let old = self.define(result);
        let (expected, new) = (self.temp_of(dtype), self.temp_of(dtype));
        let one = (dtype == DType::BF16 && op.op == AtomicOp::Add).then(|| {
            let one = self.temp_of(dtype);
            self.set_constant(one, crate::ir::Literal { dtype, bits: BF16_ONE });
            one
        });
        let (again, done) = (self.label("cas"), self.label("endcas"));
        if let Some(guard) = access.guard {
            self.zero(old);
            self.bra_if(guard, true, done);
        }
        let bare = Access { guard: None, ..*access };
        self.ordered_load(&bare, load, LoadOrder::Relaxed, op.scope, old);
        self.entry.place(again);
        match (op.op, one) {
            (AtomicOp::Min, _) => self.emit(combine(ReduceOp::Min, dtype, new, old, operand)),
            (AtomicOp::Max, _) => self.emit(combine(ReduceOp::Max, dtype, new, old, operand)),
            (AtomicOp::Add, Some(one)) => {
                self.emit(fma(dtype, new, old.into(), one.into(), operand.into()));
            }
            (AtomicOp::Add | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Exch, _) => {
                self.copy(new, operand);
            }
        }
        if matches!(op.op, AtomicOp::Min | AtomicOp::Max) && op.order == MemoryOrder::Relaxed {
            // What is there stays: the load did all that the step would do.
            let same = self.setp(CmpOp::Eq, compare, old, new);
            self.bra_if(same, false, done);
        }
        self.copy(expected, old);
        self.emit(AtomCas {
            order: Some(atom_order(op.order)),
            scope: Some(scope(op.scope)),
            space: Some(access.space),
            cas: Cas::Cas,
            ty,
            dst: Def(old),
            addr: access.address,
            compare: expected.into(),
            value: new.into(),
        });
        let lost = self.setp(CmpOp::Ne, compare, old, expected);
        self.bra_if(lost, false, again);
        self.entry.place(done);
        // Lanes leave one by one, and nothing makes them wait here.
        self.converged = false;
    }

    pub(super) fn atomic_cas(&mut self, op: &AtomicCas, dst: Reg) {
        let access = self.access(&op.place, None);
        let (ty, ..) = words(access.dtype);
        let (compare, value) = (self.reg(op.compare), self.reg(op.value));
        self.clear_beyond(dst, access.guard);
        let row = AtomCas {
            order: Some(atom_order(op.order)),
            scope: Some(scope(op.scope)),
            space: Some(access.space),
            cas: Cas::Cas,
            ty,
            dst: Def(dst),
            addr: access.address,
            compare: compare.into(),
            value: value.into(),
        };
        self.emit_guarded(row, access.guard);
    }

    pub(super) fn atomic_load(&mut self, op: &AtomicLoad, dst: Reg) {
        let access = self.access(&op.place, None);
        let acquires = matches!(op.order, MemoryOrder::Acquire | MemoryOrder::AcqRel);
        let order = if acquires { LoadOrder::Acquire } else { LoadOrder::Relaxed };
        self.clear_beyond(dst, access.guard);
        self.ordered_load(&access, mem_type(access.dtype), order, op.scope, dst);
    }

    fn ordered_load(&mut self, access: &Access, ty: MemType, order: LoadOrder, among: MemoryScope, dst: Reg) {
        let row = Ld {
            order: Some(order),
            scope: Some(scope(among)),
            space: Some(access.space),
            cache: None,
            nc: Nc(false),
            l1: None,
            l2: None,
            vec: None,
            ty,
            dst: VecDef::one(dst),
            addr: access.address,
        };
        self.emit_guarded(row, access.guard);
    }

    pub(super) fn atomic_store(&mut self, op: &AtomicStore) {
        let access = self.access(&op.place, None);
        let releases = matches!(op.order, MemoryOrder::Release | MemoryOrder::AcqRel);
        let src = self.reg(op.value);
        let row = St {
            order: Some(if releases { StoreOrder::Release } else { StoreOrder::Relaxed }),
            scope: Some(scope(op.scope)),
            space: Some(access.space),
            cache: None,
            l1: None,
            vec: None,
            ty: mem_type(access.dtype),
            addr: access.address,
            src: VecUse::of(&[src.into()]),
        };
        self.emit_guarded(row, access.guard);
    }

    pub(super) fn fence(&mut self, op: &Fence) {
        // One that only acquires or releases has no form of its own below sm_90.
        self.emit(isa::Fence { order: FenceOrder::AcqRel, scope: scope(op.scope) });
    }
}

fn atom_order(order: MemoryOrder) -> AtomOrder {
    match order {
        MemoryOrder::Relaxed => AtomOrder::Relaxed,
        MemoryOrder::Acquire => AtomOrder::Acquire,
        MemoryOrder::Release => AtomOrder::Release,
        MemoryOrder::AcqRel => AtomOrder::AcqRel,
    }
}

fn scope(scope: MemoryScope) -> Scope {
    match scope {
        MemoryScope::Cta => Scope::Cta,
        MemoryScope::Gpu => Scope::Gpu,
        MemoryScope::Sys => Scope::Sys,
    }
}

fn red_op(op: AtomOp) -> Option<RedOp> {
    Some(match op {
        AtomOp::Add => RedOp::Add,
        AtomOp::Min => RedOp::Min,
        AtomOp::Max => RedOp::Max,
        AtomOp::And => RedOp::And,
        AtomOp::Or => RedOp::Or,
        AtomOp::Xor => RedOp::Xor,
        AtomOp::Inc => RedOp::Inc,
        AtomOp::Dec => RedOp::Dec,
        AtomOp::Exch => return None,
    })
}

fn no_ftz(ty: AtomType) -> NoFtz {
    NoFtz(matches!(ty, AtomType::F16 | AtomType::F16x2 | AtomType::BF16 | AtomType::BF16x2))
}

/// The types of an element as bits: swapped, compared, loaded.
fn words(dtype: DType) -> (CasType, SetpType, MemType) {
    match dtype.bits() {
        16 => (CasType::B16, SetpType::B16, MemType::B16),
        32 => (CasType::B32, SetpType::B32, MemType::B32),
        _ => (CasType::B64, SetpType::B64, MemType::B64),
    }
}
