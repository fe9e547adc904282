//! The emulator on whole texts: known kernels at many sizes, what is found wrong, schedules, workers, vector levels.

#[path = "emu/findings.rs"]
mod findings;
#[path = "emu/kernels.rs"]
mod kernels;
#[path = "emu/rig.rs"]
mod rig;
