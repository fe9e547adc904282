//! What building a kernel can find wrong.

use std::fmt;

use crate::diag::{Code, Help, Report, Sources, Spanned};
use crate::ir::DType;
use crate::ir::op::TypeError;

/// One mistake in a kernel's body.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BuildError {
    /// An operation does not take its operands.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// A literal does not fit the type it takes from the other operand.
    #[error("`{value}` does not fit `{dtype}`")]
    LiteralRange {
        /// As written.
        value: i128,
        /// The other operand's type.
        dtype: DType,
    },
    /// A size or element number is not known while building.
    #[error("this is not a host constant")]
    NotHost,
    /// A host array is indexed outside its length.
    #[error("element {index} of {len}")]
    HostIndex {
        /// The element asked for.
        index: i128,
        /// Elements there are.
        len: usize,
    },
    /// A host variable is written inside a traced `if` or loop.
    #[error("a host variable is written under a traced condition")]
    HostWritten,
    /// The arms of a traced `if` give different host values.
    #[error("the arms of a traced `if` give different host values")]
    HostDiffers,
    /// A host loop is left under a traced condition.
    #[error("an unrolled loop is left under a traced condition")]
    HostLoopLeft,
    /// `break` or `continue` from inside another loop.
    #[error("a traced loop is left from inside another loop")]
    CrossesLoop,
    /// A value of another build.
    #[error("this value belongs to another kernel's build")]
    ForeignValue,
    /// An arm of `select` does something that can't be undone.
    #[error("an arm of `select` holds {what}")]
    EffectInArm {
        /// What stands there.
        what: &'static str,
    },
    /// An array's name is unknown.
    #[error("no {space} array is named `{name}`")]
    UnknownArray {
        /// `shared` or `per-thread`.
        space: &'static str,
        /// As written.
        name: String,
    },
    /// A name that is something else than the word takes.
    #[error("`{name}` is {is}, not a {space} array")]
    OtherSpace {
        /// `shared` or `per-thread`.
        space: &'static str,
        /// As written.
        name: String,
        /// What it is.
        is: &'static str,
    },
    /// An array's or parameter's name is taken.
    #[error("`{name}` is declared twice")]
    DeclaredTwice {
        /// The name.
        name: String,
    },
    /// A size is not positive or too large.
    #[error("a size of {size} elements")]
    BadSize {
        /// As computed.
        size: i128,
    },
    /// An axis that does not exist.
    #[error("there is no axis {axis} here; {rank} exist")]
    NoAxis {
        /// As asked for.
        axis: i128,
        /// How many there are.
        rank: usize,
    },
    /// A subscript with the wrong number of axes.
    #[error("`{name}` has {rank} axes, but the subscript has {given}")]
    AxisCount {
        /// The parameter.
        name: String,
        /// Its axes.
        rank: usize,
        /// Indices given.
        given: usize,
    },
    /// A step of a host range that is not positive, or a descending host range written in a way that cannot run.
    #[error("a loop's step is 0")]
    ZeroStep,
    /// Something the vocabulary refuses, in its own words.
    #[error("{what}")]
    Refused {
        /// What is wrong.
        what: String,
        /// What to do.
        help: &'static str,
    },
    /// The body panicked: a host assertion failed.
    #[error("the kernel's body panicked: {message}")]
    Panicked {
        /// Its message.
        message: String,
    },
    /// A kernel called as a function stored nothing.
    #[error("the called kernel stores no result")]
    NoResult,
}

impl Help for BuildError {
    fn help(&self) -> Option<String> {
        Some(
            match self {
                Self::Type(error) => return error.help(),
                Self::LiteralRange { .. } => "give the literal a suffix, or cast the other operand",
                Self::NotHost => "sizes and element numbers are constants, `usize` or const parameters",
                Self::HostIndex { .. } => "index within the array",
                Self::HostWritten => {
                    "both arms run while building: make it a traced variable, or decide on the host"
                }
                Self::HostDiffers => "a host value can't depend on a traced condition: use a traced value",
                Self::HostLoopLeft => "loop over `range(…)`, which is traced, or test a flag",
                Self::CrossesLoop => "set a `let mut` flag and test it in the outer loop",
                Self::ForeignValue => "use values only inside the body that made them",
                Self::EffectInArm { .. } => "use `if` instead: all lanes evaluate both arms of a `select`",
                Self::OtherSpace { .. } => {
                    "`threadgroup_load` and `_store` are for shared arrays, `stack_load` and `_store` for per-thread ones"
                }
                Self::UnknownArray { .. } => "declare it with `threadgroup_alloc` or `stack_alloc` first",
                Self::DeclaredTwice { .. } => "give it another name, or declare it once",
                Self::BadSize { .. } => "a size is at least 1 and fits 32 bits",
                Self::NoAxis { .. } => "axes count from 0",
                Self::AxisCount { .. } => "give one index for each axis",
                Self::ZeroStep => "give a step other than 0",
                Self::Refused { help, .. } => help,
                Self::Panicked { .. } => "the assertion names what the kernel can't do",
                Self::NoResult => {
                    "only a kernel that stores its result unconditionally can be called as a function"
                }
            }
            .into(),
        )
    }

    fn code(&self) -> Code {
        match self {
            Self::Type(error) => error.code(),
            Self::LiteralRange { .. } => Code::LiteralRange,
            Self::NotHost => Code::NotHost,
            Self::HostIndex { .. } => Code::HostIndex,
            Self::HostWritten | Self::HostDiffers | Self::HostLoopLeft => Code::HostUnderTraced,
            Self::CrossesLoop => Code::CrossesLoop,
            Self::ForeignValue => Code::ForeignValue,
            Self::EffectInArm { .. } => Code::EffectInArm,
            Self::UnknownArray { .. } | Self::OtherSpace { .. } => Code::ArrayName,
            Self::DeclaredTwice { .. } => Code::DeclaredTwice,
            Self::BadSize { .. } => Code::BadSize,
            Self::NoAxis { .. } | Self::AxisCount { .. } => Code::Axes,
            Self::ZeroStep => Code::ZeroStep,
            Self::Refused { .. } => Code::RefusedWord,
            Self::Panicked { .. } => Code::BodyPanicked,
            Self::NoResult => Code::NoResult,
        }
    }
}

/// Everything that building a kernel found wrong.
///
/// It displays as rendered messages, each under its source line.
#[derive(Clone, PartialEq, Eq)]
pub struct BuildErrors {
    /// The mistakes in the order in which they were met.
    pub errors: Vec<Spanned<BuildError>>,
    /// The files that the places refer to.
    pub sources: Sources,
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Report::of(&self.errors).render(&self.sources))
    }
}

impl fmt::Debug for BuildErrors {
    /// In words: `main` shows an error that it returns by `Debug`. The report has the help already.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the kernel can't be built\n")?;
        f.write_str(self.to_string().trim_end())
    }
}

impl std::error::Error for BuildErrors {}
