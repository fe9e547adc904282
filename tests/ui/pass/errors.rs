//! Mistakes that building finds: all at once, each with its line.

use crate::refused;
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn several(x: Tensor<f32>, mut out: Tensor<f32>) {
    out[0] = load(x[0]) & 1;
    x[1] = 2.0;
    out[program_id(7)] = 1.0;
    let n = load(x[0]);
    let s = shared::<f32>(n);
    s[0] = 1.0;
}

#[test]
fn all_mistakes_are_reported_under_their_lines() {
    let errors = several::kernel_ir().unwrap_err();
    let text = errors.to_string();
    for want in [
        "tests/ui/pass/errors.rs:8:5",
        "`and` takes an integer or a bool, not `f32`",
        "`x` is stored to, but it is not a written parameter",
        "declare it `mut x: Tensor<…>`",
        "there is no axis 7 here; 3 exist",
        "this is not a host constant",
        "x[1] = 2.0;",
    ] {
        assert!(text.contains(want), "{want}\n{text}");
    }
}

#[kernel]
pub fn wrong_axes(#[strided] x: Tensor<f32>, mut out: Tensor<f32>) {
    out[0] = x[(0, 1)] + x.shape(2);
}

#[kernel]
pub fn flat_with_axes(x: Tensor<f32>, mut out: Tensor<f32>) {
    out[0] = x[(0, 1)];
}

#[test]
fn axes_are_counted() {
    assert_eq!(refused(wrong_axes::kernel_ir()), "there is no axis 2 here; 2 exist");
    assert_eq!(refused(flat_with_axes::kernel_ir()), "`x` has 1 axes, but the subscript has 2");
}
