//! Votes and matches: one answer over the lanes that met, or one for each group.

use super::decode::Planner;
use super::micro::{Kind, SyncOp};
use super::step::{Plan, Step, Unsupported, paired, pred, pred_use};
use crate::ptx::isa::modifier::VoteMode;
use crate::ptx::isa::types::WordType;
use crate::ptx::isa::{
    ActiveMask, Ballot, Elect, MatchAll, MatchAny, PairedDef, Reg, RegClass, ScalarType, Use, Vote,
};

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

impl Step for MatchAny {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(matching(planner, self.ty, false, (self.dst.0, PairedDef::Absent), self.src, self.members))
    }
}

impl Step for MatchAll {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(matching(planner, self.ty, true, (self.dst.0, self.same), self.src, self.members))
    }
}

fn matching(
    planner: &mut Planner<'_>,
    ty: WordType,
    all: bool,
    (dst, same): (Reg, PairedDef),
    src: Use,
    members: Use,
) -> Plan {
    let class = ScalarType::from(ty).class();
    let plan = Plan::of(Kind::Sync(SyncOp::Match { long: class == RegClass::B64, all }));
    let (a, e) = (planner.value(src, class), planner.value(members, RegClass::B32));
    Plan { d: planner.reg(dst), a, b: paired(same), e, ..plan }
}

impl Step for Elect {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let members = planner.value(self.members, RegClass::B32);
        let d = self.leader.0.map_or_else(|| planner.sink(RegClass::B32), |reg| planner.reg(reg));
        Ok(Plan { d, b: pred(self.elected.0.0), e: members, ..Plan::of(Kind::Sync(SyncOp::Elect)) })
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
