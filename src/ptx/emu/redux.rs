//! `redux.sync`: one reduction over the lanes that met.

use super::decode::Planner;
use super::half;
use super::micro::{Flags, Kind, SyncOp};
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::arith_modifier::FloatReduxOp;
use crate::ptx::isa::modifier::ReduxOp;
use crate::ptx::isa::{Redux, ReduxFloat, RegClass};

impl Step for Redux {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (a, e) = (planner.value(self.src, RegClass::B32), planner.value(self.members, RegClass::B32));
        Ok(Plan { d: planner.reg(self.dst.0), a, e, ..Plan::of(Kind::Sync(SyncOp::Redux(self.op))) })
    }
}

/// The reduction of two values.
pub(super) fn combine(op: ReduxOp, a: u32, b: u32) -> u32 {
    let signed = |choose: fn(i32, i32) -> i32| choose(a.cast_signed(), b.cast_signed()).cast_unsigned();
    match op {
        ReduxOp::AddU32 | ReduxOp::AddS32 => a.wrapping_add(b),
        ReduxOp::MinU32 => a.min(b),
        ReduxOp::MaxU32 => a.max(b),
        ReduxOp::MinS32 => signed(i32::min),
        ReduxOp::MaxS32 => signed(i32::max),
        ReduxOp::And => a & b,
        ReduxOp::Or => a | b,
        ReduxOp::Xor => a ^ b,
    }
}

/// The least or greatest of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FloatExtreme {
    least: bool,
    magnitudes: bool,
    nan: bool,
}

impl FloatExtreme {
    /// The reduction of two values.
    pub(super) fn combine(self, a: u32, b: u32) -> u32 {
        let kept = if self.magnitudes { 0x7fff_ffff } else { u32::MAX };
        let flags = Flags::default().nan(self.nan);
        half::extreme::<f32>(self.least, u64::from(a & kept), u64::from(b & kept), flags) as u32
    }
}

impl Step for ReduxFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let least = match self.op {
            FloatReduxOp::Min => true,
            FloatReduxOp::Max => false,
        };
        let extreme = FloatExtreme { least, magnitudes: self.abs.0, nan: self.nan.0 };
        let (a, e) = (planner.value(self.src, RegClass::B32), planner.value(self.members, RegClass::B32));
        Ok(Plan { d: planner.reg(self.dst.0), a, e, ..Plan::of(Kind::Sync(SyncOp::ReduxFloat(extreme))) })
    }
}
