//! The barrier of a CTA.

use super::{ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::Kernel;

op! {
    /// Waits for every thread of the CTA, those beyond the extent too, and orders their memory accesses.
    CtaBarrier = "cta_barrier" {}
}

impl Rule for CtaBarrier {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(ResultTypes::new())
    }
}
