//! Matrix operations and asynchronous copies.
//!
//! They are `.aligned`: where the mask is not proven full there is no instruction to emit, and the kernel is refused with
//! the place. Deliberately not here: products in an order of IEEE operations, which `ir::expand` makes plain first.

use smallvec::SmallVec;

use super::state::{Lowering, Members};
use crate::backend::EmitError;
use crate::diag::Spanned;
use crate::ir::Inst as IrInst;
use crate::ir::op::{CpAsync, CpAsyncWait, LdMatrix, MatrixCount, MatrixOrder, Mma, ValueList};
use crate::ptx::isa::modifier::Space;
use crate::ptx::isa::{self, FragmentDef, FragmentUse, Reg, ScaleUse, matrix_move};

type Registers = SmallVec<[Reg; 8]>;

impl Lowering<'_> {
    pub(super) fn mma(&mut self, op: &Mma, inst: &IrInst) {
        let d: Registers = inst.results.iter().map(|&result| self.define(result)).collect();
        if !self.is_whole_warp("mma", inst) {
            return;
        }
        let [a, b, c] = [&op.a, &op.b, &op.c].map(|values| FragmentUse::of(&self.fragment(values)));
        let scale = |this: &mut Self, position: usize| {
            ScaleUse(op.scales.0.map(|scales| {
                let scale = scales[position];
                isa::ScaleWord { word: this.reg(scale.word), byte: scale.byte, thread: scale.thread }
            }))
        };
        let (scale_a, scale_b) = (scale(self, 0), scale(self, 1));
        self.emit(isa::Mma { form: op.form.into(), d: FragmentDef::of(&d), a, b, c, scale_a, scale_b });
    }

    fn fragment(&mut self, values: &ValueList) -> Registers {
        values.0.iter().map(|&value| self.reg(value)).collect()
    }

    /// Whether all 32 lanes are proven to come here together; else the kernel is refused.
    fn is_whole_warp(&mut self, op: &'static str, inst: &IrInst) -> bool {
        let is_whole =
            matches!(self.members, Members::Full) && self.active.is_none() && self.predicate.is_none();
        if !is_whole {
            self.errors.push(Spanned::new(inst.span, EmitError::PartialWarp { op }));
        }
        is_whole
    }

    pub(super) fn ldmatrix(&mut self, op: &LdMatrix, inst: &IrInst) {
        let dst: Registers = inst.results.iter().map(|&result| self.define(result)).collect();
        if !self.is_whole_warp("ldmatrix", inst) {
            return;
        }
        let addr = self.access(&op.place, None).address;
        self.emit(isa::LdMatrix {
            shape: matrix_move::MatrixShape::M8N8,
            count: match op.count {
                MatrixCount::X1 => matrix_move::MatrixCount::X1,
                MatrixCount::X2 => matrix_move::MatrixCount::X2,
                MatrixCount::X4 => matrix_move::MatrixCount::X4,
            },
            trans: matrix_move::Trans(op.order == MatrixOrder::Transposed),
            space: Some(Space::Shared),
            element: matrix_move::MatrixElement::B16,
            dst: FragmentDef::of(&dst),
            addr,
        });
    }

    pub(super) fn cp_async(&mut self, _op: &CpAsync, inst: &IrInst) {
        let what = "an asynchronous copy".into();
        self.errors.push(Spanned::new(inst.span, EmitError::NoForm { backend: "PTX", what }));
    }

    pub(super) fn cp_async_commit(&mut self) {}

    pub(super) fn cp_async_wait(&mut self, _op: &CpAsyncWait) {}
}
