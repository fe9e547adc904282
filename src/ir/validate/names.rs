//! Names and declarations.

use std::collections::HashSet;

use super::{Errors, ValidateError};
use crate::diag::{Span, Spanned};
use crate::ir::kernel::Kernel;
use crate::ir::op::{Axis, Op};

pub(super) fn check(kernel: &Kernel, errors: &mut Errors) {
    let mut name = |what: &'static str, name: &str, span: Span| {
        if !is_identifier(name) {
            errors.push(Spanned::new(span, ValidateError::BadName { what, name: name.into() }));
        }
    };
    name("kernel", &kernel.name, kernel.span);
    if !kernel.module.is_empty() {
        kernel.module.split("::").for_each(|part| name("module", part, kernel.span));
    }
    kernel.params.values().for_each(|param| name("parameter", &param.name, param.span));
    kernel.arrays.values().for_each(|array| name("array", &array.name, array.span));

    let mut seen = HashSet::new();
    let params = kernel.params.values().map(|param| (&param.name, param.span));
    let arrays = kernel.arrays.values().map(|array| (&array.name, array.span));
    for (name, span) in params.chain(arrays) {
        if !seen.insert(name) {
            errors.push(Spanned::new(span, ValidateError::DuplicateName { name: name.clone() }));
        }
    }
    for param in kernel.params.values().filter(|param| param.rank() > Axis::MAX) {
        let error =
            ValidateError::TooManyAxes { name: param.name.clone(), rank: param.rank(), most: Axis::MAX };
        errors.push(Spanned::new(param.span, error));
    }
    for (array, declared) in kernel.arrays.iter().filter(|(_, array)| array.len == 0) {
        let error = ValidateError::EmptyArray { array, name: declared.name.clone() };
        errors.push(Spanned::new(declared.span, error));
    }
    kernel.walk(kernel.body, &mut |_, inst| {
        if let Op::Comment(comment) = &inst.op
            && comment.text.chars().any(char::is_control)
        {
            errors.push(Spanned::new(inst.span, ValidateError::RemarkNotOneLine));
        }
    });
}

/// Letters, digits and `_`, no digit first: what PTX, MSL and the text form all take.
fn is_identifier(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
}
