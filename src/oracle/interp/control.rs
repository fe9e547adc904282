//! Control flow as masks, and mutable variables.
//!
//! What holds: a region runs with `active` as its mask and leaves in it the threads that reached the region's end; a
//! `break` or `continue` takes threads out. A loop keeps the threads that still iterate on `loops`; after it, all that
//! entered are active again, since there is no other way out.

use super::{Done, Interp};
use crate::entity::EntityId;
use crate::ir::ValueId;
use crate::ir::op::{For, If, LocalGet, LocalSet, Loop};
use crate::oracle::error::FaultKind;
use crate::oracle::value::{Scalar, Word, with_int, with_word};

impl Interp<'_> {
    pub(super) fn branch(&mut self, op: &If) -> Done {
        let mut others = self.take_mask();
        others.copy_from(&self.active);
        others.retain(self.regs.words::<u8>(op.cond), false);
        if others.is_empty() || others.count() == self.active.count() {
            let region = if others.is_empty() { op.then } else { op.els };
            self.spare_masks.push(others);
            return self.region(region);
        }
        self.active.remove(&others);
        self.region(op.then)?;
        std::mem::swap(&mut self.active, &mut others);
        self.region(op.els)?;
        self.active.add(&others);
        self.spare_masks.push(others);
        Ok(())
    }

    pub(super) fn endless_loop(&mut self, op: &Loop) -> Done {
        let current = self.current;
        self.enter_loop();
        while let Some(iterating) = self.loops.last().filter(|mask| !mask.is_empty()) {
            self.active.copy_from(iterating);
            // An empty body still costs a step, or it would never end.
            self.current = current;
            self.step()?;
            self.region(op.body)?;
        }
        self.exit_loop();
        Ok(())
    }

    pub(super) fn counted_loop(&mut self, op: &For) -> Done {
        let dtype = self.kernel.dtype(op.start);
        let current = self.current;
        let mut trips = self.spare_trips.pop().unwrap_or_else(|| vec![0; self.threads]);
        with_int!(dtype, T => self.count_trips::<T>(op, &mut trips), unreachable!("validate() checked the bounds"))?;
        let least = self.active.range().filter(|&lane| self.active.has(lane)).map(|lane| trips[lane]).min();
        let least = least.unwrap_or(0);
        self.enter_loop();
        for trip in 0.. {
            let iterating = self.loops.last_mut().expect("enter_loop() pushed a mask");
            if trip >= least {
                iterating.retain_words(&trips, |trips| trips > trip);
            }
            if iterating.is_empty() {
                break;
            }
            if trip > 0 {
                let range = iterating.range();
                with_int!(dtype, T => self.advance::<T>(op, range), unreachable!("validate() checked the bounds"));
            }
            self.active.copy_from(self.loops.last().expect("enter_loop() pushed a mask"));
            self.current = current;
            self.step()?;
            self.region(op.body)?;
        }
        self.exit_loop();
        self.spare_trips.push(trips);
        Ok(())
    }

    /// Threads leave the innermost loop.
    pub(super) fn leave_loop(&mut self) {
        let iterating = self.loops.last_mut().expect("validate() checked that a break stands in a loop");
        iterating.remove(&self.active);
        self.active.clear();
    }

    pub(super) fn local_get(&mut self, op: &LocalGet, dst: ValueId) -> Done {
        let variable = &self.locals[op.local.index()];
        if !variable.is_set_everywhere {
            let unset = self.active.find(|lane| variable.set[lane] == 0 && self.live.has(lane));
            if let Some(lane) = unset {
                let name = self.kernel.locals[op.local].name.as_deref();
                let local = name.map_or_else(|| op.local.to_string(), str::to_owned);
                return Err(self.fault(lane, FaultKind::UnsetLocal { local }));
            }
        }
        let range = self.active.range();
        with_word!(variable.dtype, W => {
            self.regs.words_mut::<W>(dst)[range.clone()].copy_from_slice(&W::lanes(&variable.lanes)[range]);
        });
        Ok(())
    }

    pub(super) fn local_set(&mut self, op: &LocalSet) {
        let variable = &mut self.locals[op.local.index()];
        let range = self.active.range();
        let mask = &self.active.lanes()[range.clone()];
        with_word!(variable.dtype, W => {
            let words = &self.regs.words::<W>(op.value)[range.clone()];
            let lanes = &mut W::lanes_mut(&mut variable.lanes)[range.clone()];
            if self.active.is_dense() {
                lanes.copy_from_slice(words);
            } else {
                for ((lane, &word), &is_active) in lanes.iter_mut().zip(words).zip(mask) {
                    *lane = if is_active != 0 { word } else { *lane };
                }
            }
        });
        if !variable.is_set_everywhere {
            variable.set[range].iter_mut().zip(mask).for_each(|(set, &is_active)| *set |= is_active);
            variable.is_set_everywhere = self.active.count() == self.threads;
        }
    }

    fn enter_loop(&mut self) {
        let mut entered = self.take_mask();
        entered.copy_from(&self.active);
        let mut iterating = self.take_mask();
        iterating.copy_from(&self.active);
        self.entered.push(entered);
        self.loops.push(iterating);
    }

    fn exit_loop(&mut self) {
        let iterating = self.loops.pop().expect("enter_loop() pushed a mask");
        let mut entered = self.entered.pop().expect("enter_loop() pushed a mask");
        std::mem::swap(&mut self.active, &mut entered);
        self.spare_masks.extend([iterating, entered]);
    }

    /// How often each active thread runs the body; sets the counter to its first value.
    fn count_trips<T: Bound>(&mut self, op: &For, trips: &mut [u64]) -> Done {
        let range = self.active.range();
        let mut counter = self.regs.take(op.counter.0);
        let start = &self.regs.words::<T::Word>(op.start)[range.clone()];
        let end = &self.regs.words::<T::Word>(op.end)[range.clone()];
        let step = &self.regs.words::<T::Word>(op.step)[range.clone()];
        T::Word::lanes_mut(&mut counter)[range.clone()].copy_from_slice(start);
        for (((trips, &start), &end), &step) in trips[range].iter_mut().zip(start).zip(end).zip(step) {
            *trips = trip_count(T::of(start).wide(), T::of(end).wide(), T::of(step).wide());
        }
        let words = self.regs.words::<T::Word>(op.step);
        let stuck = self.active.find(|lane| words[lane] == T::Word::default() && self.live.has(lane));
        if let Some(lane) = stuck {
            return Err(self.fault(lane, FaultKind::StepZero));
        }
        self.regs.put(op.counter.0, counter);
        Ok(())
    }

    fn advance<T: Bound>(&mut self, op: &For, range: std::ops::Range<usize>) {
        let mut counter = self.regs.take(op.counter.0);
        let step = &self.regs.words::<T::Word>(op.step)[range.clone()];
        for (counter, &step) in T::Word::lanes_mut(&mut counter)[range].iter_mut().zip(step) {
            *counter = T::of(*counter).iadd(T::of(step)).word();
        }
        self.regs.put(op.counter.0, counter);
    }
}

/// An integer that can be a loop bound.
trait Bound: Scalar + crate::numerics::Int {
    fn wide(self) -> i128;
}

macro_rules! bound {
    ($($int:ident)*) => {
        $(impl Bound for $int {
            #[inline]
            fn wide(self) -> i128 {
                self.into()
            }
        })*
    };
}

bound!(i8 i16 i32 i64 u8 u16 u32 u64);

/// ceil((end − start) / step), or 0 where that is not positive; 0 for step 0.
#[inline]
fn trip_count(start: i128, end: i128, step: i128) -> u64 {
    let (distance, step) = if step < 0 { (start - end, -step) } else { (end - start, step) };
    if distance <= 0 || step == 0 {
        return 0;
    }
    // Both fit 64 bits, whose division is several times faster than that of 128.
    let (distance, step) = (distance as u64, step as u64);
    if step == 1 { distance } else { (distance - 1) / step + 1 }
}

#[cfg(test)]
mod tests {
    use super::trip_count;

    #[test]
    fn trips_are_counted_without_wrapping() {
        assert_eq!(trip_count(0, 10, 3), 4);
        assert_eq!(trip_count(10, 0, -3), 4);
        assert_eq!(trip_count(10, 0, 3), 0);
        assert_eq!(trip_count(0, 0, 1), 0);
        assert_eq!(trip_count(0, 5, 0), 0);
        assert_eq!(trip_count(0, u64::MAX.into(), 1), u64::MAX);
        assert_eq!(trip_count(i64::MIN.into(), i64::MAX.into(), 1), u64::MAX);
        assert_eq!(trip_count(i64::MAX.into(), i64::MIN.into(), i64::MIN.into()), 2);
        assert_eq!(trip_count(u64::from(u32::MAX - 1).into(), u32::MAX.into(), u32::MAX.into()), 1);
    }
}
