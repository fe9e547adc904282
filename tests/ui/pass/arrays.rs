//! Arrays of every type, by name and as handles, and what may overlap: section 6.

use crate::{body, refused, text};
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn staged<T>(x: Tensor<T>, mut out: Tensor<T>) {
    threadgroup_alloc("stage", 64, coop_stage(T));
    threadgroup_alloc("always", 32, coop_stage(bf16));
    let handle = shared::<CoopStage<T>>(16);
    stack_alloc("own", 4, coop_stage(T));
    threadgroup_store("stage", tid, load(x[tid]));
    threadgroup_store("always", tid, load(x[tid]));
    handle[tid] = load(x[tid]);
    stack_store("own", 3, 1.5);
    threadgroup_barrier();
    out[tid] =
        threadgroup_load("stage", tid) + threadgroup_load("always", tid) + handle[tid] + stack_load("own", 3);
}

#[test]
fn a_cooperative_stage_holds_bf16_as_f16_and_all_else_as_it_is() {
    for (dtype, stage) in
        [(DType::BF16, "f16"), (DType::F16, "f16"), (DType::F32, "f32"), (DType::F64, "f64")]
    {
        let body = body(staged::kernel_ir_for(dtype));
        let want = [
            format!("shared stage: {stage}[64]"),
            "shared always: f16[32]".into(),
            format!("shared shared_1: {stage}[16]"),
            format!("private own: {stage}[4]"),
        ];
        for want in want {
            assert!(body.contains(&want), "{want}\n{body}");
        }
    }
}

#[kernel]
pub fn of_type<T>(x: Tensor<T>, mut out: Tensor<T>) {
    threadgroup_alloc("named", 64, T);
    stack_alloc("own", 2, T);
    let (s, a) = (shared::<T>(64), local::<T>(2));
    threadgroup_store("named", tid, load(x[tid]));
    s[tid] = load(x[tid]);
    threadgroup_barrier();
    stack_store("own", 0, threadgroup_load("named", tid ^ 1));
    stack_store("own", 1, s[tid ^ 2]);
    a[0] = stack_load("own", 0);
    a[1] = stack_load("own", 1);
    out[tid] = select(tid == 0, a[0], a[1]);
}

#[test]
fn arrays_are_of_every_type() {
    use DType::*;
    for dtype in [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, DType::E4M3, DType::E2M1] {
        let body = body(of_type::kernel_ir_for(dtype));
        for place in ["shared named", "private own", "shared shared_1", "private local_2"] {
            assert!(body.contains(&format!("{place}: {dtype}[")), "{place} of {dtype}\n{body}");
        }
    }
}

#[kernel]
pub fn truths(x: Tensor<bool>, mut out: Tensor<bool>) {
    threadgroup_alloc("flags", 64, bool);
    threadgroup_store("flags", tid, !load(x[tid]));
    threadgroup_barrier();
    if threadgroup_load("flags", tid ^ 1) {
        out[tid] = true;
    }
}

#[test]
fn a_shared_truth_is_a_condition() {
    let body = body(truths::kernel_ir());
    assert!(body.contains("shared flags: bool[64]") && body.contains("if v"), "{body}");
}

#[kernel]
pub fn wide(x: Tensor<i64>, mut out: Tensor<i64>) {
    let (s, a) = (shared::<i64>(64), local::<i64>(4));
    store_vec(s, tid * 2, load_vec::<2>(x, tid * 2));
    threadgroup_barrier();
    store_vec(a, 2, load_vec::<2>(s, (tid ^ 1) * 2));
    store_vec(out, tid * 2, load_vec::<2>(a, 2));
}

#[test]
fn vectors_go_through_every_memory() {
    let body = body(wide::kernel_ir());
    assert_eq!(body.matches("load.x2").count(), 3, "{body}");
}

#[kernel]
pub fn in_place<T>(#[alias] x: Tensor<T>, y: Tensor<T>, #[alias] mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], load(x[i]) + load(y[i]));
}

#[test]
fn what_may_overlap_says_so() {
    let text = text(in_place::kernel_ir_for(DType::F16));
    assert!(text.contains("(alias x: global f16, y: global f16, alias mut out: global f16)"), "{text}");
}

#[kernel]
pub fn confused(x: Tensor<f32>, mut out: Tensor<f32>) {
    threadgroup_alloc("tile", 4);
    stack_alloc("own", 4);
    out[0] = stack_load("tile", 0) + threadgroup_load("own", 0) + threadgroup_load("x", 0);
    stack_store("x", 0, 1.0);
    threadgroup_store("nowhere", 0, 1.0);
    threadgroup_alloc("x", 4);
    let flags = shared::<bool>(8);
    store_vec(flags, 0, load_vec::<2>(flags, 2));
    let wide = shared::<f64>(8);
    store_vec(out, 0, load_vec::<4>(wide, 0));
}

#[test]
fn misuse_is_named() {
    assert_eq!(
        refused(confused::kernel_ir()),
        "`tile` is a shared array, not a per-thread array
`own` is a per-thread array, not a shared array
`x` is a parameter, not a shared array
`x` is a parameter, not a per-thread array
no shared array is named `nowhere`
`x` is declared twice
a vector of `bool` has no form in memory
a vector of 4 `f64` is 256 bits; vectors are at most 128"
    );
}
