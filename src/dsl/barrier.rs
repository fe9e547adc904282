//! Named barriers: meeting points of some of a CTA's warps.

use super::build::{Build, with};
use super::error::BuildError;
use super::val::{IntoVal, Val};
use crate::ir::op::{BarrierAction, NamedBarrier};
use crate::ir::{DType, ValueId};

/// Waits at barrier `id`, 1 to 15, until warps of `threads` threads in all have come to it, those that only arrive
/// included. Whole warps come, and each counts 32.
pub fn named_barrier(id: impl IntoVal, threads: impl IntoVal) {
    meet(BarrierAction::Sync, id.val(), threads.val());
}

/// Counts the warp at barrier `id` without waiting: what it wrote before is seen by those who wait there.
pub fn named_barrier_arrive(id: impl IntoVal, threads: impl IntoVal) {
    meet(BarrierAction::Arrive, id.val(), threads.val());
}

fn meet(action: BarrierAction, id: Val, threads: Val) {
    with(|build| {
        let (id, threads) = (build.count(id), build.count(threads));
        build.ir.push(NamedBarrier { action, id, threads });
    });
}

impl Build {
    fn count(&mut self, val: Val) -> ValueId {
        if !val.dtype().is_int() {
            self.error(BuildError::Refused {
                what: format!("a barrier's number or count of type `{}`", val.dtype()),
                help: "numbers and counts are integers",
            });
        }
        let val = self.adopt(val, DType::U32);
        self.id(val)
    }
}
