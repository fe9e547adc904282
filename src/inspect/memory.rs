//! Accesses to memory: where, how wide, from which line.
//!
//! Entry: a checked instruction. Exit: bytes that one lane asks for. Bulk and tensor copies name their sizes in
//! registers, so that their bytes are known from a run only. Not here: which addresses (see `run`).

use super::place::{located, opcode};
use crate::ptx::isa::{Inst, Op};
use crate::ptx::module::{Entry, Module};

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Direction {
    /// To registers.
    Load,
    /// From registers.
    Store,
    /// Both, at once.
    Atomic,
    /// From one memory to the other.
    Copy,
}

impl Direction {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
            Self::Copy => "copy",
        }
    }
}

/// An access.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Access {
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// Where it comes from.
    pub place: super::Place,
    /// Which way.
    pub direction: Direction,
    /// `global`, `shared`, or `generic` where the address decides.
    pub space: &'static str,
    /// Elements of a vector; matrices of a matrix load or store.
    pub vector: u32,
    /// Bytes of one lane.
    pub bytes: u32,
    /// The opcode.
    pub opcode: String,
}

/// What one lane asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) global: u32,
    pub(super) shared: u32,
    pub(super) vector: u32,
}

/// The accesses of an entry to global, shared and generic memory, in the order of the text.
pub fn accesses(module: &Module, entry: &Entry) -> Vec<Access> {
    let found = located(module, entry).into_iter().filter_map(|located| {
        let moved = moved(located.inst)?;
        let opcode = opcode(located.inst);
        Some(Access {
            ptx_line: located.ptx_line,
            place: located.place,
            direction: direction(&opcode),
            space: space(&opcode),
            vector: moved.vector,
            bytes: moved.global.max(moved.shared),
            opcode,
        })
    });
    found.collect()
}

fn direction(opcode: &str) -> Direction {
    match opcode.split('.').next().unwrap_or_default() {
        "ld" | "ldmatrix" => Direction::Load,
        "st" | "stmatrix" => Direction::Store,
        "atom" | "red" => Direction::Atomic,
        _between_memories => Direction::Copy,
    }
}

fn space(opcode: &str) -> &'static str {
    // A copy names both; the global side is the one that costs.
    match opcode {
        text if text.contains(".global") => "global",
        text if text.contains(".shared") => "shared",
        _anywhere => "generic",
    }
}

/// What one lane moves; `None` for what touches neither global nor shared memory.
pub(super) fn moved(inst: &Inst) -> Option<Moved> {
    let copied = match &inst.op {
        Op::CpAsync(copy) => Some(copy.bytes),
        Op::CpAsyncHint(copy) => Some(copy.bytes),
        Op::CpAsyncIgnore(copy) => Some(copy.bytes),
        Op::CpAsyncIgnoreHint(copy) => Some(copy.bytes),
        _no_copy_of_a_lane => None,
    };
    if let Some(bytes) = copied.map(|size| size.bytes()) {
        return Some(Moved { global: bytes, shared: bytes, vector: 1 });
    }
    let opcode = opcode(inst);
    let mut parts = opcode.split('.');
    let (bytes, vector) = match parts.next().unwrap_or_default() {
        "ld" | "st" | "atom" | "red" => {
            let count = |part: &str| match part {
                "v2" => Some(2),
                "v4" => Some(4),
                "v8" => Some(8),
                _of_another_kind => None,
            };
            let vector = parts.find_map(count).unwrap_or(1);
            (vector * bits(opcode.rsplit('.').next()?)? / 8, vector)
        }
        "ldmatrix" | "stmatrix" => {
            let count = parts.find_map(|part| part.strip_prefix('x')?.parse::<u32>().ok()).unwrap_or(1);
            // A matrix of 8 rows of 16 bytes, shared among 32 lanes; one of 16 rows is two.
            let rows = if opcode.contains(".m16n") { 2 } else { 1 };
            (4 * count * rows, count)
        }
        _no_access => return None,
    };
    match space(&opcode) {
        "global" => Some(Moved { global: bytes, shared: 0, vector }),
        "shared" => Some(Moved { global: 0, shared: bytes, vector }),
        _generic if [".param", ".const", ".local"].iter().any(|space| opcode.contains(space)) => None,
        _generic => Some(Moved { global: bytes, shared: 0, vector }),
    }
}

/// Bits of a type: `f32` 32, `f16x2` 32.
fn bits(ty: &str) -> Option<u32> {
    let digits = ty.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    match digits.split_once('x') {
        Some((bits, count)) => Some(bits.parse::<u32>().ok()? * count.parse::<u32>().ok()?),
        None => digits.parse().ok(),
    }
}
