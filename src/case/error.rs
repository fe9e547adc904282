//! What can be wrong with a case.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::diag::{Code, Help};
use crate::ir::{DType, Kernel, Mode, ScalarError};

/// A kernel that could not be built, in the words of what built it.
#[derive(Clone, Debug)]
pub struct KernelError(Arc<dyn Error + Send + Sync>);

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Error for KernelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// What a setup can be made of: a kernel, or the attempt to build one.
pub trait IntoKernel {
    /// The kernel, or why there is none.
    ///
    /// # Errors
    /// The kernel could not be built.
    fn into_kernel(self) -> Result<Kernel, KernelError>;
}

impl IntoKernel for Kernel {
    fn into_kernel(self) -> Result<Kernel, KernelError> {
        Ok(self)
    }
}

impl<E: Error + Send + Sync + 'static> IntoKernel for Result<Kernel, E> {
    fn into_kernel(self) -> Result<Kernel, KernelError> {
        self.map_err(|error| KernelError(Arc::new(error)))
    }
}

/// One thing that is wrong with a case.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CaseError {
    /// There is no kernel.
    #[error("the kernel could not be built: {0}")]
    Kernel(KernelError),
    /// A parameter without an argument.
    #[error("parameter `{param}` of `{kernel}` has no argument")]
    Missing {
        /// The kernel's path.
        kernel: String,
        /// The parameter.
        param: String,
    },
    /// An argument for no parameter.
    #[error("`{kernel}` has no parameter `{name}`")]
    Unknown {
        /// The kernel's path.
        kernel: String,
        /// As given.
        name: String,
        /// The parameters it has.
        known: Vec<String>,
    },
    /// Two arguments of one name.
    #[error("`{name}` is given twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A buffer of another type than the parameter's.
    #[error("`{param}` takes {expected}, but the buffer holds {given}")]
    DType {
        /// The parameter.
        param: String,
        /// The parameter's type.
        expected: DType,
        /// The buffer's.
        given: DType,
    },
    /// A buffer where a scalar is taken.
    #[error("`{param}` is a scalar, but a buffer is given for it")]
    BufferForScalar {
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
    /// An output that the kernel does not write.
    #[error("`{param}` is declared an output, but `{kernel}` does not write it")]
    NotWritten {
        /// The kernel's path.
        kernel: String,
        /// The parameter.
        param: String,
    },
    /// Shape or strides that don't fit parameter or buffer.
    #[error("`{name}`: {why}")]
    Shape {
        /// The buffer.
        name: String,
        /// What does not fit what.
        why: String,
    },
    /// Contents that are no elements of the type.
    #[error("`{name}`: {why}")]
    Contents {
        /// The buffer.
        name: String,
        /// What is wrong with them.
        why: String,
    },
    /// An expectation of something that is no output, or of other length or type.
    #[error("expectation of `{name}`: {why}")]
    Expectation {
        /// The buffer.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// Nothing is expected.
    #[error("the case expects nothing")]
    NothingExpected,
    /// No grid.
    #[error("the case has no grid")]
    NoGrid,
    /// A count below zero.
    #[error("a grid can't be negative")]
    NegativeGrid,
    /// A kernel that approximates, and a case that does not say so.
    #[error("`{kernel}` holds `approx.{op}`, but the case is not declared approximate")]
    Approximates {
        /// The kernel's path.
        kernel: String,
        /// The first approximation in it.
        op: &'static str,
    },
    /// A case declared approximate whose kernel is not.
    #[error("the case is declared approximate, but `{kernel}` holds no approximation")]
    NotApproximate {
        /// The kernel's path.
        kernel: String,
    },
    /// A kernel that adds floats atomically, and a case that does not say so.
    #[error("`{kernel}` adds floats atomically, but the case is not declared unordered")]
    Unordered {
        /// The kernel's path.
        kernel: String,
    },
    /// A mode that contradicts the kernel's.
    #[error("`{kernel}` is of mode {declared:?}, but the case launches it in {given:?}")]
    Mode {
        /// The kernel's path.
        kernel: String,
        /// The kernel's mode.
        declared: Mode,
        /// The case's mode.
        given: Mode,
    },
}

impl Help for CaseError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Kernel(_) => return None,
            Self::Missing { param, .. } => {
                format!("give it by `.input(…)`, `.output(…)` or `.scalar(\"{param}\", …)`")
            }
            Self::Unknown { known, .. } => format!("its parameters are {}", known.join(", ")),
            Self::Twice { .. } => "remove one".into(),
            Self::DType { expected, .. } => format!("make it of {expected}"),
            Self::BufferForScalar { param } => format!("give it by `.scalar(\"{param}\", …)`"),
            Self::Scalar { error, .. } => return error.help(),
            Self::NotWritten { param, .. } => {
                format!("give it contents by `.input(…)`, or declare `mut {param}`")
            }
            Self::Shape { .. } => "the last element of the view must lie in the buffer".into(),
            Self::Contents { .. } => "give whole elements of the dtype, at least one".into(),
            Self::Expectation { .. } => "expect each element of an output once, in its type".into(),
            Self::NothingExpected => {
                "add `.expect(name, values)`, or `.guard()` where nothing may be written".into()
            }
            Self::NoGrid => "add `.threads_1d(n, cta)` or `.grid_3d(x, y, z, [tx, ty, tz])`".into(),
            Self::NegativeGrid => "count from 0".into(),
            Self::Approximates { .. } => {
                "add `.approx(\"why\", tolerance)`, or use the reproducible function".into()
            }
            Self::NotApproximate { .. } => "leave out `.approx(…)`: its bits are defined".into(),
            Self::Unordered { .. } => "add `.unordered(\"why\")`: the order of additions decides bits".into(),
            Self::Mode { .. } => "leave out `.mode(…)`".into(),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Kernel(_) => Code::CaseKernel,
            Self::Missing { .. }
            | Self::Unknown { .. }
            | Self::Twice { .. }
            | Self::DType { .. }
            | Self::BufferForScalar { .. } => Code::CaseArguments,
            Self::Scalar { error, .. } => error.code(),
            Self::NotWritten { .. } => Code::CaseNotWritten,
            Self::Shape { .. } | Self::Contents { .. } => Code::CaseShape,
            Self::Expectation { .. } | Self::NothingExpected => Code::CaseExpectation,
            Self::NoGrid | Self::NegativeGrid => Code::CaseGrid,
            Self::Approximates { .. } | Self::NotApproximate { .. } => Code::CaseApproximates,
            Self::Unordered { .. } => Code::CaseUnordered,
            Self::Mode { .. } => Code::CaseMode,
        }
    }
}

/// Everything that is wrong with a case.
#[derive(Clone, Debug)]
pub struct CaseErrors(pub Vec<CaseError>);

impl fmt::Display for CaseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "[{}] {error}", error.code())?;
            if let Some(help) = error.help() {
                write!(f, "\n  help: {help}")?;
            }
        }
        Ok(())
    }
}

impl Error for CaseErrors {}
