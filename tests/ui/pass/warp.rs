//! Warp and CTA operations: section 6.

use crate::body;
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn warps<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let v = load(x[tid]);
    let s = simd_sum(v) + simd_max(v) + simd_min(v) + simd_product(v);
    let t = simd_shuffle_xor(v, 16) + simd_shuffle(v, lane_id() ^ 1) + simd_shuffle_up(v, 1u32);
    let u = simd_shuffle_down(v, 1) + simd_broadcast(v, 0);
    simdgroup_barrier_mem_none();
    warp_barrier();
    out[tid] = s + t + u;
}

#[test]
fn warp_operations_build() {
    let half = body(warps::kernel_ir_for(DType::F16));
    for op in [
        "warp_reduce.sum",
        "warp_reduce.max",
        "warp_reduce.min",
        "warp_reduce.product",
        "shuffle.xor",
        "shuffle.idx",
        "shuffle.up",
        "shuffle.down",
    ] {
        assert!(half.contains(op), "{op}\n{half}");
    }
    assert_eq!(half.matches("warp_barrier").count(), 2);
    // f16 is reduced in f32 and stays so.
    assert!(half.contains("cvt.f32"), "{half}");
    // i8 is reduced in i32 and wraps in its own type.
    assert!(body(warps::kernel_ir_for(DType::I8)).contains("cvt.i8"));
}

#[kernel(mode = Reduction)]
pub fn sums<T>(x: Tensor<T>, mut out: Tensor<T>, #[constexpr] n: u32) {
    let row = program_id::<0>();
    let part = strided_reduce(x, row * n, row * n + n, sum);
    let total = reduce_sum(part);
    let peak = reduce_max(strided_reduce(x, row * n, 2, row * n + n, max));
    let dot = reduce_sum(strided_reduce_dot(x, x, row * n, 0, row * n + n));
    for i in range(0, 2) {
        out[row] = total + peak + dot + reduce_min(part + i) + reduce_product(part);
    }
}

#[test]
fn cta_reductions_share_scratch_between_barriers() {
    let body = body(sums::kernel_ir_for(DType::BF16));
    // The three before the loop have their own, and need no barrier before they write it; those in it share one.
    assert_eq!(body.matches("shared").count(), 1 + 3, "{body}");
    assert_eq!(body.matches("cta_barrier").count(), 2 * 3 + 3 * 2, "{body}");
    assert_eq!(body.matches("shuffle.down").count(), 25, "{body}");
    assert_eq!(body.matches("for v").count(), 4, "{body}");
}

/// How often each of the operations stands in the text.
#[track_caller]
fn holds(body: &str, operations: &[&str]) {
    for operation in operations {
        let (operation, times) = operation.rsplit_once(" x").unwrap_or((operation, "1"));
        let found = body.matches(&format!("{operation} ")).count();
        assert_eq!(found, times.parse::<usize>().unwrap(), "{operation}\n{body}");
    }
}

#[kernel]
pub fn bits<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let v = load(x[tid]);
    out[tid] = simd_and(v) ^ simd_or(v) ^ simd_xor(v);
}

#[test]
fn bitwise_reductions_are_of_integers() {
    holds(&body(bits::kernel_ir_for(DType::I64)), &["warp_reduce.and", "warp_reduce.or", "warp_reduce.xor"]);
    // u16 is reduced in u32.
    holds(&body(bits::kernel_ir_for(DType::U16)), &["cvt.u32 x3", "cvt.u16 x3"]);
    assert!(crate::refused(bits::kernel_ir_for(DType::F32)).contains("integer"));
}

#[kernel]
pub fn prefixes<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let v = load(x[tid]);
    let sums = simd_scan_inclusive(v) + simd_scan_exclusive(v);
    let greatest = simd_scan_inclusive_max(v) + simd_scan_exclusive_max(v);
    let least = simd_scan_inclusive_min(v) + simd_scan_exclusive_min(v);
    let products = simd_scan_inclusive_product(v) + simd_scan_exclusive_product(v);
    out[tid] = sums + greatest + least + products;
}

#[test]
fn warp_scans_build() {
    let scans = [
        "warp_scan.inclusive.sum",
        "warp_scan.exclusive.sum",
        "warp_scan.inclusive.max",
        "warp_scan.exclusive.max",
        "warp_scan.inclusive.min",
        "warp_scan.exclusive.min",
        "warp_scan.inclusive.product",
        "warp_scan.exclusive.product",
    ];
    for dtype in [DType::F32, DType::BF16, DType::F64, DType::I8, DType::U64] {
        holds(&body(prefixes::kernel_ir_for(dtype)), &scans);
    }
}

#[kernel]
pub fn votes<T>(x: Tensor<T>, mut out: Tensor<u32>) {
    let v = load(x[tid]);
    let some = any_lane(v > 3) || all_lanes(v != 0);
    let mut seen = ballot(v < 7);
    if some {
        seen |= match_any(v);
    }
    out[tid] = seen;
}

#[test]
fn votes_build_under_divergence() {
    holds(&body(votes::kernel_ir_for(DType::U8)), &["vote.any", "vote.all", "ballot", "match_any"]);
}

#[kernel]
pub fn places<T>(x: Tensor<T>, mut out: Tensor<u32>) {
    let v = load(x[tid]);
    out[tid] = simd_argmax(v, lane_id()) + simd_argmin(v, 31 - lane_id());
}

#[test]
fn places_are_the_least_index_of_the_best() {
    holds(
        &body(places::kernel_ir_for(DType::F32)),
        // Each compares with the best; the least index comes from a reduction of u32.
        &["warp_reduce.max", "warp_reduce.min x3", "= eq x2", "= ne x2", "= select x2"],
    );
    // Integers have no NaN to ask for.
    assert!(!body(places::kernel_ir_for(DType::I32)).contains("= ne "));
}

#[kernel(mode = Reduction)]
pub fn cta_words<T>(x: Tensor<T>, mut out: Tensor<T>, mut at: Tensor<u32>) {
    let v = load(x[tid]);
    out[0] = reduce_and(v) ^ reduce_or(v) ^ reduce_xor(v);
    at[0] = reduce_argmax(v, tid) + reduce_argmin(v, tid);
}

#[test]
fn cta_reductions_of_bits_and_places_build() {
    let body = body(cta_words::kernel_ir_for(DType::I32));
    holds(
        &body,
        &["warp_reduce.and", "warp_reduce.or", "warp_reduce.xor", "warp_reduce.max", "warp_reduce.min x3"],
    );
    // Seven reductions, each with an array of its own.
    assert_eq!(body.matches("shared reduce_").count(), 7, "{body}");
}

#[kernel(mode = Reduction)]
pub fn cta_prefixes<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let v = load(x[tid]);
    let sums = scan_inclusive(v) + scan_exclusive(v);
    let greatest = scan_inclusive_max(v) + scan_exclusive_max(v);
    let least = scan_inclusive_min(v) + scan_exclusive_min(v);
    out[tid] = sums + greatest + least + scan_inclusive_product(v) + scan_exclusive_product(v);
}

#[test]
fn cta_scans_build() {
    let body = body(cta_prefixes::kernel_ir_for(DType::F16));
    // Of the threads in their warp, and of the warps.
    holds(
        &body,
        &[
            "warp_scan.inclusive.sum x4",
            "warp_scan.inclusive.max x4",
            "warp_scan.inclusive.min x4",
            "warp_scan.inclusive.product x4",
            "shuffle.up x4",
        ],
    );
    assert_eq!(body.matches("cta_barrier").count(), 16, "{body}");
}

#[kernel(mode = Reduction)]
pub fn walks<T>(x: Tensor<T>, scale: Tensor<f32>, mut out: Tensor<T>, mut at: Tensor<u64>, #[scalar] n: u64) {
    let greatest = reduce_max(strided_reduce(x, 0, n, max));
    let total = reduce_sum(strided_reduce_exp_sub(x, 0, n, greatest));
    strided_store(x, out, 0, n, 1 / total);
    strided_store(x, out, n, 2 * n, total, scale);
    strided_scan(x, out, 2 * n, 3 * n);
    at[0] = strided_argmax(x, 0, n);
    at[1] = strided_argmin(x, 0, n);
}

#[test]
fn walks_build() {
    for dtype in [DType::F32, DType::F16] {
        let body = body(walks::kernel_ir_for(dtype));
        assert_eq!(body.matches("for v").count(), 7, "{body}");
        assert_eq!(body.matches("shared scan_carry_").count(), 1, "{body}");
        // A place is as wide as the indices.
        assert_eq!(body.matches("shared reduce_u64").count(), 2, "{body}");
    }
}
