//! `if`, loops, `break` and `continue`: section 3.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn branches(x: Tensor<i32>, mut out: Tensor<i32>) {
    let i = program_id::<0>();
    let v = load(x[i]);
    if v < 0 {
        out[i] = -v;
    } else if v == 0 {
        out[i] = 1;
    } else {
        out[i] = v;
    }
    if v & 1 {
        out[i] = 7;
    }
}

#[test]
fn if_builds_regions() {
    assert_eq!(
        body(branches::kernel_ir()),
        "v0:i = program_id.x
v1:v = load x[v0]
v2 = const 0i32
v3 = lt v1, v2
if v3 {
    v4 = neg v1
    store out[v0], v4
} else {
    v5 = eq v1, v2
    if v5 {
        v6 = const 1i32
        store out[v0], v6
    } else {
        store out[v0], v1
    }
}
v7 = const 1i32
v8 = and v1, v7
v9 = cvt.bool v8
if v9 {
    v10 = const 7i32
    store out[v0], v10
} else {
}"
    );
}

#[kernel]
pub fn values(x: Tensor<f16>, mut out: Tensor<f32>) {
    let i = program_id::<0>();
    let v = load(x[i]);
    let w = if v > 1.0 { v } else { 0.5 };
    let (a, b) = if v < 0.0 { (v, 1u32) } else { (w, 2u32) };
    out[i] = {
        let t = a * 2.0;
        t + b
    };
}

#[test]
fn an_if_has_a_value_and_a_block_a_tail() {
    let body = body(values::kernel_ir());
    assert!(body.contains("local l0: f16"), "the literal takes the other arm's type\n{body}");
    assert!(body.contains("const 0.5f16"), "{body}");
    assert_eq!(body.matches("local").count(), 3, "{body}");
}

#[kernel]
pub fn nested_value(x: Tensor<f32>, mut out: Tensor<f32>) {
    let v = load(x[0]);
    out[0] = if v > 2.0 {
        3.0
    } else if v > 1.0 {
        2.0
    } else {
        v
    };
}

#[test]
fn an_else_if_has_a_value_too() {
    let body = body(nested_value::kernel_ir());
    assert_eq!(body.matches("if v").count(), 2, "{body}");
    assert_eq!(body.matches("set l").count(), 4, "{body}");
}

#[kernel]
pub fn untraced<T>(mut out: Tensor<T>) {
    const BITS: u32 = 4;
    if BITS == 4u32 {
        out[0] = 1;
    } else {
        out[1] = 2;
    }
    if T == f32 {
        out[2] = 3;
    }
    let wide = true;
    let k = if wide { 4 } else { 8 };
    if 3u32 > 4u32 || !wide {
        out[3] = 1;
    }
    if wide && 1u32 < 2u32 {
        out[k] = 1;
    }
}

#[test]
fn a_host_or_constant_condition_leaves_no_trace() {
    let at = |dtype| {
        let body = body(untraced::kernel_ir_for(dtype));
        assert!(!body.contains("if"), "{body}");
        body.matches("store").count()
    };
    assert_eq!((at(DType::F32), at(DType::F16)), (3, 2));
}

#[kernel]
pub fn loops(x: Tensor<f32>, mut out: Tensor<f32>, #[constexpr] n: u32) {
    let mut acc = 0.0;
    for i in range(0, n) {
        acc += load(x[i]);
    }
    for j in range(tid, n, lsize) {
        acc += load(x[j]);
    }
    for k in 0..n {
        acc += k;
    }
    for m in 0u32..4u32 {
        acc += m;
    }
    for u in unroll(range(0, 16), 4) {
        acc += u;
    }
    out[0] = acc;
}

#[test]
fn traced_loops_name_their_counter() {
    let body = body(loops::kernel_ir());
    assert_eq!(body.matches("for v").count(), 5, "{body}");
    for want in [":i: u32", ":j: u32", ":k: u32", ":m: u32", ":u: u32", "unroll 4 {"] {
        assert!(body.contains(want), "{want}\n{body}");
    }
}

#[kernel]
pub fn signed_loop(mut out: Tensor<i32>, #[constexpr] n: i32) {
    for i in range(n, -1, -1) {
        out[i] = i;
    }
}

#[test]
fn bounds_meet_in_one_type() {
    let body = body(signed_loop::kernel_ir());
    assert!(body.contains(":i: i32 = v0 to v1 step v1"), "{body}");
}

#[kernel]
pub fn leaving(x: Tensor<f32>, mut out: Tensor<f32>, #[constexpr] n: u32) {
    let mut i = 0u32;
    let mut acc = 0.0;
    while i < n {
        i += 1;
        if load(x[i]) < 0.0 {
            continue;
        }
        acc += load(x[i]);
        if acc > 100.0 {
            break;
        }
    }
    loop {
        acc *= 0.5;
        if acc < 1.0 {
            break;
        }
    }
    out[0] = acc;
}

#[test]
fn while_and_loop_end_by_break() {
    let body = body(leaving::kernel_ir());
    assert_eq!(body.matches("loop {").count(), 2, "{body}");
    assert_eq!(body.matches("break").count(), 3, "{body}");
    assert_eq!(body.matches("continue").count(), 1, "{body}");
}

#[kernel]
pub fn host_loops(x: Tensor<f32>, mut out: Tensor<f32>) {
    let weights = [1.0, 2.0, 3.0];
    let mut acc = 0.0;
    for (k, w) in weights.iter().enumerate() {
        acc += load(x[k]) * *w;
    }
    let n = 4usize;
    'rows: for r in 0..n {
        for c in 0..=2 {
            if c > r {
                continue 'rows;
            }
            if r == 3 {
                break 'rows;
            }
            acc += load(x[10 * r + c]);
        }
    }
    let mut k = 0usize;
    while k < 3 {
        k += 1;
        if k == 2 {
            break;
        }
        acc += load(x[100 + k]);
    }
    out[0] = acc;
}

#[test]
fn host_loops_unroll_and_are_really_left() {
    let body = body(host_loops::kernel_ir());
    assert!(!body.contains("for ") && !body.contains("loop"), "{body}");
    assert_eq!(body.matches("load x").count(), 3 + 6 + 1, "{body}");
}

#[kernel]
pub fn host_left_under_traced(x: Tensor<f32>, mut out: Tensor<f32>) {
    for k in 0..4 {
        if load(x[k]) > 0.0 {
            break;
        }
        out[k] = 1.0;
    }
}

#[kernel]
pub fn traced_left_from_host(x: Tensor<f32>, mut out: Tensor<f32>, #[constexpr] n: u32) {
    'outer: for i in 0..n {
        for k in 0..2 {
            if load(x[i + k]) > 0.0 {
                break 'outer;
            }
        }
        out[i] = 1.0;
    }
}

#[kernel]
pub fn host_differs(x: Tensor<f32>, mut out: Tensor<f32>) {
    let k = if load(x[0]) > 0.0 { 1usize } else { 2usize };
    out[k] = 1.0;
}

#[test]
fn loops_and_host_values_are_not_mixed_up() {
    assert_eq!(
        refused(host_left_under_traced::kernel_ir()),
        "an unrolled loop is left under a traced condition"
    );
    assert_eq!(refused(traced_left_from_host::kernel_ir()), "a traced loop is left from inside another loop");
    assert_eq!(refused(host_differs::kernel_ir()), "the arms of a traced `if` give different host values");
}
