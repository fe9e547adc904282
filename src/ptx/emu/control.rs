//! Control flow: the run loop follows it, lane by lane (see [`warp`](super::warp)).

use super::decode::Planner;
use super::micro::{Cause, Kind};
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::{Bra, BrxIdx, Call, CallOperand, Callee, Exit, RegClass, Ret, Trap, Use};

impl Step for Bra {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let target = planner.target(self.target)?;
        Ok(Plan::of(Kind::Branch { target, uniform: self.uni.0 }))
    }
}

impl Step for BrxIdx {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // Comparisons with the numbers of the list stand before it: who comes here has another.
        let a = planner.value(self.index, RegClass::B32);
        Ok(Plan { a, ..Plan::of(Kind::Trap(Cause::NoTarget)) })
    }
}

impl Step for Call {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        match self.site.callee {
            Callee::Function(id) if planner.is_assert_fail(id) => Ok(Plan::of(Kind::Trap(Cause::Asked))),
            Callee::Function(id) if planner.is_print(id) => match self.site.arguments[..] {
                [CallOperand::Value(format), CallOperand::Value(values)] => {
                    let (a, b) = (planner.value(format, RegClass::B64), planner.value(values, RegClass::B64));
                    let d = match self.site.results[..] {
                        [CallOperand::Value(Use::Reg(reg))] => planner.reg(reg),
                        _ => planner.sink(RegClass::B32),
                    };
                    Ok(Plan { a, b, d, ..Plan::of(Kind::Print) })
                }
                _ => Err(Unsupported("calls in a body that was not expanded")),
            },
            // Functions stand in the place of their calls: who comes here found no room, or no function.
            Callee::Function(_) => {
                let depth = planner.depth.ok_or(Unsupported("calls in a body that was not expanded"))?;
                Ok(Plan { a: planner.reg(depth), ..Plan::of(Kind::Trap(Cause::StackFull)) })
            }
            Callee::Pointer(reg) => {
                Ok(Plan { a: planner.reg(reg), ..Plan::of(Kind::Trap(Cause::NoFunction)) })
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
        Ok(Plan::of(Kind::Trap(Cause::Asked)))
    }
}
