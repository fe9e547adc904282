//! Matrix operations and asynchronous copies.
//!
//! They are `.aligned`: where the mask is not proven full there is no instruction to emit, and the kernel is refused with
//! the place. Deliberately not here: products in an order of IEEE operations, which `ir::expand` makes plain first.

use smallvec::SmallVec;

use super::state::{Lowering, Members};
use crate::backend::EmitError;
use crate::diag::Spanned;
use crate::ir::op::{CpAsync, CpAsyncWait, LdMatrix, MatrixCount, MatrixOrder, Mma, ValueList};
use crate::ir::{Inst as IrInst, ValueId};
use crate::ptx::isa::async_modifier::{CopyCache, SharedName};
use crate::ptx::isa::modifier::{Sat, Space};
use crate::ptx::isa::types::{BitType, IntType};
use crate::ptx::isa::{
    self, Address, CopySize, Def, FragmentDef, FragmentUse, Literal, OptUse, Reg, RegClass, ScaleUse, Use,
    matrix_move,
};

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

    /// A copy: one instruction where the launch class says that buffers start at a multiple of its size, else several.
    pub(super) fn cp_async(&mut self, op: &CpAsync, inst: &IrInst) {
        let size = op.to.base.dtype(self.kernel).size();
        let bytes = op.width * size;
        let piece = bytes.min(self.class.align);
        let Some((each, cache)) = copy_form(piece) else {
            let what =
                format!("an asynchronous copy from buffers that start at any multiple of {piece} bytes");
            return self.errors.push(Spanned::new(inst.span, EmitError::NoForm { backend: "PTX", what }));
        };
        if piece < bytes {
            let buffer = op.from.base.name(self.kernel);
            self.choose(format!(
                "copy of {bytes} bytes from `{buffer}` split: its start is a multiple of {piece}"
            ));
        }
        let read = op.count.0.map(|count| self.bytes_read(count, size));
        let (to, from) = (self.access(&op.to, None), self.access(&op.from, None));
        for start in (0..bytes).step_by(piece as usize) {
            let past = |address: Address| Address { offset: address.offset + i64::from(start), ..address };
            let src_bytes = OptUse(read.map(|read| self.part_of(read, start, piece, bytes)));
            let (space, l2, bytes) = (SharedName::Shared, None, each);
            let (dst, src) = (past(to.address), past(from.address));
            self.emit_guarded(isa::CpAsync { cache, space, l2, dst, src, bytes, src_bytes }, from.guard);
        }
    }

    /// Elements as bytes.
    fn bytes_read(&mut self, count: ValueId, size: u32) -> Use {
        let count = self.operand(count);
        match count {
            Use::Int(count) => Use::Int(count * i64::from(size)),
            _ if size == 1 => count,
            _ => {
                let dst = self.temp(RegClass::B32);
                let amount = Use::Int(size.ilog2().into());
                self.emit(isa::Shl { ty: BitType::B32, dst: Def(dst), a: count, count: amount });
                dst.into()
            }
        }
    }

    /// Of `read` bytes those that a piece from `start` on reads.
    fn part_of(&mut self, read: Use, start: u32, piece: u32, bytes: u32) -> Use {
        if piece == bytes {
            return read;
        }
        if let Use::Int(read) = read {
            return Use::Int((read - i64::from(start)).clamp(0, piece.into()));
        }
        let (ty, start) = (IntType::U32, Use::Int(start.into()));
        let [above, rest, part] = [(); 3].map(|()| self.temp(RegClass::B32));
        self.emit(isa::Max { ty, dst: Def(above), a: read, b: start });
        self.emit(isa::Sub { sat: Sat(false), ty, dst: Def(rest), a: above.into(), b: start });
        self.emit(isa::Min { ty, dst: Def(part), a: rest.into(), b: Use::Int(piece.into()) });
        part.into()
    }

    pub(super) fn cp_async_commit(&mut self) {
        self.emit(isa::CpAsyncCommit {});
    }

    pub(super) fn cp_async_wait(&mut self, op: &CpAsyncWait) {
        self.emit(isa::CpAsyncWait { pending: Literal(op.pending.into()) });
    }
}

/// The size of a copy of so many bytes, and the caches it goes by: sixteen bytes go past L1, which would keep what is
/// read once.
fn copy_form(bytes: u32) -> Option<(CopySize, CopyCache)> {
    match bytes {
        4 => Some((CopySize::B4, CopyCache::Ca)),
        8 => Some((CopySize::B8, CopyCache::Ca)),
        16 => Some((CopySize::B16, CopyCache::Cg)),
        _ => None,
    }
}
