//! What makes a kernel one that every backend and the oracle take.
//!
//! [`validate`] checks what holds for any launch on any target, [`validate_for`] what depends on the launch class and
//! the target. Both collect all errors. On entry nothing holds; after `Ok`, lowering and printing give a result or
//! say what is unsupported, and never panic.
//!
//! Rules of [`validate`], by file:
//! - `structure`: ids in range; each region held once and each instruction in one region; each value defined once,
//!   before its uses, and used only in the region that defines it and those nested there. Where one of these fails,
//!   the rules below are not reached, since they follow ids.
//! - `names`: kernel, module, parameters and arrays have names that a target's text can carry, and no two parameters
//!   or arrays share one; at most eight axes; no empty array; remarks of one line.
//! - `types`: each operation takes its operands and gives results of the recorded types; literals fit their type.
//! - `control`: `break` and `continue` in a loop and last in their region; steps that are constant 0; unrolling by 0;
//!   locals read where nothing can have written them.
//! - `memory`: constant indices beyond an array's end or below zero, and those that misalign a vector.
//! - `inline`: models of inline texts reach nothing but their outputs, and end in the one `yield` there is.
//! - `barrier`: constant numbers and counts of named barriers.
//! - `divergence`: CTA barriers proven to stand in divergent flow, and warp operations not proven to stand in flow
//!   that is uniform over the warp. A CTA shape or mode that the kernel does not fix is tried on representative ones:
//!   a barrier is refused where one of them proves it divergent, a warp operation where none proves it uniform. A named
//!   barrier is refused where the lanes of one warp are proven to part.
//!
//! Rules of [`validate_for`], in `class`: those of `divergence` again for that class; mode and CTA shape of kernel and
//! class agree; the CTA's size; the words the mode has; shared memory, parameters and types that the target has; warp
//! operations only where the lanes within the extent are the first of their warp.
//!
//! Not yet checked: indices known by range but not constant; locals unwritten on some paths only; shared memory read
//! before any write; vector accesses against the alignment that a class promises.

mod barrier;
mod class;
mod control;
mod divergence;
mod error;
mod inline;
mod memory;
mod names;
mod structure;
#[cfg(test)]
mod tests;
mod types;

use super::kernel::Kernel;
use super::launch::LaunchClass;
use crate::diag::Spanned;
use crate::target::TargetProfile;

pub use class::param_bytes;
pub use error::ValidateError;

/// What a check found, in the order it looked.
type Errors = Vec<Spanned<ValidateError>>;

/// Checks what holds for any launch on any target.
///
/// # Errors
/// Every rule that the kernel breaks, with its place.
pub fn validate(kernel: &Kernel) -> Result<(), Vec<Spanned<ValidateError>>> {
    let mut errors = Errors::new();
    structure::check(kernel, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    names::check(kernel, &mut errors);
    types::check(kernel, &mut errors);
    control::check(kernel, &mut errors);
    inline::check(kernel, &mut errors);
    barrier::check(kernel, &mut errors);
    memory::check(kernel, &mut errors);
    divergence::check(kernel, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks what depends on the launch class and the target, of a kernel that [`validate`] took.
///
/// # Errors
/// Every rule that the kernel breaks, with its place.
pub fn validate_for(
    kernel: &Kernel,
    class: &LaunchClass,
    target: TargetProfile,
) -> Result<(), Vec<Spanned<ValidateError>>> {
    let mut errors = Errors::new();
    class::check(kernel, class, target, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
