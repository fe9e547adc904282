//! Barriers and fences: the CTA and the warp keep who waits (see [`cta`](super::cta) and [`sync`](super::sync)).

use super::decode::Planner;
use super::micro::{Kind, SyncOp};
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::{
    BarArrive, BarSync, BarWarpSync, BarrierArrive, BarrierSync, Fence, Membar, OptUse, RegClass, Use,
};

fn plan(planner: &mut Planner<'_>, barrier: Use, threads: OptUse, aligned: bool, waits: bool) -> Plan {
    let a = planner.value(barrier, RegClass::B32);
    let b = threads.0.map_or(0, |count| planner.value(count, RegClass::B32));
    Plan { a, b, ..Plan::of(Kind::Barrier { aligned, counted: threads.0.is_some(), waits }) }
}

impl Step for BarSync {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, self.barrier, self.threads, true, true))
    }
}

impl Step for BarrierSync {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, self.barrier, self.threads, self.aligned.0, true))
    }
}

impl Step for BarArrive {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, self.barrier, OptUse(Some(self.threads)), true, false))
    }
}

impl Step for BarrierArrive {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, self.barrier, OptUse(Some(self.threads)), self.aligned.0, false))
    }
}

impl Step for BarWarpSync {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let members = planner.value(self.members, RegClass::B32);
        Ok(Plan { e: members, ..Plan::of(Kind::Sync(SyncOp::Barrier)) })
    }
}

impl Step for Membar {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Fence))
    }
}

impl Step for Fence {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Fence))
    }
}
