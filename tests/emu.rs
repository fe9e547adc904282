//! The emulator on whole texts: known kernels at many sizes, what is found wrong, schedules, workers, vector levels.
#![expect(clippy::unwrap_used, reason = "a test that meets an error fails")]

#[path = "emu/activations.rs"]
mod activations;
#[path = "emu/atomics.rs"]
mod atomics;
#[path = "emu/calls.rs"]
mod calls;
#[path = "emu/copies.rs"]
mod copies;
#[path = "emu/faults.rs"]
mod faults;
#[path = "emu/faults_cta.rs"]
mod faults_cta;
#[path = "emu/faults_grid.rs"]
mod faults_grid;
#[path = "emu/findings.rs"]
mod findings;
#[path = "emu/gemm.rs"]
mod gemm;
#[path = "emu/instructions.rs"]
mod instructions;
#[path = "emu/kernels.rs"]
mod kernels;
#[path = "emu/last_cta.rs"]
mod last_cta;
#[path = "emu/matrix.rs"]
mod matrix;
#[path = "emu/matrix_faults.rs"]
mod matrix_faults;
#[path = "emu/mbarriers.rs"]
mod mbarriers;
#[path = "emu/printing.rs"]
mod printing;
#[path = "emu/profile.rs"]
mod profile;
#[path = "emu/rig.rs"]
mod rig;
#[path = "emu/tensor_copies.rs"]
mod tensor_copies;
#[path = "emu/values.rs"]
mod values;
#[path = "emu/values_float.rs"]
mod values_float;
#[path = "emu/values_int.rs"]
mod values_int;
#[path = "emu/values_memory.rs"]
mod values_memory;
