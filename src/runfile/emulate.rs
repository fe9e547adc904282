//! Runs a job on the emulator.

use std::sync::atomic::AtomicU64;

use super::error::RunError;
use super::job::{Job, Outcome, dynamic_shared_of, not_read};
use super::warning::dropped;
use crate::numerics::tensor::TensorModel;
use crate::ptx::emu::{
    Config, DecodeError, GlobalMemory, LaunchConfig, Met, Profile, Program, Schedule, Survey, Writer,
    survey_counting,
};
use crate::ptx::isa::types::AtomType;
use crate::ptx::isa::{Op, TypeKind};
use crate::ptx::module::{CallError, CallProblem, Entry};

/// How the emulator runs a job.
#[derive(Clone, Copy, Debug)]
pub struct EmuOptions {
    /// In which order lanes, warps and CTAs run.
    pub schedule: Schedule,
    /// Whether races, uninitialised reads and the like are findings; bounds and alignment always are.
    pub sanitize: bool,
    /// Whether to note who wrote each element.
    pub writers: bool,
    /// Whether to count what each instruction does.
    pub profile: bool,
    /// Instructions of one CTA after which the launch counts as hanging; `None` for the emulator's own number.
    pub step_budget: Option<u64>,
}

impl Default for EmuOptions {
    fn default() -> Self {
        Self {
            schedule: Schedule::Default,
            sanitize: true,
            writers: false,
            profile: false,
            step_budget: None,
        }
    }
}

impl Job {
    /// Runs it on the emulator, which goes on after findings as `ptx::emu::survey` says and lists them all.
    ///
    /// # Errors
    /// The text has something that the emulator lacks, or asks for more shared memory than the target has.
    pub fn emulate(&self, options: &EmuOptions) -> Result<Outcome, RunError> {
        self.emulate_counting(options, &AtomicU64::new(0))
    }

    /// The same; `done` grows by one with each CTA that has ended.
    ///
    /// # Errors
    /// As [`emulate`](Self::emulate).
    pub fn emulate_counting(&self, options: &EmuOptions, done: &AtomicU64) -> Result<Outcome, RunError> {
        let program = Program::decode(&self.module, &self.entry).map_err(|error| match error {
            DecodeError::Call(CallError { problem: CallProblem::Lacking(error), .. }) => {
                not_read(&self.path, &self.text, *error)
            }
            error => RunError::Decode { path: self.path.clone(), error },
        })?;
        let fixed = program.static_shared_bytes();
        let dynamic = dynamic_shared_of(fixed, self.shared, self.target)?;
        let mut memory = GlobalMemory::new();
        if options.writers {
            memory.note_writers();
        }
        let addresses: Vec<u64> = self
            .bound
            .buffers
            .iter()
            .map(|buffer| match &buffer.contents {
                Some(contents) => memory.allocate_with(&*buffer.name, contents),
                None => memory.allocate(&*buffer.name, buffer.bytes),
            })
            .collect();
        let params = self.bound.params_with(&addresses);
        let launch = LaunchConfig { grid: self.grid, block: self.block, dynamic_shared: dynamic, params };
        let schedule = match options.schedule {
            Schedule::Default => String::new(),
            Schedule::Adversarial(seed) => format!(", adversarial schedule {seed}"),
        };
        let mut outcome =
            Outcome { device: format!("PTX emulator ({}{schedule})", self.target), ..self.outcome() };
        let Survey { stats, met } = if self.is_empty() {
            Survey::default()
        } else {
            let made = survey_counting(&program, &launch, &mut memory, &self.config(options), done);
            // A launch that is refused as a whole has met one thing.
            made.unwrap_or_else(|finding| Survey {
                met: vec![Met { finding: *finding, times: 1 }],
                ..Survey::default()
            })
        };
        outcome.met = met;
        outcome.printed = stats.printed.iter().flat_map(|(_, text)| text.iter().copied()).collect();
        outcome.profile = options.profile.then(|| Profile::new(&program, &stats));
        outcome.instructions = Some(stats.instructions);
        outcome.lane_instructions = Some(stats.lane_instructions);
        self.collect(&memory, &addresses, options, &mut outcome);
        Ok(outcome)
    }

    /// What is known of a run before it begins.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome { warnings: self.warnings.clone(), ..Outcome::default() }
    }

    fn config(&self, options: &EmuOptions) -> Config {
        let default = Config::default();
        Config {
            schedule: options.schedule,
            sanitize: options.sanitize,
            profile: options.profile,
            step_budget: options.step_budget.unwrap_or(default.step_budget),
            // The order of float additions shows in their bits: one worker gives the same ones every time.
            workers: usize::from(self.adds_floats_atomically()),
            tensor_model: self.is_pinned.then(|| TensorModel::of(self.target.chip().number())).flatten(),
        }
    }

    fn adds_floats_atomically(&self) -> bool {
        let is_float = |ty: AtomType| matches!(ty.scalar().kind(), TypeKind::Float | TypeKind::Packed);
        let entry = self.module.entries.iter().find(|entry| entry.name == self.entry);
        entry.into_iter().flat_map(Entry::insts).any(|(_, inst)| {
            matches!(&inst.op, Op::Atom(row) if is_float(row.ty))
                || matches!(&inst.op, Op::Red(row) if is_float(row.ty))
        })
    }

    /// Takes the results out of the emulator's memory.
    fn collect(&self, memory: &GlobalMemory, addresses: &[u64], options: &EmuOptions, outcome: &mut Outcome) {
        for (buffer, &start) in self.bound.buffers.iter().zip(addresses) {
            if !buffer.written {
                let after = |offset: usize, bytes: &mut [u8]| {
                    memory
                        .read(start + offset as u64, bytes)
                        .expect("the buffer was made with as many bytes");
                };
                outcome.warnings.extend(dropped(buffer, after));
                outcome.results.push(None);
                outcome.unwritten.push(None);
                outcome.writers.push(None);
                continue;
            }
            let mut bytes = vec![0; buffer.bytes as usize];
            memory.read(start, &mut bytes).expect("the buffer was made with as many bytes");
            outcome.results.push(Some(bytes));
            let size = u64::from(buffer.ty.bytes);
            let elements = (0..buffer.bytes / size).map(|element| start + element * size);
            let unwritten = elements.clone().filter(|&at| memory.is_initialised(at, size) != Ok(true));
            outcome.unwritten.push(Some(unwritten.count() as u64));
            let writers = |at: u64| -> Option<Writer> { memory.writer(at) };
            outcome.writers.push(options.writers.then(|| elements.map(writers).collect()));
        }
    }
}
