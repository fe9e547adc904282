//! What a run can find wrong with a kernel or a launch.
//!
//! Exit: a [`Finding`] names the kernel, the line of the PTX text and of the source, the CTA and the thread, and what
//! is wrong with numbers; its `Display` has several lines.

use std::fmt;

use super::finding_async::{InFlight, MbarrierProblem};
use super::tensor_map::TensorMapProblem;
use super::whereabouts::Whereabouts;
use crate::diag::{Code, count};

/// A defect that a run met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// The kernel.
    pub entry: String,
    /// The instruction.
    pub site: Option<Site>,
    /// The CTA in the grid: x, y, z.
    pub cta: [u32; 3],
    /// The thread in the CTA: x, y, z. Several threads may be concerned; this is the lowest.
    pub thread: Option<[u32; 3]>,
}

/// An instruction in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Line of the PTX text.
    pub line: u32,
    /// The instruction.
    pub text: String,
    /// File and line of the kernel's source, from `.loc`.
    pub source: Option<(String, u32)>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)?;
        if let Some((file, line)) = &self.source {
            write!(f, " ({file}:{line})")?;
        }
        Ok(())
    }
}

/// A memory access that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadAccess {
    /// What it is: `load`, `store` or `atomic`.
    pub verb: &'static str,
    /// The space: `global`, `shared`, `local` or `param`.
    pub space: &'static str,
    /// The address in that space.
    pub address: u64,
    /// Bytes accessed.
    pub bytes: u32,
    /// What is there.
    pub place: Whereabouts,
}

impl fmt::Display for BadAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, space, address, bytes, place } = self;
        write!(f, "{verb} of {} at {space} address {address:#x}, {place}", count(*bytes, "byte"))
    }
}

/// A place in a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The warp.
    pub warp: u32,
    /// The lane in it.
    pub lane: u32,
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "warp {} lane {}", self.warp, self.lane)
    }
}

/// What would order two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// They are the same store: only one lane may write, or all the same bits.
    OneWriter,
    /// A barrier of lanes of one warp.
    WarpBarrier,
    /// A barrier of the CTA.
    CtaBarrier,
    /// A wider scope: both are atomic, but one of them for its CTA only.
    Scope,
    /// A release and an acquire: no barrier reaches over CTAs.
    Release,
    /// A wait for the phase of the mbarrier that counts a copy.
    Phase,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneWriter => "lanes of one store write different bits",
            Self::WarpBarrier => "no warp barrier lies between them",
            Self::CtaBarrier => "no CTA barrier lies between them",
            Self::Scope => "one of the atomic accesses is so for its own CTA only",
            Self::Phase => "nothing has told this thread that the phase of the copy's mbarrier is complete",
            Self::Release => {
                "no release and acquire by atomic accesses lie between them, and CTAs have no barrier"
            }
        })
    }
}

/// Two accesses of different threads to one byte that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The access that the finding is about: the later one in this run.
    pub access: BadAccess,
    /// The first byte that both touch, from the start of the access.
    pub byte: u32,
    /// Who does it.
    pub lane: Lane,
    /// Whether the other one writes.
    pub wrote: bool,
    /// The other instruction.
    pub other: Site,
    /// Its CTA: x, y, z.
    pub other_cta: [u32; 3],
    /// Its thread: x, y, z.
    pub other_thread: [u32; 3],
    /// The same as warp and lane.
    pub other_lane: Lane,
    /// What is missing.
    pub missing: Missing,
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.wrote, self.access.verb == "load") {
            (true, true) => "a read after a write",
            (true, false) => "a write after a write",
            (false, _) => "a write after a read",
        };
        write!(f, "{what}, and {}: {}", self.missing, self.access)?;
        if self.byte != 0 {
            write!(f, ", byte {}", self.byte)?;
        }
        Ok(())
    }
}

/// What keeps lanes from an instruction that the whole warp executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// The CTA does not have them.
    Nowhere,
    /// They have ended.
    Ended,
    /// They are at another instruction.
    At(Site),
}

impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => f.write_str("do not exist"),
            Self::Ended => f.write_str("have ended"),
            Self::At(site) => write!(f, "are at {site}"),
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindingKind {
    /// An access outside every allocation.
    #[error("out of bounds: {0}")]
    OutOfBounds(BadAccess),
    /// An address that is no multiple of the size.
    #[error("misaligned: {0}")]
    Misaligned(BadAccess),
    /// A load of bytes that nothing wrote.
    #[error("uninitialised: {0}")]
    Uninitialised(BadAccess),
    /// A read-only load of bytes that this launch wrote.
    #[error("read-only load of written memory: {0}")]
    ReadOnlyWritten(BadAccess),
    /// Accesses that nothing orders.
    #[error("race: {0}")]
    Race(Box<Race>),
    /// An access to bytes of shared memory that a copy or an mbarrier has to itself.
    #[error("in flight: {0}")]
    InFlight(Box<InFlight>),
    /// A copy of a size that hardware does not take.
    #[error("copy size: {0}")]
    CopySize(BadAccess),
    /// A wrong use of an mbarrier.
    #[error("mbarrier: {problem}: {access}")]
    Mbarrier {
        /// What is wrong.
        problem: MbarrierProblem,
        /// The operation.
        access: BadAccess,
    },
    /// A copy of a tile that goes against its tensor map, or has none.
    #[error("tensor map: {problem}: {access}")]
    TensorMap {
        /// What is wrong.
        problem: TensorMapProblem,
        /// The load of the map, or the access to the tile.
        access: BadAccess,
    },
    /// The step budget ran out while a thread waited for an mbarrier.
    #[error(
        "HANG at line {line}: after {} of one CTA the mbarrier at shared address {address:#x} lacks {} and {} of phase \
         {phase}",
        count(*steps, "instruction"), count(*pending, "arrival"), count(*bytes, "byte")
    )]
    MbarrierHang {
        /// Line of the wait.
        line: u32,
        /// Instructions executed.
        steps: u64,
        /// Its address.
        address: u32,
        /// Arrivals that its phase lacks.
        pending: u32,
        /// Bytes that its phase lacks.
        bytes: i64,
        /// The phase, counted from 0.
        phase: u64,
    },
    /// A lane executes a `.sync` whose mask leaves it out.
    #[error("lane outside its own mask {mask:#010x}")]
    OutsideOwnMask {
        /// The mask.
        mask: u32,
    },
    /// A mask names lanes that the CTA does not have.
    #[error("mask {mask:#010x} names absent lanes {absent:#010x}")]
    AbsentLanes {
        /// The mask.
        mask: u32,
        /// Those of its lanes that don't exist.
        absent: u32,
    },
    /// A mask names lanes that have ended: who waits for whom is then a matter of luck.
    #[error("mask {mask:#010x} names lanes {ended:#010x}, which have ended")]
    EndedLanes {
        /// The mask.
        mask: u32,
        /// Those of its lanes that have ended.
        ended: u32,
    },
    /// Lanes that name each other come with different masks.
    #[error("mask {mask:#010x} meets mask {other_mask:#010x} at {other}")]
    MaskMismatch {
        /// The mask here.
        mask: u32,
        /// The mask there.
        other_mask: u32,
        /// The other instruction.
        other: Site,
    },
    /// Named lanes wait elsewhere.
    #[error("lanes {missing:#010x} of mask {mask:#010x} wait elsewhere, at {other}")]
    SyncMismatch {
        /// The mask.
        mask: u32,
        /// Lanes that will not come.
        missing: u32,
        /// Where they wait.
        other: Site,
    },
    /// A shuffle reads from a lane that takes no part.
    #[error("shuffle reads from inactive lane {lane}")]
    InactiveSource {
        /// The lane read.
        lane: u32,
    },
    /// An instruction that whole warps execute is executed by a part of one.
    #[error(
        "a part of a warp executes what all its lanes must: lanes {here:#010x} are here, lanes {missing:#010x} {elsewhere}"
    )]
    PartOfWarp {
        /// Lanes that execute it.
        here: u32,
        /// The others.
        missing: u32,
        /// Where those are.
        elsewhere: Elsewhere,
    },
    /// A matrix multiplication that the hardware modelled does not have.
    #[error("no `{form}` in the tensor model of {model}")]
    NoTensorForm {
        /// Name of the form.
        form: String,
        /// The hardware.
        model: String,
    },
    /// An aligned barrier is executed by a part of a warp.
    #[error("barrier divergence: lanes {here:#010x} wait here, lanes {elsewhere:#010x} are at {other}")]
    BarrierDivergence {
        /// Lanes at the barrier.
        here: u32,
        /// Lanes of the same warp that are not.
        elsewhere: u32,
        /// Where they are.
        other: Site,
    },
    /// A barrier for all threads that some never reach: they have ended.
    #[error(
        "barrier divergence: {reached} of {} reach this barrier, thread ({}, {}, {}) has ended",
        count(*threads, "thread"), .ended[0], .ended[1], .ended[2]
    )]
    BarrierEnded {
        /// Threads that wait.
        reached: u32,
        /// Threads of the CTA.
        threads: u32,
        /// A thread that has ended: x, y, z. Several may have; this is the lowest.
        ended: [u32; 3],
    },
    /// Threads meet at one barrier from different instructions.
    #[error("barrier divergence: threads wait here, others of the CTA wait for the same barrier at {other}")]
    BarrierSites {
        /// The other instruction.
        other: Site,
    },
    /// A barrier number or a count of threads that hardware does not take.
    #[error("barrier {number} with {}", count(*threads, "thread"))]
    BadBarrier {
        /// The number.
        number: u32,
        /// The count.
        threads: u32,
    },
    /// Two arrivals at one barrier count differently.
    #[error("barrier {number} is waited for by {} here, and by {others} at {other}", count(*threads, "thread"))]
    BarrierCount {
        /// The number.
        number: u32,
        /// The count here; 0 for all threads.
        threads: u32,
        /// The count there.
        others: u32,
        /// The other instruction.
        other: Site,
    },
    /// No thread of the CTA can go on.
    #[error("deadlock: {} no thread will do", waits(.waiting.iter().map(|(_, lanes)| lanes).sum()))]
    Deadlock {
        /// Where threads wait, with how many.
        waiting: Vec<(Site, u32)>,
    },
    /// The step budget ran out.
    #[error("HANG at line {line}: no end after {} of one CTA", count(*steps, "instruction"))]
    Hang {
        /// Line of the instruction that was next.
        line: u32,
        /// Instructions executed.
        steps: u64,
    },
    /// `trap` was executed.
    #[error("trap")]
    Trap,
    /// A branch through a list with a number that the list does not have.
    #[error("number {number} is past the end of the list of targets")]
    NoTarget {
        /// The number.
        number: u32,
    },
    /// A call through a register that holds the address of no function that it may reach.
    #[error(
        "{address:#x} is {}",
        .name.as_ref().map_or("the address of no function".to_owned(), |name| format!("`{name}`, which this call may not reach"))
    )]
    NoFunction {
        /// What the register holds.
        address: u64,
        /// The function there, if there is one.
        name: Option<String>,
    },
    /// No room for one more activation of a function that calls itself.
    #[error("the stack of calls is full: {depth} calls deep, and {bytes} bytes for each thread")]
    StackFull {
        /// Activations on it.
        depth: u32,
        /// Its size.
        bytes: u32,
    },
    /// Lanes part at a `bra.uni`.
    #[error("lanes {taken:#010x} take a uniform branch, lanes {not_taken:#010x} do not")]
    DivergentUniform {
        /// Lanes that branch.
        taken: u32,
        /// Lanes that don't.
        not_taken: u32,
    },
    /// The launch itself is refused.
    #[error("launch refused: {rule} (given {given}, limit {limit})")]
    BadLaunch {
        /// The rule.
        rule: &'static str,
        /// What was given.
        given: u64,
        /// What goes.
        limit: u64,
    },
}

impl FindingKind {
    /// What is wrong, in a word that stays the same from one version to the next.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::OutOfBounds(_) => "out-of-bounds",
            Self::Misaligned(_) => "misaligned",
            Self::Uninitialised(_) => "uninitialised",
            Self::ReadOnlyWritten(_) => "read-only-written",
            Self::Race(_) => "race",
            Self::InFlight(_) => "in-flight",
            Self::CopySize(_) => "copy-size",
            Self::Mbarrier { .. } => "mbarrier",
            Self::TensorMap { .. } => "tensor-map",
            Self::MbarrierHang { .. } => "mbarrier-hang",
            Self::OutsideOwnMask { .. } => "outside-own-mask",
            Self::AbsentLanes { .. } => "absent-lanes",
            Self::EndedLanes { .. } => "ended-lanes",
            Self::MaskMismatch { .. } => "mask-mismatch",
            Self::SyncMismatch { .. } => "sync-mismatch",
            Self::InactiveSource { .. } => "inactive-source",
            Self::PartOfWarp { .. } => "part-of-warp",
            Self::NoTensorForm { .. } => "no-tensor-form",
            Self::BarrierDivergence { .. } => "barrier-divergence",
            Self::BarrierEnded { .. } => "barrier-ended",
            Self::BarrierSites { .. } => "barrier-sites",
            Self::BadBarrier { .. } => "bad-barrier",
            Self::BarrierCount { .. } => "barrier-count",
            Self::Deadlock { .. } => "deadlock",
            Self::Hang { .. } => "hang",
            Self::Trap => "trap",
            Self::NoTarget { .. } => "no-target",
            Self::NoFunction { .. } => "no-function",
            Self::StackFull { .. } => "stack-full",
            Self::DivergentUniform { .. } => "divergent-uniform",
            Self::BadLaunch { .. } => "bad-launch",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::OutOfBounds(access) => access.place.help(),
            Self::Misaligned(_) => "use a narrower access, or align pointer and pitch to the vector",
            Self::Uninitialised(access) if access.space == "local" => {
                "write the bytes before they are read; code that is not optimised (`nvcc -G`) copies parts of objects that nothing has set, which `--no-sanitize` lets pass"
            }
            Self::Uninitialised(_) => {
                "write the bytes before they are read, with a barrier between if another thread does, or give the buffer contents"
            }
            Self::ReadOnlyWritten(_) => "load without `.nc`",
            Self::Race(race) => match race.missing {
                Missing::OneWriter => "let one lane store, or all of them the same bits",
                Missing::WarpBarrier => "put a warp barrier that names both lanes between the accesses",
                Missing::CtaBarrier => "put a CTA barrier between the accesses",
                Missing::Phase => "let the thread wait for the phase of the mbarrier, or meet one that has",
                Missing::Scope => "give both atomic accesses the scope `.gpu`",
                Missing::Release => {
                    "use atomic accesses, or order the CTAs: release (or a fence and an atomic store) in the one, \
                     acquire (or an atomic load and a fence) in the other"
                }
            },
            Self::InFlight(flight) => flight.help(),
            Self::CopySize(_) => {
                "a bulk copy has a multiple of 16 bytes, and `cp.async` reads at most what it writes"
            }
            Self::Mbarrier { problem, .. } => problem.help(),
            Self::TensorMap { problem, .. } => problem.help(),
            Self::MbarrierHang { .. } => {
                "let as many arrivals and bytes come as the phase expects, and wait for the right parity"
            }
            Self::OutsideOwnMask { .. }
            | Self::AbsentLanes { .. }
            | Self::EndedLanes { .. }
            | Self::MaskMismatch { .. } => {
                "compute the mask with a ballot before the branch, of lanes that exist"
            }
            Self::SyncMismatch { .. } => "let all lanes of the mask execute the same operation",
            Self::InactiveSource { .. } => "read from lanes of the mask only",
            Self::PartOfWarp { .. } => {
                "execute it with all 32 lanes: hoist it out of the branch, and guard loads instead"
            }
            Self::NoTensorForm { .. } => {
                "choose a form that this hardware has, or set the tensor model of another"
            }
            Self::BarrierDivergence { .. } => {
                "hoist the barrier out of the branch, or use `barrier.cta.sync`"
            }
            Self::BarrierEnded { .. } | Self::BarrierSites { .. } => {
                "hoist the barrier out of the branch, so that every thread reaches the same one"
            }
            Self::BadBarrier { .. } => "barriers are 0 to 15, counts are multiples of 32",
            Self::BarrierCount { .. } => "let all threads of a barrier give the same count",
            Self::Deadlock { .. } => "let every thread that a barrier counts reach it",
            Self::Hang { .. } => {
                "look for a loop that never ends, or raise the step budget (`--steps` of `run` and `sanitize`)"
            }
            Self::Trap => "the kernel asked for it",
            Self::NoTarget { .. } => "branch elsewhere where the number is too large",
            Self::NoFunction { .. } => {
                "see where the pointer comes from; a function that it reaches is defined in the module, has the signature \
                 of the call, and its address is taken there"
            }
            Self::StackFull { .. } => "end the recursion earlier, or write it as a loop",
            Self::DivergentUniform { .. } => "drop `.uni`, or make the predicate equal in all lanes",
            Self::BadLaunch { .. } => "change the launch to meet the rule",
        }
    }

    /// What kind of mistake it is.
    pub const fn code(&self) -> Code {
        match self {
            Self::OutOfBounds(_) => Code::OutOfBounds,
            Self::Misaligned(_) => Code::Misaligned,
            Self::Uninitialised(_) => Code::Uninitialised,
            Self::ReadOnlyWritten(_) => Code::ReadOnlyWritten,
            Self::Race(_) => Code::Race,
            Self::InFlight(_) => Code::InFlight,
            Self::CopySize(_) => Code::CopyBytes,
            Self::Mbarrier { .. } => Code::Mbarrier,
            Self::TensorMap { .. } => Code::TensorMap,
            Self::MbarrierHang { .. } => Code::MbarrierHang,
            Self::OutsideOwnMask { .. } => Code::OutsideOwnMask,
            Self::AbsentLanes { .. } => Code::AbsentLanes,
            Self::EndedLanes { .. } => Code::EndedLanes,
            Self::MaskMismatch { .. } => Code::MaskMismatch,
            Self::SyncMismatch { .. } => Code::SyncMismatch,
            Self::InactiveSource { .. } => Code::InactiveSource,
            Self::PartOfWarp { .. } => Code::PartOfWarp,
            Self::NoTensorForm { .. } => Code::NoTensorForm,
            Self::BarrierDivergence { .. } => Code::BarrierDivergence,
            Self::BarrierEnded { .. } => Code::BarrierEnded,
            Self::BarrierSites { .. } => Code::BarrierSites,
            Self::BadBarrier { .. } => Code::BadBarrier,
            Self::BarrierCount { .. } => Code::BarrierCount,
            Self::Deadlock { .. } => Code::Deadlock,
            Self::Hang { .. } => Code::Hang,
            Self::Trap => Code::Trap,
            Self::NoTarget { .. } | Self::NoFunction { .. } => Code::LeadsNowhere,
            Self::StackFull { .. } => Code::StackFull,
            Self::DivergentUniform { .. } => Code::DivergentUniform,
            Self::BadLaunch { .. } => Code::LaunchRefused,
        }
    }
}

fn waits(threads: u32) -> String {
    format!("{} {} for what", count(threads, "thread"), if threads == 1 { "waits" } else { "wait" })
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        write!(f, "\n  kernel {}", self.entry)?;
        if let Some(site) = &self.site {
            write!(f, "\n  at {site}")?;
        }
        let [x, y, z] = self.cta;
        write!(f, "\n  cta ({x}, {y}, {z})")?;
        if let Some([x, y, z]) = self.thread {
            write!(f, ", thread ({x}, {y}, {z})")?;
        }
        if let FindingKind::Race(race) = &self.kind {
            write!(f, ", {}", race.lane)?;
            let ([x, y, z], [i, j, k]) = (race.other_cta, race.other_thread);
            write!(f, "\n  against {}", race.other)?;
            write!(f, "\n  cta ({x}, {y}, {z}), thread ({i}, {j}, {k}), {}", race.other_lane)?;
        }
        if let FindingKind::InFlight(flight) = &self.kind {
            let [x, y, z] = flight.other_thread;
            write!(f, "\n  against {}\n  thread ({x}, {y}, {z})", flight.other)?;
        }
        if let FindingKind::Deadlock { waiting } = &self.kind {
            for (site, threads) in waiting {
                write!(f, "\n  {} at {site}", count(*threads, "thread"))?;
            }
        }
        write!(f, "\n  help: {}", self.kind.help())
    }
}

impl std::error::Error for Finding {}
