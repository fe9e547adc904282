//! The builder of a test case.

use super::error::{CaseError, IntoKernel, KernelError};
use super::expectation::{Draft, Wanted};
use super::{IntoExpected, IntoShape, ShapeClass, TestBuffer, Tolerance};
use crate::ir::{DType, Geometry, HostCount, Kernel, Mode, Scalar};

/// Where a case runs, by its cost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SizeClass {
    /// At most 20 M lane-instructions: everywhere.
    #[default]
    Ci,
    /// On a GPU.
    Gpu,
    /// On a GPU, and judged on a sample of its CTAs.
    Large,
}

/// A test case as it is written.
#[derive(Clone, Debug)]
pub struct TestSetup {
    pub(super) kernel: Result<Kernel, KernelError>,
    pub(super) buffers: Vec<(TestBuffer, bool)>,
    pub(super) scalars: Vec<(String, Scalar)>,
    pub(super) expectations: Vec<Draft>,
    pub(super) geometry: Option<Geometry>,
    pub(super) mode: Option<Mode>,
    pub(super) size: SizeClass,
    pub(super) unordered: Option<String>,
    pub(super) approx: Option<(String, Tolerance)>,
    pub(super) guard: bool,
    pub(super) tolerance: Option<Tolerance>,
    pub(super) named_tolerances: Vec<(String, Tolerance)>,
    pub(super) shape_class: Option<ShapeClass>,
    pub(super) problems: Vec<CaseError>,
}

impl TestSetup {
    /// A case of a kernel, or of an attempt to build one.
    pub fn new(kernel: impl IntoKernel) -> Self {
        Self {
            kernel: kernel.into_kernel(),
            buffers: Vec::new(),
            scalars: Vec::new(),
            expectations: Vec::new(),
            geometry: None,
            mode: None,
            size: SizeClass::Ci,
            unordered: None,
            approx: None,
            guard: false,
            tolerance: None,
            named_tolerances: Vec::new(),
            shape_class: None,
            problems: Vec::new(),
        }
    }

    /// An argument by its name: contents of a buffer (also of one that is written), or a scalar.
    #[must_use]
    pub fn input(mut self, buffer: TestBuffer) -> Self {
        self.buffers.push((buffer, false));
        self
    }

    /// A buffer that the kernel writes, filled with the canary before.
    #[must_use]
    pub fn output(self, name: impl Into<String>, shape: impl IntoShape, dtype: DType) -> Self {
        self.output_buffer(TestBuffer::uninitialised(name, shape, dtype))
    }

    /// A buffer that the kernel writes, for instance a strided or a sparse one.
    #[must_use]
    pub fn output_buffer(mut self, buffer: TestBuffer) -> Self {
        self.buffers.push((buffer, true));
        self
    }

    /// A scalar argument.
    #[must_use]
    pub fn scalar(mut self, name: impl Into<String>, value: impl Into<Scalar>) -> Self {
        self.scalars.push((name.into(), value.into()));
        self
    }

    /// A scalar argument, by its old name.
    #[must_use]
    pub fn constexpr(self, name: impl Into<String>, value: impl Into<Scalar>) -> Self {
        self.scalar(name, value)
    }

    /// What an output must hold, from its first element on.
    #[must_use]
    pub fn expect(self, name: impl Into<String>, values: impl IntoExpected) -> Self {
        self.expect_at(name, 0, values)
    }

    /// What an output must hold from element `first` on.
    #[must_use]
    pub fn expect_at(mut self, name: impl Into<String>, first: u64, values: impl IntoExpected) -> Self {
        self.expectations.push(Draft { name: name.into(), first, wanted: values.into_expected() });
        self
    }

    /// What the output of the buffer's name must hold.
    #[must_use]
    pub fn expect_buffer(self, buffer: TestBuffer) -> Self {
        self.expect(buffer.name.clone(), buffer)
    }

    /// What the output of the buffer's name must hold, bit for bit.
    #[must_use]
    pub fn expect_bits(mut self, buffer: TestBuffer) -> Self {
        self.expectations.push(Draft { name: buffer.name.clone(), first: 0, wanted: Wanted::Bits(buffer) });
        self
    }

    /// How far outputs may miss their references, whatever the attribute says.
    #[must_use]
    pub fn tol(mut self, tolerance: impl Into<Tolerance>) -> Self {
        self.tolerance = Some(tolerance.into());
        self
    }

    /// How far one output may miss its reference.
    #[must_use]
    pub fn tol_of(mut self, name: impl Into<String>, tolerance: impl Into<Tolerance>) -> Self {
        self.named_tolerances.push((name.into(), tolerance.into()));
        self
    }

    /// The tolerance unless the case has its own.
    pub(super) fn default_tolerance(mut self, tolerance: Tolerance) -> Self {
        self.tolerance.get_or_insert(tolerance);
        self
    }

    /// What the short geometry words mean; not needed where the kernel says so itself.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Exactly `threads` threads, in CTAs of `cta`.
    #[must_use]
    pub fn threads_1d(mut self, threads: impl HostCount, cta: u32) -> Self {
        let threads = self.count(threads);
        self.geometry = Some(Geometry::Linear { threads, cta });
        self
    }

    /// Exactly so many threads on each axis, in CTAs of `cta`.
    #[must_use]
    pub fn threads_3d(
        mut self,
        x: impl HostCount,
        y: impl HostCount,
        z: impl HostCount,
        cta: [u32; 3],
    ) -> Self {
        let threads = [self.count(x), self.count(y), self.count(z)];
        self.geometry = Some(Geometry::Threads { threads, cta });
        self
    }

    /// The same as [`threads_1d`](Self::threads_1d): `threads` stays the exact extent.
    #[must_use]
    pub fn grid_1d(self, threads: impl HostCount, cta: u32) -> Self {
        self.threads_1d(threads, cta)
    }

    /// So many CTAs of `cta` threads.
    #[must_use]
    pub fn grid_2d(self, x: impl HostCount, y: impl HostCount, cta: [u32; 2]) -> Self {
        self.grid_3d(x, y, 1u32, [cta[0], cta[1], 1])
    }

    /// So many CTAs of `cta` threads.
    #[must_use]
    pub fn grid_3d(mut self, x: impl HostCount, y: impl HostCount, z: impl HostCount, cta: [u32; 3]) -> Self {
        let grid = [self.count(x), self.count(y), self.count(z)];
        self.geometry = Some(Geometry::Ctas { grid, cta });
        self
    }

    /// Where it runs.
    #[must_use]
    pub fn size(mut self, size: SizeClass) -> Self {
        self.size = size;
        self
    }

    /// Declares that the bits depend on an order that nobody fixes (float atomics), and why.
    #[must_use]
    pub fn unordered(mut self, why: impl Into<String>) -> Self {
        self.unordered = Some(why.into());
        self
    }

    /// Declares that the kernel approximates, why, and how far: every float result may lie so far from the reference,
    /// and a device's from the oracle's. A kernel that holds an `approx` operation needs it, and no other may have it.
    #[must_use]
    pub fn approx(mut self, why: impl Into<String>, tolerance: impl Into<Tolerance>) -> Self {
        self.approx = Some((why.into(), tolerance.into()));
        self
    }

    /// Declares that nothing may be written.
    #[must_use]
    pub fn guard(mut self) -> Self {
        self.guard = true;
        self
    }

    /// The shape class, where the sizes don't tell.
    #[must_use]
    pub fn shape_class(mut self, class: ShapeClass) -> Self {
        self.shape_class = Some(class);
        self
    }

    /// The kernel, if it could be built.
    ///
    /// # Errors
    /// What building it said.
    pub fn kernel(&self) -> Result<&Kernel, &KernelError> {
        self.kernel.as_ref()
    }

    /// Where it runs.
    pub fn size_class(&self) -> SizeClass {
        self.size
    }

    fn count(&mut self, value: impl HostCount) -> u64 {
        value.count().unwrap_or_else(|| {
            self.problems.push(CaseError::NegativeGrid);
            0
        })
    }
}
