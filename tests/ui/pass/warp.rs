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
    assert_eq!(body.matches("shared reduce_f32: f32[32]").count(), 1, "{body}");
    // The three before the loop have their own, and need no barrier before they write it.
    assert_eq!(body.matches("shared").count(), 1 + 3, "{body}");
    assert_eq!(body.matches("cta_barrier").count(), 2 * 3 + 3 * 2, "{body}");
    assert_eq!(body.matches("shuffle.down").count(), 25, "{body}");
    assert_eq!(body.matches("for v").count(), 4, "{body}");
}
