//! Atomic operations: the CTAs of a launch one after another, and in each instruction the threads in ascending order.
//!
//! That is one of the orders that hardware may choose. A kernel that waits for another CTA must wait for one that came
//! earlier, as one that drew an earlier ticket did: here every earlier CTA has ended, and a later one has not begun.

use super::{Done, Interp};
use crate::entity::EntityId;
use crate::ir::constant;
use crate::ir::op::{Atomic, AtomicCas, AtomicLoad, AtomicStore, Guard, Load, MemBase, Place, Width};
use crate::ir::{Literal, ValueId};
use crate::oracle::error::{Access, FaultKind};
use crate::oracle::value::{Registers, Word, with_word};

/// The element in question: where, and which of a vector.
#[derive(Clone, Copy)]
struct Element {
    place: Place,
    part: u64,
}

impl Interp<'_> {
    pub(super) fn atomic(&mut self, op: &Atomic, results: &[ValueId]) -> Done {
        self.gather_members();
        let values = &op.values.0;
        self.locate(op.place, values.len() as u32, Access::Atomic)?;
        let dtype = op.place.base.dtype(self.kernel);
        for ((&value, &result), part) in values.iter().zip(results).zip(0..) {
            let element = Element { place: op.place, part };
            with_word!(dtype, W => self.update::<W>(element, Some(result), |regs, lane, old| {
                let operand = regs.words::<W>(value)[lane];
                let Some(binary) = op.op.binary() else { return operand };
                let [old, operand] = [old, operand].map(|bits| Literal::from_bits(dtype, bits.widen()));
                let new = constant::binary(binary, old, operand);
                new.expect("validate() checked that the operation takes the type").bits as W
            }))?;
        }
        Ok(())
    }

    pub(super) fn atomic_cas(&mut self, op: &AtomicCas, result: ValueId) -> Done {
        self.gather_members();
        self.locate(op.place, 1, Access::Atomic)?;
        let element = Element { place: op.place, part: 0 };
        with_word!(op.place.base.dtype(self.kernel), W => self.update::<W>(element, Some(result), |regs, lane, old| {
            if old == regs.words::<W>(op.compare)[lane] { regs.words::<W>(op.value)[lane] } else { old }
        }))
    }

    pub(super) fn atomic_load(&mut self, op: &AtomicLoad, results: &[ValueId]) -> Done {
        self.load(&Load { width: Width::X1, place: op.place, guard: Guard(None) }, results)
    }

    pub(super) fn atomic_store(&mut self, op: &AtomicStore) -> Done {
        self.gather_members();
        self.locate(op.place, 1, Access::Store)?;
        let element = Element { place: op.place, part: 0 };
        with_word!(op.place.base.dtype(self.kernel), W => {
            self.update::<W>(element, None, |regs, lane, _| regs.words::<W>(op.value)[lane])
        })
    }

    /// Replaces an element for each member in ascending order; `result` gets the old ones, and 0 for threads beyond
    /// the extent. Without a result the old one need not have been written.
    fn update<W: Word>(
        &mut self,
        element: Element,
        result: Option<ValueId>,
        replace: impl Fn(&Registers, usize, W) -> W,
    ) -> Done {
        let Element { place, part } = element;
        let mut lanes = result.map(|result| self.regs.take(result));
        if let Some(lanes) = &mut lanes {
            W::lanes_mut(lanes)[self.active.range()].fill(W::default());
        }
        let buffer = match place.base {
            MemBase::Param(param) => {
                let index = self.args.index_of(param);
                &mut self.args.buffers[index]
            }
            MemBase::Array(array) => &mut self.arrays[array.index()],
        };
        let members = &self.members;
        for lane in members.range().filter(|&lane| members.has(lane)) {
            let address = self.addresses[lane] + part;
            let old = match (buffer.load::<W>(address), &mut lanes) {
                (Some(old), Some(lanes)) => {
                    W::lanes_mut(lanes)[lane] = old;
                    old
                }
                (None, Some(_)) => {
                    let buffer = place.base.name(self.kernel).to_owned();
                    return Err(self.fault(lane, FaultKind::Uninitialised { buffer, index: address }));
                }
                (_, None) => W::default(),
            };
            buffer.store(address, replace(&self.regs, lane, old));
        }
        if let (Some(result), Some(lanes)) = (result, lanes) {
            self.regs.put(result, lanes);
        }
        Ok(())
    }
}
