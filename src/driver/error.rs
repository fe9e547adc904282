//! What can go wrong between this process and a CUDA device.
//!
//! What this is: one enum for the whole module; fields hold codes, names and sizes. On exit: each variant says what
//! happened, and [`DriverError::help`] what to do. Not here: the checks that raise launch problems (`launch.rs`).

use std::fmt;

use super::jit::JitError;
use super::launch::LaunchProblem;
use super::result::ResultCode;

/// One name under which libcuda was looked for, and why that was not it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryAttempt {
    /// A file name or path as handed to the system's loader.
    pub name: String,
    /// What the loader said.
    pub reason: String,
}

impl fmt::Display for LibraryAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

/// A failure of the CUDA driver or of its use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// No name led to a libcuda.
    #[error("no CUDA driver library found ({})", list(tried))]
    LibraryNotFound {
        /// Every name, in the order in which they were tried.
        tried: Vec<LibraryAttempt>,
    },

    /// The library lacks the function that this call needs; everything else still works.
    #[error("the CUDA driver has no `{symbol}` ({}: {reason})", tried.join(", "))]
    NotAvailable {
        /// The function.
        symbol: &'static str,
        /// The names that were looked up, and where.
        tried: Vec<String>,
        /// What the system's loader said of the last one.
        reason: String,
    },

    /// The library works, but it sees no device.
    #[error("{library} sees no CUDA device{}", cause.map(|code| format!(": {code}")).unwrap_or_default())]
    NoDevice {
        /// The library that was asked.
        library: String,
        /// What `cuInit` answered; `None` when it succeeded and counted zero devices.
        cause: Option<ResultCode>,
    },

    /// A device number past the end.
    #[error("there is no CUDA device {ordinal}: the driver sees {count}")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: u32,
        /// How many there are, numbered from 0.
        count: u32,
    },

    /// A call that libcuda refused, or that reported what an earlier launch did.
    #[error("{call} answered {code}")]
    Call {
        /// The function.
        call: &'static str,
        /// Its answer.
        code: ResultCode,
    },

    /// The device has no room for an allocation.
    #[error("the device can't allocate {bytes} bytes")]
    OutOfMemory {
        /// The size asked for.
        bytes: usize,
    },

    /// The context died by an earlier fault; nothing more can be done in it.
    #[error("the context of CUDA device {device} is dead since {during} answered {cause}")]
    ContextDead {
        /// The device.
        device: u32,
        /// The first sticky code.
        cause: ResultCode,
        /// The call that reported it; the launch at fault may be an earlier one.
        during: &'static str,
    },

    /// The driver's assembler refused the PTX.
    #[error(transparent)]
    Jit(Box<JitError>),

    /// PTX is handed over as a C string, so it can't hold a NUL.
    #[error("the PTX text holds a NUL character on line {line}")]
    NulInPtx {
        /// Counted from 1.
        line: usize,
    },

    /// The module has no entry of this name.
    #[error("the module has no kernel `{name}`")]
    NoSuchFunction {
        /// The name asked for.
        name: String,
    },

    /// The declared layout is not that of the compiled kernel.
    #[error("`{function}` takes {found} by the driver, but its layout declares {declared}")]
    LayoutMismatch {
        /// The kernel.
        function: String,
        /// The sizes in bytes that the driver reports.
        found: Sizes,
        /// The sizes in bytes that the layout declares.
        declared: Sizes,
    },

    /// A launch that was refused before it reached the driver.
    #[error("can't launch `{function}`: {problem}")]
    Launch {
        /// The kernel.
        function: String,
        /// What is wrong.
        problem: LaunchProblem,
    },

    /// A handle of one context was used in another.
    #[error(
        "this {what} belongs to CUDA device {belongs_to}, but it is used in another context, of device {used_on}"
    )]
    ForeignHandle {
        /// "stream", "event", "buffer"…
        what: &'static str,
        /// The device of its own context.
        belongs_to: u32,
        /// The device of the context it was used in.
        used_on: u32,
    },

    /// A range that reaches past the end of a buffer.
    #[error("elements {offset}..{} don't fit a buffer of {len}", u128::from(*offset as u64) + u128::from(*count as u64))]
    OutOfRange {
        /// First element.
        offset: usize,
        /// How many.
        count: usize,
        /// The buffer's length.
        len: usize,
    },

    /// A buffer whose size in bytes is no number.
    #[error("a buffer of {len} elements of {element_bytes} bytes is larger than an address")]
    TooLarge {
        /// Elements asked for.
        len: usize,
        /// Size of one.
        element_bytes: usize,
    },
}

/// Parameter sizes, printed as `3 parameters [8, 8, 4]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(pub Vec<usize>);

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0.len() == 1 { "" } else { "s" };
        write!(f, "{} parameter{plural} of {:?} bytes", self.0.len(), self.0)
    }
}

impl DriverError {
    /// What the reader can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::LibraryNotFound { .. } => {
                "install the NVIDIA driver, or name its library in WARPSMITH_LIBCUDA; \
                 without a GPU, use the emulator"
                    .into()
            }
            Self::NotAvailable { symbol, .. } => {
                format!(
                    "the installed driver is older than `{symbol}`: update it, or do without this feature"
                )
            }
            Self::NoDevice { .. } => {
                "check that `nvidia-smi` lists a GPU, that CUDA_VISIBLE_DEVICES does not hide it, \
                 and that a container was started with access to it"
                    .into()
            }
            Self::NoSuchDevice { count, .. } => format!("pick a device below {count}"),
            Self::Call { code, .. } => help_for_code(*code).into(),
            Self::OutOfMemory { .. } => {
                "free buffers or pick a smaller shape; `nvidia-smi` shows who holds the memory".into()
            }
            Self::ContextDead { .. } => {
                "CUDA gives a process no way back from this: start a new one, and run the kernel \
                 on the emulator or under compute-sanitizer to find the access at fault"
                    .into()
            }
            Self::Jit(error) => error.help(),
            Self::NulInPtx { .. } => "the text is damaged: emit it again".into(),
            Self::NoSuchFunction { .. } => {
                "entries are looked up by the name after `.visible .entry`, letter for letter".into()
            }
            Self::LayoutMismatch { .. } => {
                "declare one parameter for each `.param` of the entry, in order, with its size".into()
            }
            Self::Launch { problem, .. } => problem.help(),
            Self::ForeignHandle { .. } => {
                "make streams, events, buffers and modules in the context they are used in".into()
            }
            Self::OutOfRange { .. } => "check the offset and the length against the buffer's `len()`".into(),
            Self::TooLarge { .. } => "check the shape: a dimension is probably wrong".into(),
        }
    }

    /// The code that libcuda answered with, where a call is what failed.
    pub fn code(&self) -> Option<ResultCode> {
        match self {
            Self::Call { code, .. } => Some(*code),
            Self::NoDevice { cause, .. } => *cause,
            Self::ContextDead { cause, .. } => Some(*cause),
            Self::Jit(error) => Some(error.code),
            Self::OutOfMemory { .. } => Some(ResultCode::ERROR_OUT_OF_MEMORY),
            Self::NoSuchFunction { .. } => Some(ResultCode::ERROR_NOT_FOUND),
            Self::LibraryNotFound { .. }
            | Self::NotAvailable { .. }
            | Self::NoSuchDevice { .. }
            | Self::NulInPtx { .. }
            | Self::LayoutMismatch { .. }
            | Self::Launch { .. }
            | Self::ForeignHandle { .. }
            | Self::OutOfRange { .. }
            | Self::TooLarge { .. } => None,
        }
    }

    /// Whether this says that there is no device to work with here, rather than that work on one failed: a test skips
    /// on it, and the command exits with "no device".
    pub fn is_absence(&self) -> bool {
        match self {
            Self::LibraryNotFound { .. } | Self::NoDevice { .. } | Self::NoSuchDevice { .. } => true,
            Self::NotAvailable { .. }
            | Self::Call { .. }
            | Self::OutOfMemory { .. }
            | Self::ContextDead { .. }
            | Self::Jit(_)
            | Self::NulInPtx { .. }
            | Self::NoSuchFunction { .. }
            | Self::LayoutMismatch { .. }
            | Self::Launch { .. }
            | Self::ForeignHandle { .. }
            | Self::OutOfRange { .. }
            | Self::TooLarge { .. } => false,
        }
    }

    /// Its code among those that `warpsmith explain` explains. (A plain text: this module knows none of ours.)
    pub const fn error_code(&self) -> &'static str {
        match self {
            Self::LibraryNotFound { .. } => "W0901",
            Self::NotAvailable { .. } => "W0902",
            Self::NoDevice { .. } | Self::NoSuchDevice { .. } => "W0903",
            Self::Call { .. } => "W0904",
            Self::OutOfMemory { .. } => "W0905",
            Self::ContextDead { .. } => "W0906",
            Self::Jit(_) => "W0907",
            Self::NulInPtx { .. } => "W0908",
            Self::NoSuchFunction { .. } => "W0909",
            Self::LayoutMismatch { .. } => "W0910",
            Self::Launch { .. } => "W0911",
            Self::ForeignHandle { .. } => "W0912",
            Self::OutOfRange { .. } | Self::TooLarge { .. } => "W0913",
        }
    }
}

/// Advice by code, for calls that have no variant of their own.
fn help_for_code(code: ResultCode) -> &'static str {
    match code {
        ResultCode::ERROR_STUB_LIBRARY => {
            "this is the toolkit's link-time stub: take the toolkit's `stubs` folder off the library path"
        }
        ResultCode::ERROR_SYSTEM_DRIVER_MISMATCH => {
            "the library and the kernel module are of different driver versions: reboot, or reinstall the driver"
        }
        ResultCode::ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
            "the forward-compatibility library does not serve this device: use the driver's own libcuda"
        }
        ResultCode::ERROR_SYSTEM_NOT_READY => {
            "wait for the system's GPU services (fabric manager) to come up"
        }
        ResultCode::ERROR_OUT_OF_MEMORY => "free memory on the device; `nvidia-smi` shows who holds it",
        ResultCode::ERROR_LAUNCH_OUT_OF_RESOURCES => {
            "the kernel needs more registers than this CTA shape leaves it"
        }
        ResultCode::ERROR_INVALID_VALUE => {
            "the driver refused an argument; for a launch, compare the CTA with the kernel's `.reqntid`"
        }
        code if code.is_sticky() => {
            "a kernel faulted and the context is dead: start a new process, and run the kernel on the emulator or under \
             compute-sanitizer to find the access at fault"
        }
        _ => "look the code up under `CUresult` in the CUDA driver API manual",
    }
}

fn list(attempts: &[LibraryAttempt]) -> String {
    if attempts.is_empty() {
        return "no name was given to try".into();
    }
    attempts.iter().map(LibraryAttempt::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attempt_and_its_reason_is_in_the_message() {
        let tried = ["libcuda.so.1", "libcuda.so"]
            .map(|name| LibraryAttempt { name: name.into(), reason: format!("{name} is no file") });
        let error = DriverError::LibraryNotFound { tried: tried.to_vec() };
        assert_eq!(
            error.to_string(),
            "no CUDA driver library found (libcuda.so.1: libcuda.so.1 is no file; libcuda.so: libcuda.so is no file)"
        );
        assert!(error.is_absence());
    }

    #[test]
    fn a_range_at_the_end_of_the_address_space_prints() {
        let error = DriverError::OutOfRange { offset: usize::MAX, count: 2, len: 3 };
        assert_eq!(
            error.to_string(),
            "elements 18446744073709551615..18446744073709551617 don't fit a buffer of 3"
        );
    }

    #[test]
    fn a_fault_is_told_apart_from_a_refusal() {
        let fault = DriverError::Call { call: "cuCtxSynchronize", code: ResultCode::ERROR_ILLEGAL_ADDRESS };
        assert!(fault.help().contains("context is dead"));
        let refusal = DriverError::Call { call: "cuLaunchKernel", code: ResultCode::ERROR_INVALID_VALUE };
        assert!(!refusal.help().contains("dead"));
    }
}
