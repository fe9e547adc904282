//! Why a launch did not happen.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::compile::CompileError;
use crate::backend::DeviceError;
use crate::diag::{self, Code, Help};
use crate::ir::{DType, ScalarError};

/// Why a launch did not happen, or failed.
#[derive(Clone, thiserror::Error)]
pub enum LaunchError {
    /// The kernel could not be built for these dtypes.
    #[error("`{kernel}` can't be built{}", below(&**error))]
    Build {
        /// The kernel's path.
        kernel: String,
        /// In the words of what builds it.
        error: Arc<dyn Error + Send + Sync>,
    },
    /// An argument does not fit.
    #[error("can't launch `{kernel}`: {problem}")]
    Argument {
        /// The kernel's path.
        kernel: String,
        /// Which and why.
        problem: Box<ArgumentProblem>,
    },
    /// The grid does not fit.
    #[error("can't launch `{kernel}`: {problem}")]
    Geometry {
        /// The kernel's path.
        kernel: String,
        /// Why.
        problem: GeometryProblem,
    },
    /// The kernel has no text for this launch on this device.
    #[error(transparent)]
    Compile(#[from] Box<CompileError>),
    /// The device refused, or the kernel faulted.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl fmt::Debug for LaunchError {
    /// In words: `main` shows an error that it returns by `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        diag::with_help(self, f)
    }
}

impl Help for LaunchError {
    fn help(&self) -> Option<String> {
        match self {
            Self::Build { .. } | Self::Compile(_) => None,
            Self::Argument { problem, .. } => problem.help(),
            Self::Geometry { problem, .. } => problem.help(),
            Self::Device(error) => error.help(),
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Build { .. } => Code::BuildFailed,
            Self::Argument { problem, .. } => problem.code(),
            Self::Geometry { problem, .. } => problem.code(),
            Self::Compile(error) => error.code(),
            Self::Device(error) => error.code(),
        }
    }
}

/// An argument that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentProblem {
    /// A parameter without an argument.
    #[error("parameter `{param}` has no argument")]
    Missing {
        /// The parameter.
        param: String,
    },
    /// An argument for no parameter.
    #[error("it has no parameter `{name}`")]
    Unknown {
        /// As given.
        name: String,
        /// Its parameters.
        known: Vec<String>,
    },
    /// Two arguments for one parameter.
    #[error("`{name}` is given twice")]
    Twice {
        /// The parameter.
        name: String,
    },
    /// A buffer of other elements.
    #[error("`{param}` takes elements of {expected}, but the buffer holds {given}")]
    DType {
        /// The parameter.
        param: String,
        /// The parameter's type.
        expected: DType,
        /// The buffer's.
        given: DType,
    },
    /// Two arguments that disagree on a type parameter.
    #[error("`{param}` holds {given}, but `{first}`, which is of the same type parameter, holds {expected}")]
    TypeParameter {
        /// The later parameter.
        param: String,
        /// Its type.
        given: DType,
        /// The first one.
        first: String,
        /// Its type.
        expected: DType,
    },
    /// A type parameter that no argument fixes.
    #[error("type parameter {number} is fixed by no argument")]
    NoType {
        /// From 0.
        number: usize,
    },
    /// Too many or too few dtypes were given by hand.
    #[error("it has {expected} type parameters, but {given} dtypes are given")]
    TypeCount {
        /// Its type parameters.
        expected: usize,
        /// Dtypes given.
        given: usize,
    },
    /// A buffer where a scalar is taken.
    #[error("`{param}` is a scalar, but a buffer is given for it")]
    BufferForScalar {
        /// The parameter.
        param: String,
    },
    /// A scalar where a buffer is taken.
    #[error("`{param}` is a buffer, but a scalar is given for it")]
    ScalarForBuffer {
        /// The parameter.
        param: String,
    },
    /// A scalar that the parameter can't hold.
    #[error("`{param}`: {error}")]
    Scalar {
        /// The parameter.
        param: String,
        /// Why not.
        error: ScalarError,
    },
    /// A written parameter bound by a shared borrow.
    #[error("`{param}` is written, but it is bound for reading only")]
    NotMutable {
        /// The parameter.
        param: String,
    },
    /// A buffer of another device.
    #[error("the buffer for `{param}` is on {}, but the launch is on {expected}", elsewhere(given, expected))]
    Foreign {
        /// The parameter.
        param: String,
        /// The buffer's device.
        given: String,
        /// The launch's.
        expected: String,
    },
    /// Axes that don't fit the parameter.
    #[error("`{param}` takes {expected} axes, but the view has {given}")]
    Rank {
        /// The parameter.
        param: String,
        /// Its axes.
        expected: u8,
        /// The view's.
        given: usize,
    },
    /// Axes for a parameter that has none.
    #[error("`{param}` is not `#[strided]`, but the view has {given} axes")]
    NotStrided {
        /// The parameter.
        param: String,
        /// The view's axes.
        given: usize,
    },
    /// A view that leaves its buffer.
    #[error("the view for `{param}` reaches to element {end}, but the buffer has {len}")]
    View {
        /// The parameter.
        param: String,
        /// Elements it would need.
        end: u128,
        /// Elements there are.
        len: u64,
    },
    /// A buffer that is too short for what every launch of this size touches.
    #[error("`{param}` has {len} elements, but the launch touches element {last}")]
    TooShort {
        /// The parameter.
        param: String,
        /// Elements there are.
        len: u64,
        /// The last one that the kernel touches for certain.
        last: u64,
    },
    /// A written buffer that overlaps another argument.
    #[error("`{written}` is written and overlaps `{other}`")]
    Overlap {
        /// The written parameter.
        written: String,
        /// The other.
        other: String,
    },
}

/// Words on the same line, a report below.
fn below(error: &dyn Error) -> String {
    let text = error.to_string();
    let text = text.trim_end();
    if text.contains('\n') { format!("\n{text}") } else { format!(": {text}") }
}

/// A device by its name, told apart from the launch's where that is called the same.
fn elsewhere(given: &str, expected: &str) -> String {
    if given == expected { format!("another {given} device") } else { given.into() }
}

impl Help for ArgumentProblem {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Missing { param } => format!("add `.{param}(…)`"),
            Self::Unknown { known, .. } => format!("its parameters are {}", known.join(", ")),
            Self::Twice { .. } => "remove one".into(),
            Self::DType { expected, .. } => format!("give a buffer of {expected}"),
            Self::TypeParameter { expected, .. } => format!("give a buffer of {expected} for both"),
            Self::NoType { .. } | Self::TypeCount { .. } => "name them all: `.dtypes(&[…])`".into(),
            Self::BufferForScalar { .. } => "give a number".into(),
            Self::ScalarForBuffer { .. } => "give a buffer".into(),
            Self::Scalar { error, .. } => return error.help(),
            Self::NotMutable { param } => format!("bind it by an exclusive borrow: `.{param}(&mut …)`"),
            Self::Foreign { given, expected, .. } if given == expected => {
                "upload it to the launch's device: each that is opened has memory of its own".into()
            }
            Self::Foreign { expected, .. } => format!("upload it to {expected}"),
            Self::NotStrided { param, .. } => {
                format!("bind the buffer itself, or declare `{param}` `#[strided]`")
            }
            Self::Rank { expected, .. } => {
                format!("bind `buffer.strided(&[…], &[…])` with {expected} lengths each")
            }
            Self::View { .. } => "check range, shape and strides".into(),
            Self::TooShort { last, .. } => format!(
                "give a buffer of at least {} elements, or launch fewer threads",
                u128::from(*last) + 1
            ),
            Self::Overlap { .. } => "give another buffer, or declare the parameter `#[alias]`".into(),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Missing { .. } => Code::ArgumentMissing,
            Self::Unknown { .. } => Code::ArgumentUnknown,
            Self::Twice { .. } => Code::ArgumentTwice,
            Self::DType { .. } => Code::ArgumentDType,
            Self::TypeParameter { .. } | Self::NoType { .. } | Self::TypeCount { .. } => Code::TypeParameters,
            Self::BufferForScalar { .. } | Self::ScalarForBuffer { .. } => Code::BufferOrScalar,
            Self::Scalar { error, .. } => error.code(),
            Self::NotMutable { .. } => Code::NotMutable,
            Self::Foreign { .. } => Code::ForeignBuffer,
            Self::Rank { .. } | Self::NotStrided { .. } => Code::ViewAxes,
            Self::View { .. } => Code::ViewTooLong,
            Self::TooShort { .. } => Code::BufferTooShort,
            Self::Overlap { .. } => Code::BuffersOverlap,
        }
    }
}

/// A grid that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeometryProblem {
    /// None was given.
    #[error("the launch has no grid")]
    Missing,
    /// A count below zero.
    #[error("a grid can't be negative")]
    Negative,
    /// An elementwise launch with several axes.
    #[error("an elementwise launch is one-dimensional, but it has {grid:?} CTAs of {cta:?} threads")]
    NotLinear {
        /// CTAs.
        grid: [u64; 3],
        /// Threads of a CTA.
        cta: [u32; 3],
    },
    /// More CTAs than a grid takes.
    #[error("the grid {grid:?} has {ctas} CTAs; a grid takes {limit}")]
    TooManyCtas {
        /// CTAs on each axis.
        grid: [u64; 3],
        /// Together.
        ctas: u128,
        /// The limit.
        limit: u64,
    },
    /// Global thread ids beyond 32 bits.
    #[error("{threads} threads on axis {axis} are over 2^32")]
    TooManyThreads {
        /// x, y or z.
        axis: char,
        /// Threads.
        threads: u128,
    },
    /// An extent beyond 32 bits.
    #[error("an extent of {extent} threads on axis {axis} is over 2^32 - 1")]
    ExtentTooLong {
        /// x, y or z.
        axis: char,
        /// Threads.
        extent: u64,
    },
}

impl Help for GeometryProblem {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Missing => "add `.threads_1d(n, cta)` or `.grid_3d(x, y, z, [tx, ty, tz])`".into(),
            Self::Negative => "count from 0".into(),
            Self::NotLinear { .. } => "use `.threads_1d(n, cta)`, or give the kernel another mode".into(),
            Self::TooManyCtas { .. } => "use larger CTAs, or several launches".into(),
            Self::TooManyThreads { .. } | Self::ExtentTooLong { .. } => {
                "give a thread several elements, or use several launches".into()
            }
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Missing => Code::NoGrid,
            Self::Negative | Self::NotLinear { .. } => Code::GridShape,
            Self::TooManyCtas { .. } | Self::TooManyThreads { .. } | Self::ExtentTooLong { .. } => {
                Code::GridTooLarge
            }
        }
    }
}
