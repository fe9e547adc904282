//! Runs one case on the emulator to count what each instruction does.
//!
//! On entry: a case, and the text that was emitted for its launch. On exit: the profile of the launch, or why it did not
//! end well. What the case computes is not judged. Not here: what the counts mean (`inspect`).

use super::catalog::Instance;
use super::execute::start;
use super::selection::Selected;
use crate::backend::{DeviceBackend as _, DeviceError, Emitted};
use crate::case::{Case, SizeClass};
use crate::ptx::emu::Profile;
use crate::runtime::{EmuBackend, EmuSettings};
use crate::target::Target;

/// The largest case of an instance that the emulator runs in little time, by bytes of its buffers; of equal ones the first.
/// `wanted` leaves only those whose path has it as a part.
pub fn largest(instance: &Instance, wanted: Option<&str>) -> Option<(Selected, Case)> {
    let mut found: Option<(u64, Selected, Case)> = None;
    for selected in &instance.cases {
        if wanted.is_some_and(|part| !selected.id().to_string().contains(part)) {
            continue;
        }
        let Ok(case) = selected.make(0) else { continue };
        // A case that was asked for by name runs whatever its size.
        let is_small = case.size == SizeClass::Ci || wanted.is_some();
        if case.guard || !is_small {
            continue;
        }
        let bytes =
            case.buffers.iter().map(|bound| bound.buffer.len() * u64::from(bound.buffer.dtype().size()));
        let bytes = bytes.fold(0, u64::saturating_add);
        if found.as_ref().is_none_or(|(most, ..)| bytes > *most) {
            found = Some((bytes, *selected, case));
        }
    }
    found.map(|(_, selected, case)| (selected, case))
}

/// What each instruction of a case's launch does.
///
/// # Errors
/// The emulator lacks something, or the kernel does what has no defined result.
pub fn measure(case: &Case, emitted: &Emitted, target: Target) -> Result<Profile, DeviceError> {
    let device = EmuBackend::profiling(EmuSettings { target, ..EmuSettings::default() });
    let module = device.load(&case.kernel, emitted)?;
    start(&device, &*module, &emitted.params, case)?;
    Ok(device.profile())
}
