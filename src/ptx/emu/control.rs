//! Control flow: the run loop follows it, lane by lane (see [`warp`](super::warp)).

use super::decode::Planner;
use super::micro::Kind;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::{Bra, BrxIdx, Call, Callee, Exit, Ret, Trap};

impl Step for Bra {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let target = planner.target(self.target)?;
        Ok(Plan::of(Kind::Branch { target, uniform: self.uni.0 }))
    }
}

impl Step for BrxIdx {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // The program is decoded from comparisons that stand in its place.
        Err(Unsupported("a branch through a list in a body that was not expanded"))
    }
}

impl Step for Call {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        match self.site.callee {
            Callee::Function(id) if planner.is_assert_fail(id) => Ok(Plan::of(Kind::Trap)),
            Callee::Function(_) | Callee::Pointer(_) => {
                Err(Unsupported("calls in a body that was not expanded"))
            }
        }
    }
}

impl Step for Ret {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // Calls are expanded before: the only thing to return from is the kernel.
        Ok(Plan::of(Kind::Exit))
    }
}

impl Step for Exit {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Exit))
    }
}

impl Step for Trap {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Trap))
    }
}
