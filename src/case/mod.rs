//! Test cases and benchmarks: what a function under `#[test_kernel]` describes, and the registries it is found in.
//!
//! A case is a kernel, a dtype, inputs, a launch, and what an independent reference expects. On entry: nothing. On exit:
//! a [`TestSetup`] is data that a runner checks and executes; nothing here runs a kernel. Inputs are the same in any shard
//! and order, because each element is a function of its place alone.

mod bench;
mod buffer;
mod input;
mod registry;
mod setup;
mod tolerance;

pub use bench::{BenchSetup, Peer};
pub use buffer::{Contents, Shape, TestBuffer, canary};
pub use input::{Generator, inputs, with_case};
pub use registry::{BenchEntry, Case, KernelEntry, TestEntry, benches, cases, collisions, kernels};
pub use setup::{Approx, Count, Expectation, Expected, Grid, Number, Output, SetupError, SizeClass, TestSetup};
pub use tolerance::Tolerance;

/// Everything that a file of kernels and their cases names.
pub mod prelude {
    pub use super::{BenchSetup, SizeClass, TestBuffer, TestSetup, Tolerance, inputs};
    pub use super::{Generator::*, SizeClass::*};
    pub use crate::dsl::prelude::*;
    pub use crate::ir::Mode::{self, *};
}
