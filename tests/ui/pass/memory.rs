//! Shared and per-thread arrays, vectors: sections 4 and 6.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn named<T>(x: Tensor<T>, mut out: Tensor<T>) {
    threadgroup_alloc("tile", 64);
    threadgroup_alloc("typed", 32, T);
    stack_alloc("mine", 4, u32);
    stack_alloc("reals", 2 * 4);
    threadgroup_store("tile", tid, load(x[tid]));
    threadgroup_store("typed", tid, 1.0);
    threadgroup_barrier();
    stack_store("mine", 0, tid);
    stack_store("reals", 1, threadgroup_load("tile", tid));
    out[tid] = stack_load("reals", 1) + stack_load("mine", 0) + threadgroup_load("typed", tid);
}

#[test]
fn arrays_are_declared_by_name() {
    let body = body(named::kernel_ir_for(DType::F16));
    for want in [
        "shared tile: f32[64]",
        "shared typed: f16[32]",
        "private mine: u32[4]",
        "private reals: f32[8]",
        "cta_barrier",
    ] {
        assert!(body.contains(want), "{want}\n{body}");
    }
}

#[kernel]
pub fn handles<T>(x: Tensor<T>, mut out: Tensor<T>) {
    const SIZE: usize = 128;
    let s = shared::<f32>(SIZE);
    let a = local::<T>(4);
    s[tid] = load(x[tid]);
    threadgroup_barrier();
    a[0] = s[tid ^ 1];
    a[1] = a[0] * 2.0;
    out[tid] = a[1];
}

#[test]
fn arrays_are_typed_handles() {
    let body = body(handles::kernel_ir_for(DType::BF16));
    assert!(body.contains("shared shared_1: f32[128]"), "{body}");
    assert!(body.contains("private local_2: bf16[4]"), "{body}");
}

#[kernel]
pub fn vectors<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>() * 4;
    let [a, b, c, d] = load_vec::<4>(x, i);
    store_vec(out, i, [d, c, b, a]);
    store_vec(out, i, [0.0, a]);
}

#[test]
fn vectors_are_one_access() {
    let body = body(vectors::kernel_ir_for(DType::F16));
    assert!(body.contains("load.x4 x["), "{body}");
    assert_eq!(body.matches("store out[").count(), 2, "{body}");
}

#[kernel]
pub fn unknown(mut out: Tensor<f32>) {
    out[0] = threadgroup_load("nowhere", 0) + stack_load("neither", 1);
    threadgroup_alloc("twice", 4);
    threadgroup_alloc("twice", 4);
    threadgroup_alloc("empty", 0);
}

#[test]
fn mistakes_are_collected() {
    assert_eq!(
        refused(unknown::kernel_ir()),
        "no shared array is named `nowhere`
no per-thread array is named `neither`
`twice` is declared twice
a size of 0 elements"
    );
}

#[kernel]
pub fn remarked(mut out: Tensor<f32>) {
    comment("the tail");
    assert!(4 % 2 == 0, "never");
    out[0] = 1.0;
}

#[test]
fn a_comment_reaches_the_dump() {
    assert!(body(remarked::kernel_ir()).contains("comment \"the tail\""));
}
