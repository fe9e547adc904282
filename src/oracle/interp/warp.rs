//! Warp operations, over the active threads inside the extent; and the CTA barrier.
//!
//! A thread outside the extent is absent from a warp operation and gets its own value, which nobody but itself can see.

use super::{Done, Interp};
use crate::ir::ValueId;
use crate::ir::op::{ReduceOp, Shuffle, ShuffleMode, WarpReduce};
use crate::numerics::{Float, Int};
use crate::oracle::error::FaultKind;
use crate::oracle::value::{Scalar, Word, with_float, with_int, with_word};

const WARP: usize = 32;

/// The lane that a lane of a warp reads; its own where the source lies past the warp.
fn source_lane(mode: ShuffleMode, lane: u32, operand: u32) -> u32 {
    let source = match mode {
        ShuffleMode::Idx => Some(operand % WARP as u32),
        ShuffleMode::Up => lane.checked_sub(operand),
        ShuffleMode::Down => lane.checked_add(operand),
        ShuffleMode::Xor => Some(lane ^ operand),
    };
    source.filter(|&source| source < WARP as u32).unwrap_or(lane)
}

impl Interp<'_> {
    pub(super) fn shuffle(&mut self, op: &Shuffle, dst: ValueId) -> Done {
        let dtype = self.kernel.dtype(op.value);
        self.gather_members();
        with_word!(dtype, W => self.shuffle_words::<W>(op, dst))
    }

    fn shuffle_words<W: Word>(&mut self, op: &Shuffle, dst: ValueId) -> Done {
        let mut lanes = self.regs.take(dst);
        let out = W::lanes_mut(&mut lanes);
        let words = self.regs.words::<W>(op.value);
        if self.members.count() < self.active.count() {
            let range = self.active.range();
            out[range.clone()].copy_from_slice(&words[range]);
        }
        let operands = self.regs.words::<u32>(op.lane);
        for thread in self.members.range() {
            if !self.members.has(thread) {
                continue;
            }
            let lane = (thread % WARP) as u32;
            let source_lane = source_lane(op.mode, lane, operands[thread]);
            let source = thread - lane as usize + source_lane as usize;
            if source >= self.threads || !self.members.has(source) {
                return Err(self.fault(thread, FaultKind::InactiveSource { lane, source_lane }));
            }
            out[thread] = words[source];
        }
        self.regs.put(dst, lanes);
        Ok(())
    }

    pub(super) fn warp_reduce(&mut self, op: &WarpReduce, dst: ValueId) {
        let dtype = self.kernel.dtype(op.value);
        self.gather_members();
        macro_rules! reduce {
            ($int:ident, $float:ident) => {
                with_int!(dtype, T => self.reduce::<T>(op, dst, Int::$int),
                    with_float!(dtype, T => self.reduce::<T>(op, dst, Float::$float),
                        unreachable!("validate() checked that a bool is not reduced")))
            };
        }
        match op.op {
            ReduceOp::Sum => reduce!(iadd, fadd),
            ReduceOp::Max => reduce!(imax, fmax),
            ReduceOp::Min => reduce!(imin, fmin),
            ReduceOp::Product => reduce!(imul, fmul),
        }
    }

    fn reduce<T: Scalar>(&mut self, op: &WarpReduce, dst: ValueId, combine: impl Fn(T, T) -> T) {
        let mut lanes = self.regs.take(dst);
        let out = T::Word::lanes_mut(&mut lanes);
        let active = self.active.range();
        let words = self.regs.words::<T::Word>(op.value);
        if self.members.count() < self.active.count() {
            out[active.clone()].copy_from_slice(&words[active]);
        }
        let range = self.members.range();
        let mut first = range.start / WARP * WARP;
        while first < range.end {
            let warp = first..(first + WARP).min(self.threads);
            first += WARP;
            let mut ranks = [T::of(T::Word::default()); WARP];
            let mut count = 0;
            for thread in warp.clone() {
                if self.members.has(thread) {
                    ranks[count] = T::of(words[thread]);
                    count += 1;
                }
            }
            let result = reduce_ranks(&mut ranks, count, &combine).word();
            // Threads that take no part keep their own value, or are inactive and keep leftovers.
            for thread in warp {
                if self.members.has(thread) {
                    out[thread] = result;
                }
            }
        }
        self.regs.put(dst, lanes);
    }

    pub(super) fn cta_barrier(&mut self) -> Done {
        if let Some((turns, warp)) = self.turns {
            return self.cta_barrier_of_warp(turns, warp);
        }
        let (arrived, threads) = (self.active.count(), self.threads);
        if arrived == threads {
            return Ok(());
        }
        let missing = (0..threads).find(|&thread| !self.active.has(thread));
        Err(self.fault(missing.unwrap_or(0), FaultKind::BarrierDivergence { arrived, threads }))
    }
}

/// The tree over ranks: for s = 16, 8, 4, 2, 1, rank r takes op(v_r, v_{r+s}) where r < s and r + s < n.
fn reduce_ranks<T: Copy>(ranks: &mut [T; WARP], count: usize, combine: &impl Fn(T, T) -> T) -> T {
    let mut stride = WARP / 2;
    while stride > 0 {
        for rank in 0..stride.min(count.saturating_sub(stride)) {
            ranks[rank] = combine(ranks[rank], ranks[rank + stride]);
        }
        stride /= 2;
    }
    ranks[0]
}
