//! Runs a job on a GPU, with a guard zone behind each buffer.
//!
//! Nothing checks bounds there: what the zones show is a finding, and a kernel that writes beyond them may damage other
//! buffers. A buffer that no file gives contents holds zeros, as on the emulator.

use super::error::RunError;
use super::job::{Job, Outcome, Overrun};
use super::warning::dropped;
use crate::driver::{
    Argument, Context, DeviceBuffer, Driver, DriverError, Event, LaunchConfig, Module, ParamLayout, Stream,
};

/// Bytes behind each buffer that nobody may write.
const GUARD_BYTES: usize = 4096;
/// What they hold.
const GUARD: u8 = 0xc3;

impl Job {
    /// Runs it on the GPU of that number.
    ///
    /// # Errors
    /// There is no such device, or it refuses the text or the launch, or the kernel faults.
    pub fn launch(&self, ordinal: u32) -> Result<Outcome, RunError> {
        let device = Driver::load()?.device(ordinal)?;
        let context = Context::new(&device)?;
        let module = Module::load(&context, &self.text)?;
        let sizes = self.bound.spans.iter().zip(self.parameter_names());
        let layout = sizes.fold(ParamLayout::new(), |layout, ((_, size), name)| layout.scalar(name, *size));
        let function = module.function(&self.entry, layout)?;
        let mut buffers = Vec::new();
        for buffer in &self.bound.buffers {
            let len = buffer.bytes as usize;
            let mut memory = DeviceBuffer::<u8>::uninit(&context, len + GUARD_BYTES)?;
            memory.fill_bytes(0)?;
            if let Some(contents) = &buffer.contents {
                memory.write(0, contents)?;
            }
            memory.write(len, &[GUARD; GUARD_BYTES])?;
            buffers.push(memory);
        }
        let mut outcome = Outcome { device: format!("cuda:{ordinal}, {}", device.name()), ..self.outcome() };
        if !self.is_empty() {
            let addresses: Vec<u64> = buffers.iter().map(DeviceBuffer::address).collect();
            let params = self.bound.params_with(&addresses);
            let arguments: Vec<_> = self
                .bound
                .spans
                .iter()
                .map(|&(start, size)| Argument::bytes(&params[start..start + size]))
                .collect();
            // What does not fit 32 bits is over every limit, which the driver's check names.
            let shared_bytes = u32::try_from(self.shared).unwrap_or(u32::MAX);
            let config = LaunchConfig { grid: self.grid, block: self.block, shared_bytes };
            let stream = Stream::new(&context)?;
            let (start, end) = (Event::new(&context)?, Event::new(&context)?);
            start.record(&stream)?;
            function.launch(&stream, config, &arguments)?;
            end.record(&stream)?;
            stream.synchronize().map_err(|error| self.fault(device.name(), &error))?;
            outcome.milliseconds = end.milliseconds_since(&start).ok();
        }
        for (buffer, memory) in self.bound.buffers.iter().zip(&buffers) {
            let mut bytes = memory.to_vec()?;
            let zone = bytes.split_off(buffer.bytes as usize);
            let changed = || zone.iter().enumerate().filter(|(_, byte)| **byte != GUARD);
            if let Some((first, _)) = changed().next() {
                let (name, bytes) = (buffer.name.clone(), changed().count());
                outcome.overruns.push(Overrun { name, bytes, first });
            }
            let after = |offset: usize, piece: &mut [u8]| {
                piece.copy_from_slice(&bytes[offset..offset + piece.len()]);
            };
            outcome.warnings.extend(dropped(buffer, after));
            outcome.results.push(buffer.written.then_some(bytes));
            outcome.unwritten.push(None);
            outcome.writers.push(None);
        }
        Ok(outcome)
    }

    fn parameter_names(&self) -> impl Iterator<Item = String> + '_ {
        let entry = self.module.entries.iter().find(|entry| entry.name == self.entry);
        entry.into_iter().flat_map(|entry| entry.params.values().map(|param| param.name.clone()))
    }

    fn fault(&self, device: &str, error: &DriverError) -> RunError {
        RunError::Fault { entry: self.entry.clone(), device: device.to_owned(), reason: error.to_string() }
    }
}
