//! What can go wrong in a run: arguments that don't fit, a launch that doesn't, and faults of the kernel itself.
//!
//! On exit every [`Fault`] names the kernel, the instruction's place in the source, the CTA and the thread, since
//! "somewhere an index was wrong" helps nobody. Deliberately not here: mistakes that `ir::validate` finds without
//! running anything.

use std::fmt;

use crate::diag::{Code, Help, Span};
use crate::ir::{DType, Mode};
use crate::numerics::tensor::Form;

/// Why a run gave no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The arguments don't fit the kernel's signature.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// The launch geometry doesn't fit the kernel.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A thread did something that has no defined result.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// An argument that doesn't fit the kernel's signature.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArgumentError {
    /// No parameter has that name.
    #[error("no parameter of `{kernel}` is named `{name}`")]
    Unknown {
        /// Path of the kernel.
        kernel: String,
        /// The name given.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A parameter was given twice.
    #[error("argument `{name}` is given twice")]
    Twice {
        /// The parameter.
        name: String,
    },
    /// A parameter was not given.
    #[error("argument `{name}` of `{kernel}` is missing")]
    Missing {
        /// Path of the kernel.
        kernel: String,
        /// The parameter.
        name: String,
    },
    /// A buffer for a scalar, or the other way round.
    #[error("argument `{name}` should be {wanted}, but is {found}")]
    Kind {
        /// The parameter.
        name: String,
        /// What the signature says.
        wanted: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// Another element type.
    #[error("argument `{name}` holds `{found}`, but the kernel takes `{wanted}`")]
    DType {
        /// The parameter.
        name: String,
        /// What the signature says.
        wanted: DType,
        /// What was given.
        found: DType,
    },
    /// Another number of axes.
    #[error("argument `{name}` has {found} axes, but the kernel takes {wanted}")]
    Rank {
        /// The parameter.
        name: String,
        /// Axes in the signature; 0 for a flat buffer.
        wanted: usize,
        /// Axes given: the lengths of shape and strides must agree.
        found: usize,
    },
    /// A strided view that reaches past its buffer.
    #[error("the view `{name}` reaches element {last}, but its buffer has {len}")]
    ViewTooLong {
        /// The parameter.
        name: String,
        /// The last element of the view.
        last: u128,
        /// Elements in the buffer.
        len: u64,
    },
    /// Two arguments are one buffer, which the kernel writes without having said that it may be shared.
    #[error("argument `{name}` shares its buffer with `{other}`, and one of them is written")]
    Overlap {
        /// The parameter.
        name: String,
        /// The parameter whose buffer it shares.
        other: String,
    },
}

/// A launch that doesn't fit the kernel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LaunchError {
    /// The kernel fixes another mode.
    #[error("the kernel's mode is {wanted:?}, but the launch is {found:?}")]
    Mode {
        /// The kernel's.
        wanted: Mode,
        /// The launch's.
        found: Mode,
    },
    /// The kernel fixes another CTA shape.
    #[error("the kernel's CTA is {wanted:?}, but the launch has {found:?}")]
    Cta {
        /// The kernel's.
        wanted: [u32; 3],
        /// The launch's.
        found: [u32; 3],
    },
    /// A CTA with no threads or too many.
    #[error("a CTA of {threads} threads; 1 to 1024 are possible")]
    CtaSize {
        /// Threads asked for.
        threads: u64,
    },
    /// An elementwise launch has one axis.
    #[error("an elementwise launch has one axis, not grid {grid:?} and CTA {cta:?}")]
    NotLinear {
        /// CTAs on each axis.
        grid: [u64; 3],
        /// Threads on each axis.
        cta: [u32; 3],
    },
    /// Thread ids are 32 bits wide.
    #[error("{threads} threads on axis {axis}: thread ids are 32 bits wide")]
    TooManyThreads {
        /// The axis.
        axis: usize,
        /// Threads on it.
        threads: u128,
    },
    /// `tid` has no meaning in that mode.
    #[error("the kernel uses `tid`, which mode {mode:?} does not have")]
    NoTid {
        /// The launch's mode.
        mode: Mode,
    },
}

/// What a thread did, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What it did.
    pub kind: FaultKind,
    /// Path of the kernel.
    pub kernel: String,
    /// The instruction's place in the kernel's sources.
    pub span: Span,
    /// The same as `file:line:column`, where known.
    pub place: Option<String>,
    /// The CTA's index in the grid.
    pub cta: [u64; 3],
    /// The thread's index in the CTA: the first of those concerned.
    pub thread: [u32; 3],
}

/// What a thread did that has no defined result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FaultKind {
    /// An index past the end, or negative.
    #[error("{access} out of bounds: index {index} of `{buffer}`, which has {len} elements{}", wide(*.elements))]
    OutOfBounds {
        /// Load or store.
        access: Access,
        /// The buffer or array.
        buffer: String,
        /// The index, as signed as its type is.
        index: i128,
        /// Elements of the access.
        elements: u32,
        /// Elements of the buffer.
        len: u64,
    },
    /// A read of memory that nobody wrote.
    #[error("load of `{buffer}[{index}]`, which was never written")]
    Uninitialised {
        /// The buffer or array.
        buffer: String,
        /// The element.
        index: u64,
    },
    /// A read of a variable that was not assigned on this path.
    #[error("read of variable `{local}` before it was assigned")]
    UnsetLocal {
        /// The local.
        local: String,
    },
    /// A vector access whose index is not a multiple of its width.
    #[error(
        "{access} of {elements} elements at index {index} of `{buffer}`, which is not a multiple of {elements}"
    )]
    Misaligned {
        /// Load or store.
        access: Access,
        /// The buffer or array.
        buffer: String,
        /// The index.
        index: u64,
        /// Elements of the access.
        elements: u32,
    },
    /// Two threads that store different bits to one element in one instruction.
    #[error("thread ({}, {}, {}) stores to `{buffer}[{index}]` too, and other bits", other[0], other[1], other[2])]
    Race {
        /// The buffer or array.
        buffer: String,
        /// The element.
        index: u64,
        /// The other thread's index in the CTA.
        other: [u32; 3],
    },
    /// A matrix operation that lanes of a warp don't come to.
    #[error("`{op}` is reached by {lanes} of the 32 lanes of a warp")]
    PartialWarp {
        /// The operation.
        op: &'static str,
        /// Lanes that are there.
        lanes: usize,
    },
    /// A matrix product whose bits the chosen architecture does not define.
    #[error("{row} has no {form}")]
    NoTensorModel {
        /// The form.
        form: Form,
        /// The architecture.
        row: &'static str,
    },
    /// A copy that would read more than it writes.
    #[error("a copy of {width} elements reads {count}")]
    CopyCount {
        /// Elements read.
        count: u32,
        /// Elements written.
        width: u32,
    },
    /// A counted loop that would never move.
    #[error("a counted loop has step 0")]
    StepZero,
    /// A CTA barrier that only some threads reach.
    #[error("a CTA barrier is reached by {arrived} of {threads} threads")]
    BarrierDivergence {
        /// Threads that are there.
        arrived: usize,
        /// Threads of the CTA.
        threads: usize,
    },
    /// A named barrier that only some lanes of a warp reach.
    #[error("a named barrier is reached by {arrived} of the {lanes} lanes of a warp")]
    BarrierParted {
        /// Lanes that are there.
        arrived: usize,
        /// Lanes of the warp.
        lanes: usize,
    },
    /// A named barrier whose number or count is not the same in a warp.
    #[error("the lanes of a warp name different barriers or counts")]
    BarrierDiffers,
    /// A named barrier that does not exist, or is for a count that can't come.
    #[error("named barrier {id} for {threads} threads")]
    BadBarrier {
        /// Its number.
        id: u32,
        /// Its count.
        threads: u32,
    },
    /// Warps that disagree on how many threads a barrier is for.
    #[error("named barrier {id} is for {threads} threads here, but {others} where another warp came to it")]
    BarrierCounts {
        /// Its number.
        id: u32,
        /// The count here.
        threads: u32,
        /// The other.
        others: u32,
    },
    /// A warp that comes to a barrier again before it is complete.
    #[error("a warp comes to named barrier {id} twice before it is complete")]
    BarrierTwice {
        /// Its number.
        id: u32,
    },
    /// A named barrier that never gets complete.
    #[error("named barrier {id} waits for {threads} threads, but only {arrived} come")]
    BarrierStuck {
        /// Its number.
        id: u32,
        /// Threads that came.
        arrived: u32,
        /// Its count.
        threads: u32,
    },
    /// Inline text that nothing here can run.
    #[error("the `{op}` text has no model, so the oracle can't say what it gives")]
    Opaque {
        /// The operation.
        op: &'static str,
    },
    /// A shuffle from a lane that does not take part.
    #[error("lane {lane} shuffles from lane {source_lane}, which is not active")]
    InactiveSource {
        /// The lane that asks.
        lane: u32,
        /// The lane it asks for.
        source_lane: u32,
    },
    /// More steps than the budget allows.
    #[error("hang: the CTA is not done after {steps} steps")]
    Hang {
        /// Instructions executed by the CTA.
        steps: u64,
    },
}

/// Load or store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A read.
    Load,
    /// A write.
    Store,
    /// Both, as one step.
    Atomic,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic operation",
        })
    }
}

fn wide(elements: u32) -> String {
    if elements == 1 { String::new() } else { format!(" (an access of {elements})") }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cta, thread) = (self.cta, self.thread);
        write!(f, "{}; kernel `{}`", self.kind, self.kernel)?;
        if let Some(place) = &self.place {
            write!(f, " at {place}")?;
        }
        write!(
            f,
            ", CTA ({}, {}, {}), thread ({}, {}, {})",
            cta[0], cta[1], cta[2], thread[0], thread[1], thread[2]
        )
    }
}

impl std::error::Error for Fault {}

impl Failure {
    /// The place in the kernel's sources that it speaks of.
    pub fn span(&self) -> Span {
        match self {
            Self::Fault(fault) => fault.span,
            Self::Argument(_) | Self::Launch(_) => Span::NONE,
        }
    }
}

impl Help for Failure {
    fn help(&self) -> Option<String> {
        match self {
            Self::Argument(error) => error.help(),
            Self::Launch(error) => error.help(),
            Self::Fault(fault) => fault.kind.help(),
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Argument(error) => error.code(),
            Self::Launch(error) => error.code(),
            Self::Fault(fault) => fault.kind.code(),
        }
    }
}

impl Help for ArgumentError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { known, .. } => format!("the parameters are: {}", known.join(", ")),
            Self::Twice { .. } => "give it once".into(),
            Self::Missing { .. } => "bind every parameter before the run".into(),
            Self::Kind { .. } | Self::DType { .. } => "match the kernel's signature".into(),
            Self::Rank { .. } => {
                "give one extent and one stride for each axis, and none for a flat buffer".into()
            }
            Self::ViewTooLong { .. } => {
                "strides count elements; give a longer buffer or a smaller shape".into()
            }
            Self::Overlap { name, .. } => {
                format!("declare `{name}` as `#[alias]`, or give it a buffer of its own")
            }
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Unknown { .. }
            | Self::Twice { .. }
            | Self::Missing { .. }
            | Self::Kind { .. }
            | Self::DType { .. }
            | Self::Rank { .. }
            | Self::ViewTooLong { .. }
            | Self::Overlap { .. } => Code::OracleArgument,
        }
    }
}

impl Help for LaunchError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Mode { .. } | Self::Cta { .. } => "launch it as the kernel declares".into(),
            Self::CtaSize { .. } => "change the CTA's shape".into(),
            Self::NotLinear { .. } => "use `grid_1d`, or the mode `Grid3D`".into(),
            Self::TooManyThreads { .. } => "spread the work over another axis, or loop in the kernel".into(),
            Self::NoTid { .. } => "use `thread_id` or `global_id`, which mean the same in every mode".into(),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Mode { .. }
            | Self::Cta { .. }
            | Self::CtaSize { .. }
            | Self::NotLinear { .. }
            | Self::TooManyThreads { .. }
            | Self::NoTid { .. } => Code::OracleLaunch,
        }
    }
}

impl Help for FaultKind {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::OutOfBounds { .. } => "guard the access, or give the launch an exact extent".into(),
            Self::Uninitialised { .. } => {
                "write the element first, on every path; give the buffer contents".into()
            }
            Self::UnsetLocal { .. } => "assign the variable on every path that leads here".into(),
            Self::Misaligned { elements, .. } => {
                format!("make the index a multiple of {elements}, or load scalars")
            }
            Self::Race { .. } => "let one thread store, or use an atomic".into(),
            Self::StepZero => "make sure that the step is never 0".into(),
            Self::PartialWarp { .. } => {
                "launch CTAs of whole warps, and keep it out of branches and loops that lanes leave apart"
                    .into()
            }
            Self::NoTensorModel { .. } => "choose a chip that has the form, or `mma_ieee`".into(),
            Self::CopyCount { width, .. } => format!("read at most {width}: `min(count, {width}u32)`"),
            Self::BarrierDivergence { .. } => {
                "move the barrier out of the branch or loop that threads leave apart".into()
            }
            Self::BarrierParted { .. } | Self::BarrierDiffers => {
                "branch by `warp_id()`, so that whole warps take each way and name one barrier".into()
            }
            Self::BadBarrier { .. } => "numbers are 1 to 15, and counts multiples of 32 above 0".into(),
            Self::BarrierCounts { .. } => "give the same count wherever warps meet".into(),
            Self::BarrierTwice { .. } => {
                "wait between two arrivals, on a barrier that the other side arrives at".into()
            }
            Self::BarrierStuck { .. } => {
                "count every warp that comes, those that only arrive included, and see that all come".into()
            }
            Self::Opaque { .. } => "give it one: `model = |a, b| …`, over the inputs".into(),
            Self::InactiveSource { .. } => "shuffle where every source lane takes part".into(),
            Self::Hang { .. } => "check the loop's exit, or raise the step budget".into(),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::OutOfBounds { .. } => Code::OracleOutOfBounds,
            Self::Uninitialised { .. } | Self::UnsetLocal { .. } => Code::OracleUninitialised,
            Self::Misaligned { .. } => Code::OracleMisaligned,
            Self::Race { .. } => Code::OracleRace,
            Self::PartialWarp { .. } => Code::OraclePartialWarp,
            Self::NoTensorModel { .. } => Code::OracleNoModel,
            Self::CopyCount { .. } => Code::OracleCopyCount,
            Self::StepZero => Code::OracleStepZero,
            Self::BarrierDivergence { .. } | Self::BarrierParted { .. } | Self::BarrierDiffers => {
                Code::OracleBarrier
            }
            Self::BadBarrier { .. }
            | Self::BarrierCounts { .. }
            | Self::BarrierTwice { .. }
            | Self::BarrierStuck { .. } => Code::OracleNamedBarrier,
            Self::Opaque { .. } => Code::OracleOpaque,
            Self::InactiveSource { .. } => Code::OracleInactiveSource,
            Self::Hang { .. } => Code::OracleHang,
        }
    }
}
