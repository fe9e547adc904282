//! From a request to a job: the text, its entry, the arguments, the shape of the launch.

use std::fs;
use std::path::{Path, PathBuf};

use super::argument::Argument;
use super::bind::{Bound, Buffer, bind};
use super::error::{Extent, RunError};
use super::warning::{Warning, unwritten_registers};
use crate::diag::count;
use crate::ptx::emu::{Met, Profile, Writer};
use crate::ptx::isa::{ParseError, SmTarget, TargetSuffix};
use crate::ptx::module::{self, Entry, Module};
use crate::target::{Chip, Suffix, Target};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The PTX file.
    pub path: PathBuf,
    /// The entry; may be left out where there is one only.
    pub entry: Option<String>,
    /// CTAs along x, y, z; 0 for a launch that does nothing.
    pub grid: [u64; 3],
    /// Threads of a CTA along x, y, z.
    pub block: [u64; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u64,
    /// One for each parameter, in order.
    pub arguments: Vec<Argument>,
    /// The target that the emulator stands for; that of the text if left out.
    pub target: Option<Target>,
}

/// A launch that can be run.
#[derive(Clone, Debug)]
pub struct Job {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) module: Module,
    pub(super) entry: String,
    pub(super) bound: Bound,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: u64,
    pub(super) target: Target,
    /// Whether the target was asked for.
    pub(super) is_pinned: bool,
    /// What its text says that is hardly meant.
    pub(super) warnings: Vec<Warning>,
}

/// What a run left.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What ran it.
    pub device: String,
    /// Instructions, counted once for a warp or a part of one; on the emulator.
    pub instructions: Option<u64>,
    /// Instructions times active lanes; on the emulator.
    pub lane_instructions: Option<u64>,
    /// Time on the device; on a GPU.
    pub milliseconds: Option<f32>,
    /// What each instruction did, where that was asked for.
    pub profile: Option<Profile>,
    /// What device code printed, in the order of the CTAs; on the emulator.
    pub printed: Vec<u8>,
    /// What the emulator found.
    pub met: Vec<Met>,
    /// Writes behind buffers that a GPU's guard zones show.
    pub overruns: Vec<Overrun>,
    /// What is hardly meant.
    pub warnings: Vec<Warning>,
    /// The bytes of each buffer that is written, in the order of the arguments; nothing for the others.
    pub results: Vec<Option<Vec<u8>>>,
    /// Elements of each such buffer that have no contents, where the device knows.
    pub unwritten: Vec<Option<u64>>,
    /// Who wrote each element, where that was asked for.
    pub writers: Vec<Option<Vec<Option<Writer>>>>,
}

impl Outcome {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.met.is_empty() && self.overruns.is_empty()
    }
}

/// Bytes written behind a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overrun {
    /// The parameter.
    pub name: String,
    /// How many bytes of the guard zone changed.
    pub bytes: usize,
    /// The first of them, from the end of the buffer.
    pub first: usize,
}

impl std::fmt::Display for Overrun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, bytes, first } = self;
        let bytes = count(*bytes, "byte");
        write!(f, "the launch wrote {bytes} behind the end of `{name}`, the first at {first}")
    }
}

impl Request {
    /// Reads the text and the files, and checks the launch against the entry.
    ///
    /// # Errors
    /// The first thing that is in the way.
    pub fn prepare(&self) -> Result<Job, RunError> {
        let (text, module) = load_partly(&self.path)?;
        let entry = self.entry_of(&module)?;
        let (declared, asked) = (module.target, self.target);
        let target = device_target(declared, asked)?;
        let (grid, block) = geometry(self.grid, self.block, target)?;
        bounds(entry, block)?;
        let bound = bind(&self.path, entry, &self.arguments)?;
        let warnings = unwritten_registers(&module, entry);
        let entry = entry.name.clone();
        let (path, shared, is_pinned) = (self.path.clone(), self.shared, asked.is_some());
        Ok(Job { path, text, module, entry, bound, grid, block, shared, target, is_pinned, warnings })
    }

    fn entry_of<'a>(&self, module: &'a Module) -> Result<&'a Entry, RunError> {
        let path = self.path.clone();
        let known = || module.entries.iter().map(|entry| entry.name.clone()).collect();
        match (&self.entry, module.entries.as_slice()) {
            (_, []) => Err(RunError::NoEntries { path }),
            (None, [only]) => Ok(only),
            (None, _) => Err(RunError::WhichEntry { path, known: known() }),
            (Some(name), entries) => {
                let found = entries.iter().find(|entry| entry.name == *name);
                found.ok_or_else(|| RunError::UnknownEntry { path, name: name.clone(), known: known() })
            }
        }
    }
}

impl Job {
    /// The entry.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The target that the emulator stands for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// CTAs of the grid.
    pub fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// Threads of a CTA.
    pub fn block(&self) -> [u32; 3] {
        self.block
    }

    /// Its buffers, in the order of the arguments.
    pub fn buffers(&self) -> &[Buffer] {
        &self.bound.buffers
    }

    /// CTAs of the grid in all.
    pub fn ctas(&self) -> u64 {
        product(self.grid)
    }

    /// Whether there is nothing to run.
    pub(super) fn is_empty(&self) -> bool {
        self.grid.contains(&0)
    }
}

/// Reads a file of PTX and checks it; gives its text too.
///
/// # Errors
/// It can't be read, is not text, not PTX as far as it is known, or breaks a rule.
pub fn load_module(path: &Path) -> Result<(String, Module), RunError> {
    load(path, module::parse)
}

/// The same, but kernels and functions that nothing here asks for may hold what is not supported: those that do are empty.
///
/// # Errors
/// As [`load_module`].
pub fn load_partly(path: &Path) -> Result<(String, Module), RunError> {
    load(path, module::parse_partly)
}

fn load(path: &Path, parse: fn(&str) -> Result<Module, ParseError>) -> Result<(String, Module), RunError> {
    let bytes = fs::read(path).map_err(|error| RunError::Read { path: path.to_owned(), error })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        RunError::NotText { path: path.to_owned(), at, byte: error.as_bytes()[at] }
    })?;
    if text.trim().is_empty() {
        return Err(RunError::Empty { path: path.to_owned() });
    }
    // A text may end in a zero byte, as it does in memory that a C program wrote.
    let text = text.trim_end_matches('\0').to_owned();
    if let Some(at) = text.find('\0') {
        return Err(RunError::NotText { path: path.to_owned(), at, byte: 0 });
    }
    let module = parse(&text).map_err(|error| not_read(path, &text, error))?;
    module.check().map_err(|errors| {
        let place = |error: &module::ModuleError| {
            let entry = module.entries.iter().find(|entry| Some(&entry.name) == error.entry.as_ref())?;
            entry.body.get(error.statement?).map(|statement| statement.line)
        };
        let problem = |error: &module::ModuleError| match place(error) {
            Some(line) => format!("line {line}: {}", error.problem),
            None => error.to_string(),
        };
        RunError::Unsound { path: path.to_owned(), problems: errors.iter().map(problem).collect() }
    })?;
    Ok((text, module))
}

/// An error of reading with the line that it is about.
pub fn not_read(path: &Path, text: &str, error: ParseError) -> RunError {
    let line = text.lines().nth((error.line as usize).saturating_sub(1)).unwrap_or_default().trim();
    RunError::Parse {
        path: path.to_owned(),
        error: Box::new(error),
        quoted: line.chars().take(160).collect(),
    }
}

/// The target whose limits hold: the one asked for, or that of the text, or the nearest known below it.
///
/// # Errors
/// The text does not load on what was asked for.
pub fn device_target(declared: SmTarget, asked: Option<Target>) -> Result<Target, RunError> {
    let (major, minor) = (u32::from(declared.sm) / 10, u32::from(declared.sm) % 10);
    let suffix = match declared.suffix {
        TargetSuffix::Plain => Suffix::Plain,
        TargetSuffix::Family => Suffix::Family,
        TargetSuffix::Arch => Suffix::Arch,
    };
    let chip = Chip::ALL.into_iter().find(|chip| chip.number() == u32::from(declared.sm));
    let own = chip.and_then(|chip| Target::of(chip, suffix));
    let Some(asked) = asked else {
        let below = Target::for_device(major, minor).map_or(Target::SM_80, |device| device.target);
        return Ok(own.unwrap_or(below));
    };
    let loads = match own {
        Some(own) => {
            let (major, minor) = asked.capability();
            own.loads_on(major, minor)
        }
        // Of a chip that is not listed, only that plain text loads on later ones is known.
        None => suffix == Suffix::Plain && (major, minor) <= asked.capability(),
    };
    if loads { Ok(asked) } else { Err(RunError::Target { declared: declared.to_string(), asked }) }
}

/// Threads of a CTA, of an entry if one is named, checked as a launch on the target checks them.
///
/// # Errors
/// There are none or too many, or the entry forbids them.
pub fn cta_of(entry: Option<&Entry>, block: [u64; 3], target: Target) -> Result<[u32; 3], RunError> {
    let (_, block) = geometry([1; 3], block, target)?;
    entry.map_or(Ok(()), |entry| bounds(entry, block))?;
    Ok(block)
}

/// The dynamic shared memory of a CTA whose text declares `fixed` bytes, checked against the target's limits.
///
/// # Errors
/// One of them, or both together, are more than a CTA has.
pub fn dynamic_shared_of(fixed: u32, dynamic: u64, target: Target) -> Result<u32, RunError> {
    // What the text itself declares has the limit that every target has; only dynamic memory goes beyond.
    let most = target.limits().shared_static_bytes;
    if fixed > most {
        return Err(RunError::Shared { fixed, dynamic: 0, limit: most, target });
    }
    let limit = target.limits().shared_max_bytes;
    let fitting = u32::try_from(dynamic).ok();
    let fitting = fitting.filter(|&dynamic| u64::from(fixed) + u64::from(dynamic) <= limit.into());
    fitting.ok_or(RunError::Shared { fixed, dynamic, limit, target })
}

fn geometry(grid: [u64; 3], block: [u64; 3], target: Target) -> Result<([u32; 3], [u32; 3]), RunError> {
    let limits = target.limits();
    if block.contains(&0) {
        return Err(RunError::NoThreads);
    }
    let within = |of: fn(usize) -> Extent, given: [u64; 3], most: [u32; 3]| {
        for (axis, (given, limit)) in given.into_iter().zip(most.map(u64::from)).enumerate() {
            if given > limit {
                return Err(RunError::Geometry { extent: of(axis), given, limit });
            }
        }
        // Each is at most a limit of 32 bits.
        Ok(given.map(|extent| extent as u32))
    };
    let grid = within(Extent::Ctas, grid, limits.grid.as_array())?;
    let block = within(Extent::Threads, block, limits.cta_dims)?;
    let (given, limit) = (product(block), u64::from(limits.threads_per_cta));
    if given > limit {
        return Err(RunError::Geometry { extent: Extent::AllThreads, given, limit });
    }
    Ok((grid, block))
}

fn product(extents: [u32; 3]) -> u64 {
    extents.iter().map(|&extent| u64::from(extent)).product()
}

/// What the entry says of the threads of a CTA.
fn bounds(entry: &Entry, block: [u32; 3]) -> Result<(), RunError> {
    let broken = |directive, bound| {
        let entry = entry.name.clone();
        Err(RunError::Bounds { entry, directive, bound, block })
    };
    match (entry.bounds.max_threads, entry.bounds.required_threads) {
        (Some(most), _) if product(block) > product(most) => broken(".maxntid", most),
        (_, Some(required)) if block != required => broken(".reqntid", required),
        (_, _) => Ok(()),
    }
}
