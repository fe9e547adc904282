//! The barriers of a CTA.

use super::{Keyword, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, ValueId};
use crate::ir::types::DType;

op! {
    /// Waits for every thread of the CTA, those beyond the extent too, and orders their memory accesses.
    CtaBarrier = "cta_barrier" {}
}

impl Rule for CtaBarrier {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(ResultTypes::new())
    }
}

op! {
    /// Whole warps meet at one of the CTA's named barriers. Complete once `threads` threads have come, each warp counting
    /// 32, whatever lanes it has; what came before it is then visible to those who waited.
    NamedBarrier = "named_barrier" [action: BarrierAction] {
        /// Which of them, 1 to 15, a `u32`.
        id: ValueId,
        /// How many threads it is for: a multiple of 32, not 0, a `u32`.
        threads: ValueId,
    }
}

/// What a warp does at a named barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierAction {
    /// It waits until the barrier is complete.
    Sync,
    /// It counts, and goes on.
    Arrive,
}

impl Keyword for BarrierAction {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Sync, "sync"), (Self::Arrive, "arrive")];
}

impl Rule for NamedBarrier {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        match [self.id, self.threads]
            .into_iter()
            .map(|value| kernel.dtype(value))
            .find(|&it| it != DType::U32)
        {
            None => Ok(ResultTypes::new()),
            Some(found) => {
                let takes = "a `u32` as its number and its count of threads";
                Err(TypeError::Operand { op: "named_barrier", takes, found })
            }
        }
    }
}
