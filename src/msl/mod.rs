//! The Metal Shading Language back end: text for elementwise kernels.
//!
//! A validated kernel is lowered to a typed tree (`ast`), which `print` writes; MSL functions that several kernels
//! share stand as MSL in `prelude/` and are written only where they are called. On entry a kernel has passed
//! `ir::validate`. On exit the text computes what `docs/semantics.md` says wherever the device rounds as IEEE does and
//! keeps subnormals, or every operation that has no form here is named with its place.
//!
//! What is taken from Metal's word and not spelled out: `float` + − × ÷, `precise::sqrt` and `fma` round to nearest even,
//! and so do `half` + − × and `fma`, `float` to `half`, and integers to `float`; a `float` in a register keeps its bits.
//! A device that flushes subnormals of `float` differs there, which a probe on the device has to tell.
//!
//! Deliberately not here: warp operations, barriers, shared and per-thread arrays (each is refused by name), f64 (Metal
//! has none), and running the text.

mod ast;
mod keywords;
mod lower;
mod print;

use crate::backend::{CodegenBackend, EmitError, Emitted};
use crate::diag::Spanned;
use crate::ir::{Kernel, LaunchClass};
use crate::target::TargetProfile;

/// The name by which messages call this back end.
const BACKEND: &str = "msl";

/// The generator of MSL text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Msl;

impl CodegenBackend for Msl {
    fn name(&self) -> &'static str {
        BACKEND
    }

    fn emit(
        &self,
        kernel: &Kernel,
        class: &LaunchClass,
        target: TargetProfile,
    ) -> Result<Emitted, Vec<Spanned<EmitError>>> {
        let family = match target {
            TargetProfile::Metal(family) => family,
            TargetProfile::Ptx(other) => {
                let error = EmitError::WrongTarget { backend: BACKEND, target: other.to_string() };
                return Err(vec![Spanned::new(kernel.span, error)]);
            }
        };
        let lowered = lower::kernel(kernel, class, family)?;
        Ok(Emitted {
            text: print::module(&lowered.module),
            entry: lowered.module.entry.name.as_str().to_owned(),
            target: family.to_string(),
            ptx_version: None,
            params: lowered.params,
            static_shared: 0,
            dynamic_shared: 0,
            selection: lowered.selection,
        })
    }
}

#[cfg(test)]
mod tests;
