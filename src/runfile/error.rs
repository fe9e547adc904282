//! Why a file is not run.

use std::io;
use std::path::PathBuf;

use super::npy::NpyError;
use crate::backend::DeviceError;
use crate::diag::{Code, Help, count, io_reason};
use crate::driver::DriverError;
use crate::ptx::emu::DecodeError;
use crate::ptx::isa::ParseError;
use crate::target::Target;

/// Why a launch of a text with its files does not begin, or why its results are not written.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file that can't be read.
    #[error("can't read {}: {}", path.display(), io_reason(error))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file that can't be written.
    #[error("can't write {}: {}", path.display(), io_reason(error))]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No text at all.
    #[error("{} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Bytes that are no text.
    #[error("{} is not text: byte {at} is {byte:#04x}", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// Where it stops being text.
        at: usize,
        /// The byte there.
        byte: u8,
    },
    /// Text that is not PTX, or PTX that is not known.
    #[error("{}:{}:{}: {}\n  {quoted}", path.display(), error.line, error.column, error.kind)]
    Parse {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Box<ParseError>,
        /// The line.
        quoted: String,
    },
    /// PTX that breaks a rule.
    #[error("{} is not sound PTX:{}", path.display(), lines(problems))]
    Unsound {
        /// The file.
        path: PathBuf,
        /// What is wrong, each with its line.
        problems: Vec<String>,
    },
    /// A module without kernels.
    #[error("{} has no `.entry`", path.display())]
    NoEntries {
        /// The file.
        path: PathBuf,
    },
    /// No entry of that name.
    #[error("{} has no entry `{name}`", path.display())]
    UnknownEntry {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Several entries and no choice.
    #[error("{} has {}", path.display(), count(known.len(), "entry"))]
    WhichEntry {
        /// The file.
        path: PathBuf,
        /// Their names.
        known: Vec<String>,
    },
    /// Something that the emulator lacks.
    #[error("{}: {error}", path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What.
        error: DecodeError,
    },
    /// Too few or too many arguments.
    #[error("`{entry}` takes {}, not {given}{}", count(declared.len(), "argument"), listed(declared))]
    Count {
        /// The entry.
        entry: String,
        /// Arguments given.
        given: usize,
        /// The parameters, as the text declares them.
        declared: Vec<String>,
    },
    /// An argument that does not fit its parameter.
    #[error("argument {number}, `{argument}`, doesn't fit `{declaration}`: {problem}")]
    Argument {
        /// From 1.
        number: usize,
        /// As it was given.
        argument: String,
        /// The parameter, as the text declares it.
        declaration: String,
        /// Why.
        problem: Mismatch,
    },
    /// A file that is no array.
    #[error("{}: {error}", path.display())]
    Array {
        /// The file.
        path: PathBuf,
        /// Why.
        error: NpyError,
    },
    /// A file that two arguments name, one of which writes it.
    #[error("two arguments name {}, and one of them writes it", path.display())]
    SharedFile {
        /// The file.
        path: PathBuf,
    },
    /// A buffer larger than is taken.
    #[error("`{name}` takes {bytes}, but a buffer has at most {limit} (4 GiB)", bytes = size(*bytes))]
    TooLarge {
        /// The parameter.
        name: String,
        /// Bytes asked for.
        bytes: u128,
        /// Bytes that go.
        limit: u64,
    },
    /// A grid or CTA that is too large, or a CTA without threads.
    #[error("{extent}: {given} is over {limit}")]
    Geometry {
        /// What the limit is of.
        extent: Extent,
        /// What was asked for.
        given: u64,
        /// What goes.
        limit: u64,
    },
    /// A CTA without threads.
    #[error("a CTA has at least one thread along each axis")]
    NoThreads,
    /// A CTA that `.maxntid` or `.reqntid` forbids.
    #[error("`{entry}` declares `{directive} {}, {}, {}`, which a CTA of {} x {} x {} threads breaks",
        bound[0], bound[1], bound[2], block[0], block[1], block[2])]
    Bounds {
        /// The entry.
        entry: String,
        /// `.maxntid` or `.reqntid`.
        directive: &'static str,
        /// What it says.
        bound: [u32; 3],
        /// What was asked for.
        block: [u32; 3],
    },
    /// More shared memory than a CTA has.
    #[error(
        "{fixed} bytes of static and {dynamic} of dynamic shared memory are over the {limit} of a CTA on {target}"
    )]
    Shared {
        /// Bytes that the text declares.
        fixed: u32,
        /// Bytes asked for.
        dynamic: u64,
        /// Bytes that go.
        limit: u32,
        /// The target.
        target: Target,
    },
    /// A text for another chip.
    #[error("text for {declared} doesn't load on {asked}")]
    Target {
        /// `.target`.
        declared: String,
        /// What was asked for.
        asked: Target,
    },
    /// The device or its driver.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The driver says no.
    #[error(transparent)]
    Driver(Box<DriverError>),
    /// The kernel faulted on a GPU.
    #[error("`{entry}` faulted on {device}: {reason}")]
    Fault {
        /// The entry.
        entry: String,
        /// The device.
        device: String,
        /// The driver's words.
        reason: String,
    },
}

impl From<DriverError> for RunError {
    fn from(error: DriverError) -> Self {
        Self::Driver(Box::new(error))
    }
}

/// What of a launch has a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// CTAs of the grid along an axis: 0 for x.
    Ctas(usize),
    /// Threads of a CTA along an axis.
    Threads(usize),
    /// Threads of a CTA in all.
    AllThreads,
}

impl std::fmt::Display for Extent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ctas(axis) => write!(f, "CTAs of a grid along {}", AXES[*axis]),
            Self::Threads(axis) => write!(f, "threads of a CTA along {}", AXES[*axis]),
            Self::AllThreads => f.write_str("threads of a CTA"),
        }
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl Extent {
    const fn help(self) -> &'static str {
        match self {
            Self::Ctas(0) => "let each CTA do more, or launch parts of the grid one after the other",
            Self::Ctas(_) => "fold the axis into x, which takes 2147483647 CTAs",
            Self::Threads(_) | Self::AllThreads => {
                "give `--block` fewer threads and `--grid` more CTAs for the same work"
            }
        }
    }
}

/// Why an argument does not fit a parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A buffer for something that is no pointer.
    #[error("a buffer needs a pointer of 8 bytes")]
    NotAPointer,
    /// A number of another size.
    #[error("it has {}, the parameter {declared}", count(*given, "byte"))]
    Size {
        /// Bytes of the argument.
        given: u64,
        /// Bytes of the parameter.
        declared: u64,
    },
    /// An integer for a float, or the other way round.
    #[error("the parameter is {declared}, not {given}")]
    Kind {
        /// What the argument is.
        given: &'static str,
        /// What the parameter is.
        declared: &'static str,
    },
}

/// The same behind a colon, or nothing.
fn listed(items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!(":{}", lines(items)) }
}

/// Bytes as text; more than are counted are more than there are.
fn size(bytes: u128) -> String {
    if bytes == u128::MAX { "more than 2^128 bytes".into() } else { count(bytes, "byte") }
}

fn lines(items: &[String]) -> String {
    items.iter().map(|item| format!("\n  {item}")).collect()
}

impl RunError {
    /// Whether it says that there is no device to run on.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Device(DeviceError::NoDevice { .. }))
            || matches!(self, Self::Driver(error) if error.is_absence())
    }
}

impl Help for RunError {
    fn code(&self) -> Code {
        match self {
            Self::Read { .. } | Self::Write { .. } => Code::Io,
            Self::Empty { .. } | Self::NotText { .. } => Code::FileText,
            Self::Parse { error, .. } => error.code(),
            Self::Unsound { .. } => Code::PtxVariable,
            Self::NoEntries { .. } | Self::UnknownEntry { .. } | Self::WhichEntry { .. } => Code::FileEntry,
            Self::Decode { error, .. } => error.code(),
            Self::Count { .. } | Self::Argument { .. } => Code::FileArguments,
            Self::Array { .. } => Code::ArrayFile,
            Self::SharedFile { .. } => Code::ArrayShared,
            Self::TooLarge { .. }
            | Self::Geometry { .. }
            | Self::NoThreads
            | Self::Bounds { .. }
            | Self::Shared { .. }
            | Self::Target { .. } => Code::FileLaunch,
            Self::Device(error) => error.code(),
            Self::Driver(error) => error.error_code().parse().unwrap_or(Code::DriverCall),
            Self::Fault { .. } => Code::DeviceFailed,
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Read { .. } => "check the path".into(),
            Self::Write { .. } => "give a path in a folder that exists and can be written".into(),
            Self::Empty { .. } | Self::NotText { .. } => {
                "give PTX text, as `nvcc --ptx`, Triton or `warpsmith dump` write it; a cubin is not read"
                    .into()
            }
            Self::Parse { error, .. } => error.help(),
            Self::Unsound { .. } => "correct the text; the assembler refuses it too".into(),
            Self::NoEntries { .. } => "a kernel begins with `.visible .entry NAME(…)`".into(),
            Self::UnknownEntry { known, .. } | Self::WhichEntry { known, .. } => {
                format!("choose one with `--entry`: {}", known.join(", "))
            }
            Self::Decode { error, .. } => error.help(),
            Self::Count { declared, .. } if declared.is_empty() => "leave out `--arg`".into(),
            Self::Count { .. } => "give one `--arg` for each parameter, in their order".into(),
            Self::Argument { problem, declaration, .. } => problem.help(declaration),
            Self::Array { error, .. } => error.help().into(),
            Self::SharedFile { .. } => {
                "give each output a file of its own; `inout:` reads and writes one".into()
            }
            Self::TooLarge { .. } => {
                "check the shape, or run a part: a result has to fit this machine's memory".into()
            }
            Self::Geometry { extent, .. } => extent.help().into(),
            Self::NoThreads => {
                "give `--block X,Y,Z` with numbers from 1; it is `--grid` that may have a 0, and then launches nothing".into()
            }
            Self::Bounds { .. } => "give `--block` as the kernel was compiled for".into(),
            Self::Shared { fixed, limit, .. } if fixed <= limit => {
                format!("ask for at most {} bytes with `--shared`, or for another `--target`", limit - fixed)
            }
            Self::Shared { .. } => "choose another `--target`, or smaller tiles".into(),
            Self::Target { .. } => "leave out `--target`, or compile the text for that chip".into(),
            Self::Device(error) => return error.help(),
            Self::Driver(error) => error.help(),
            Self::Fault { .. } => {
                "`--device emu` runs the same text and names the line, CTA and thread".into()
            }
        })
    }
}

impl Mismatch {
    fn help(&self, declaration: &str) -> String {
        match self {
            Self::NotAPointer => "pass a number as `TYPE:VALUE`, an aggregate as `bytes:FILE`".into(),
            Self::Size { .. } if declaration.contains('[') => {
                "an aggregate takes `bytes:FILE` of exactly its size".into()
            }
            Self::Size { declared: 8, .. } => {
                "a pointer takes `in:`, `inout:` or `out:`, a number of 64 bits `u64:`, `s64:` or `f64:`"
                    .into()
            }
            Self::Size { declared, .. } => format!("write a type of {} bits", 8 * declared),
            Self::Kind { .. } => "write the type of the parameter; `b32:0x…` passes bits as they are".into(),
        }
    }
}
