//! Pauses, events, register counts and dependent launches: none changes what a program computes. A launch here is the
//! only one, so that there is nothing to wait for, and no debugger answers a breakpoint, which ends it as `trap` does.

use super::decode::Planner;
use super::micro::{Cause, Kind};
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::{Brkpt, GridDepControl, Nanosleep, PmEvent, PmEventMask, SetMaxNReg};

macro_rules! no_effect {
    ($($row:ident)*) => {$(
        impl Step for $row {
            fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                Ok(Plan::of(Kind::Lanes))
            }
        }
    )*};
}

no_effect! { Nanosleep PmEvent PmEventMask GridDepControl SetMaxNReg }

impl Step for Brkpt {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Trap(Cause::Asked)))
    }
}
