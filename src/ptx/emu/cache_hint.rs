//! Prefetches and cache policies: they have no effect that a program could see.
//!
//! A prefetch may name an address outside all buffers, as on hardware. Loads and stores with a policy are those without.

use super::decode::Planner;
use super::micro::Kind;
use super::mov::copy;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::{
    CreatePolicy, LdHint, Prefetch, PrefetchTensormap, PrefetchUniform, RegClass, StHint, Use,
};

macro_rules! no_effect {
    ($($row:ident)*) => {$(
        impl Step for $row {
            fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                Ok(Plan::of(Kind::Lanes))
            }
        }
    )*};
}

no_effect! { Prefetch PrefetchUniform PrefetchTensormap }

/// A policy is opaque: nothing reads it but hints, which do nothing.
impl Step for CreatePolicy {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(planner.map_all(copy(RegClass::B64), self.policy.0, &[Use::Int(0)], RegClass::B64))
    }
}

impl Step for LdHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        self.plain().plan(planner)
    }
}

impl Step for StHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        self.plain().plan(planner)
    }
}
