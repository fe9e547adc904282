//! Warp operations.

use super::build::with;
use super::compare::or;
use super::error::BuildError;
use super::ops::compare;
use super::select::select_eager;
use super::val::{IntoVal, Val};
use crate::ir::op::{
    Ballot, CompareOp, Match, Reach, ReduceOp, Shuffle, ShuffleMode, Vote, VoteMode, WarpBarrier, WarpReduce,
    WarpScan,
};
use crate::ir::types::int_range;
use crate::ir::{DType, Literal};

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

/// Prefixes over the warp's active lanes.
pub(crate) fn warp_scan(reach: Reach, op: ReduceOp, value: impl IntoVal) -> Val {
    let value = value.val();
    with(|build| {
        let wide = build.adopt(value, reduction_type(value.dtype()));
        let id = build.id(wide);
        let result = build.value(WarpScan { reach, op, value: id });
        let narrow = value.dtype();
        if !narrow.is_int() {
            return result;
        }
        // Before the first stands the end of the wide type, whose low bits are not the narrow one's.
        let is_bounded = matches!(op, ReduceOp::Max | ReduceOp::Min);
        if reach == Reach::Inclusive || narrow.bits() >= 32 || !is_bounded {
            return build.convert(result, narrow);
        }
        let end = Val::constant(identity_of(op, narrow, wide.dtype()));
        let result = build.binary(op.binary(), result, end);
        build.convert(result, narrow)
    })
}

/// The identity of a narrow type as a value of the type that it is reduced in.
pub(crate) fn identity_of(op: ReduceOp, narrow: DType, wide: DType) -> Literal {
    let exact = |(low, high)| match op {
        ReduceOp::Max => Literal::from_bits(wide, low as u64),
        ReduceOp::Min => Literal::from_bits(wide, high as u64),
        ReduceOp::Sum | ReduceOp::Product | ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => op.identity(wide),
    };
    int_range(narrow).map_or_else(|| op.identity(wide), exact)
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $function:ident($($argument:expr),*);)*) => {$(
        $(#[$doc])*
        pub fn $name(value: impl IntoVal) -> Val {
            $function($($argument,)* value)
        }
    )*};
}

words! {
    /// The sum over the warp's active lanes, in every active lane. f16 and bf16 give f32.
    simd_sum = warp_reduce(ReduceOp::Sum);
    /// The greatest over the warp's active lanes, in every active lane. f16 and bf16 give f32.
    simd_max = warp_reduce(ReduceOp::Max);
    /// The least over the warp's active lanes, in every active lane. f16 and bf16 give f32.
    simd_min = warp_reduce(ReduceOp::Min);
    /// The product over the warp's active lanes, in every active lane. f16 and bf16 give f32.
    simd_product = warp_reduce(ReduceOp::Product);
    /// The bits set in all of the warp's active lanes; integers.
    simd_and = warp_reduce(ReduceOp::And);
    /// The bits set in any of the warp's active lanes; integers.
    simd_or = warp_reduce(ReduceOp::Or);
    /// The bits set in an odd number of the warp's active lanes; integers.
    simd_xor = warp_reduce(ReduceOp::Xor);
    /// The sum of the active lanes up to this one. f16 and bf16 give f32.
    simd_scan_inclusive = warp_scan(Reach::Inclusive, ReduceOp::Sum);
    /// The sum of the active lanes before this one; 0 in the first.
    simd_scan_exclusive = warp_scan(Reach::Exclusive, ReduceOp::Sum);
    /// The greatest of the active lanes up to this one.
    simd_scan_inclusive_max = warp_scan(Reach::Inclusive, ReduceOp::Max);
    /// The greatest of the active lanes before this one; −∞ or MIN in the first.
    simd_scan_exclusive_max = warp_scan(Reach::Exclusive, ReduceOp::Max);
    /// The least of the active lanes up to this one.
    simd_scan_inclusive_min = warp_scan(Reach::Inclusive, ReduceOp::Min);
    /// The least of the active lanes before this one; ∞ or MAX in the first.
    simd_scan_exclusive_min = warp_scan(Reach::Exclusive, ReduceOp::Min);
    /// The product of the active lanes up to this one.
    simd_scan_inclusive_product = warp_scan(Reach::Inclusive, ReduceOp::Product);
    /// The product of the active lanes before this one; 1 in the first.
    simd_scan_exclusive_product = warp_scan(Reach::Exclusive, ReduceOp::Product);
    /// A mask of the active lanes in which a condition holds: bit n for lane n, a `u32`.
    ballot = ballot_of();
    /// Whether a condition holds in any active lane.
    any_lane = vote(VoteMode::Any);
    /// Whether a condition holds in all active lanes.
    all_lanes = vote(VoteMode::All);
    /// A mask of the active lanes that hold the same integer as this one: bit n for lane n, a `u32`.
    match_any = match_of();
}

fn vote(mode: VoteMode, cond: impl IntoVal) -> Val {
    let cond = cond.val();
    with(|build| {
        let cond = build.adopt(cond, DType::Bool);
        let cond = build.id(cond);
        build.value(Vote { mode, cond })
    })
}

fn ballot_of(cond: impl IntoVal) -> Val {
    let cond = cond.val();
    with(|build| {
        let cond = build.adopt(cond, DType::Bool);
        let cond = build.id(cond);
        build.value(Ballot { cond })
    })
}

fn match_of(value: impl IntoVal) -> Val {
    let value = value.val();
    with(|build| {
        let dtype = value.dtype();
        let value = build.adopt(value, dtype);
        let value = build.id(value);
        build.value(Match { value })
    })
}

/// The number of the greatest value among the warp's active lanes: the least `index` of those that equal it. NaN loses
/// to everything; where all are NaN, the least index.
pub fn simd_argmax(value: impl IntoVal, index: impl IntoVal) -> Val {
    warp_arg(ReduceOp::Max, value, index)
}

/// The number of the least value among the warp's active lanes, as [`simd_argmax`].
pub fn simd_argmin(value: impl IntoVal, index: impl IntoVal) -> Val {
    warp_arg(ReduceOp::Min, value, index)
}

fn warp_arg(op: ReduceOp, value: impl IntoVal, index: impl IntoVal) -> Val {
    let value = value.val();
    let best = warp_reduce(op, value);
    warp_reduce(ReduceOp::Min, candidate(value, best, index.val()))
}

/// The index where the value is the best, else the greatest of its type. A NaN is the best only where it is all there is.
pub(crate) fn candidate(value: Val, best: Val, index: Val) -> Val {
    let other = ReduceOp::Min.identity(index.dtype());
    let wide = with(|build| build.convert(value, best.dtype()));
    let equal = compare(CompareOp::Eq, wide, best);
    let is_best = if best.dtype().is_float() {
        let nothing = compare(CompareOp::Ne, best, best);
        or(equal, || nothing)
    } else {
        equal
    };
    select_eager(is_best, index, Val::constant(other))
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
