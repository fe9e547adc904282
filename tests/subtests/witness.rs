//! The witnesses of `; test run` besides the oracle: the emulator in both schedules, and a GPU where there is one.

use libtest_mimic::Failed;
use warpsmith::backend::{AbiKind, DeviceBackend, DeviceError, DeviceMemory, pack};
use warpsmith::ir::{Kernel, Launch, Literal, ParamId};
use warpsmith::oracle::Buffer;
use warpsmith::oracle::compare::{Nan, compare_bits};
use warpsmith::ptx::emu::Schedule;
use warpsmith::runtime::{Device, EmuSettings, compile};
use warpsmith::target::Target;

/// An argument as the file gives it, before any launch.
pub(crate) enum Given {
    Buffer(Buffer),
    Scalar(Literal),
}

/// Every device that this build and machine have; the emulator once for each target and schedule.
pub(crate) fn devices(targets: &[Target]) -> Result<Vec<Device>, Failed> {
    let mut devices = Vec::new();
    for &target in targets {
        for schedule in [Schedule::Default, Schedule::Adversarial(1)] {
            devices.push(Device::emulator(EmuSettings { target, schedule, ..EmuSettings::default() }));
        }
    }
    if cfg!(feature = "cuda") {
        match Device::open("cuda:0") {
            Ok(gpu) => devices.push(gpu),
            Err(DeviceError::NoDevice { .. }) if std::env::var_os("WARPSMITH_REQUIRE_GPU").is_none() => {}
            Err(error) => return Err(error.to_string().into()),
        }
    }
    Ok(devices)
}

/// Launches the kernel on a device and compares every written buffer with the oracle's.
pub(crate) fn judge(
    device: &Device,
    kernel: &Kernel,
    launch: &Launch,
    given: &[(ParamId, Given)],
    want: &dyn Fn(&str) -> Option<Buffer>,
) -> Result<(), Failed> {
    let backend = device.backend();
    let emitted = compile(kernel, &launch.class(16), device.target())?;
    let memories = upload(backend, given)?;
    let params = pack(&emitted.params, |kind| match kind {
        AbiKind::Buffer(param) => memory(&memories, param).map_or(0, |memory| memory.address()),
        AbiKind::Scalar(param) => scalar(given, param),
        AbiKind::Extent(axis) => launch.extent.map_or(0, |extent| extent[usize::from(axis)]),
        AbiKind::GridDim(axis) => launch.grid[usize::from(axis)],
        AbiKind::Shape(..) | AbiKind::Stride(..) => 0,
    });
    let buffers: Vec<&dyn DeviceMemory> = memories.iter().map(|(_, memory)| &**memory).collect();
    let loaded = backend.load(kernel, &emitted)?;
    loaded.launch(launch, &params, &buffers).map_err(|error| format!("{error}\n{}", emitted.text))?;
    for (id, param) in kernel.params.iter().filter(|(_, param)| param.is_written()) {
        let (Some(want), Some(memory)) = (want(&param.name), memory(&memories, id)) else { continue };
        let mut bytes = vec![0; memory.bytes() as usize];
        memory.read(0, &mut bytes)?;
        let same = compare_bits(&Buffer::from_bytes(param.dtype, bytes), &want, Nan::Equal);
        if !same.is_match() {
            let device = device.description();
            return Err(format!(
                "{device}: `{}` differs from the oracle: {same}\n{}",
                param.name, emitted.text
            )
            .into());
        }
    }
    Ok(())
}

type Memories = Vec<(ParamId, Box<dyn DeviceMemory>)>;

fn upload(backend: &dyn DeviceBackend, given: &[(ParamId, Given)]) -> Result<Memories, Failed> {
    let mut memories = Memories::new();
    for (param, given) in given {
        if let Given::Buffer(buffer) = given {
            let bytes = buffer.bytes().ok_or("filetests use dense buffers")?;
            let memory = backend.alloc(bytes.len() as u64)?;
            memory.write(0, bytes)?;
            memories.push((*param, memory));
        }
    }
    Ok(memories)
}

fn memory(memories: &Memories, param: ParamId) -> Option<&dyn DeviceMemory> {
    memories.iter().find(|(id, _)| *id == param).map(|(_, memory)| &**memory)
}

fn scalar(given: &[(ParamId, Given)], param: ParamId) -> u64 {
    let found = given.iter().find(|(id, _)| *id == param);
    match found {
        Some((_, Given::Scalar(value))) => value.bits,
        Some((_, Given::Buffer(_))) | None => 0,
    }
}
