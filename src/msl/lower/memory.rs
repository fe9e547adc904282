//! Loads and stores in global memory, and mutable locals.
//!
//! A vector access is written as one access an element: MSL's vector types end at four elements and have no 8-byte
//! `bfloat` form in every language version, and the compiler joins neighbours that it knows aligned. The choice is
//! reported.

use super::Lowering;
use crate::ir::op::{Load, LocalGet, LocalSet, MemBase, Place, Store};
use crate::ir::{Inst, LocalId};
use crate::msl::ast::{BinaryOp, Expr, Ident, Scalar, Stmt};

impl Lowering<'_> {
    pub(super) fn declare_locals(&mut self) {
        let kernel = self.kernel;
        for (id, local) in kernel.locals.iter() {
            let Some(scalar) = Scalar::of(local.dtype) else {
                // Every read and write of it is refused where it stands.
                continue;
            };
            let name = match &local.name {
                Some(name) => self.names.claim(name),
                None => self.names.claim(&id.to_string()),
            };
            self.locals[id] = Some(name.clone());
            // A read before the first write is an error that the oracle reports; here it must not become C++'s undefined
            // behaviour, from which the compiler may conclude anything.
            self.block.push(Stmt::Variable { scalar, name, value: Expr::Literal(scalar, 0) });
        }
    }

    fn local(&self, local: LocalId) -> Option<Ident> {
        self.locals[local].clone()
    }

    pub(super) fn local_get(&mut self, op: &LocalGet, inst: &Inst) {
        let (Some(&value), Some(name)) = (inst.results.first(), self.local(op.local)) else { return };
        let scalar = self.scalar(value);
        // A copy, since the local may be written before the value is used.
        let copy = match &self.kernel.values[value].name {
            Some(own) => self.names.claim(own),
            None => self.names.claim(&value.to_string()),
        };
        self.values[value] = Some(Expr::Name(copy.clone()));
        self.block.push(Stmt::Constant { scalar, name: copy, value: Expr::Name(name) });
    }

    pub(super) fn local_set(&mut self, op: &LocalSet) {
        if let Some(name) = self.local(op.local) {
            let value = self.value(op.value);
            self.block.push(Stmt::Assign { place: Expr::Name(name), value });
        }
    }

    pub(super) fn load(&mut self, op: &Load, inst: &Inst) {
        let width = op.width.elements();
        for (offset, &value) in (0u64..).zip(&inst.results) {
            let Some(element) = self.element(&op.place, offset) else { return };
            let element = match self.kernel.dtype(value).storage() {
                Some(storage) => super::cvt::codes(storage, self.scalar(value), element),
                None => element,
            };
            let expr = match op.guard.0 {
                None => element,
                Some(guard) => {
                    let zero = Expr::Literal(self.scalar(value), 0);
                    Expr::conditional(self.value(guard), element, zero)
                }
            };
            self.define(value, expr);
        }
        self.note_vector(width, &op.place);
    }

    pub(super) fn store(&mut self, op: &Store) {
        for (offset, &value) in (0u64..).zip(&op.values.0) {
            let Some(place) = self.element(&op.place, offset) else { return };
            let value = self.value(value);
            self.block.push(Stmt::Assign { place, value });
        }
        self.note_vector(u32::try_from(op.values.0.len()).unwrap_or(u32::MAX), &op.place);
    }

    /// The `offset`-th element from a place on. The index of a vector access is a multiple of its width, so the sum
    /// does not wrap.
    fn element(&mut self, place: &Place, offset: u64) -> Option<Expr> {
        match place.base {
            MemBase::Param(param) => {
                let index = self.value(place.index);
                let index = match offset {
                    0 => index,
                    1.. => {
                        let step = Expr::Literal(self.scalar(place.index), offset);
                        Expr::binary(BinaryOp::Add, index, step)
                    }
                };
                Some(Expr::Element(self.signature.param(param), Box::new(index)))
            }
            MemBase::Array(array) => {
                let name = &self.kernel.arrays[array].name;
                self.no_form(format!("an access to array `{name}`"));
                None
            }
        }
    }

    fn note_vector(&mut self, width: u32, place: &Place) {
        if width > 1 {
            let name = place.base.name(self.kernel);
            let choice = format!(
                "{width}-element accesses to `{name}` are written one an element: MSL vectors end at 4"
            );
            self.selection.insert(choice);
        }
    }
}
