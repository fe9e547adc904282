//! Test and bench cases: what `#[test_kernel]` and `#[bench_kernel]` functions build, and where they are registered.
//!
//! A [`TestSetup`] names a kernel, its arguments, the launch, and what must come out. Nothing is checked while it is
//! built: [`TestSetup::check`] holds it against the kernel's signature and gives a [`Case`], or every mistake at once.
//! A kernel that could not be built is one of those mistakes, so a broken kernel is a verdict and not a panic.
//!
//! On entry: anything a user writes. On exit: a [`Case`] whose arguments fit its kernel, byte for byte the same in any
//! shard and order, because [`Generator`]s count instead of keeping state. Deliberately not here: running, comparing
//! and judging, which `corpus` does.

mod bench;
mod buffer;
mod check;
mod error;
mod expectation;
mod generator;
mod registry;
mod setup;
mod shape;
#[cfg(test)]
mod tests;
mod tolerance;

pub use bench::{BenchSetup, Sample};
pub use buffer::{Contents, IntoShape, TestBuffer, canary_byte, inputs};
pub use check::{Case, CaseBuffer};
pub use error::{CaseError, CaseErrors, IntoKernel, KernelError};
pub use expectation::{Expectation, Expected, IntoExpected, Wanted};
pub use generator::Generator;
pub use registry::{BenchEntry, TestEntry, benches, tests};
pub use setup::{SizeClass, TestSetup};
pub use shape::ShapeClass;
pub use tolerance::{Tolerance, abs, rel, ulp};

/// Everything that the functions under `#[test_kernel]` and `#[bench_kernel]` use.
pub mod prelude {
    pub use super::Generator::{Fill, FromSlice, Hard, HardFinite, Ints, Normal, Range};
    pub use super::SizeClass::{Ci, Gpu, Large};
    // `abs` stays out: a file of kernels and cases would find it ambiguous with the vocabulary's.
    pub use super::{BenchSetup, TestBuffer, TestSetup, Tolerance, inputs, rel, ulp};
    pub use crate::ir::DType;
    pub use crate::ir::Mode::{self, Elementwise, Grid3D, Reduction, SimdGroup2D, Tile2D};
}
