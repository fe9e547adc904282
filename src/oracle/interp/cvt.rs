//! Conversions by value and by bits.

use super::Interp;
use crate::entity::EntityId;
use crate::ir::ValueId;
use crate::ir::op::{Bitcast, Convert};
use crate::numerics::{self, Float, Odd, Storage};
use crate::oracle::value::{with_dtype, with_float, with_word};

impl Interp<'_> {
    pub(super) fn convert(&mut self, op: &Convert, dst: ValueId) {
        let from = self.kernel.dtype(op.a);
        let range = self.active.range();
        let regs = &mut self.regs;
        if from == op.to {
            // A move: even a NaN keeps its bits.
            return with_word!(from, W => regs.map(range, dst, op.a, |a: W| a));
        }
        if let Some(storage) = from.storage() {
            return self.decode_storage(storage, op, dst);
        }
        if let Some(storage) = op.to.storage() {
            let mode = op.mode;
            return with_dtype!(from, A => with_word!(op.to, W => {
                regs.map(range, dst, op.a, |a: A| storage.encode(a.odd(), mode) as W);
            }));
        }
        with_dtype!(from, A => with_dtype!(op.to, R => {
            regs.map(range, dst, op.a, |a: A| <A as numerics::Convert<R>>::convert(a));
        }));
    }

    /// What a storage format holds is an f32, exactly.
    #[expect(clippy::unnecessary_cast, reason = "one of the words is a u32")]
    fn decode_storage(&mut self, storage: Storage, op: &Convert, dst: ValueId) {
        let range = self.active.range();
        let regs = &mut self.regs;
        let mode = op.mode;
        let from = self.kernel.dtype(op.a);
        match op.to.storage() {
            Some(to) => with_word!(from, W => with_word!(op.to, R => {
                regs.map(range, dst, op.a, |a: W| to.encode(storage.decode(a as u32), mode) as R);
            })),
            None => with_word!(from, W => with_dtype!(op.to, R => {
                regs.map(range, dst, op.a, |a: W| {
                    <f32 as numerics::Convert<R>>::convert(storage.decode(a as u32))
                });
            })),
        }
    }

    pub(super) fn bitcast(&mut self, op: &Bitcast, dst: ValueId) {
        let from = self.kernel.dtype(op.a);
        let range = self.active.range();
        let regs = &mut self.regs;
        let shows_nan = from.is_float() && !op.to.is_float() && !self.plan.keeps_nan[op.a.index()];
        if shows_nan {
            with_float!(
                from,
                T => regs.map(range, dst, op.a, <T as Float>::canonical),
                unreachable!("is_float() said that it is one")
            );
        } else {
            // A storage format takes of an integer the bits that it has.
            let mask = op.to.mask();
            with_word!(from, W => regs.map(range, dst, op.a, |a: W| a & mask as W));
        }
    }
}
