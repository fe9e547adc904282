//! Warp operations.

use super::build::with;
use super::error::BuildError;
use super::val::{IntoVal, Val};
use crate::ir::DType;
use crate::ir::op::{ReduceOp, Shuffle, ShuffleMode, WarpBarrier, WarpReduce};

/// The type that a reduction is done in: f16 and bf16 in f32, narrow integers in 32 bits.
pub(crate) fn reduction_type(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 => DType::F32,
        DType::F64 => DType::F64,
        DType::I8 | DType::I16 | DType::I32 => DType::I32,
        DType::Bool | DType::U8 | DType::U16 | DType::U32 => DType::U32,
        DType::I64 => DType::I64,
        DType::U64 => DType::U64,
        // Refused by the operation.
        DType::Storage(_) => dtype,
    }
}

/// Reduces over the warp's active lanes.
pub(crate) fn warp_reduce(op: ReduceOp, value: impl IntoVal) -> Val {
    let value = value.val();
    with(|build| {
        let wide = build.adopt(value, reduction_type(value.dtype()));
        let id = build.id(wide);
        let result = build.value(WarpReduce { op, value: id });
        // Integers wrap in their own type; floats stay f32.
        if value.dtype().is_int() { build.convert(result, value.dtype()) } else { result }
    })
}

/// The sum over the warp's active lanes, in every active lane.
pub fn simd_sum(value: impl IntoVal) -> Val {
    warp_reduce(ReduceOp::Sum, value)
}

/// The greatest over the warp's active lanes, in every active lane.
pub fn simd_max(value: impl IntoVal) -> Val {
    warp_reduce(ReduceOp::Max, value)
}

/// The least over the warp's active lanes, in every active lane.
pub fn simd_min(value: impl IntoVal) -> Val {
    warp_reduce(ReduceOp::Min, value)
}

/// The product over the warp's active lanes, in every active lane.
pub fn simd_product(value: impl IntoVal) -> Val {
    warp_reduce(ReduceOp::Product, value)
}

pub(crate) fn shuffle(mode: ShuffleMode, value: impl IntoVal, lane: impl IntoVal) -> Val {
    let (value, lane) = (value.val(), lane.val());
    with(|build| {
        if !lane.dtype().is_int() {
            build.error(BuildError::Refused {
                what: format!("a lane of type `{}`", lane.dtype()),
                help: "lanes and lane masks are integers",
            });
        }
        let lane = build.adopt(lane, DType::U32);
        let (value, lane) = (build.id(value), build.id(lane));
        build.value(Shuffle { mode, value, lane })
    })
}

/// The value of the lane whose number is this one's xor `mask`.
pub fn simd_shuffle_xor(value: impl IntoVal, mask: impl IntoVal) -> Val {
    shuffle(ShuffleMode::Xor, value, mask)
}

/// The value of a lane, modulo 32.
pub fn simd_shuffle(value: impl IntoVal, lane: impl IntoVal) -> Val {
    shuffle(ShuffleMode::Idx, value, lane)
}

/// The value of the lane `delta` below; the own one where there is none.
pub fn simd_shuffle_up(value: impl IntoVal, delta: impl IntoVal) -> Val {
    shuffle(ShuffleMode::Up, value, delta)
}

/// The value of the lane `delta` above; the own one where there is none.
pub fn simd_shuffle_down(value: impl IntoVal, delta: impl IntoVal) -> Val {
    shuffle(ShuffleMode::Down, value, delta)
}

/// The value of one lane, in all.
pub fn simd_broadcast(value: impl IntoVal, lane: impl IntoVal) -> Val {
    shuffle(ShuffleMode::Idx, value, lane)
}

/// Waits for the warp's active lanes and orders their memory accesses.
pub fn warp_barrier() {
    with(|build| {
        build.ir.push(WarpBarrier {});
    });
}

/// The older name of [`warp_barrier`]: it is one, and orders memory.
pub fn simdgroup_barrier_mem_none() {
    warp_barrier();
}
