//! A device that has memory and runs nothing: it records what it is asked to.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use warpsmith::backend::{DeviceBackend, DeviceError, DeviceKernel, DeviceMemory, Emitted, LaunchStats};
use warpsmith::diag::Help;
use warpsmith::ir::{Kernel, Launch};
use warpsmith::runtime::{Device, LaunchError};
use warpsmith::target::{Target, TargetProfile};

/// What a fake device was asked.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) loads: Mutex<Vec<String>>,
    pub(crate) launches: Mutex<Vec<(Launch, Vec<u64>, usize)>>,
}

#[derive(Debug)]
struct Fake {
    log: Arc<Log>,
    next: AtomicU64,
    /// Added to each address.
    offset: u64,
}

#[derive(Debug)]
struct Memory {
    address: u64,
    bytes: Mutex<Vec<u8>>,
}

#[derive(Debug)]
struct Module {
    log: Arc<Log>,
}

/// A device and its log.
pub(crate) fn device() -> (Device, Arc<Log>) {
    device_at(0)
}

/// The same, with buffers that begin `offset` bytes after a multiple of 4096.
pub(crate) fn device_at(offset: u64) -> (Device, Arc<Log>) {
    let log = Arc::new(Log::default());
    let fake = Fake { log: Arc::clone(&log), next: AtomicU64::new(0x1000), offset };
    (Device::new(fake), log)
}

impl DeviceBackend for Fake {
    fn name(&self) -> String {
        "fake".into()
    }

    fn description(&self) -> String {
        "a device that runs nothing".into()
    }

    fn target(&self) -> TargetProfile {
        TargetProfile::Ptx(Target::SM_90)
    }

    fn alloc(&self, bytes: u64) -> Result<Box<dyn DeviceMemory>, DeviceError> {
        let address =
            self.next.fetch_add(bytes.next_multiple_of(4096) + 4096, Ordering::Relaxed) + self.offset;
        Ok(Box::new(Memory { address, bytes: Mutex::new(vec![0xee; bytes as usize]) }))
    }

    fn load(&self, _kernel: &Kernel, emitted: &Emitted) -> Result<Box<dyn DeviceKernel>, DeviceError> {
        self.log.loads.lock().unwrap().push(emitted.entry.clone());
        Ok(Box::new(Module { log: Arc::clone(&self.log) }))
    }
}

impl DeviceMemory for Memory {
    fn bytes(&self) -> u64 {
        self.bytes.lock().unwrap().len() as u64
    }

    fn address(&self) -> u64 {
        self.address
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.bytes.lock().unwrap()[offset as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        data.copy_from_slice(&self.bytes.lock().unwrap()[offset as usize..][..data.len()]);
        Ok(())
    }

    fn fill(&self, offset: u64, bytes: u64, pattern: &[u8], _initialised: bool) -> Result<(), DeviceError> {
        let pattern: Vec<u8> = pattern.iter().copied().cycle().take(bytes as usize).collect();
        self.write(offset, &pattern)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl DeviceKernel for Module {
    fn launch(
        &self,
        launch: &Launch,
        params: &[u64],
        buffers: &[&dyn DeviceMemory],
    ) -> Result<LaunchStats, DeviceError> {
        self.log.launches.lock().unwrap().push((*launch, params.to_vec(), buffers.len()));
        Ok(LaunchStats::default())
    }
}

/// The message and what to do, as a user reads them.
pub(crate) fn words<T: std::fmt::Debug>(result: Result<T, LaunchError>) -> String {
    let error = result.expect_err("the launch is refused");
    match error.help() {
        Some(help) => format!("{error}\nhelp: {help}"),
        None => error.to_string(),
    }
}

/// One row a CTA.
pub(crate) const ROWS: &str = "kernel @rows(mut out: global u32) mode(reduction) {
    v0 = program_id.x
    store out[v0], v0
}";
