//! Loops, what leaves them, and locals.

use super::{Errors, ValidateError};
use crate::diag::Spanned;
use crate::entity::SecondaryMap;
use crate::ir::constant::Constants;
use crate::ir::kernel::{Inst, Kernel, LocalId, RegionId};
use crate::ir::op::{For, If, Inline, LocalGet, LocalSet, Loop, Model, Op};

pub(super) fn check(kernel: &Kernel, errors: &mut Errors) {
    let constants = Constants::of(kernel);
    let mut walk =
        Walk { kernel, errors, constants, written: SecondaryMap::with_len(false, kernel.locals.len()) };
    walk.region(kernel.body, false);
}

struct Walk<'k> {
    kernel: &'k Kernel,
    errors: &'k mut Errors,
    constants: Constants,
    /// Locals that some path may have written up to here. Only ever grows: a path that does not write does not unwrite.
    written: SecondaryMap<LocalId, bool>,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId, in_loop: bool) {
        let kernel = self.kernel;
        let insts = &kernel.regions[region].insts;
        for (position, &id) in insts.iter().enumerate() {
            let inst = &kernel.insts[id];
            self.inst(inst, in_loop);
            let word = if matches!(inst.op, Op::Break(_)) {
                "break"
            } else if matches!(inst.op, Op::Continue(_)) {
                "continue"
            } else {
                continue;
            };
            if !in_loop {
                self.errors.push(Spanned::new(inst.span, ValidateError::OutsideLoop { word }));
            }
            let count = insts.len() - position - 1;
            if count > 0 {
                self.errors.push(Spanned::new(inst.span, ValidateError::NotLast { word, count }));
            }
        }
    }

    fn inst(&mut self, inst: &Inst, in_loop: bool) {
        if let Op::LocalSet(LocalSet { local, .. }) = &inst.op {
            self.written[*local] = true;
        } else if let Op::LocalGet(LocalGet { local }) = &inst.op {
            if !self.written[*local] {
                let name = self.kernel.locals[*local].name.clone();
                self.errors
                    .push(Spanned::new(inst.span, ValidateError::NeverWritten { local: *local, name }));
            }
        } else if let Op::If(If { then, els, .. }) = &inst.op {
            let before = self.written.clone();
            self.region(*then, in_loop);
            let after_then = std::mem::replace(&mut self.written, before);
            self.region(*els, in_loop);
            for local in self.kernel.locals.ids() {
                self.written[local] |= after_then[local];
            }
        } else if let Op::For(For { step, unroll, body, .. }) = &inst.op {
            if self.constants.get(*step).is_some_and(|step| step.is_zero()) {
                self.errors.push(Spanned::new(inst.span, ValidateError::StepZero));
            }
            if *unroll == 0 {
                self.errors.push(Spanned::new(inst.span, ValidateError::UnrollZero));
            }
            self.body(*body);
        } else if let Op::Loop(Loop { body }) = &inst.op {
            self.body(*body);
        } else if let Op::Inline(Inline { model: Model(Some(model)), .. }) = inst.op {
            self.region(model, false);
        }
    }

    /// A later iteration may read what an earlier one wrote.
    fn body(&mut self, body: RegionId) {
        let kernel = self.kernel;
        kernel.walk(body, &mut |_, inst| {
            if let Op::LocalSet(LocalSet { local, .. }) = &inst.op {
                self.written[*local] = true;
            }
        });
        self.region(body, true);
    }
}
