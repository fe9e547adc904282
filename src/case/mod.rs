//! Test cases and benchmarks: what a function under `#[test_kernel]` describes, and the registries it is found in.

pub mod registry;

pub use registry::KernelEntry;
