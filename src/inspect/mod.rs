//! What a kernel's text costs: registers, shared memory, occupancy, instructions, accesses, work; and, after an
//! emulated run, what its lanes did with it.
//!
//! Entry: a parsed module and one of its entries; for a measured run, the emulator's profile of the same text. Exit:
//! plain numbers, each with its definition in `docs/inspect.md`; what is estimated says so, and what the assembler alone
//! knows is absent without one. Deliberately not here: time. None of these numbers is one, and text and colours are
//! the command's.

mod lines;
mod memory;
mod mix;
mod place;
mod resources;
mod run;
#[cfg(test)]
mod tests;
mod work;

pub use lines::{LineWork, lines};
pub use memory::{Access, Direction, accesses};
pub use mix::{Family, Share, mix};
pub use place::Place;
pub use resources::{Occupied, Registers, Resources, Shared, resources, static_shared};
pub use run::{LineRun, Run, run};
pub use work::Work;

use crate::ptx::module::{Entry, Module};
use crate::target::Target;
use crate::toolkit::Usage;

/// What is inspected.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The module.
    pub module: &'a Module,
    /// One of its entries.
    pub entry: &'a Entry,
    /// Whose limits count.
    pub target: Target,
    /// Threads of a CTA, if known: without them there is no occupancy.
    pub block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory, if the launch is known: without it, they are unknown of an entry that has any.
    pub dynamic_shared: Option<u32>,
    /// What the assembler said, where there is one.
    pub assembled: Option<&'a Usage>,
}

/// What the text alone says.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Inspection {
    /// Registers, shared memory, occupancy.
    pub resources: Resources,
    /// Instructions by family, the most frequent first.
    pub mix: Vec<Share>,
    /// Each access to memory, in the order of the text.
    pub accesses: Vec<Access>,
    /// What one thread does by going through each line once.
    pub lines: Vec<LineWork>,
    /// All lines together.
    pub total: Work,
}

/// Inspects a text.
pub fn inspect(subject: &Subject<'_>) -> Inspection {
    let lines = lines(subject.module, subject.entry);
    let total = lines.iter().fold(Work::default(), |total, line| total.plus(&line.work));
    Inspection {
        resources: resources(subject),
        mix: mix(subject.entry),
        accesses: accesses(subject.module, subject.entry),
        lines,
        total,
    }
}
