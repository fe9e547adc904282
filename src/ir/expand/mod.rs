//! Operations that no backend has as they are, as ordinary ones: storage conversions without an instruction, and matrix
//! products in IEEE order.
//!
//! On entry: a valid kernel. On exit: a compact one with the same bits, in which a storage format is converted to and
//! from f32 only, and only where the backend says that it has an instruction; everything else is integer and f32
//! operations whose results are defined everywhere. No step rounds twice: what is wider than f32 is first rounded to
//! odd (`odd`), which the storage format can't tell from the number itself.
//!
//! No step relies on f32 subnormals: one that is flushed to zero gives the same bits, because every format but tf32 and
//! e8m0 rounds such numbers to zero, and those two are converted by integer operations alone.
//!
//! Backends call this themselves, so that no path to their text can forget it; it is not a pass because what it leaves
//! depends on the target. Deliberately not here: which instructions a target has.

mod decode;
mod encode;
mod mma;
mod odd;
#[cfg(test)]
mod tests;

use super::kernel::{Inst, InstId, Kernel, RegionId, Value, ValueId};
use super::op::{
    Binary, BinaryOp, Bitcast, Compare, CompareOp, Const, Convert, Counter, For, If, Inline, Loop, Model,
    Numerics, Op, Select, Unary, UnaryOp,
};
use super::types::{DType, Literal};
use crate::diag::Span;
use crate::numerics::{CastMode, Storage};

/// A conversion that a backend may have an instruction for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// An f32 to a format. For e8m0 and ue4m3 the operand is not below zero.
    Encode(Storage, CastMode),
    /// A format to f32.
    Decode(Storage),
}

/// The kernel with every matrix product in IEEE order expanded, and every storage conversion that is not one of the
/// backend's own; `None` where there is neither.
pub fn expand(kernel: &Kernel, is_native: &dyn Fn(Step) -> bool) -> Option<Kernel> {
    let has_work =
        |op: &Op| mma::concerns(op) || matches!(op, Op::Convert(convert) if concerns(kernel, convert));
    if !kernel.any(has_work) {
        return None;
    }
    let mut expansion = Expansion { kernel: kernel.clone(), is_native, out: Vec::new(), span: Span::NONE };
    expansion.region(kernel.body);
    Some(expansion.kernel.compact())
}

/// Whether a conversion has a storage format on one side and something else on the other.
fn concerns(kernel: &Kernel, convert: &Convert) -> bool {
    let from = kernel.dtype(convert.a);
    from != convert.to && (from.storage().is_some() || convert.to.storage().is_some())
}

struct Expansion<'n> {
    kernel: Kernel,
    is_native: &'n dyn Fn(Step) -> bool,
    /// The instructions of the region being walked.
    out: Vec<InstId>,
    span: Span,
}

impl Expansion<'_> {
    fn region(&mut self, region: RegionId) {
        let insts = std::mem::take(&mut self.kernel.regions[region].insts);
        let outer = std::mem::take(&mut self.out);
        for id in insts {
            let inst = &self.kernel.insts[id];
            self.span = inst.span;
            match inst.op.clone() {
                Op::If(If { then, els, .. }) => {
                    self.region(then);
                    self.region(els);
                }
                Op::For(For { counter: Counter(_), body, .. }) | Op::Loop(Loop { body }) => self.region(body),
                Op::Inline(Inline { model: Model(Some(model)), .. }) => self.region(model),
                Op::Mma(product) if product.numerics == Numerics::Ieee => {
                    self.multiply(id, &product);
                    continue;
                }
                Op::Convert(convert) if concerns(&self.kernel, &convert) => {
                    self.kernel.insts[id].op = self.convert(&convert);
                }
                _ => {}
            }
            self.out.push(id);
        }
        self.kernel.regions[region].insts = std::mem::replace(&mut self.out, outer);
    }

    /// The last operation of a conversion, behind those that it needs.
    fn convert(&mut self, convert: &Convert) -> Op {
        let from = self.kernel.dtype(convert.a);
        let single = match from.storage() {
            Some(storage) if convert.to == DType::F32 => return self.decode(storage, convert.a),
            Some(storage) => {
                let op = self.decode(storage, convert.a);
                self.push(op)
            }
            None if convert.to.storage().is_some() => self.odd(from, convert.a),
            None => convert.a,
        };
        match convert.to.storage() {
            Some(storage) => self.encode(storage, convert.mode, single),
            None => Convert::new(convert.to, single).into(),
        }
    }

    /// Adds an operation with one result.
    fn push(&mut self, op: impl Into<Op>) -> ValueId {
        let op = op.into();
        let types = op.results(&self.kernel).expect("the sequences are well typed");
        let results = types.into_iter().map(|dtype| self.kernel.values.push(Value { dtype, name: None }));
        let inst = Inst { op, results: results.collect(), span: self.span };
        let result = inst.results[0];
        let id = self.kernel.insts.push(inst);
        self.out.push(id);
        result
    }

    fn constant(&mut self, dtype: DType, bits: u64) -> ValueId {
        self.push(Const { value: Literal::from_bits(dtype, bits) })
    }

    fn word(&mut self, bits: u32) -> ValueId {
        self.constant(DType::U32, u64::from(bits))
    }

    /// An f32 constant by its bits.
    fn single(&mut self, bits: u32) -> ValueId {
        self.constant(DType::F32, u64::from(bits))
    }

    fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        self.push(Binary { op, a, b })
    }

    /// `a op b` of a word and a constant.
    fn with(&mut self, op: BinaryOp, a: ValueId, b: u32) -> ValueId {
        let b = self.word(b);
        self.binary(op, a, b)
    }

    fn unary(&mut self, op: UnaryOp, a: ValueId) -> ValueId {
        self.push(Unary { op, a })
    }

    fn compare(&mut self, op: CompareOp, a: ValueId, b: ValueId) -> ValueId {
        self.push(Compare { op, a, b })
    }

    /// A comparison of a word with a constant.
    fn is(&mut self, op: CompareOp, a: ValueId, b: u32) -> ValueId {
        let b = self.word(b);
        self.compare(op, a, b)
    }

    fn select(&mut self, cond: ValueId, a: ValueId, b: ValueId) -> ValueId {
        self.push(Select { cond, a, b })
    }

    fn cast(&mut self, to: DType, a: ValueId) -> ValueId {
        self.push(Convert::new(to, a))
    }

    fn bits(&mut self, to: DType, a: ValueId) -> ValueId {
        self.push(Bitcast { to, a })
    }
}
