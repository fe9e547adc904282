//! Warp operations, over the active threads inside the extent; and the CTA barrier.
//!
//! A thread outside the extent is absent from a warp operation and gets its own value, which nobody but itself can see.

use super::{Done, Interp};
use crate::ir::ValueId;
use crate::ir::op::{
    Ballot, Match, Reach, ReduceOp, Shuffle, ShuffleMode, Vote, VoteMode, WarpReduce, WarpScan,
};
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

/// Runs code with `$combine` as the two-operand operation and `$T` as the type that a reduction is done in.
macro_rules! with_combine {
    ($op:expr, $dtype:expr, |$combine:ident, $T:ident| $body:expr) => {{
        macro_rules! number {
            ($int:ident, $float:ident) => {
                with_int!($dtype, $T => { let $combine = Int::$int; $body },
                    with_float!($dtype, $T => { let $combine = Float::$float; $body },
                        unreachable!("validate() checked that a number is reduced")))
            };
        }
        macro_rules! bits {
            ($operator:tt) => {
                with_int!($dtype, $T => { let $combine = |a: $T, b: $T| a $operator b; $body },
                    unreachable!("validate() checked that an integer is reduced by bits"))
            };
        }
        match $op {
            ReduceOp::Sum => number!(iadd, fadd),
            ReduceOp::Max => number!(imax, fmax),
            ReduceOp::Min => number!(imin, fmin),
            ReduceOp::Product => number!(imul, fmul),
            ReduceOp::And => bits!(&),
            ReduceOp::Or => bits!(|),
            ReduceOp::Xor => bits!(^),
        }
    }};
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
        with_combine!(op.op, dtype, |combine, T| {
            self.by_ranks::<T>(op.value, dst, |ranks| {
                let result = reduce_ranks(ranks, &combine);
                ranks.fill(result);
            });
        });
    }

    pub(super) fn warp_scan(&mut self, op: &WarpScan, dst: ValueId) {
        let dtype = self.kernel.dtype(op.value);
        let identity = op.op.identity(dtype).bits;
        with_combine!(op.op, dtype, |combine, T| {
            self.by_ranks::<T>(op.value, dst, |ranks| {
                scan_ranks(ranks, &combine);
                if op.reach == Reach::Exclusive {
                    ranks.rotate_right(1);
                    ranks[0] = T::of(<T as Scalar>::Word::truncated(identity));
                }
            });
        });
    }

    pub(super) fn vote(&mut self, op: &Vote, dst: ValueId) {
        self.by_ranks::<bool>(op.cond, dst, |ranks| {
            let answer = match op.mode {
                VoteMode::Any => ranks.contains(&true),
                VoteMode::All => !ranks.contains(&false),
            };
            ranks.fill(answer);
        });
    }

    pub(super) fn ballot(&mut self, op: &Ballot, dst: ValueId) {
        self.by_warps::<bool, u32>(op.cond, dst, |lanes, conds, answers| {
            let ayes = lanes.iter().zip(conds.iter()).filter(|(_, cond)| **cond);
            let mask = ayes.fold(0, |mask, (lane, _)| mask | 1 << lane);
            answers.fill(mask);
        });
    }

    pub(super) fn match_any(&mut self, op: &Match, dst: ValueId) {
        let dtype = self.kernel.dtype(op.value);
        with_int!(dtype, T => self.by_warps::<T, u32>(op.value, dst, |lanes, values, answers| {
            for (answer, value) in answers.iter_mut().zip(values.iter()) {
                let same = lanes.iter().zip(values.iter()).filter(|(_, other)| *other == value);
                *answer = same.fold(0, |mask, (lane, _)| mask | 1 << lane);
            }
        }), unreachable!("validate() checked that an integer is matched"));
    }

    /// Replaces the values of each warp's members, in the order of their ranks.
    fn by_ranks<T: Scalar>(&mut self, value: ValueId, dst: ValueId, each: impl Fn(&mut [T])) {
        self.by_warps::<T, T>(value, dst, |_, values, answers| {
            answers.copy_from_slice(values);
            each(answers);
        });
    }

    /// For each warp with members: their lanes and values in the order of ranks, and an answer for each. A thread beyond
    /// the extent counts as a warp of its own, so that a loop which ends by an answer ends for it too.
    fn by_warps<T: Scalar, R: Scalar>(
        &mut self,
        value: ValueId,
        dst: ValueId,
        each: impl Fn(&[usize], &mut [T], &mut [R]),
    ) {
        self.gather_members();
        let mut lanes = self.regs.take(dst);
        let out = R::Word::lanes_mut(&mut lanes);
        let words = self.regs.words::<T::Word>(value);
        let range = self.members.range();
        for first in (range.start / WARP * WARP..range.end).step_by(WARP) {
            let mut members = [0; WARP];
            let mut values = [T::of(T::Word::default()); WARP];
            let mut answers = [R::of(R::Word::default()); WARP];
            let mut count = 0;
            let warp = first..(first + WARP).min(self.threads);
            for (lane, &word) in words[warp].iter().enumerate() {
                if self.members.has(first + lane) {
                    members[count] = lane;
                    values[count] = T::of(word);
                    count += 1;
                }
            }
            if count == 0 {
                // The whole warp is elsewhere.
                continue;
            }
            each(&members[..count], &mut values[..count], &mut answers[..count]);
            for (&lane, answer) in members[..count].iter().zip(answers) {
                out[first + lane] = answer.word();
            }
        }
        if self.members.count() < self.active.count() {
            for thread in self.active.range() {
                if self.active.has(thread) && !self.members.has(thread) {
                    let mut answer = [R::of(R::Word::default())];
                    each(&[thread % WARP], &mut [T::of(words[thread])], &mut answer);
                    out[thread] = answer[0].word();
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
fn reduce_ranks<T: Copy>(ranks: &mut [T], combine: &impl Fn(T, T) -> T) -> T {
    let mut stride = WARP / 2;
    while stride > 0 {
        for rank in 0..stride.min(ranks.len().saturating_sub(stride)) {
            ranks[rank] = combine(ranks[rank], ranks[rank + stride]);
        }
        stride /= 2;
    }
    ranks[0]
}

/// The prefixes over ranks: for s = 1, 2, 4, 8, 16, rank r takes op(v_{r-s}, v_r) where r >= s, all at once.
fn scan_ranks<T: Copy>(ranks: &mut [T], combine: &impl Fn(T, T) -> T) {
    let mut stride = 1;
    while stride < WARP {
        for rank in (stride..ranks.len()).rev() {
            ranks[rank] = combine(ranks[rank - stride], ranks[rank]);
        }
        stride *= 2;
    }
}
