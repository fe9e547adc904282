//! Instructions by family.
//!
//! A family is the manual's section that the instruction's row names; those of data movement are told apart by what
//! they move, and those among the lanes of a warp are taken together. Each instruction counts once, however often it
//! runs.

use super::memory::moved;
use super::place::opcode;
use crate::ptx::isa::Inst;
use crate::ptx::module::Entry;

/// A family of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Family {
    /// Integer arithmetic.
    Integer,
    /// Floating-point arithmetic.
    Float,
    /// Comparison and selection.
    Comparison,
    /// Logic and shift.
    Logic,
    /// Conversions between types.
    Conversion,
    /// Moves between registers, parameters, and addresses.
    Move,
    /// Global or generic memory, atomics and copies included.
    Global,
    /// Shared memory.
    Shared,
    /// Among the lanes of a warp: shuffles, votes, reductions.
    Warp,
    /// Matrix products and moves of fragments.
    Matrix,
    /// Branches and ends.
    Control,
    /// Barriers, fences, waiting.
    Synchronisation,
    /// Anything else.
    Other,
}

impl Family {
    /// All of them.
    const ALL: [Self; 13] = [
        Self::Integer,
        Self::Float,
        Self::Comparison,
        Self::Logic,
        Self::Conversion,
        Self::Move,
        Self::Global,
        Self::Shared,
        Self::Warp,
        Self::Matrix,
        Self::Control,
        Self::Synchronisation,
        Self::Other,
    ];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Comparison => "comparison",
            Self::Logic => "logic",
            Self::Conversion => "conversion",
            Self::Move => "move",
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Warp => "warp",
            Self::Matrix => "matrix",
            Self::Control => "control",
            Self::Synchronisation => "synchronisation",
            Self::Other => "other",
        }
    }

    pub(super) fn of(inst: &Inst) -> Self {
        let opcode = opcode(inst);
        let word = opcode.split('.').next().unwrap_or_default();
        if matches!(word, "shfl" | "vote" | "match" | "redux" | "activemask") {
            return Self::Warp;
        }
        if let Some(moved) = moved(inst) {
            return if moved.global > 0 { Self::Global } else { Self::Shared };
        }
        let section = inst.op.manual();
        let sections = [
            ("integer-arithmetic", Self::Integer),
            ("extended-precision", Self::Integer),
            ("floating-point", Self::Float),
            ("mixed-precision", Self::Float),
            ("comparison-and-selection", Self::Comparison),
            ("logic-and-shift", Self::Logic),
            ("warp-level-matrix", Self::Matrix),
            ("control-flow", Self::Control),
            ("parallel-synchronization", Self::Synchronisation),
        ];
        if let Some((_, family)) = sections.iter().find(|(name, _)| section.starts_with(name)) {
            return *family;
        }
        match word {
            "cvt" => Self::Conversion,
            "mov" | "ld" | "st" | "cvta" | "prmt" | "isspacep" | "mapa" => Self::Move,
            "cp" if ["commit_group", "wait_group", ".mbarrier.arrive"]
                .iter()
                .any(|part| opcode.contains(part)) =>
            {
                Self::Synchronisation
            }
            "cp" => Self::Global,
            _of_no_family => Self::Other,
        }
    }
}

/// How many instructions are of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Share {
    /// The family.
    pub family: Family,
    /// Instructions of the text.
    pub instructions: usize,
    /// As a part of all.
    pub share: f64,
}

/// The families that an entry uses, the most frequent first.
pub fn mix(entry: &Entry) -> Vec<Share> {
    let mut counts = [0_usize; Family::ALL.len()];
    entry.insts().for_each(|(_, inst)| counts[Family::of(inst) as usize] += 1);
    let all = counts.iter().sum::<usize>();
    let mut shares: Vec<_> = Family::ALL
        .into_iter()
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(family, count)| Share { family, instructions: count, share: count as f64 / all as f64 })
        .collect();
    // Stable, so that equal ones stay in the order of the families.
    shares.sort_by_key(|share| std::cmp::Reverse(share.instructions));
    shares
}
