//! Kernels, each family in a folder: what it computes (`mod.rs`), the kernel, a plain reference, and its cases.
//!
//! Tolerances stand beside the cases with the reason for the number. Deliberately not here: anything that needs a
//! transcendental function or a matrix unit.

pub mod elementwise;
