//! Random cases on the emulator.

use warpsmith::backend::{AbiKind, DeviceBackend, DeviceMemory, Emitted, pack};
use warpsmith::ir::{Kernel, Literal, Mode};
use warpsmith::oracle::Buffer;

use super::random_kernel::{Content, RandomCase};

/// What the text leaves in each buffer, by name; `Err` is the device's own words.
pub(crate) fn run(
    case: &RandomCase,
    kernel: &Kernel,
    emitted: &Emitted,
    device: &dyn DeviceBackend,
) -> Result<Vec<(String, Buffer)>, String> {
    let text = |error: warpsmith::backend::DeviceError| error.to_string();
    let mut memories: Vec<Option<Box<dyn DeviceMemory>>> = Vec::new();
    for argument in &case.arguments {
        let Content::Buffer(elements) = &argument.content else {
            memories.push(None);
            continue;
        };
        let literals: Vec<Literal> =
            elements.iter().map(|&bits| Literal::from_bits(argument.dtype, bits)).collect();
        let buffer = Buffer::from_literals(argument.dtype, &literals);
        let bytes = buffer.bytes().expect("random cases have dense buffers");
        let memory = device.alloc(bytes.len() as u64).map_err(text)?;
        memory.write(0, bytes).map_err(text)?;
        memories.push(Some(memory));
    }
    let place = |param| {
        let name = &kernel.params[param].name;
        case.arguments
            .iter()
            .position(|argument| argument.name == *name)
            .expect("each parameter has an argument")
    };
    let params = pack(&emitted.params, |kind| match kind {
        AbiKind::Buffer(param) => memories[place(param)].as_ref().map_or(0, |memory| memory.address()),
        AbiKind::Scalar(param) => match case.arguments[place(param)].content {
            Content::Scalar(bits) => bits,
            Content::Buffer(_) => 0,
        },
        AbiKind::Extent(axis) => match (case.launch.extent, case.launch.mode) {
            (Some(extent), Mode::Elementwise) => extent.iter().product(),
            (Some(extent), _) => extent[usize::from(axis)],
            (None, _) => case.launch.grid[usize::from(axis)] * u64::from(case.launch.cta[usize::from(axis)]),
        },
        AbiKind::GridDim(axis) => case.launch.grid[usize::from(axis)],
        AbiKind::Shape(param, axis) => case.arguments[place(param)].shape[usize::from(axis)],
        AbiKind::Stride(param, axis) => case.arguments[place(param)].strides[usize::from(axis)],
    });
    let buffers: Vec<&dyn DeviceMemory> = memories.iter().flatten().map(|memory| &**memory).collect();
    device.load(kernel, emitted).map_err(text)?.launch(&case.launch, &params, &buffers).map_err(text)?;
    let mut left = Vec::new();
    for (argument, memory) in case.arguments.iter().zip(&memories) {
        let Some(memory) = memory else { continue };
        let mut bytes = vec![0; memory.bytes() as usize];
        memory.read(0, &mut bytes).map_err(text)?;
        left.push((argument.name.clone(), Buffer::from_bytes(argument.dtype, bytes)));
    }
    Ok(left)
}
