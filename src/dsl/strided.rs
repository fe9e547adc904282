//! Walks of the whole CTA over a stretch of a buffer, other than plain reductions: `strided_*`.
//!
//! Thread number L of a CTA of T threads, by linear index, takes the elements L, L + T, L + 2T, … of the stretch. Where
//! threads exchange something (`strided_scan`, `strided_argmax`, `strided_argmin`) every thread of the CTA has to come
//! by, with the same stretch. Deliberately not here: `strided_reduce` and `strided_reduce_dot`, which are beside the
//! reductions that they feed.

use super::geometry::{cta_dim, lane_id, lsize, thread_id, warp_id};
use super::local::Local;
use super::loops::range_3;
use super::memory::threadgroup_barrier;
use super::ops::{arithmetic, compare};
use super::promote::{common_of, numeric};
use super::reduce::{cta_arg, load, store, walk, when};
use super::scan::cta_scan;
use super::select::select_lazy;
use super::tensor::Tensor;
use super::transcendental::exp;
use super::types::KernelType;
use super::val::{IntoVal, Val};
use super::warp::reduction_type;
use super::{build::with, compare::and, compare::or};
use crate::ir::op::{CompareOp, Reach, ReduceOp};
use crate::ir::{ArraySpace, DType, Literal};

/// The thread's linear index in its CTA.
fn linear_id() -> Val {
    warp_id() * 32u32 + lane_id()
}

/// Threads of the CTA on all axes.
fn cta_threads() -> Val {
    cta_dim::<0>() * cta_dim::<1>() * cta_dim::<2>()
}

/// `strided_reduce_exp_sub(src, offset, end, s)`: this thread's part of `Σ exp(src[i] − s)` over `i` in `[offset, end)`,
/// walked by the whole CTA in index order, in f32. The caller reduces over the CTA.
pub fn strided_reduce_exp_sub<T: KernelType>(
    src: Tensor<T>,
    offset: impl IntoVal,
    end: impl IntoVal,
    s: impl IntoVal,
) -> Val {
    let s = s.val();
    let s = with(|build| build.adopt(s, DType::F32));
    walk(ReduceOp::Sum, range_3(offset.val() + thread_id::<0>(), end, lsize()), DType::F32, |i| {
        let value = src.read(i);
        let value = with(|build| build.convert(value, DType::F32));
        exp(value - s)
    })
}

/// `strided_store(src, dst, offset, end, scalar)`: `dst[i] = src[i] · scalar` for `i` in `[offset, end)`, by the whole CTA.
pub fn strided_store_5<S: KernelType, D: KernelType>(
    src: Tensor<S>,
    dst: Tensor<D>,
    offset: impl IntoVal,
    end: impl IntoVal,
    scalar: impl IntoVal,
) {
    let scalar = scalar.val();
    each(offset.val(), end.val(), |i| dst.write(i, src.read(i) * scalar));
}

/// `strided_store(src, dst, offset, end, scalar, aux)`: `dst[i] = src[i] · scalar · aux[i − offset]`, the left product
/// first, for `i` in `[offset, end)`, by the whole CTA.
pub fn strided_store_6<S: KernelType, D: KernelType, A: KernelType>(
    src: Tensor<S>,
    dst: Tensor<D>,
    offset: impl IntoVal,
    end: impl IntoVal,
    scalar: impl IntoVal,
    aux: Tensor<A>,
) {
    let (offset, scalar) = (offset.val(), scalar.val());
    each(offset, end.val(), |i| dst.write(i, src.read(i) * scalar * aux.read(i - offset)));
}

fn each(offset: Val, end: Val, element: impl Fn(Val)) {
    for i in range_3(offset + linear_id(), end, cta_threads()) {
        element(i);
    }
}

/// `strided_scan(src, dst, offset, end)`: `dst[i] = src[offset] + … + src[i]` for `i` in `[offset, end)`, by the whole
/// CTA, a chunk of one element a thread after the other.
///
/// f16 and bf16 are added in f32, narrow integers in 32 bits. Each chunk is scanned as by `scan_inclusive`, with zeros behind the end; what was
/// before it, unrounded, is added on the left: 0 for the first chunk, then the result of the last thread.
pub fn strided_scan<S: KernelType, D: KernelType>(
    src: Tensor<S>,
    dst: Tensor<D>,
    offset: impl IntoVal,
    end: impl IntoVal,
) {
    let (end, threads, thread) = (end.val(), cta_threads(), linear_id());
    let wide = reduction_type(S::dtype());
    let zero = || Val::constant(Literal::from_bits(wide, 0));
    let carry = Local::new(zero(), Some("carry"));
    let slot = with(|build| {
        let name = build.fresh_name("scan_carry");
        build.ir.array(name, ArraySpace::Shared, wide, 1)
    });
    for first in range_3(offset, end, threads) {
        // Not first + thread < end, whose sum can wrap.
        let is_within = compare(CompareOp::Lt, thread, end - first);
        let i = first + thread;
        let value = select_lazy(is_within, || src.read(i), zero);
        let prefix = cta_scan(Reach::Inclusive, ReduceOp::Sum, value);
        let result = arithmetic(ReduceOp::Sum.binary(), carry, prefix);
        when(is_within, || dst.write(i, result));
        // The scan's own barriers keep the store from whoever still reads the chunk before.
        when(compare(CompareOp::Eq, thread, threads - 1u32), || store(slot, 0u32, result));
        threadgroup_barrier();
        carry.write(load(slot, 0u32));
    }
}

/// `strided_argmax(src, offset, end)`: where the greatest of `src[offset..end)` is, in every thread: an index in `src`,
/// the least of those of equal elements (−0 equals +0). NaN loses to everything; where all are NaN, `offset`. Of nothing,
/// the greatest number of the index's type.
pub fn strided_argmax<T: KernelType>(src: Tensor<T>, offset: impl IntoVal, end: impl IntoVal) -> Val {
    arg(ReduceOp::Max, src, offset.val(), end.val())
}

/// `strided_argmin(src, offset, end)`: where the least of `src[offset..end)` is, as [`strided_argmax`].
pub fn strided_argmin<T: KernelType>(src: Tensor<T>, offset: impl IntoVal, end: impl IntoVal) -> Val {
    arg(ReduceOp::Min, src, offset.val(), end.val())
}

/// Each thread keeps the first of its best elements; the CTA compares those. A thread without elements has the worst
/// value (a NaN, or the last integer) at an index behind all others.
fn arg<T: KernelType>(op: ReduceOp, src: Tensor<T>, offset: Val, end: Val) -> Val {
    let dtype = T::dtype();
    let start = offset + linear_id();
    let index_type = numeric(common_of(start, end));
    let nowhere = Val::constant(ReduceOp::Min.identity(index_type));
    let wide = reduction_type(dtype);
    let worst = if dtype.is_float() { nan(wide) } else { op.identity(wide) };
    let best = Local::new(Val::constant(worst), Some("best"));
    let best_index = Local::new(nowhere, Some("best_index"));
    let beats = if op == ReduceOp::Max { CompareOp::Gt } else { CompareOp::Lt };
    for i in range_3(start, end, cta_threads()) {
        let value = src.read(i);
        let value = with(|build| build.convert(value, wide));
        let is_first = compare(CompareOp::Eq, best_index, nowhere);
        let better = or(compare(beats, value, best), || is_first);
        let better = if dtype.is_float() {
            // Whatever is a number beats the NaN that was all there was.
            let is_number = compare(CompareOp::Eq, value, value);
            let was_nan = compare(CompareOp::Ne, best, best);
            or(better, || and(is_number, || was_nan))
        } else {
            better
        };
        when(better, || {
            best.write(value);
            best_index.write(i);
        });
    }
    cta_arg(op, best, best_index)
}

/// The NaN of f32 or f64.
fn nan(dtype: DType) -> Literal {
    let bits = if dtype == DType::F64 { 0x7fff_ffff_ffff_ffff } else { 0x7fff_ffff };
    Literal::from_bits(dtype, bits)
}
