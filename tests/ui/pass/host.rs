//! What Rust itself adds: helpers, arrays of values, closures, host assertions: section 8.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;

fn axpy(a: Val, x: Val, y: Val) -> Val {
    a * x + y
}

#[kernel_fn]
fn clamp(v: Val, low: impl IntoVal, high: impl IntoVal) -> Val {
    let (low, high) = (low.val(), high.val());
    let mut r = v;
    if r < low {
        r = low;
    } else if r > high {
        r = high;
    }
    r
}

#[kernel_fn]
pub(crate) fn halved(v: Val) -> Val {
    let half = v * 0.5;
    half
}

#[kernel_fn]
fn converted<D: KernelType>(x: Tensor<f32>, i: Val, count: usize) -> Val {
    let mut sum: D = 0;
    for k in 0..count {
        sum += x[i + k].cast::<D>();
    }
    sum
}

#[kernel]
pub fn helped<T>(x: Tensor<f32>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let pair = [load(x[i]), load(x[i + 1])];
    let scaled = pair.map(|v| v * 2.0);
    let v = axpy(scaled[0], scaled[1], pair[0]);
    let w = clamp(v, -1.0, 1.0);
    let picked = |k: usize| pair[k] + 1.0;
    out[i] = w + converted::<T>(x, i, 2 * 2) + picked(1);
    let list: Vec<Val> = (0..3).map(|k| x[i * 3 + k]).collect();
    out[i] = list[2];
}

#[test]
fn plain_rust_works_in_a_body() {
    let body = body(helped::kernel_ir_for(DType::F16));
    assert_eq!(body.matches("load x").count(), 2 + 4 + 3, "{body}");
    assert!(body.contains(":sum: f16"), "{body}");
}

#[kernel]
pub fn asserted<const N: usize>(mut out: Tensor<f32>) {
    assert!(N % 4 == 0, "N is a multiple of 4, not {N}");
    out[0] = N;
}

#[test]
fn a_host_assertion_fails_the_build() {
    assert!(asserted::kernel_ir::<8>().is_ok());
    let message = refused(asserted::kernel_ir::<6>());
    assert_eq!(message, "the kernel's body panicked: N is a multiple of 4, not 6");
    // The build that panicked left nothing behind.
    assert!(asserted::kernel_ir::<4>().is_ok());
}

#[kernel]
pub fn matched<const OP: u32>(x: Tensor<f32>, mut out: Tensor<f32>) {
    let v = load(x[0]);
    out[0] = match OP {
        0 => v + 1.0,
        1 => {
            let mut w = v;
            w *= 2.0;
            w
        }
        _ => v,
    };
    if let Some(k) = [3usize, 4].iter().position(|each| *each == 4usize) {
        out[k] = v;
    }
}

#[test]
fn a_match_on_the_host_is_rusts() {
    assert!(body(matched::kernel_ir::<0>()).contains("add"));
    assert!(body(matched::kernel_ir::<1>()).contains("mul"));
    assert!(!body(matched::kernel_ir::<2>()).contains("mul"));
}
