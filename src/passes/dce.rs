//! Drops what nobody can notice.
//!
//! On entry: a valid kernel. On exit: every operation has an effect or a used result; no `if` has two empty arms; no
//! local is written that nothing reads. Loads stay, used or not: one that is out of bounds is an error that the oracle
//! must still report, which [`Op::has_effect`] knows. Deliberately not here: loops, which may be endless on purpose.

use crate::diag::Spanned;
use crate::entity::SecondaryMap;
use crate::ir::op::{For, If, Inline, LocalGet, LocalSet, Loop};
use crate::ir::{Kernel, LocalId, Op, RegionId, ValueId};

use super::{Config, PassError};

/// Drops from the whole kernel.
///
/// # Errors
/// None; the type is that of every pass.
pub fn run(kernel: &mut Kernel, _config: &Config) -> Result<(), Vec<Spanned<PassError>>> {
    let body = kernel.body;
    let mut read = locals_read(kernel);
    loop {
        let used = SecondaryMap::with_len(false, kernel.values.len());
        Sweep { kernel, used, read: &read }.region(body);
        // The last read of a local may just have gone, and with it the reason to write it.
        let now = locals_read(kernel);
        if now == read {
            return Ok(());
        }
        read = now;
    }
}

fn locals_read(kernel: &Kernel) -> SecondaryMap<LocalId, bool> {
    let mut read = SecondaryMap::with_len(false, kernel.locals.len());
    kernel.walk(kernel.body, &mut |_, inst| {
        if let Op::LocalGet(LocalGet { local }) = inst.op {
            read[local] = true;
        }
    });
    read
}

struct Sweep<'k> {
    kernel: &'k mut Kernel,
    used: SecondaryMap<ValueId, bool>,
    read: &'k SecondaryMap<LocalId, bool>,
}

impl Sweep<'_> {
    /// Backwards, so that each use is seen before the definition.
    fn region(&mut self, region: RegionId) {
        let mut insts = std::mem::take(&mut self.kernel.regions[region].insts);
        let mut kept = insts.len();
        for position in (0..insts.len()).rev() {
            let inst = &self.kernel.insts[insts[position]];
            let keep = if let Op::If(If { then, els, .. }) = inst.op {
                self.region(then);
                self.region(els);
                !(self.kernel.regions[then].insts.is_empty() && self.kernel.regions[els].insts.is_empty())
            } else if let Op::LocalSet(LocalSet { local, .. }) = inst.op {
                self.read[local]
            } else if let Op::For(For { body, .. }) | Op::Loop(Loop { body }) = inst.op {
                self.region(body);
                true
            } else if let Op::Inline(Inline { model, .. }) = inst.op {
                let keep = inst.op.has_effect() || inst.results.iter().any(|&result| self.used[result]);
                model.0.filter(|_| keep).into_iter().for_each(|model| self.region(model));
                keep
            } else {
                inst.op.has_effect() || inst.results.iter().any(|&result| self.used[result])
            };
            if keep {
                let used = &mut self.used;
                self.kernel.insts[insts[position]].op.uses(&mut |value| used[value] = true);
                kept -= 1;
                insts.swap(kept, position);
            }
        }
        // Kept ones were swapped to the end in order: each swap moved one that was to go, forward.
        insts.drain(..kept);
        self.kernel.regions[region].insts = insts;
    }
}
