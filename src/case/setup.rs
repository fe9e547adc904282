//! What a function under `#[test_kernel]` describes.

use super::buffer::{Contents, Shape, TestBuffer};
use super::tolerance::Tolerance;
use crate::dsl::{BuildErrors, literal};
use crate::ir::{DType, Kernel, Launch, Literal, Mode};

/// A case: a kernel, its arguments, its launch, and what is expected of it.
#[derive(Clone, Debug)]
pub struct TestSetup {
    /// The kernel, or why it doesn't build.
    pub kernel: Result<Kernel, BuildErrors>,
    /// Buffers and scalars, bound by name.
    pub inputs: Vec<TestBuffer>,
    /// Written buffers that start as the canary.
    pub outputs: Vec<Output>,
    /// What the reference gives.
    pub expected: Vec<Expectation>,
    /// The mode, where the kernel leaves it to the launch.
    pub mode: Option<Mode>,
    /// The grid.
    pub grid: Option<Grid>,
    /// How much work it is.
    pub size: SizeClass,
    /// Why the order of its results is unspecified, if it is.
    pub unordered: Option<String>,
    /// Why it is compared with a tolerance instead of bits, if it is.
    pub approx: Option<Approx>,
    /// Whether it asserts that nothing is written.
    pub guard: bool,
    /// A tolerance of this case alone.
    pub tolerance: Option<Tolerance>,
}

/// A written buffer that starts as the canary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The parameter's name.
    pub name: String,
    /// Its extent on each axis.
    pub shape: Vec<u64>,
    /// Its dtype.
    pub dtype: DType,
}

impl Output {
    /// Elements.
    pub fn len(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What the reference gives for a buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The parameter's name.
    pub name: String,
    /// The values, in memory order.
    pub values: Expected,
}

/// Values of a reference.
#[derive(Clone, PartialEq, Debug)]
pub enum Expected {
    /// Numbers, not rounded to the dtype.
    Numbers(Vec<f64>),
    /// Exact elements.
    Elements(Vec<Literal>),
}

impl From<Vec<f64>> for Expected {
    fn from(values: Vec<f64>) -> Self {
        Self::Numbers(values)
    }
}

impl From<&[f64]> for Expected {
    fn from(values: &[f64]) -> Self {
        Self::Numbers(values.to_vec())
    }
}

impl<const N: usize> From<[f64; N]> for Expected {
    fn from(values: [f64; N]) -> Self {
        Self::Numbers(values.to_vec())
    }
}

impl From<Vec<f32>> for Expected {
    fn from(values: Vec<f32>) -> Self {
        Self::Numbers(values.into_iter().map(f64::from).collect())
    }
}

impl From<Vec<Literal>> for Expected {
    fn from(values: Vec<Literal>) -> Self {
        Self::Elements(values)
    }
}

impl From<TestBuffer> for Expected {
    fn from(buffer: TestBuffer) -> Self {
        Self::Elements(buffer.literals())
    }
}

/// Why a case is compared with a tolerance instead of bits.
#[derive(Clone, PartialEq, Debug)]
pub struct Approx {
    /// The reason.
    pub why: String,
    /// How far device and oracle may be apart.
    pub tolerance: Tolerance,
}

/// How a case is launched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grid {
    /// `n` threads along x, in CTAs of so many; threads beyond `n` do nothing.
    Linear(u64, u32),
    /// Whole CTAs.
    Ctas([u64; 3], [u32; 3]),
    /// Exact extents in threads.
    Threads([u64; 3], [u32; 3]),
}

/// How much work a case is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum SizeClass {
    /// At most 20 million lane instructions: everywhere.
    #[default]
    Ci,
    /// Where there is a GPU.
    Gpu,
    /// On request.
    Large,
}

/// A number of elements or CTAs.
pub trait Count {
    /// As a `u64`; a negative one is 0.
    fn count(self) -> u64;
}

/// A scalar's value before its parameter's type is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// A whole number.
    Int(i128),
    /// A real.
    Float(f64),
    /// A value of a dtype, taken as it is.
    Exact(Literal),
}

impl Number {
    /// The dtype it has alone.
    pub fn dtype(self) -> DType {
        match self {
            Self::Int(value) if value < 0 => DType::I32,
            Self::Int(_) => DType::U32,
            Self::Float(_) => DType::F32,
            Self::Exact(literal) => literal.dtype,
        }
    }

    /// The value in a parameter's type; `None` where it does not fit.
    pub fn literal(self, dtype: DType) -> Option<Literal> {
        match self {
            Self::Exact(literal) if literal.dtype == dtype => Some(literal),
            Self::Exact(literal) => match (literal.as_int(), literal.as_f64()) {
                (Some(value), _) => Self::Int(value).literal(dtype),
                (None, Some(value)) => Self::Float(value).literal(dtype),
                (None, None) => None,
            },
            Self::Int(value) if dtype.is_float() => literal::float(value as f64, dtype),
            Self::Int(value) if dtype == DType::Bool => (0..=1).contains(&value).then(|| Literal::bool(value == 1)),
            Self::Int(value) => Literal::int(dtype, value),
            Self::Float(value) => literal::float(value, dtype),
        }
    }
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Count for $ty {
            fn count(self) -> u64 {
                u64::try_from(self).unwrap_or(0)
            }
        }
        impl From<$ty> for Number {
            fn from(value: $ty) -> Self {
                Self::Int(value as i128)
            }
        }
    )*};
}

integers!(usize, u8, u16, u32, u64, i8, i16, i32, i64, isize);

impl From<f32> for Number {
    fn from(value: f32) -> Self {
        Self::Exact(Literal::f32(value))
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<bool> for Number {
    fn from(value: bool) -> Self {
        Self::Exact(Literal::bool(value))
    }
}

impl From<Literal> for Number {
    fn from(value: Literal) -> Self {
        Self::Exact(value)
    }
}

/// Why a case can't be launched as described.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupError {
    /// No grid.
    #[error("the case has no grid")]
    NoGrid,
    /// The case and the kernel name different modes.
    #[error("the kernel fixes mode {kernel:?}, but the case asks for {case:?}")]
    Mode {
        /// The kernel's.
        kernel: Mode,
        /// The case's.
        case: Mode,
    },
    /// A CTA of no threads.
    #[error("a CTA has no threads")]
    EmptyCta,
}

impl crate::diag::Help for SetupError {
    fn help(&self) -> Option<String> {
        Some(
            match self {
                Self::NoGrid => "add `.grid_1d(n, threads)` or `.grid_3d(x, y, z, [threads, 1, 1])`",
                Self::Mode { .. } => "leave `.mode(…)` out: the kernel's own mode counts",
                Self::EmptyCta => "give at least one thread on each axis",
            }
            .into(),
        )
    }
}

impl TestSetup {
    /// A case of a kernel.
    pub fn new(kernel: Result<Kernel, BuildErrors>) -> Self {
        Self {
            kernel,
            inputs: Vec::new(),
            outputs: Vec::new(),
            expected: Vec::new(),
            mode: None,
            grid: None,
            size: SizeClass::Ci,
            unordered: None,
            approx: None,
            guard: false,
            tolerance: None,
        }
    }

    /// Binds a buffer or scalar by name; a written buffer may be given contents so.
    pub fn input(mut self, buffer: TestBuffer) -> Self {
        self.inputs.push(buffer);
        self
    }

    /// A written buffer that starts as the canary.
    pub fn output(mut self, name: &str, shape: impl Shape, dtype: DType) -> Self {
        self.outputs.push(Output { name: name.into(), shape: shape.extents(), dtype });
        self
    }

    /// Binds a scalar.
    pub fn scalar(self, name: &str, value: impl Into<Number>) -> Self {
        self.input(TestBuffer::scalar(name, value))
    }

    /// Binds a scalar; the older name.
    pub fn constexpr(self, name: &str, value: impl Into<Number>) -> Self {
        self.scalar(name, value)
    }

    /// The mode, where the kernel leaves it to the launch.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// What the reference gives for a buffer.
    pub fn expect(mut self, name: &str, values: impl Into<Expected>) -> Self {
        self.expected.push(Expectation { name: name.into(), values: values.into() });
        self
    }

    /// What the reference gives, as a buffer of that name; `expect(buffer)` under `#[test_kernel]` becomes this.
    /// A buffer that is no output yet becomes one.
    pub fn expect_buffer(mut self, buffer: TestBuffer) -> Self {
        let known = self.outputs.iter().any(|output| output.name == buffer.name)
            || self.inputs.iter().any(|input| input.name == buffer.name);
        if !known {
            let (name, shape, dtype) = (buffer.name.clone(), buffer.shape.clone(), buffer.dtype);
            self.outputs.push(Output { name, shape, dtype });
        }
        let values = Expected::Numbers(buffer.as_f64());
        self.expected.push(Expectation { name: buffer.name, values });
        self
    }

    /// How much work it is.
    pub fn size(mut self, size: SizeClass) -> Self {
        self.size = size;
        self
    }

    /// Declares that the order of its results is unspecified.
    pub fn unordered(mut self, why: &str) -> Self {
        self.unordered = Some(why.into());
        self
    }

    /// Compares device and oracle with a tolerance instead of bits.
    pub fn approx(mut self, why: &str, tolerance: Tolerance) -> Self {
        self.approx = Some(Approx { why: why.into(), tolerance });
        self
    }

    /// Asserts that nothing is written.
    pub fn guard(mut self) -> Self {
        self.guard = true;
        self
    }

    /// A tolerance of this case alone, before the function's.
    pub fn tol(mut self, tolerance: Tolerance) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// `n` threads along x in CTAs of `threads`; threads beyond `n` do nothing.
    pub fn grid_1d(mut self, n: impl Count, threads: u32) -> Self {
        self.grid = Some(Grid::Linear(n.count(), threads));
        self
    }

    /// So many CTAs on two axes.
    pub fn grid_2d(self, x: impl Count, y: impl Count, [tx, ty]: [u32; 2]) -> Self {
        self.grid_3d(x, y, 1u32, [tx, ty, 1])
    }

    /// So many CTAs on three axes.
    pub fn grid_3d(mut self, x: impl Count, y: impl Count, z: impl Count, threads: [u32; 3]) -> Self {
        self.grid = Some(Grid::Ctas([x.count(), y.count(), z.count()], threads));
        self
    }

    /// Exact extents in threads on three axes.
    pub fn threads_3d(mut self, x: impl Count, y: impl Count, z: impl Count, threads: [u32; 3]) -> Self {
        self.grid = Some(Grid::Threads([x.count(), y.count(), z.count()], threads));
        self
    }

    /// The launch; the kernel's own mode counts before the case's, and the default is `Elementwise`.
    ///
    /// # Errors
    /// No grid, an empty CTA, or a mode that contradicts the kernel's.
    pub fn launch(&self) -> Result<Launch, SetupError> {
        let fixed = self.kernel.as_ref().ok().and_then(|kernel| kernel.mode);
        let mode = match (fixed, self.mode) {
            (Some(kernel), Some(case)) if kernel != case => return Err(SetupError::Mode { kernel, case }),
            (Some(mode), _) | (None, Some(mode)) => mode,
            (None, None) => Mode::Elementwise,
        };
        let launch = match self.grid.ok_or(SetupError::NoGrid)? {
            Grid::Linear(n, threads) => match mode {
                Mode::Elementwise => Launch::linear(n, threads),
                Mode::Grid3D | Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D => {
                    let launch = Launch::threads(mode, [n, 1, 1], [threads, 1, 1]);
                    // Whole CTAs need no extent, and most kernels of these modes have none in mind.
                    let whole = n.is_multiple_of(u64::from(threads.max(1)));
                    if whole { Launch { extent: None, ..launch } } else { launch }
                }
            },
            Grid::Ctas(grid, cta) => Launch::ctas(mode, grid, cta),
            Grid::Threads(extent, cta) => Launch::threads(mode, extent, cta),
        };
        if launch.cta.contains(&0) { Err(SetupError::EmptyCta) } else { Ok(launch) }
    }

    /// The buffer or scalar bound to a name.
    pub fn find(&self, name: &str) -> Option<&TestBuffer> {
        self.inputs.iter().find(|buffer| buffer.name == name)
    }

    /// Whether any argument is too large to be held whole.
    pub fn is_sparse(&self) -> bool {
        self.inputs.iter().any(|buffer| matches!(buffer.contents, Contents::Sparse(_)))
    }
}
