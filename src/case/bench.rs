//! What a function under `#[bench_kernel]` describes: a case to be timed.

use super::buffer::{Shape, TestBuffer};
use super::setup::{Count, Number, TestSetup};
use crate::dsl::BuildErrors;
use crate::ir::{DType, Kernel, Mode};

/// A kernel, its arguments and launch, and how much work one launch is.
#[derive(Clone, Debug)]
pub struct BenchSetup {
    /// Arguments and launch.
    pub setup: TestSetup,
    /// Bytes that one launch has to move.
    pub bytes: Option<u64>,
    /// Floating-point operations of one launch.
    pub flops: Option<u64>,
    /// The shape, as it stands in a table.
    pub shape_label: Option<String>,
    /// What it is measured against.
    pub peers: Vec<Peer>,
}

/// Something that a kernel is measured against, by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer(pub String);

impl BenchSetup {
    /// A benchmark of a kernel.
    pub fn new(kernel: Result<Kernel, BuildErrors>) -> Self {
        Self { setup: TestSetup::new(kernel), bytes: None, flops: None, shape_label: None, peers: Vec::new() }
    }

    /// Bytes that one launch has to move.
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Floating-point operations of one launch.
    pub fn flops(mut self, flops: u64) -> Self {
        self.flops = Some(flops);
        self
    }

    /// The shape, as it stands in a table.
    pub fn shape_label(mut self, label: &str) -> Self {
        self.shape_label = Some(label.into());
        self
    }

    /// Measures against something by name, too.
    pub fn peer(mut self, name: &str) -> Self {
        self.peers.push(Peer(name.into()));
        self
    }

    fn map(self, change: impl FnOnce(TestSetup) -> TestSetup) -> Self {
        Self { setup: change(self.setup), ..self }
    }

    /// As [`TestSetup::input`].
    pub fn input(self, buffer: TestBuffer) -> Self {
        self.map(|setup| setup.input(buffer))
    }

    /// As [`TestSetup::output`].
    pub fn output(self, name: &str, shape: impl Shape, dtype: DType) -> Self {
        self.map(|setup| setup.output(name, shape, dtype))
    }

    /// As [`TestSetup::scalar`].
    pub fn scalar(self, name: &str, value: impl Into<Number>) -> Self {
        self.map(|setup| setup.scalar(name, value))
    }

    /// As [`TestSetup::constexpr`].
    pub fn constexpr(self, name: &str, value: impl Into<Number>) -> Self {
        self.scalar(name, value)
    }

    /// As [`TestSetup::mode`].
    pub fn mode(self, mode: Mode) -> Self {
        self.map(|setup| setup.mode(mode))
    }

    /// As [`TestSetup::grid_1d`].
    pub fn grid_1d(self, n: impl Count, threads: u32) -> Self {
        self.map(|setup| setup.grid_1d(n, threads))
    }

    /// As [`TestSetup::grid_2d`].
    pub fn grid_2d(self, x: impl Count, y: impl Count, threads: [u32; 2]) -> Self {
        self.map(|setup| setup.grid_2d(x, y, threads))
    }

    /// As [`TestSetup::grid_3d`].
    pub fn grid_3d(self, x: impl Count, y: impl Count, z: impl Count, threads: [u32; 3]) -> Self {
        self.map(|setup| setup.grid_3d(x, y, z, threads))
    }

    /// As [`TestSetup::threads_3d`].
    pub fn threads_3d(self, x: impl Count, y: impl Count, z: impl Count, threads: [u32; 3]) -> Self {
        self.map(|setup| setup.threads_3d(x, y, z, threads))
    }
}
