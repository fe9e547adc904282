//! Reductions over a CTA, and the per-thread walks that feed them.
//!
//! A CTA's reduction is the warp's tree twice: over the active lanes of each warp, then over the warps through shared
//! memory. The order is that of `docs/semantics.md`, whatever the CTA's size is.

use super::build::{Context, with};
use super::control::if_begin;
use super::geometry::{active_warps, lane_id, thread_id, warp_id};
use super::local::Local;
use super::loops::range_3;
use super::memory::threadgroup_barrier;
use super::ops::{arithmetic, compare};
use super::select::select_eager;
use super::tensor::Tensor;
use super::types::KernelType;
use super::val::{Int, IntoVal, Val};
use super::warp::{candidate, reduction_type, shuffle, warp_reduce};
use crate::ir::op::{CompareOp, MemBase, ReduceOp, ShuffleMode, Width};
use crate::ir::{ArrayId, ArraySpace, DType, Literal};

/// Warps of the largest CTA.
const MAX_WARPS: u32 = 32;

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(value: impl IntoVal) -> Val {
            cta_reduce(ReduceOp::$op, value)
        }
    )*};
}

reductions! {
    /// The sum over the CTA, in every thread. f16 and bf16 give f32.
    reduce_sum = Sum;
    /// The greatest over the CTA, in every thread. f16 and bf16 give f32.
    reduce_max = Max;
    /// The least over the CTA, in every thread. f16 and bf16 give f32.
    reduce_min = Min;
    /// The product over the CTA, in every thread. f16 and bf16 give f32.
    reduce_product = Product;
    /// The bits set in all threads of the CTA; integers.
    reduce_and = And;
    /// The bits set in any thread of the CTA; integers.
    reduce_or = Or;
    /// The bits set in an odd number of threads of the CTA; integers.
    reduce_xor = Xor;
}

/// The number of the greatest value of the CTA, in every thread: the least `index` of those that equal it. NaN loses to
/// everything; where all are NaN, the least index.
pub fn reduce_argmax(value: impl IntoVal, index: impl IntoVal) -> Val {
    cta_arg(ReduceOp::Max, value, index)
}

/// The number of the least value of the CTA, as [`reduce_argmax`].
pub fn reduce_argmin(value: impl IntoVal, index: impl IntoVal) -> Val {
    cta_arg(ReduceOp::Min, value, index)
}

pub(super) fn cta_arg(op: ReduceOp, value: impl IntoVal, index: impl IntoVal) -> Val {
    let value = value.val();
    let best = cta_reduce(op, value);
    cta_reduce(ReduceOp::Min, candidate(value, best, index.val()))
}

fn cta_reduce(op: ReduceOp, value: impl IntoVal) -> Val {
    let value = value.val();
    let narrow = value.dtype();
    let wide = reduction_type(narrow);
    let value = with(|build| build.adopt(value, wide));
    let (scratch, repeats) = scratch(wide);
    let in_warp = warp_reduce(op, value);
    let (lane, warp, warps) = (lane_id(), warp_id(), active_warps());
    publish((scratch, repeats), (lane, Int(0)), warp, in_warp);
    // With one warp the value is there already, and that warp may be partial: shuffles would reach absent lanes.
    let several = compare(CompareOp::Gt, warps, Int(1));
    let first = compare(CompareOp::Eq, warp, Int(0));
    when(super::compare::and(several, || first), || {
        let mut total = published(scratch, wide, lane, || compare(CompareOp::Lt, lane, warps));
        for distance in [16u32, 8, 4, 2, 1] {
            let other = shuffle(ShuffleMode::Down, total, distance);
            let combined = arithmetic(op.binary(), total, other);
            // Ranks of the upper half combine too, with values that rank 0 never reads again.
            let takes_part = compare(CompareOp::Lt, lane + distance, warps);
            total = select_eager(takes_part, combined, total);
        }
        when(compare(CompareOp::Eq, lane, Int(0)), || store(scratch, 0u32, total));
    });
    threadgroup_barrier();
    let result = load(scratch, 0u32);
    if narrow.is_int() { with(|build| build.convert(result, narrow)) } else { result }
}

/// Puts the total of each warp, which one of its lanes has, where all threads can read it.
pub(super) fn publish(
    (scratch, repeats): (ArrayId, bool),
    (lane, holder): (Val, Int),
    warp: Val,
    total: Val,
) {
    if repeats {
        // Someone may still read the result of the reduction before.
        threadgroup_barrier();
    }
    when(compare(CompareOp::Eq, lane, holder), || store(scratch, warp, total));
    threadgroup_barrier();
}

/// The total of the warp numbered as this lane; 0 where there is none.
pub(super) fn published(scratch: ArrayId, dtype: DType, lane: Val, exists: impl FnOnce() -> Val) -> Val {
    let zero = Val::constant(Literal::from_bits(dtype, 0));
    super::select::select_lazy(exists(), || load(scratch, lane), || zero)
}

/// How many reductions of one type have scratch of their own.
const OWN_SCRATCH: usize = 8;

/// The shared array of a CTA reduction, and whether it is used again. The first few outside loops have one each, which
/// nobody has read before; those in loops and the rest share one of their type, with barriers around each use.
pub(super) fn scratch(dtype: DType) -> (ArrayId, bool) {
    with(|build| {
        let in_loop = build.contexts.contains(&Context::TracedLoop);
        let own = build.scratch.iter().filter(|scratch| scratch.dtype == dtype && !scratch.shared).count();
        let shared = in_loop || own == OWN_SCRATCH;
        let known = build.scratch.iter().find(|scratch| scratch.dtype == dtype && scratch.shared);
        if let Some(known) = known.filter(|_| shared) {
            return (known.id, true);
        }
        let name = build.fresh_name(&format!("reduce_{dtype}"));
        let id = build.ir.array(name, ArraySpace::Shared, dtype, MAX_WARPS);
        build.scratch.push(Scratch { id, dtype, shared });
        (id, shared)
    })
}

/// A shared array that reductions made for themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scratch {
    id: ArrayId,
    dtype: DType,
    /// Whether it is used more than once.
    shared: bool,
}

pub(super) fn when(cond: Val, then: impl FnOnce()) {
    let mut then = Some(then);
    for _ in if_begin(cond, false) {
        if let Some(then) = then.take() {
            then();
        }
    }
}

pub(super) fn load(array: ArrayId, index: impl IntoVal) -> Val {
    let index = index.val();
    with(|build| build.load(MemBase::Array(array), index, Width::X1)[0])
}

pub(super) fn store(array: ArrayId, index: impl IntoVal, value: Val) {
    let index = index.val();
    with(|build| build.store(MemBase::Array(array), index, &[value]));
}

/// `strided_reduce(src, offset, end, op)`: this thread's part of a walk over `src[offset..end)` by the whole CTA, in
/// index order. The caller reduces over the CTA.
pub fn strided_reduce_4<T: KernelType>(
    src: Tensor<T>,
    offset: impl IntoVal,
    end: impl IntoVal,
    op: ReduceOp,
) -> Val {
    let start = offset.val() + thread_id::<0>();
    walk(op, range_3(start, end, super::geometry::lsize()), reduction_type(T::dtype()), |i| src.read(i))
}

/// `strided_reduce(src, offset, stride, end, op)`: this thread's part of a walk over every `stride`-th element of
/// `src[offset..end)`.
pub fn strided_reduce_5<T: KernelType>(
    src: Tensor<T>,
    offset: impl IntoVal,
    stride: impl IntoVal,
    end: impl IntoVal,
    op: ReduceOp,
) -> Val {
    let stride = stride.val();
    let start = offset.val() + thread_id::<0>() * stride;
    let step = super::geometry::lsize() * stride;
    walk(op, range_3(start, end, step), reduction_type(T::dtype()), |i| src.read(i))
}

/// `strided_reduce_dot(a, b, offset, base, end)`: this thread's part of `Σ a[i] · b[i − base]` over `i` in
/// `[offset, end)`, walked by the whole CTA in index order. A row of a matrix against a vector has the row's start as
/// its base; a buffer against itself has 0.
pub fn strided_reduce_dot<A: KernelType, B: KernelType>(
    a: Tensor<A>,
    b: Tensor<B>,
    offset: impl IntoVal,
    base: impl IntoVal,
    end: impl IntoVal,
) -> Val {
    let (offset, base) = (offset.val(), base.val());
    let dtype = reduction_type(super::promote::common(A::dtype(), B::dtype()));
    let indices = range_3(offset + thread_id::<0>(), end, super::geometry::lsize());
    walk(ReduceOp::Sum, indices, dtype, |i| {
        let (x, y) = (a.read(i), b.read(i - base));
        with(|build| {
            let (x, y) = (build.convert(x, dtype), build.convert(y, dtype));
            build.binary(crate::ir::op::BinaryOp::Mul, x, y)
        })
    })
}

pub(super) fn walk(
    op: ReduceOp,
    indices: super::loops::Traced,
    dtype: DType,
    element: impl Fn(Val) -> Val,
) -> Val {
    let partial = Local::new(Val::constant(op.identity(dtype)), Some("partial"));
    for i in indices {
        let value = element(i);
        partial.write(arithmetic(op.binary(), partial, value));
    }
    partial.read()
}
