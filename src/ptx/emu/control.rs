//! Control flow: the run loop follows it, lane by lane (see [`warp`](super::warp)).

use super::decode::Planner;
use super::micro::Kind;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::{Bra, Exit, Ret, Trap};

impl Step for Bra {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let target = planner.target(self.target)?;
        Ok(Plan::of(Kind::Branch { target, uniform: self.uni.0 }))
    }
}

impl Step for Ret {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // There are no calls: the only thing to return from is the kernel.
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
