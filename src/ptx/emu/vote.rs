//! Votes: one answer over the lanes that met.

use super::decode::Planner;
use super::micro::{Kind, SyncOp};
use super::step::{Plan, Step, Unsupported, pred, pred_use};
use crate::ptx::isa::modifier::VoteMode;
use crate::ptx::isa::{ActiveMask, Ballot, RegClass, Vote};

impl Step for Vote {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let members = planner.value(self.members, RegClass::B32);
        let plan = Plan::of(Kind::Sync(SyncOp::Vote(self.mode)));
        Ok(Plan { d: pred(self.dst.0), a: pred_use(self.src), e: members, ..plan })
    }
}

impl Step for Ballot {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let members = planner.value(self.members, RegClass::B32);
        let plan = Plan::of(Kind::Sync(SyncOp::Ballot));
        Ok(Plan { d: planner.reg(self.dst.0), a: pred_use(self.src), e: members, ..plan })
    }
}

impl Step for ActiveMask {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan { d: planner.reg(self.dst.0), ..Plan::of(Kind::ActiveMask) })
    }
}

/// The answer of a vote: `ayes` are those of the `voters` whose predicate is true.
pub(super) fn answer(mode: VoteMode, ayes: u32, voters: u32) -> bool {
    match mode {
        VoteMode::All => ayes == voters,
        VoteMode::Any => ayes != 0,
        VoteMode::Uni => ayes == voters || ayes == 0,
    }
}
