//! The builder of a bench: a test case's, and what is counted.

use super::{
    Case, CaseError, CaseErrors, IntoExpected, IntoKernel, IntoShape, SizeClass, TestBuffer, TestSetup,
    Tolerance,
};
use crate::ir::{DType, HostCount, Mode, Scalar};

/// A bench as it is written: a case, with the bytes and operations that a launch is worth.
#[derive(Clone, Debug)]
pub struct BenchSetup {
    case: TestSetup,
    bytes: Option<u64>,
    flops: Option<u64>,
    shape_label: Option<String>,
    peers: Vec<String>,
    samples: Vec<Sample>,
}

/// One element that a launch leaves, from a reference wider than the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The buffer.
    pub buffer: String,
    /// The element.
    pub index: u64,
    /// What it should be.
    pub value: f64,
    /// How far from that it may be.
    pub within: f64,
}

macro_rules! as_in_test_setup {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        $(
            #[doc = concat!("As [`TestSetup::", stringify!($name), "`].")]
            #[must_use]
            pub fn $name(mut self, $($arg: $ty),*) -> Self {
                self.case = self.case.$name($($arg),*);
                self
            }
        )*
    };
}

impl BenchSetup {
    /// A bench of a kernel, or of an attempt to build one.
    pub fn new(kernel: impl IntoKernel) -> Self {
        Self {
            case: TestSetup::new(kernel),
            bytes: None,
            flops: None,
            shape_label: None,
            peers: Vec::new(),
            samples: Vec::new(),
        }
    }

    as_in_test_setup! {
        input(buffer: TestBuffer);
        output(name: impl Into<String>, shape: impl IntoShape, dtype: DType);
        output_buffer(buffer: TestBuffer);
        scalar(name: impl Into<String>, value: impl Into<Scalar>);
        constexpr(name: impl Into<String>, value: impl Into<Scalar>);
        expect(name: impl Into<String>, values: impl IntoExpected);
        expect_buffer(buffer: TestBuffer);
        expect_bits(buffer: TestBuffer);
        tol(tolerance: impl Into<Tolerance>);
        mode(mode: Mode);
        threads_1d(threads: impl HostCount, cta: u32);
        threads_3d(x: impl HostCount, y: impl HostCount, z: impl HostCount, cta: [u32; 3]);
        grid_1d(threads: impl HostCount, cta: u32);
        grid_2d(x: impl HostCount, y: impl HostCount, cta: [u32; 2]);
        grid_3d(x: impl HostCount, y: impl HostCount, z: impl HostCount, cta: [u32; 3]);
        size(size: SizeClass);
    }

    /// The launch, checked; unlike a test's it may expect nothing.
    ///
    /// # Errors
    /// As [`TestSetup::check`].
    pub fn check(&self) -> Result<Case, CaseErrors> {
        let checked = self.case.clone().check();
        match checked {
            Err(CaseErrors(errors)) if matches!(errors[..], [CaseError::NothingExpected]) => {
                self.case.clone().guard().check()
            }
            other => other,
        }
    }

    /// Bytes that a launch must move at the least.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Floating-point operations of a launch; a fused multiply-add is two.
    #[must_use]
    pub fn flops(mut self, flops: u64) -> Self {
        self.flops = Some(flops);
        self
    }

    /// How a report calls the sizes, `4096×4096`.
    #[must_use]
    pub fn shape_label(mut self, label: impl Into<String>) -> Self {
        self.shape_label = Some(label.into());
        self
    }

    /// Something to compare with, by the name of its bench.
    #[must_use]
    pub fn peer(mut self, name: impl Into<String>) -> Self {
        self.peers.push(name.into());
        self
    }

    /// Elements to look at after the launch, where a reference of the whole would take too long.
    #[must_use]
    pub fn samples(mut self, samples: impl IntoIterator<Item = Sample>) -> Self {
        self.samples.extend(samples);
        self
    }

    /// Elements to look at after the launch.
    pub fn sampled(&self) -> &[Sample] {
        &self.samples
    }

    /// The case.
    pub fn case(&self) -> &TestSetup {
        &self.case
    }

    /// Bytes that a launch must move, if stated.
    pub fn launch_bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// Floating-point operations of a launch, if stated.
    pub fn launch_flops(&self) -> Option<u64> {
        self.flops
    }

    /// How a report calls the sizes.
    pub fn label(&self) -> Option<&str> {
        self.shape_label.as_deref()
    }

    /// What it is compared with.
    pub fn peers(&self) -> &[String] {
        &self.peers
    }
}
