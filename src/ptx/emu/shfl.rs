//! `shfl.sync`: which lane a lane reads from.

use super::decode::Planner;
use super::micro::{Kind, SyncOp};
use super::step::{Plan, Step, Unsupported, paired};
use crate::ptx::isa::modifier::ShflMode;
use crate::ptx::isa::{RegClass, Shfl};

impl Step for Shfl {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let plan = Plan::of(Kind::Sync(SyncOp::Shfl(self.mode)));
        // The second destination goes where other rows keep their flags: all five operand fields are taken.
        let flags = super::micro::Flags(paired(self.in_range));
        Ok(Plan {
            d: planner.reg(self.dst.0),
            a: planner.value(self.src, RegClass::B32),
            b: planner.value(self.lane, RegClass::B32),
            c: planner.value(self.clamp, RegClass::B32),
            e: planner.value(self.members, RegClass::B32),
            flags,
            ..plan
        })
    }
}

/// The lane that `lane` reads, or `None` where it falls outside its segment and the lane keeps its own value; as the
/// manual computes it from operands `b` and `c`.
pub(super) fn source(mode: ShflMode, lane: u32, b: u32, c: u32) -> Option<u32> {
    let (step, clamp, segment) = (b & 31, c & 31, (c >> 8) & 31);
    let greatest = (lane & segment) | (clamp & !segment);
    let least = lane & segment;
    let (from, in_range) = match mode {
        ShflMode::Up => (lane.wrapping_sub(step), lane >= step && lane - step >= greatest),
        ShflMode::Down => (lane + step, lane + step <= greatest),
        ShflMode::Bfly => (lane ^ step, lane ^ step <= greatest),
        ShflMode::Idx => {
            let from = least | (step & !segment);
            (from, from <= greatest)
        }
    };
    in_range.then_some(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_bound_the_source_as_measured() {
        // down: lane + b stays in the segment of eight.
        assert_eq!(source(ShflMode::Down, 5, 2, 0x181f), Some(7));
        assert_eq!(source(ShflMode::Down, 6, 2, 0x181f), None);
        // up: lane % w >= b.
        assert_eq!(source(ShflMode::Up, 9, 1, 0x1800), Some(8));
        assert_eq!(source(ShflMode::Up, 8, 1, 0x1800), None);
        assert_eq!(source(ShflMode::Up, 0, 1, 0), None);
        // idx: b is taken modulo the segment, and always in range.
        assert_eq!(source(ShflMode::Idx, 17, 9, 0x181f), Some(17));
        // bfly across a segment: the upper one reads the lower, the lower keeps its own.
        assert_eq!(source(ShflMode::Bfly, 20, 16, 0x101f), Some(4));
        assert_eq!(source(ShflMode::Bfly, 4, 16, 0x101f), None);
    }
}
