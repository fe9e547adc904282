//! Runs one case's launch on a device and brings back what it left.
//!
//! On entry: text that was compiled for the launch's class, and a module of it. On exit: the bytes of every compared
//! region. Where the device doesn't check bounds itself, a guard zone stands behind each buffer, and a launch that
//! wrote there is an error. Not here: judging the bytes.

use super::judge::Left;
use super::prepare::Expected;
use crate::backend::{
    AbiKind, AbiParam, DeviceBackend, DeviceError, DeviceKernel, DeviceMemory, LaunchStats, pack,
};
use crate::case::{Case, Contents, canary_byte};
use crate::ir::{DType, Mode, ParamId};

/// Bytes behind each buffer that nobody may write.
const GUARD_BYTES: u64 = 256;
/// What they hold.
const GUARD: u8 = 0xc3;

/// Why a case has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExecuteError {
    /// The device says no.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The launch wrote behind a buffer.
    #[error("the launch wrote {} behind the end of `{name}`, the first at {first}", crate::diag::count(*bytes, "byte"))]
    Overrun {
        /// The buffer.
        name: String,
        /// How many bytes of the guard zone changed.
        bytes: usize,
        /// The first of them, from the end of the buffer.
        first: usize,
    },
}

/// What a launch left.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The regions of each buffer.
    pub(crate) left: Vec<Left>,
    /// What the device counted.
    pub(crate) stats: LaunchStats,
}

/// Launches a case.
pub(crate) fn execute(
    device: &dyn DeviceBackend,
    module: &dyn DeviceKernel,
    abi: &[AbiParam],
    case: &Case,
    expected: &Expected,
) -> Result<Outcome, ExecuteError> {
    let (memories, stats) = start(device, module, abi, case)?;
    let mut left = Vec::new();
    for ((bound, memory), wanted) in case.buffers.iter().zip(&memories).zip(&expected.buffers) {
        let size = u64::from(bound.buffer.dtype().size());
        let mut regions = Vec::new();
        for region in &wanted.regions {
            let mut bytes = vec![0; ((region.end - region.start) * size) as usize];
            memory.read(region.start * size, &mut bytes)?;
            regions.push(bytes);
        }
        left.push(regions);
        check_guard(&**memory, bound.buffer.name(), bound.buffer.len() * size)?;
    }
    Ok(Outcome { left, stats })
}

/// Launches a case, and gives its buffers as the launch left them.
pub(super) fn start(
    device: &dyn DeviceBackend,
    module: &dyn DeviceKernel,
    abi: &[AbiParam],
    case: &Case,
) -> Result<(Vec<Box<dyn DeviceMemory>>, LaunchStats), DeviceError> {
    let guard = if device.checks_bounds() { 0 } else { GUARD_BYTES };
    let memories = case
        .buffers
        .iter()
        .map(|bound| upload(device, bound.buffer.contents(), bound.buffer.dtype(), bound.buffer.len(), guard))
        .collect::<Result<Vec<_>, _>>()?;
    let params = pack(abi, |kind| argument(case, &memories, kind));
    let buffers: Vec<&dyn DeviceMemory> = memories.iter().map(|memory| &**memory).collect();
    let stats = module.launch(&case.launch, &params, &buffers)?;
    Ok((memories, stats))
}

fn upload(
    device: &dyn DeviceBackend,
    contents: &Contents,
    dtype: DType,
    len: u64,
    guard: u64,
) -> Result<Box<dyn DeviceMemory>, DeviceError> {
    let size = u64::from(dtype.size());
    let bytes = len * size;
    let memory = device.alloc(bytes + guard)?;
    match contents {
        Contents::Bytes(contents) => memory.write(0, contents)?,
        Contents::Scalar(value) => memory.write(0, &value.0.bits.to_le_bytes()[..size as usize])?,
        Contents::Canary => memory.fill(0, bytes, &[canary_byte(dtype)], false)?,
        Contents::Sparse { pieces, zeroed } => {
            // Where the device knows what was written, what nobody wrote needs no filler, which could be larger than
            // the host's memory.
            if *zeroed || !device.checks_bounds() {
                memory.fill(0, bytes, &[0], *zeroed)?;
            }
            for (first, contents) in pieces {
                memory.write(first * size, contents)?;
            }
        }
    }
    if guard > 0 {
        memory.fill(bytes, guard, &[GUARD], false)?;
    }
    Ok(memory)
}

fn check_guard(memory: &dyn DeviceMemory, name: &str, from: u64) -> Result<(), ExecuteError> {
    let mut zone = vec![0; (memory.bytes() - from) as usize];
    if zone.is_empty() {
        return Ok(());
    }
    memory.read(from, &mut zone)?;
    let changed = || zone.iter().enumerate().filter(|(_, byte)| **byte != GUARD);
    match changed().next() {
        None => Ok(()),
        Some((first, _)) => {
            Err(ExecuteError::Overrun { name: name.to_owned(), bytes: changed().count(), first })
        }
    }
}

/// The value of one parameter of the entry.
fn argument(case: &Case, memories: &[Box<dyn DeviceMemory>], kind: AbiKind) -> u64 {
    let index = |param: ParamId| {
        let found = case.buffers.iter().position(|bound| bound.param == param);
        found.expect("a checked case binds each buffer parameter")
    };
    let axis = |values: &[u64], axis: u8| values[usize::from(axis)];
    match kind {
        AbiKind::Buffer(param) => memories[index(param)].address(),
        AbiKind::Scalar(param) => {
            let found = case.scalars.iter().find(|(bound, _)| *bound == param);
            found.expect("a checked case binds each scalar parameter").1.bits
        }
        AbiKind::Shape(param, at) => axis(case.buffers[index(param)].buffer.shape(), at),
        AbiKind::Stride(param, at) => axis(&case.buffers[index(param)].buffer.strides(), at),
        AbiKind::Extent(at) => match (case.launch.extent, case.launch.mode) {
            // An elementwise launch passes one number, the product of its extents.
            (Some(extent), Mode::Elementwise) => extent.iter().product(),
            (Some(extent), _) => axis(&extent, at),
            (None, _) => axis(&case.launch.grid, at) * u64::from(case.launch.cta[usize::from(at)]),
        },
        AbiKind::GridDim(at) => axis(&case.launch.grid, at),
    }
}
