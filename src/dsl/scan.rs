//! Prefixes over a CTA: those of each warp, then those of the warps' totals through shared memory.

use super::build::with;
use super::geometry::{active_warps, lane_id, warp_id};
use super::memory::threadgroup_barrier;
use super::ops::{arithmetic, compare};
use super::reduce::{load, publish, published, scratch, store, when};
use super::select::{select_eager, select_lazy};
use super::val::{Int, IntoVal, Val};
use super::warp::{identity_of, reduction_type, shuffle, warp_scan};
use crate::ir::op::{CompareOp, Reach, ReduceOp, ShuffleMode};

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident = $reach:ident $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(value: impl IntoVal) -> Val {
            cta_scan(Reach::$reach, ReduceOp::$op, value)
        }
    )*};
}

scans! {
    /// The sum of the CTA's threads up to this one, by linear index. f16 and bf16 give f32.
    scan_inclusive = Inclusive Sum;
    /// The sum of the CTA's threads before this one; 0 in the first.
    scan_exclusive = Exclusive Sum;
    /// The greatest of the CTA's threads up to this one.
    scan_inclusive_max = Inclusive Max;
    /// The greatest of the CTA's threads before this one; −∞ or MIN in the first.
    scan_exclusive_max = Exclusive Max;
    /// The least of the CTA's threads up to this one.
    scan_inclusive_min = Inclusive Min;
    /// The least of the CTA's threads before this one; ∞ or MAX in the first.
    scan_exclusive_min = Exclusive Min;
    /// The product of the CTA's threads up to this one.
    scan_inclusive_product = Inclusive Product;
    /// The product of the CTA's threads before this one; 1 in the first.
    scan_exclusive_product = Exclusive Product;
}

/// Within each warp the prefixes over ranks; the last lane's is the warp's total. Warp 0 takes the prefixes of the
/// totals, and every other warp adds in front of its own what is before it.
pub(super) fn cta_scan(reach: Reach, op: ReduceOp, value: impl IntoVal) -> Val {
    let value = value.val();
    let narrow = value.dtype();
    let wide = reduction_type(narrow);
    let value = with(|build| build.adopt(value, wide));
    let (scratch, repeats) = scratch(wide);
    let in_warp = warp_scan(Reach::Inclusive, op, value);
    let (lane, warp, warps) = (lane_id(), warp_id(), active_warps());
    // A warp with a warp behind it is full, so that its last lane has the total; nobody asks for the last warp's.
    publish((scratch, repeats), (lane, Int(31)), warp, in_warp);
    let others = warps - 1u32;
    when(compare(CompareOp::Eq, warp, Int(0)), || {
        let within = compare(CompareOp::Lt, lane, others);
        let mine = published(scratch, wide, lane, || within);
        // The lanes behind hold nothing, and those in front never read them.
        let prefix = warp_scan(Reach::Inclusive, op, mine);
        when(within, || store(scratch, lane, prefix));
    });
    threadgroup_barrier();
    let identity = Val::constant(identity_of(op, narrow, wide));
    let first = compare(CompareOp::Eq, warp, Int(0));
    let before = select_lazy(first, || identity, || load(scratch, warp - 1u32));
    let inclusive = select_eager(first, in_warp, arithmetic(op.binary(), before, in_warp));
    let result = match reach {
        Reach::Inclusive => inclusive,
        Reach::Exclusive => {
            let neighbour = shuffle(ShuffleMode::Up, inclusive, 1u32);
            select_eager(compare(CompareOp::Eq, lane, Int(0)), before, neighbour)
        }
    };
    if narrow.is_int() { with(|build| build.convert(result, narrow)) } else { result }
}
