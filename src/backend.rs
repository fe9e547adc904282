//! The seam: what a code generator and a device are to the rest of the crate.
//!
//! A [`CodegenBackend`] turns a validated kernel into text; a [`DeviceBackend`] holds memory and runs that text. Neither
//! decides numerics: whatever can change a bit is fixed in the IR. On entry a kernel has passed `ir::validate`; on exit
//! text is deterministic, or an error says what the backend or the target lacks and where the kernel asks for it.
//! Deliberately not here: which device is chosen and how arguments bind, which `runtime` does.

use std::any::Any;
use std::fmt::{self, Debug};

use crate::diag::{self, Code, Help, Spanned};
use crate::ir::{Kernel, Launch, LaunchClass, ParamId};
use crate::target::{PtxVersion, TargetProfile, Unsupported};

/// A generator of kernel text for one language.
pub trait CodegenBackend {
    /// `ptx` or `msl`: also the extension of its files.
    fn name(&self) -> &'static str;

    /// The text of a validated kernel for launches of `class` on `target`.
    ///
    /// # Errors
    /// Everything the kernel asks for that the backend or the target lacks, each with its place.
    fn emit(
        &self,
        kernel: &Kernel,
        class: &LaunchClass,
        target: TargetProfile,
    ) -> Result<Emitted, Vec<Spanned<EmitError>>>;
}

/// Why a kernel can't be emitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// The backend has no form for an operation, or not for these types.
    #[error("{backend} has no form for {what}")]
    NoForm {
        /// The backend.
        backend: &'static str,
        /// The operation, with what makes it special.
        what: String,
    },
    /// The target lacks an instruction.
    #[error(transparent)]
    Target(#[from] Unsupported),
    /// An operation of whole warps where lanes may be missing.
    #[error("`{op}` takes all 32 lanes of a warp, which are not proven to come here")]
    PartialWarp {
        /// The operation.
        op: &'static str,
    },
    /// A target of another language was named.
    #[error("{backend} can't be emitted for {target}")]
    WrongTarget {
        /// The backend.
        backend: &'static str,
        /// The target as named.
        target: String,
    },
    /// An inline text that its language or the target does not have.
    #[error("inline {backend} `{text}`: {why}")]
    Inline {
        /// The language.
        backend: &'static str,
        /// The statement, as the kernel writes it.
        text: String,
        /// What is wrong with it.
        why: String,
        /// What to do.
        help: String,
    },
    /// The launch class contradicts the kernel or itself.
    #[error("the kernel can't be launched so: {why}")]
    Class {
        /// What contradicts what.
        why: String,
    },
}

impl Help for EmitError {
    fn help(&self) -> Option<String> {
        match self {
            Self::NoForm { .. } => None,
            Self::Target(unsupported) => unsupported.help(),
            Self::Inline { help, .. } => Some(help.clone()),
            Self::PartialWarp { .. } => Some(
                "launch whole CTAs of a multiple of 32 threads, and keep it out of branches and loops that lanes leave apart"
                    .into(),
            ),
            Self::WrongTarget { .. } => Some("`warpsmith targets` lists them".into()),
            Self::Class { .. } => Some("launch it with the mode and CTA shape that it declares".into()),
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::NoForm { .. } => Code::NoForm,
            Self::Target(error) => error.code(),
            Self::PartialWarp { .. } => Code::PartialWarp,
            Self::WrongTarget { .. } => Code::WrongTarget,
            Self::Inline { .. } => Code::InlineRefused,
            Self::Class { .. } => Code::BadClass,
        }
    }
}

/// Emitted text, and what a launcher has to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The text of a module with one entry point.
    pub text: String,
    /// The entry point.
    pub entry: String,
    /// The target the text names, suffix included: `sm_90`, `sm_120f`, `apple9`.
    pub target: String,
    /// The PTX version the text declares; `None` for other languages.
    pub ptx_version: Option<PtxVersion>,
    /// What the launcher passes, in order.
    pub params: Vec<AbiParam>,
    /// Bytes of statically declared shared memory.
    pub static_shared: u32,
    /// Bytes of dynamic shared memory that a launch must ask for.
    pub dynamic_shared: u32,
    /// Paths that were chosen, with the reason: nothing falls back silently.
    pub selection: Vec<String>,
}

/// One parameter of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbiParam {
    /// Its name in the text.
    pub name: String,
    /// What the launcher passes.
    pub kind: AbiKind,
    /// Its size in bytes.
    pub size: u32,
}

/// What a launcher passes for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbiKind {
    /// The address of a buffer, `u64`.
    Buffer(ParamId),
    /// The value of a scalar.
    Scalar(ParamId),
    /// The extent of a strided parameter on an axis, in elements, `u64`.
    Shape(ParamId, u8),
    /// The stride of a strided parameter on an axis, in elements, `u64`.
    Stride(ParamId, u8),
    /// The launch's exact extent on an axis, in threads, `u32`.
    Extent(u8),
    /// CTAs of the grid on an axis, `u32`; passed where the grid is linearised.
    GridDim(u8),
}

/// The parameters of an entry in words, each at its own alignment, padded at the end. `value` gives 64 bits for each;
/// those above the parameter's size are not passed.
pub fn pack(params: &[AbiParam], value: impl Fn(AbiKind) -> u64) -> Vec<u64> {
    let mut bytes: Vec<u8> = Vec::new();
    for param in params {
        let size = param.size.clamp(1, 8) as usize;
        bytes.resize(bytes.len().next_multiple_of(size), 0);
        bytes.extend_from_slice(&value(param.kind).to_le_bytes()[..size]);
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
        .chunks_exact(8)
        .map(|word| word.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
        .collect()
}

/// Something that runs emitted text over its own memory: a GPU, or the emulator.
///
/// Everything a user meets (typed buffers, binding by name, checks) is `runtime`'s; this is the least that a device
/// has to do.
pub trait DeviceBackend: Debug + Send + Sync {
    /// As a user names it: `emu`, `cuda:0`.
    fn name(&self) -> String;

    /// What it is, for a report: `PTX emulator (sm_90)`, `NVIDIA H200 (sm_90, driver 13.0)`.
    fn description(&self) -> String;

    /// The target whose text it runs.
    fn target(&self) -> TargetProfile;

    /// Whether an access outside every buffer is found there; else whoever judges a launch puts guard zones behind
    /// buffers.
    fn checks_bounds(&self) -> bool {
        false
    }

    /// Another of its kind with memory of its own, whose launches run on the calling thread and wait for nobody; `None`
    /// where there is only one. What runs many small launches at a time asks for it.
    fn independent(&self) -> Option<Box<dyn DeviceBackend>> {
        None
    }

    /// Takes `bytes` of memory, undefined; zero bytes are a buffer too.
    ///
    /// # Errors
    /// The device has not that much, or is lost.
    fn alloc(&self, bytes: u64) -> Result<Box<dyn DeviceMemory>, DeviceError>;

    /// Takes a module ready to launch.
    ///
    /// # Errors
    /// The device does not take the text; the message names the line.
    fn load(&self, kernel: &Kernel, emitted: &Emitted) -> Result<Box<dyn DeviceKernel>, DeviceError>;
}

/// A buffer of a device; dropping it gives the memory back.
pub trait DeviceMemory: Debug + Send + Sync + Any {
    /// Its size.
    fn bytes(&self) -> u64;

    /// Where it starts, as the kernel sees it.
    fn address(&self) -> u64;

    /// Copies from the host.
    ///
    /// # Errors
    /// The range is outside the buffer, or the device is lost.
    fn write(&self, offset: u64, data: &[u8]) -> Result<(), DeviceError>;

    /// Copies to the host.
    ///
    /// # Errors
    /// The range is outside the buffer, or the device is lost.
    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), DeviceError>;

    /// Repeats a pattern of 1, 2 or 4 bytes over a range that it divides. Where the device tracks initialisation,
    /// `initialised` says whether what is written counts as contents.
    ///
    /// # Errors
    /// The range is outside the buffer or the pattern doesn't fit it, or the device is lost.
    fn fill(&self, offset: u64, bytes: u64, pattern: &[u8], initialised: bool) -> Result<(), DeviceError>;

    /// For the device to find its own type again.
    fn as_any(&self) -> &dyn Any;
}

/// A kernel loaded on a device.
pub trait DeviceKernel: Debug + Send + Sync {
    /// Runs it and waits. `params` are the entry's parameters packed each at its own alignment, in order; `buffers` are
    /// those whose addresses stand among them, for the device to check and keep alive.
    ///
    /// # Errors
    /// The launch is not possible on this device, or the kernel faulted; with its finding where the device has one.
    fn launch(
        &self,
        launch: &Launch,
        params: &[u64],
        buffers: &[&dyn DeviceMemory],
    ) -> Result<LaunchStats, DeviceError>;
}

/// What a device counted or timed in a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaunchStats {
    /// PTX instructions × active lanes, where the device counts them.
    pub lane_instructions: Option<u64>,
    /// Time on the device, where it has a clock.
    pub milliseconds: Option<f32>,
}

/// Why a device could not do something.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no such device here.
    #[error("no device `{name}`: {reason}")]
    NoDevice {
        /// As asked for.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The device does not take the text.
    #[error("{device} refused the module of `{entry}`: {reason}")]
    BadModule {
        /// The device.
        device: String,
        /// The entry point.
        entry: String,
        /// Its own words, with the line.
        reason: String,
    },
    /// The launch is not possible there.
    #[error("`{entry}` can't be launched on {device}: {reason}")]
    BadLaunch {
        /// The device.
        device: String,
        /// The entry point.
        entry: String,
        /// What is beyond which limit.
        reason: String,
    },
    /// The kernel did something that has no defined result.
    #[error("{text}")]
    Fault {
        /// What kind of mistake it is.
        code: Code,
        /// What it did, and where.
        text: String,
    },
    /// Memory: too much asked for, or a range outside a buffer.
    #[error("{device}: {reason}")]
    Memory {
        /// The device.
        device: String,
        /// What is wrong.
        reason: String,
    },
    /// The device or its driver failed.
    #[error("{device}: {reason}")]
    Driver {
        /// The device.
        device: String,
        /// Its own words.
        reason: String,
    },
}

impl Debug for DeviceError {
    /// In words: `main` shows an error that it returns by `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        diag::with_help(self, f)
    }
}

impl Help for DeviceError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoDevice { .. } => {
                "`warpsmith doctor` says what is missing; without a GPU, `emu` runs the same text".into()
            }
            Self::BadModule { .. } => {
                "`warpsmith dump KERNEL` shows the text; a module that was not edited is a bug to report"
                    .into()
            }
            Self::BadLaunch { .. } => "change the grid, the CTA shape or the shared memory".into(),
            Self::Fault { .. } => return None,
            Self::Memory { .. } => "free buffers, or use a smaller one".into(),
            Self::Driver { .. } => "`warpsmith doctor` checks the driver".into(),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::NoDevice { .. } => Code::NoDevice,
            Self::BadModule { .. } => Code::ModuleRefused,
            Self::BadLaunch { .. } => Code::DeviceLaunch,
            Self::Fault { code, .. } => *code,
            Self::Memory { .. } => Code::DeviceMemory,
            Self::Driver { .. } => Code::DeviceFailed,
        }
    }
}
