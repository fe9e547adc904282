//! A GPU behind the seam: the driver's types as a [`DeviceBackend`].
//!
//! On entry: text for a target that the device loads. On exit: results in device memory, or the driver's own words.
//! Launches go to one stream of the device and are waited for, so an error belongs to the launch that made it.

use std::any::Any;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::pack;
use crate::backend::{AbiKind, DeviceBackend, DeviceError, DeviceKernel, DeviceMemory, Emitted, LaunchStats};
use crate::driver::{
    Argument, Context, DeviceBuffer, Driver, DriverError, DriverVersion, Event, Function, LaunchConfig,
    Module, ParamLayout, Stream,
};
use crate::ir::{Kernel, Launch};
use crate::target::{DeviceTarget, Target, TargetProfile};

/// Bytes that are filled at a time where the driver has no call for a pattern.
const FILL_BYTES: usize = 1 << 22;

/// A CUDA device.
#[derive(Debug)]
pub struct CudaBackend {
    context: Context,
    version: Option<DriverVersion>,
    chosen: DeviceTarget,
}

impl CudaBackend {
    /// The device of that number.
    ///
    /// # Errors
    /// There is no driver or no such device, or it is older than every target.
    pub fn open(ordinal: u32) -> Result<Self, DeviceError> {
        let name = || format!("cuda:{ordinal}");
        let absent = |reason: String| DeviceError::NoDevice { name: name(), reason };
        let driver = Driver::load().map_err(|error| absent(error.to_string()))?;
        let device = driver.device(ordinal).map_err(|error| absent(error.to_string()))?;
        let (major, minor) = device.compute_capability();
        let chosen = Target::for_device(major, minor).map_err(|error| absent(error.to_string()))?;
        let context = Context::new(&device).map_err(|error| words(&name(), &error))?;
        Ok(Self { context, version: driver.version().ok(), chosen })
    }

    /// What the user should be told of the choice of target.
    pub fn notice(&self) -> Option<String> {
        self.chosen.notice()
    }
}

/// A driver's error where nothing better is known than that the driver said so.
fn words(device: &str, error: &DriverError) -> DeviceError {
    let (device, reason) = (device.to_owned(), format!("[{}] {error}", error.error_code()));
    match error {
        DriverError::OutOfMemory { .. } | DriverError::OutOfRange { .. } | DriverError::TooLarge { .. } => {
            DeviceError::Memory { device, reason }
        }
        DriverError::LibraryNotFound { .. }
        | DriverError::NotAvailable { .. }
        | DriverError::NoDevice { .. }
        | DriverError::NoSuchDevice { .. }
        | DriverError::Call { .. }
        | DriverError::ContextDead { .. }
        | DriverError::Jit(_)
        | DriverError::NulInPtx { .. }
        | DriverError::NoSuchFunction { .. }
        | DriverError::LayoutMismatch { .. }
        | DriverError::Launch { .. }
        | DriverError::ForeignHandle { .. } => DeviceError::Driver { device, reason },
    }
}

impl DeviceBackend for CudaBackend {
    fn name(&self) -> String {
        format!("cuda:{}", self.context.device().ordinal())
    }

    fn description(&self) -> String {
        let device = self.context.device();
        let (major, minor) = device.compute_capability();
        let driver = self.version.map(|version| format!(", driver {version}")).unwrap_or_default();
        format!("{} (compute capability {major}.{minor}, {}{driver})", device.name(), self.chosen.target)
    }

    fn target(&self) -> TargetProfile {
        TargetProfile::Ptx(self.chosen.target)
    }

    fn alloc(&self, bytes: u64) -> Result<Box<dyn DeviceMemory>, DeviceError> {
        let device = self.name();
        let len = usize::try_from(bytes).map_err(|_| DeviceError::Memory {
            device: device.clone(),
            reason: format!("{bytes} bytes are larger than an address"),
        })?;
        let buffer = DeviceBuffer::uninit(&self.context, len).map_err(|error| words(&device, &error))?;
        Ok(Box::new(CudaMemory { device, address: buffer.address(), bytes, buffer: Mutex::new(buffer) }))
    }

    fn load(&self, _kernel: &Kernel, emitted: &Emitted) -> Result<Box<dyn DeviceKernel>, DeviceError> {
        let device = self.name();
        let refused = |error: DriverError| match error {
            DriverError::Jit(_)
            | DriverError::NulInPtx { .. }
            | DriverError::NoSuchFunction { .. }
            | DriverError::LayoutMismatch { .. } => DeviceError::BadModule {
                device: device.clone(),
                entry: emitted.entry.clone(),
                reason: format!("{error}\n{}", error.help()),
            },
            other => words(&device, &other),
        };
        let module = Module::load(&self.context, &emitted.text).map_err(refused)?;
        // Addresses travel as plain 64-bit values: that a buffer is of this device, the launch has checked.
        let layout: ParamLayout = emitted
            .params
            .iter()
            .fold(ParamLayout::new(), |layout, param| layout.scalar(param.name.clone(), param.size as usize));
        let function = module.function(&emitted.entry, layout).map_err(refused)?;
        let stream = Stream::new(&self.context).map_err(|error| words(&device, &error))?;
        Ok(Box::new(CudaKernel {
            device,
            context: self.context.clone(),
            function,
            stream,
            spans: pack::offsets(&emitted.params).0.into_iter().zip(sizes(emitted)).collect(),
            dynamic_shared: emitted.dynamic_shared,
            linearised: emitted.params.iter().any(|param| matches!(param.kind, AbiKind::GridDim(_))),
        }))
    }
}

fn sizes(emitted: &Emitted) -> impl Iterator<Item = usize> {
    emitted.params.iter().map(|param| param.size as usize)
}

struct CudaMemory {
    device: String,
    address: u64,
    bytes: u64,
    buffer: Mutex<DeviceBuffer<u8>>,
}

impl CudaMemory {
    fn with<T>(
        &self,
        act: impl FnOnce(&mut DeviceBuffer<u8>) -> Result<T, DriverError>,
    ) -> Result<T, DeviceError> {
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut buffer).map_err(|error| words(&self.device, &error))
    }
}

impl fmt::Debug for CudaMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {:#x} on {}", self.bytes, self.address, self.device)
    }
}

impl DeviceMemory for CudaMemory {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn address(&self) -> u64 {
        self.address
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.with(|buffer| buffer.write(saturated(offset), data))
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.with(|buffer| buffer.read(saturated(offset), data))
    }

    fn fill(&self, offset: u64, bytes: u64, pattern: &[u8], _initialised: bool) -> Result<(), DeviceError> {
        check_pattern(&self.device, bytes, pattern)?;
        match pattern {
            [byte] if offset == 0 && bytes == self.bytes => self.with(|buffer| buffer.fill_bytes(*byte)),
            _ => self.with(|buffer| {
                let (mut offset, mut rest) = (saturated(offset), saturated(bytes));
                let chunk: Vec<u8> = pattern.iter().copied().cycle().take(rest.min(FILL_BYTES)).collect();
                while rest > 0 {
                    let piece = rest.min(chunk.len());
                    buffer.write(offset, &chunk[..piece])?;
                    offset += piece;
                    rest -= piece;
                }
                Ok(())
            }),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A size for the driver, whose range check refuses what does not fit.
fn saturated(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// A pattern has 1, 2 or 4 bytes, and divides the range.
pub(super) fn check_pattern(device: &str, bytes: u64, pattern: &[u8]) -> Result<(), DeviceError> {
    if matches!(pattern.len(), 1 | 2 | 4) && bytes.is_multiple_of(pattern.len() as u64) {
        return Ok(());
    }
    let reason = format!("a pattern of {} bytes does not fill {bytes} bytes", pattern.len());
    Err(DeviceError::Memory { device: device.to_owned(), reason })
}

struct CudaKernel {
    device: String,
    context: Context,
    function: Function,
    stream: Stream,
    /// Start and size of each parameter among the packed bytes.
    spans: Vec<(usize, usize)>,
    dynamic_shared: u32,
    linearised: bool,
}

impl fmt::Debug for CudaKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` on {}", self.function.name(), self.device)
    }
}

impl DeviceKernel for CudaKernel {
    fn launch(
        &self,
        launch: &Launch,
        params: &[u64],
        buffers: &[&dyn DeviceMemory],
    ) -> Result<LaunchStats, DeviceError> {
        if launch.cta_count() == 0 {
            // The driver refuses an empty grid; here it does nothing and succeeds.
            return Ok(LaunchStats::default());
        }
        let refused = |reason: String| DeviceError::BadLaunch {
            device: self.device.clone(),
            entry: self.function.name().into(),
            reason,
        };
        if buffers.iter().any(|buffer| !buffer.as_any().is::<CudaMemory>()) {
            return Err(refused("a buffer is not this device's".into()));
        }
        let grid =
            grid_of(launch, self.linearised).ok_or_else(|| refused("its grid is over 2^32 CTAs".into()))?;
        let config = LaunchConfig { grid, block: launch.cta, shared_bytes: self.dynamic_shared };
        let bytes = pack::bytes(params);
        let arguments: Option<Vec<Argument<'_>>> = self
            .spans
            .iter()
            .map(|&(start, size)| bytes.get(start..start + size).map(Argument::bytes))
            .collect();
        let arguments = arguments.ok_or_else(|| refused("fewer parameters are passed than it has".into()))?;
        let failed = |error: DriverError| match error {
            DriverError::Launch { problem, .. } => refused(problem.to_string()),
            other => words(&self.device, &other),
        };
        let (start, end) =
            (Event::new(&self.context).map_err(failed)?, Event::new(&self.context).map_err(failed)?);
        start.record(&self.stream).map_err(failed)?;
        self.function.launch(&self.stream, config, &arguments).map_err(failed)?;
        end.record(&self.stream).map_err(failed)?;
        self.stream.synchronize().map_err(failed)?;
        Ok(LaunchStats { lane_instructions: None, milliseconds: end.milliseconds_since(&start).ok() })
    }
}

/// The grid as the hardware takes it.
pub(super) fn grid_of(launch: &Launch, linearised: bool) -> Option<[u32; 3]> {
    if linearised {
        return Some([u32::try_from(launch.cta_count()).ok()?, 1, 1]);
    }
    let [x, y, z] = launch.grid.map(|axis| u32::try_from(axis).ok());
    Some([x?, y?, z?])
}
