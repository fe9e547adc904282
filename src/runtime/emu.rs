//! The PTX emulator behind the seam.
//!
//! On entry: text for the target it stands for. On exit: results in its memory, or the emulator's finding with buffers
//! called by the kernel's parameters. Launches of one device take turns: they share its memory.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cuda::{check_pattern, grid_of};
use super::pack;
use crate::backend::{
    AbiKind, AbiParam, DeviceBackend, DeviceError, DeviceKernel, DeviceMemory, Emitted, LaunchStats,
};
use crate::ir::{Kernel, Launch};
use crate::numerics::tensor::TensorModel;
use crate::ptx::emu::{
    Config, GlobalMemory, LaunchConfig, Met, OutsideBuffers, Profile, Program, Schedule, Survey, launch,
    merge, survey,
};
use crate::ptx::isa::error::ParseError;
use crate::ptx::module;
use crate::target::{Target, TargetProfile};

/// The most bytes of one buffer: its table of pages must fit the host.
const MAX_BYTES: u64 = 1 << 38;

/// The most bytes of all buffers; the emulator has 2⁴⁸ of address space.
const MAX_TOTAL: u64 = 1 << 46;

/// Bytes filled at a time.
const FILL_BYTES: u64 = 1 << 20;

/// What an emulator stands for and how it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmuSettings {
    /// The target.
    pub target: Target,
    /// In which order lanes, warps and CTAs run.
    pub schedule: Schedule,
    /// Whether uninitialised reads and the like are findings.
    pub sanitize: bool,
    /// CTAs that run at a time; 0 for one per core.
    pub workers: usize,
    /// Instructions of one CTA after which a launch counts as hanging.
    pub step_budget: u64,
    /// What its matrix unit computes; `None` for that of the target.
    pub tensor_model: Option<TensorModel>,
}

impl Default for EmuSettings {
    /// An sm_90 with every check on, on all cores.
    fn default() -> Self {
        let Config { schedule, sanitize, step_budget, .. } = Config::default();
        Self { target: Target::SM_90, schedule, sanitize, workers: 0, step_budget, tensor_model: None }
    }
}

/// The emulator as a device.
#[derive(Debug)]
pub struct EmuBackend {
    settings: EmuSettings,
    shared: Arc<Shared>,
    /// What launches meet, where they go on after a finding.
    met: Option<Arc<Mutex<Vec<Met>>>>,
    /// What the last launch did, where that is counted.
    profile: Option<Arc<Mutex<Profile>>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    memory: GlobalMemory,
    /// Buffers that were made since `memory` was.
    made: u64,
    /// Bytes of them, with the gaps between.
    bytes: u64,
    /// Buffers that are still held.
    live: u64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Memory has no invariant that a panic of another thread could leave broken: it is bytes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EmuBackend {
    /// An emulator with nothing in its memory.
    pub fn new(settings: EmuSettings) -> Self {
        Self { settings, shared: Arc::default(), met: None, profile: None }
    }

    /// The same, but launches go on after a finding as [`survey`] says, and don't fail for it: [`met`](Self::met) lists
    /// them.
    pub fn surveying(settings: EmuSettings) -> Self {
        Self { met: Some(Arc::default()), ..Self::new(settings) }
    }

    /// The same, but launches count what each instruction does: [`profile`](Self::profile) gives it.
    pub fn profiling(settings: EmuSettings) -> Self {
        Self { profile: Some(Arc::default()), ..Self::new(settings) }
    }

    /// What the last launch did, instruction by instruction; nothing before the first, or where it is not counted.
    pub fn profile(&self) -> Profile {
        let lock = |profile: &Arc<Mutex<Profile>>| lock_profile(profile).clone();
        self.profile.as_ref().map(lock).unwrap_or_default()
    }

    /// What the launches so far met, each site once.
    pub fn met(&self) -> Vec<Met> {
        let lock = |met: &Arc<Mutex<Vec<Met>>>| met.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.met.as_ref().map(lock).unwrap_or_default()
    }
}

impl DeviceBackend for EmuBackend {
    fn name(&self) -> String {
        if self.settings.target == EmuSettings::default().target {
            "emu".into()
        } else {
            format!("emu:{}", self.settings.target)
        }
    }

    fn description(&self) -> String {
        let order = match self.settings.schedule {
            Schedule::Default => String::new(),
            Schedule::Adversarial(seed) => format!(", adversarial schedule {seed}"),
        };
        format!("PTX emulator ({}{order})", self.settings.target)
    }

    fn target(&self) -> TargetProfile {
        TargetProfile::Ptx(self.settings.target)
    }

    fn checks_bounds(&self) -> bool {
        true
    }

    fn independent(&self) -> Option<Box<dyn DeviceBackend>> {
        Some(Box::new(Self::new(EmuSettings { workers: 1, ..self.settings.clone() })))
    }

    fn alloc(&self, bytes: u64) -> Result<Box<dyn DeviceMemory>, DeviceError> {
        let mut state = self.shared.lock();
        // Each buffer begins on a page of 64 KiB of its own, with a free page behind it.
        let taken = bytes.next_multiple_of(1 << 16) + (1 << 16);
        if bytes > MAX_BYTES || state.bytes + taken > MAX_TOTAL {
            let reason =
                format!("{bytes} bytes are over the emulator's {MAX_BYTES} a buffer, or {MAX_TOTAL} in all");
            return Err(DeviceError::Memory { device: self.name(), reason });
        }
        let name = format!("buffer {}", state.made);
        let address = state.memory.allocate(name.clone(), bytes);
        state.made += 1;
        state.bytes += taken;
        state.live += 1;
        drop(state);
        Ok(Box::new(EmuMemory {
            device: self.name(),
            shared: Arc::clone(&self.shared),
            name,
            address,
            bytes,
        }))
    }

    fn load(&self, kernel: &Kernel, emitted: &Emitted) -> Result<Box<dyn DeviceKernel>, DeviceError> {
        let device = self.name();
        let refused = |reason: String| DeviceError::BadModule {
            device: device.clone(),
            entry: emitted.entry.clone(),
            reason,
        };
        let module = module::parse(&emitted.text).map_err(|error| refused(in_text(&emitted.text, &error)))?;
        let program = Program::decode(&module, &emitted.entry)
            .map_err(|error| refused(format!("{error}\nhelp: {}", error.help())))?;
        Ok(Box::new(EmuKernel {
            device: device.clone(),
            shared: Arc::clone(&self.shared),
            program,
            config: Config {
                schedule: self.settings.schedule,
                sanitize: self.settings.sanitize,
                step_budget: self.settings.step_budget,
                // The order of float additions shows in their bits: one worker gives the same ones every time.
                workers: if kernel.adds_floats_atomically() { 1 } else { self.settings.workers },
                profile: self.profile.is_some(),
                tensor_model: self.settings.tensor_model,
            },
            params: emitted.params.clone(),
            dynamic_shared: emitted.dynamic_shared,
            met: self.met.clone(),
            profile: self.profile.clone(),
        }))
    }
}

/// What is wrong with a text, the line it is about, and what to do.
fn in_text(text: &str, error: &ParseError) -> String {
    let ParseError { line, column, kind } = error;
    let quoted = text.lines().nth((*line as usize).saturating_sub(1)).unwrap_or_default().trim();
    format!("line {line}, column {column}: {kind}\n  {quoted}\nhelp: {}", error.help())
}

/// A buffer; the emulator's memory starts afresh when the last one is dropped.
struct EmuMemory {
    device: String,
    shared: Arc<Shared>,
    name: String,
    address: u64,
    bytes: u64,
}

impl EmuMemory {
    fn place(&self, offset: u64, bytes: u64) -> Result<u64, DeviceError> {
        let fits = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        if fits { Ok(self.address + offset) } else { Err(self.outside(offset, bytes)) }
    }

    fn outside(&self, offset: u64, bytes: u64) -> DeviceError {
        let reason = format!("{bytes} bytes at offset {offset} don't fit a buffer of {}", self.bytes);
        DeviceError::Memory { device: self.device.clone(), reason }
    }
}

impl fmt::Debug for EmuMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} bytes at {:#x} on {}", self.name, self.bytes, self.address, self.device)
    }
}

impl Drop for EmuMemory {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.live -= 1;
        if state.live == 0 {
            *state = State::default();
        }
    }
}

impl DeviceMemory for EmuMemory {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn address(&self) -> u64 {
        self.address
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), DeviceError> {
        let (bytes, address) = (data.len() as u64, self.place(offset, data.len() as u64)?);
        let outside = |_: OutsideBuffers| self.outside(offset, bytes);
        self.shared.lock().memory.write(address, data).map_err(outside)
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        let (bytes, address) = (data.len() as u64, self.place(offset, data.len() as u64)?);
        self.shared.lock().memory.read(address, data).map_err(|_| self.outside(offset, bytes))
    }

    fn fill(&self, offset: u64, bytes: u64, pattern: &[u8], initialised: bool) -> Result<(), DeviceError> {
        check_pattern(&self.device, bytes, pattern)?;
        let start = self.place(offset, bytes)?;
        // The length of a chunk is a multiple of every pattern's.
        let chunk: Vec<u8> = pattern.iter().copied().cycle().take(bytes.min(FILL_BYTES) as usize).collect();
        let mut state = self.shared.lock();
        let mut done = 0;
        while done < bytes {
            let piece = &chunk[..(bytes - done).min(FILL_BYTES) as usize];
            let filled = if initialised {
                state.memory.write(start + done, piece)
            } else {
                state.memory.write_canary(start + done, piece)
            };
            filled.map_err(|_| self.outside(offset, bytes))?;
            done += piece.len() as u64;
        }
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct EmuKernel {
    device: String,
    shared: Arc<Shared>,
    program: Program,
    config: Config,
    params: Vec<AbiParam>,
    dynamic_shared: u32,
    met: Option<Arc<Mutex<Vec<Met>>>>,
    profile: Option<Arc<Mutex<Profile>>>,
}

fn lock_profile(profile: &Mutex<Profile>) -> MutexGuard<'_, Profile> {
    // It is replaced as a whole: a panic of another thread leaves the one before.
    profile.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for EmuKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` on {}", self.program.name(), self.device)
    }
}

impl DeviceKernel for EmuKernel {
    fn launch(
        &self,
        geometry: &Launch,
        params: &[u64],
        buffers: &[&dyn DeviceMemory],
    ) -> Result<LaunchStats, DeviceError> {
        let refused = |reason: &str| DeviceError::BadLaunch {
            device: self.device.clone(),
            entry: self.program.name().into(),
            reason: reason.into(),
        };
        let linearised = self.params.iter().any(|param| matches!(param.kind, AbiKind::GridDim(_)));
        let grid = grid_of(geometry, linearised).ok_or_else(|| refused("its grid is over 2^32 CTAs"))?;
        let mut bytes = pack::bytes(params);
        let (starts, end) = pack::offsets(&self.params);
        if bytes.len() < end {
            return Err(refused("fewer parameters are passed than it has"));
        }
        bytes.truncate(end);
        let names =
            self.names(&bytes, &starts, buffers).ok_or_else(|| refused("a buffer is not this device's"))?;
        let config =
            LaunchConfig { grid, block: geometry.cta, dynamic_shared: self.dynamic_shared, params: bytes };
        let mut state = self.shared.lock();
        if let Some(list) = &self.met {
            for memory in buffers.iter().filter_map(|buffer| buffer.as_any().downcast_ref::<EmuMemory>()) {
                if let Some((_, param)) = names.iter().find(|(name, _)| *name == memory.name) {
                    state.memory.rename(memory.address, param);
                }
            }
            let done = survey(&self.program, &config, &mut state.memory, &self.config);
            let Survey { stats, met } = done.map_err(|finding| DeviceError::Fault {
                code: finding.kind.code(),
                text: finding.to_string(),
            })?;
            let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
            met.into_iter().for_each(|met| merge(&mut list, met));
            return Ok(LaunchStats { lane_instructions: Some(stats.lane_instructions), milliseconds: None });
        }
        let stats = launch(&self.program, &config, &mut state.memory, &self.config).map_err(|finding| {
            let text = names.iter().fold(finding.to_string(), |text, (buffer, param)| {
                text.replace(&format!("`{buffer}`"), &format!("`{param}`"))
            });
            DeviceError::Fault { code: finding.kind.code(), text }
        })?;
        if let Some(profile) = &self.profile {
            *lock_profile(profile) = Profile::new(&self.program, &stats);
        }
        Ok(LaunchStats { lane_instructions: Some(stats.lane_instructions), milliseconds: None })
    }
}

impl EmuKernel {
    /// The emulator's name of each buffer, and the parameter it is passed for.
    fn names<'s>(
        &'s self,
        bytes: &[u8],
        starts: &[usize],
        buffers: &[&'s dyn DeviceMemory],
    ) -> Option<Vec<(&'s str, &'s str)>> {
        let mut names = Vec::new();
        for buffer in buffers {
            let memory = buffer.as_any().downcast_ref::<EmuMemory>()?;
            if !Arc::ptr_eq(&memory.shared, &self.shared) {
                return None;
            }
            let range = memory.address..=memory.address + memory.bytes;
            let passed = self.params.iter().zip(starts).find(|(param, start)| {
                let word = bytes.get(**start..**start + 8).unwrap_or_default();
                matches!(param.kind, AbiKind::Buffer(_))
                    && range.contains(&crate::ir::host::element_bits(word))
            });
            if let Some((param, _)) = passed {
                // The text calls a pointer by its parameter with a prefix.
                let name = param.name.strip_prefix("p_").unwrap_or(&param.name);
                names.push((memory.name.as_str(), name));
            }
        }
        Some(names)
    }
}
