//! A matrix product in IEEE order, as shuffles and fused multiply-adds.
//!
//! Each lane decodes what it holds of A and B once; for each depth, ascending, it then asks the lanes that hold its rows
//! and columns. Which lane that is comes from the layouts; it is a linear function of the asking lane's quad and place.

use super::Expansion;
use crate::ir::kernel::{Inst, InstId, ValueId};
use crate::ir::op::{BinaryOp, Fma, GeomReg, Geometry, Mma, Numerics, Op, Shuffle, ShuffleMode, ValueList};
use crate::ir::types::DType;
use crate::numerics::Storage;
use crate::numerics::tensor::{Element, Form, Layout, Operand, container_shift};

/// Whether an operation is such a product.
pub(super) fn concerns(op: &Op) -> bool {
    matches!(op, Op::Mma(Mma { numerics: Numerics::Ieee, .. }))
}

/// The lane of an asking lane's quad and of its place there.
struct Asker {
    quad: ValueId,
    place: ValueId,
}

impl Expansion<'_> {
    /// Adds the operations of a product; the last of each chain defines the result of `inst`.
    pub(super) fn multiply(&mut self, inst: InstId, op: &Mma) {
        let results = self.kernel.insts[inst].results.clone();
        let lane = self.push(Geometry { reg: GeomReg::LaneId });
        let asker =
            Asker { quad: self.with(BinaryOp::Shr, lane, 2), place: self.with(BinaryOp::And, lane, 3) };
        let a = self.elements(&op.form, Operand::A, op.form.a, &op.a);
        let b = self.elements(&op.form, Operand::B, op.form.b, &op.b);
        let [rows, columns, sums] = [Operand::A, Operand::B, Operand::C].map(|of| Layout::of(&op.form, of));
        let depth = usize::from(op.form.shape.k);
        let mut sums_so_far = op.c.0.clone();
        for k in 0..depth {
            // A lane's elements of C share rows and columns: each is asked for once.
            let mut asked: Vec<((usize, usize, bool), ValueId)> = Vec::new();
            for index in 0..sums.per_lane() {
                let left = |lane: usize| rows.holder(sums.position(lane, index).0, k);
                let right = |lane: usize| columns.holder(k, sums.position(lane, index).1);
                let factors = [(&a, left(0), left(1).0, left(4).0), (&b, right(0), right(1).0, right(4).0)];
                let [x, y] = [0, 1].map(|side| {
                    let (held, (first, element), next, quad) = factors[side];
                    let key = (first, element, side == 0);
                    if let Some((_, value)) = asked.iter().find(|(known, _)| *known == key) {
                        return *value;
                    }
                    let source = self.lane(&asker, first, next - first, quad - first);
                    let value = held[element];
                    let value = self.push(Shuffle { mode: ShuffleMode::Idx, value, lane: source });
                    asked.push((key, value));
                    value
                });
                let fma = Fma { a: x, b: y, c: sums_so_far[index] };
                sums_so_far[index] = if k + 1 == depth {
                    self.push_as(fma, results[index]);
                    results[index]
                } else {
                    self.push(fma)
                };
            }
        }
    }

    /// `first` + `per_place` · place + `per_quad` · quad.
    fn lane(&mut self, asker: &Asker, first: usize, per_place: usize, per_quad: usize) -> ValueId {
        let mut sum = self.word(first as u32);
        for (value, factor) in [(asker.place, per_place), (asker.quad, per_quad)] {
            if factor > 0 {
                let term = self.with(BinaryOp::Mul, value, factor as u32);
                sum = self.binary(BinaryOp::Add, term, sum);
            }
        }
        sum
    }

    /// What a lane holds of a factor, as f32.
    fn elements(
        &mut self,
        form: &Form,
        operand: Operand,
        element: Element,
        words: &ValueList,
    ) -> Vec<ValueId> {
        let layout = Layout::of(form, operand);
        let each = layout.per_register();
        (0..layout.per_lane())
            .map(|index| {
                let shift = (index % each) as u32 * layout.element_bits() + container_shift(form, element);
                let word = words.0[index / each];
                let moved = if shift == 0 { word } else { self.with(BinaryOp::Shr, word, shift) };
                self.single_of(element, moved)
            })
            .collect()
    }

    /// The f32 that the low bits of a word stand for.
    fn single_of(&mut self, element: Element, word: ValueId) -> ValueId {
        let storage = match element {
            Element::F16 => {
                let half = self.cast(DType::U16, word);
                let half = self.bits(DType::F16, half);
                return self.cast(DType::F32, half);
            }
            Element::BF16 => {
                let upper = self.with(BinaryOp::Shl, word, 16);
                return self.bits(DType::F32, upper);
            }
            Element::TF32 => {
                let kept = self.with(BinaryOp::And, word, !0x1fff);
                return self.bits(DType::F32, kept);
            }
            Element::E4M3 => Storage::E4M3,
            Element::E5M2 => Storage::E5M2,
            Element::E3M2 => Storage::E3M2,
            Element::E2M3 => Storage::E2M3,
            Element::E2M1 => Storage::E2M1,
            Element::F64 | Element::S8 | Element::U8 | Element::S4 | Element::U4 => {
                unreachable!("validate() checked that the accumulator is f32")
            }
        };
        let byte = self.with(BinaryOp::And, word, storage.mask());
        let byte = self.cast(DType::U8, byte);
        let code = self.bits(DType::Storage(storage), byte);
        let op = self.decode(storage, code);
        self.push(op)
    }

    /// Adds an operation whose result already has a name.
    fn push_as(&mut self, op: impl Into<Op>, result: ValueId) {
        let inst = Inst { op: op.into(), results: [result].into_iter().collect(), span: self.span };
        let id = self.kernel.insts.push(inst);
        self.out.push(id);
    }
}
