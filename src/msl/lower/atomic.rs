//! Atomic operations: what Metal has is relaxed, on 32-bit integers in device memory, and the sum of `float`.
//!
//! An operation on an element is one on the same bytes as Metal's atomic type. What orders memory, what is 64 or 16 bits
//! wide and extremes of floats are refused, each with its reason.

use super::Lowering;
use crate::ir::op::{Atomic, AtomicLoad, AtomicOp, AtomicStore, MemBase, MemoryOrder, MemoryScope, Place};
use crate::ir::{DType, Inst};
use crate::msl::ast::{Builtin, Expr, Stmt};

impl Lowering<'_> {
    pub(super) fn atomic(&mut self, op: &Atomic, inst: &Inst) {
        let dtype = op.place.base.dtype(self.kernel);
        let builtin = match op.op {
            AtomicOp::Add => Builtin::AtomicFetchAdd,
            AtomicOp::Min => Builtin::AtomicFetchMin,
            AtomicOp::Max => Builtin::AtomicFetchMax,
            AtomicOp::And => Builtin::AtomicFetchAnd,
            AtomicOp::Or => Builtin::AtomicFetchOr,
            AtomicOp::Xor => Builtin::AtomicFetchXor,
            AtomicOp::Exch => Builtin::AtomicExchange,
        };
        let has_form = match dtype {
            DType::F32 => matches!(op.op, AtomicOp::Add | AtomicOp::Exch),
            dtype => matches!(dtype, DType::I32 | DType::U32),
        };
        if !has_form {
            return self.no_form(format!("an atomic operation on `{dtype}`: Metal's take 32-bit integers"));
        }
        let Some(place) = self.atomic_place(&op.place, op.order, op.scope) else { return };
        let &[value] = &op.values.0[..] else { return self.no_form("two atomic operations as one") };
        let value = self.value(value);
        self.result(inst, Expr::builtin(builtin, vec![place, value, Expr::RelaxedOrder]));
    }

    pub(super) fn atomic_load(&mut self, op: &AtomicLoad, inst: &Inst) {
        if let Some(place) = self.atomic_place(&op.place, op.order, op.scope) {
            self.result(inst, Expr::builtin(Builtin::AtomicLoad, vec![place, Expr::RelaxedOrder]));
        }
    }

    pub(super) fn atomic_store(&mut self, op: &AtomicStore) {
        if let Some(place) = self.atomic_place(&op.place, op.order, op.scope) {
            let value = self.value(op.value);
            let call = Expr::builtin(Builtin::AtomicStore, vec![place, value, Expr::RelaxedOrder]);
            self.block.push(Stmt::Call(call));
        }
    }

    /// The element as one of Metal's atomic types; `None` where there is none, which is then an error.
    fn atomic_place(&mut self, place: &Place, order: MemoryOrder, scope: MemoryScope) -> Option<Expr> {
        let dtype = place.base.dtype(self.kernel);
        if order != MemoryOrder::Relaxed {
            self.no_form("an atomic operation that orders memory: Metal's are relaxed");
            return None;
        }
        if scope == MemoryScope::Sys {
            self.no_form("an atomic operation that the host takes part in");
            return None;
        }
        if !matches!(dtype, DType::I32 | DType::U32 | DType::F32) {
            self.no_form(format!("an atomic operation on `{dtype}`: Metal's take 32-bit integers"));
            return None;
        }
        match place.base {
            MemBase::Param(param) => {
                let index = self.value(place.index);
                let scalar = crate::msl::ast::Scalar::of(dtype)?;
                Some(Expr::AtomicElement(scalar, self.signature.param(param), Box::new(index)))
            }
            MemBase::Array(array) => {
                let name = &self.kernel.arrays[array].name;
                self.no_form(format!("an access to array `{name}`"));
                None
            }
        }
    }
}
