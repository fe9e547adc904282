//! Operand and result types: each operation's own rule, against what is recorded.

use super::{Errors, ValidateError};
use crate::diag::Spanned;
use crate::ir::kernel::Kernel;
use crate::ir::op::Op;

pub(super) fn check(kernel: &Kernel, errors: &mut Errors) {
    kernel.walk(kernel.body, &mut |_, inst| {
        let mut error = |error| errors.push(Spanned::new(inst.span, error));
        if let Op::Const(constant) = &inst.op {
            ValidateError::of_literal(constant.value).into_iter().for_each(&mut error);
        }
        match inst.op.results(kernel) {
            Err(found) => error(found.into()),
            Ok(given) if given.len() != inst.results.len() => {
                error(ValidateError::ResultCount { given: given.len(), recorded: inst.results.len() });
            }
            Ok(given) => {
                for (&value, given) in inst.results.iter().zip(given) {
                    let recorded = kernel.dtype(value);
                    if recorded != given {
                        error(ValidateError::ResultType { value, recorded, given });
                    }
                }
            }
        }
    });
}
