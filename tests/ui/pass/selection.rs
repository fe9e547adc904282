//! `select` and the guards of its arms: section 4.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn guarded(x: Tensor<f32>, mut out: Tensor<f32>, #[constexpr] n: u32) {
    let i = program_id::<0>();
    out[i] = select(i < n, load(x[i]), 0.0);
}

#[test]
fn a_load_in_an_arm_is_guarded() {
    assert_eq!(
        body(guarded::kernel_ir()),
        "v0:n = scalar n
v1:i = program_id.x
v2 = lt v1, v0
v3 = load x[v1], if v2
v4 = const 0.0f32
v5 = select v2, v3, v4
store out[v1], v5"
    );
}

#[kernel]
pub fn nested(x: Tensor<f32>, mut out: Tensor<f32>, #[constexpr] n: u32) {
    let i = program_id::<0>();
    let eager = load(x[0]);
    out[i] = select(i < n, select(i > 2, x[i], eager), select(i == n, eager, x[1]));
}

#[test]
fn nested_arms_are_anded_and_earlier_loads_are_eager() {
    assert_eq!(
        body(nested::kernel_ir()),
        "v0:n = scalar n
v1:i = program_id.x
v2 = const 0u32
v3:eager = load x[v2]
v4 = lt v1, v0
v5 = const 2u32
v6 = gt v1, v5
v7 = and v4, v6
v8 = load x[v1], if v7
v9 = select v6, v8, v3
v10 = not v4
v11 = eq v1, v0
v12 = not v11
v13 = and v10, v12
v14 = const 1u32
v15 = load x[v14], if v13
v16 = select v11, v3, v15
v17 = select v4, v9, v16
store out[v1], v17"
    );
}

#[kernel]
pub fn helper_in_arm(x: Tensor<f32>, mut out: Tensor<f32>) {
    threadgroup_alloc("s", 32);
    threadgroup_store("s", tid, load(x[tid]));
    warp_barrier();
    out[tid] = select(tid > 0, threadgroup_load("s", tid - 1), twice(x, tid));
}

#[kernel_fn]
fn twice(x: Tensor<f32>, i: Val) -> Val {
    let v = x[i];
    v * 2.0
}

#[test]
fn guards_reach_shared_memory_and_helpers() {
    let body = body(helper_in_arm::kernel_ir());
    assert!(body.contains("load s[") && body.matches(", if v").count() == 2, "{body}");
}

#[kernel]
pub fn effects(x: Tensor<f32>, mut out: Tensor<f32>) {
    out[0] = select(x[0] > 0.0, simd_sum(x[1]), 0.0);
    out[1] = select(
        x[0] > 0.0,
        {
            out[2] = 1.0;
            x[1]
        },
        0.0,
    );
    out[3] = select(
        x[0] > 0.0,
        {
            threadgroup_barrier();
            x[1]
        },
        0.0,
    );
}

#[test]
fn an_arm_has_no_effects() {
    assert_eq!(
        refused(effects::kernel_ir()),
        "an arm of `select` holds a warp operation\nan arm of `select` holds a store\nan arm of `select` holds a barrier"
    );
}

#[kernel]
pub fn constant(x: Tensor<f32>, mut out: Tensor<f32>) {
    out[0] = select(1u32 < 2u32, x[0], x[1]);
    out[1] = select(false, x[2], x[3]);
}

#[test]
fn a_known_condition_builds_one_arm() {
    let body = body(constant::kernel_ir());
    assert!(!body.contains("select") && body.matches("load").count() == 2, "{body}");
}
