//! Conversions by value and by bits.

use super::Interp;
use crate::entity::EntityId;
use crate::ir::ValueId;
use crate::ir::op::{Bitcast, Convert};
use crate::numerics::{self, Float};
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
        with_dtype!(from, A => with_dtype!(op.to, R => {
            regs.map(range, dst, op.a, |a: A| <A as numerics::Convert<R>>::convert(a));
        }));
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
            with_word!(from, W => regs.map(range, dst, op.a, |a: W| a));
        }
    }
}
