//! Named barriers whose number or count is known: which of them exist, and how many threads they can be for.

use super::{Errors, ValidateError};
use crate::diag::Spanned;
use crate::ir::constant::Constants;
use crate::ir::kernel::Kernel;
use crate::ir::op::Op;

pub(super) fn check(kernel: &Kernel, errors: &mut Errors) {
    if !kernel.any(|op| matches!(op, Op::NamedBarrier(_))) {
        return;
    }
    let constants = Constants::of(kernel);
    // Warps count whole, so the last warp's missing lanes are there too.
    let most = kernel.cta.map_or(1024, |cta| {
        cta.iter().fold(1u64, |product, &axis| product.saturating_mul(axis.into())).next_multiple_of(32)
    });
    kernel.walk(kernel.body, &mut |_, inst| {
        let Op::NamedBarrier(barrier) = &inst.op else { return };
        let number = |value| constants.get(value).map(|literal| literal.bits);
        if let Some(id) = number(barrier.id).filter(|id| !(1..=15).contains(id)) {
            errors.push(Spanned::new(inst.span, ValidateError::BarrierNumber { id }));
        }
        let wrong = |threads: &u64| *threads == 0 || !threads.is_multiple_of(32) || *threads > most;
        if let Some(threads) = number(barrier.threads).filter(wrong) {
            errors.push(Spanned::new(inst.span, ValidateError::BarrierThreads { threads, most }));
        }
    });
}
