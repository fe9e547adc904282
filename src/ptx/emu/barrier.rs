//! Barriers and fences: the CTA and the warp keep who waits (see [`cta`](super::cta) and [`sync`](super::sync)).

use super::decode::Planner;
use super::file::{File, LANES};
use super::micro::{Kind, SyncOp};
use super::order::{FenceKind, Reach};
use super::step::{Plan, Step, Unsupported, pred, pred_use};
use crate::ptx::isa::modifier::{BarrierOp, FenceOrder, MembarLevel};
use crate::ptx::isa::{
    BarArrive, BarRed, BarRedPopc, BarSync, BarWarpSync, BarrierArrive, BarrierRed, BarrierRedPopc,
    BarrierSync, Fence, FenceProxyAlias, FenceScope, Membar, OptUse, PredUse, RegClass, Use,
};

/// What threads do at a barrier of the CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarrierRole {
    /// They wait.
    Sync,
    /// They are counted and go on.
    Arrive,
    /// They wait for all threads of the cluster.
    Cluster,
    /// They wait, and learn something about everybody's predicate.
    Reduce(Reduction),
}

/// What is made of the predicates of all threads at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    /// How many are true.
    Count,
    /// Whether all are true.
    All,
    /// Whether one is true.
    Any,
}

impl Reduction {
    /// Gives the lanes the result.
    pub(super) fn write(self, file: &mut File, to: u32, lanes: u32, (ayes, voters): (u32, u32)) {
        let answer = match self {
            Self::Count => return file.write::<u32>(to, &[ayes; LANES], lanes),
            Self::All => ayes == voters,
            Self::Any => ayes != 0,
        };
        file.write_pred(to, if answer { u32::MAX } else { 0 }, lanes);
    }
}

fn plan(planner: &mut Planner<'_>, barrier: Use, threads: OptUse, aligned: bool, role: BarrierRole) -> Plan {
    let a = planner.value(barrier, RegClass::B32);
    let b = threads.0.map_or(0, |count| planner.value(count, RegClass::B32));
    Plan { a, b, ..Plan::of(Kind::Barrier { aligned, counted: threads.0.is_some(), role }) }
}

impl Step for BarSync {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, self.barrier, self.threads, true, BarrierRole::Sync))
    }
}

impl Step for BarrierSync {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, self.barrier, self.threads, self.aligned.0, BarrierRole::Sync))
    }
}

fn answering(
    planner: &mut Planner<'_>,
    (barrier, threads): (Use, OptUse),
    aligned: bool,
    (dst, src): (u32, PredUse),
    reduction: Reduction,
) -> Plan {
    let plan = plan(planner, barrier, threads, aligned, BarrierRole::Reduce(reduction));
    Plan { d: dst, c: pred_use(src), ..plan }
}

fn reduction(op: BarrierOp) -> Reduction {
    match op {
        BarrierOp::And => Reduction::All,
        BarrierOp::Or => Reduction::Any,
    }
}

impl Step for BarArrive {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, self.barrier, OptUse(Some(self.threads)), true, BarrierRole::Arrive))
    }
}

impl Step for BarrierArrive {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, self.barrier, OptUse(Some(self.threads)), self.aligned.0, BarrierRole::Arrive))
    }
}

impl Step for BarRed {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (place, result) = ((self.barrier, self.threads.0), (pred(self.dst.0), self.src));
        Ok(answering(planner, place, true, result, reduction(self.op)))
    }
}

impl Step for BarrierRed {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (place, result) = ((self.barrier, self.threads.0), (pred(self.dst.0), self.src));
        Ok(answering(planner, place, self.aligned.0, result, reduction(self.op)))
    }
}

impl Step for BarRedPopc {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (place, result) = ((self.barrier, self.threads.0), (planner.reg(self.dst.0), self.src));
        Ok(answering(planner, place, true, result, Reduction::Count))
    }
}

impl Step for BarrierRedPopc {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (place, result) = ((self.barrier, self.threads.0), (planner.reg(self.dst.0), self.src));
        Ok(answering(planner, place, self.aligned.0, result, Reduction::Count))
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
        let reach = match self.level {
            MembarLevel::Cta => Reach::Cta,
            MembarLevel::Gl | MembarLevel::Sys => Reach::Gpu,
        };
        Ok(Plan::of(Kind::Fence(FenceKind { reach, sequential: true })))
    }
}

impl Step for FenceScope {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Fence(FenceKind { reach: self.scope.into(), sequential: false })))
    }
}

/// A place of memory has one address here, whichever window it is reached through.
impl Step for FenceProxyAlias {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Lanes))
    }
}

impl Step for Fence {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let sequential = self.order == FenceOrder::Sc;
        Ok(Plan::of(Kind::Fence(FenceKind { reach: self.scope.into(), sequential })))
    }
}
