//! Constant indices.
//!
//! A guarded load is left alone: its guard may be what keeps it from running.

use super::{Errors, ValidateError};
use crate::diag::Spanned;
use crate::ir::constant::Constants;
use crate::ir::kernel::Kernel;
use crate::ir::op::{Count, CpAsync, Guard, MemBase, Op};

pub(super) fn check(kernel: &Kernel, errors: &mut Errors) {
    let constants = Constants::of(kernel);
    kernel.walk(kernel.body, &mut |_, inst| {
        if matches!(&inst.op, Op::Load(load) if load.guard != Guard(None)) {
            return;
        }
        if let Op::CpAsync(CpAsync { width, count: Count(Some(count)), .. }) = &inst.op
            && let Some(count) = constants.get(*count).and_then(|count| count.as_int())
            && count > i128::from(*width)
        {
            errors.push(Spanned::new(inst.span, ValidateError::CopyCount { count, width: *width }));
        }
        // A copy may read less than it writes, down to nothing.
        let accesses = inst.op.accesses();
        let certain = if matches!(&inst.op, Op::CpAsync(copy) if copy.count.0.is_some()) { 1 } else { 2 };
        for &(place, width) in accesses.iter().take(certain) {
            let Some(index) = constants.get(place.index).and_then(|index| index.as_int()) else { continue };
            let len = match place.base {
                MemBase::Param(_) => None,
                MemBase::Array(id) => Some(kernel.arrays[id].len),
            };
            let end = index + i128::from(width);
            if index < 0 || len.is_some_and(|len| end > i128::from(len)) {
                let name = place.base.name(kernel).into();
                errors.push(Spanned::new(inst.span, ValidateError::OutOfBounds { name, index, width, len }));
            }
            if width > 1 && index % i128::from(width) != 0 {
                errors.push(Spanned::new(inst.span, ValidateError::Misaligned { index, width }));
            }
        }
    });
}
