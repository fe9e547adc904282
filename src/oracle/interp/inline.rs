//! Inline text: its model, where there is one.

use super::{Done, Interp};
use crate::ir::ValueId;
use crate::ir::op::{Inline, yielded};
use crate::oracle::error::FaultKind;
use crate::oracle::value::with_word;

impl Interp<'_> {
    /// Runs the model and gives its values to the results.
    pub(super) fn inline(&mut self, op: &Inline, results: &[ValueId]) -> Done {
        let Some(model) = op.model.0 else {
            let lane = self.active.range().start;
            return Err(self.fault(lane, FaultKind::Opaque { op: op.target.op_name() }));
        };
        self.region(model)?;
        for (&from, &to) in yielded(self.kernel, model).iter().zip(results) {
            let range = self.active.range();
            with_word!(self.kernel.dtype(to), W => self.regs.map(range, to, from, |word: W| word));
        }
        Ok(())
    }
}
