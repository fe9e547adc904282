//! Atomic operations and fences: section 6.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn by_name<T>(x: Tensor<T>, mut buf: Tensor<T>, mut out: Tensor<T>) {
    threadgroup_alloc("arr", 32, T);
    threadgroup_store("arr", tid, 0);
    let i = program_id::<0>();
    let v = load(x[i]);
    atomic_add("buf", i, v);
    atomic_max("buf", i, v);
    atomic_min("buf", i, 7);
    atomic_and("buf", i, v);
    atomic_or("buf", i, v);
    atomic_xor("buf", i, v);
    store(out[i], atomic_exch("buf", i, v));
    store(out[i], atomic_cas("buf", i, 1, v));
    atomic_add_tg("arr", i, v);
    atomic_max_tg("arr", i, v);
    atomic_min_tg("arr", i, v);
    atomic_and_tg("arr", i, v);
    atomic_or_tg("arr", i, v);
    atomic_xor_tg("arr", i, v);
    store(out[i], atomic_exch_tg("arr", i, v));
    store(out[i], atomic_cas_tg("arr", i, v, 2));
}

#[test]
fn every_word_gives_its_operation() {
    let body = body(by_name::kernel_ir_for(DType::I32));
    for op in ["add", "max", "min", "and", "or", "xor", "exch"] {
        assert!(body.contains(&format!("atomic.{op}.relaxed.gpu buf[")), "{op}\n{body}");
        assert!(body.contains(&format!("atomic.{op}.relaxed.cta arr[")), "{op}\n{body}");
    }
    assert!(body.contains("atomic_cas.relaxed.gpu buf["), "{body}");
    assert!(body.contains("atomic_cas.relaxed.cta arr["), "{body}");
    assert!(body.contains("const 7i32"), "a literal takes the element's type\n{body}");
}

#[kernel]
pub fn by_handle(mut h: Tensor<bf16>, mut flag: Tensor<u32>, mut out: Tensor<f32>) {
    let s = shared::<u64>(4);
    s[0] = 0;
    let old = atomic_add(s, 0, tid);
    let pair = atomic_add_pair(h, tid * 2, [1.0, 2.0]);
    out[tid] = pair[0] + pair[1] + old.cast::<f32>();
    fence(MemoryOrder::AcqRel, MemoryScope::Gpu);
    atomic_store(flag, 0, 1, MemoryOrder::Release);
    let seen = atomic_load(flag, 0, MemoryOrder::Acquire);
    let ticket = atomic_rmw(AtomicOp::Add, flag, 1, 1, MemoryOrder::AcqRel, MemoryScope::Sys);
    let swapped = atomic_cas_ordered(flag, 2, seen, ticket, MemoryOrder::Acquire, MemoryScope::Cta);
    flag[3] = swapped;
}

#[test]
fn handles_orders_and_scopes_are_taken() {
    let body = body(by_handle::kernel_ir());
    for want in [
        "atomic.add.relaxed.cta shared_1[",
        "= atomic.add.relaxed.gpu h[",
        "fence.acq_rel.gpu",
        "atomic_store.release.gpu flag[",
        "atomic_load.acquire.gpu flag[",
        "atomic.add.acq_rel.sys flag[",
        "atomic_cas.acquire.cta flag[",
    ] {
        assert!(body.contains(want), "{want}\n{body}");
    }
}

#[kernel]
pub fn on_bytes(mut buf: Tensor<u8>) {
    atomic_add(buf, tid, 1);
}

#[kernel]
pub fn unnamed(mut buf: Tensor<u32>) {
    atomic_add("bug", tid, 1);
    atomic_add_tg("buf", tid, 1);
}

#[kernel]
pub fn read_only(buf: Tensor<u32>, mut other: Tensor<u32>) {
    store(other[tid], atomic_add(buf, tid, 1));
}

#[kernel]
pub fn in_an_arm(mut buf: Tensor<u32>) {
    store(buf[tid], select(tid < 3, atomic_add(buf, tid, 1), 0));
}

#[test]
fn what_has_no_meaning_is_refused() {
    for (kernel, want) in [
        (
            on_bytes::kernel_ir(),
            "`atomic` takes elements that are 32- or 64-bit integers, or floats, not `u8`",
        ),
        (unnamed::kernel_ir(), "`bug` is no buffer and no shared array\nno shared array is named `buf`"),
        (read_only::kernel_ir(), "an atomic operation needs a written buffer, which `buf` is not"),
        (in_an_arm::kernel_ir(), "an arm of `select` holds an atomic operation"),
    ] {
        assert_eq!(refused(kernel), want);
    }
}
