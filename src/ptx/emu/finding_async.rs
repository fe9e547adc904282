//! What a run can find wrong with asynchronous copies and mbarriers.
//!
//! Exit: as `finding` says.

use std::fmt;

use super::finding::{BadAccess, Site};

/// Why bytes of shared memory may not be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A `cp.async` is still writing them; its thread has not waited for its group.
    Group,
    /// A copy is still writing them; its mbarrier has not completed its phase.
    Phase,
    /// A bulk copy is still reading them; its thread has not waited for its group.
    Read,
    /// They are an mbarrier.
    Barrier,
}

/// An access to bytes that a copy has to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// The access.
    pub access: BadAccess,
    /// What the bytes are held for.
    pub held: Held,
    /// The instruction that holds them.
    pub other: Site,
    /// The thread that executed it: x, y, z.
    pub other_thread: [u32; 3],
}

impl InFlight {
    /// What to do about it.
    pub(super) fn help(&self) -> &'static str {
        match self.held {
            Held::Group => "wait for its group and put a barrier before",
            Held::Phase => "wait for the phase of its mbarrier before",
            Held::Read => "let its thread wait with `cp.async.bulk.wait_group.read` and put a barrier before",
            Held::Barrier => "keep other data out of the mbarrier's 8 bytes, or end it with `mbarrier.inval`",
        }
    }
}

impl fmt::Display for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.access.verb == "load" { "read" } else { "write" };
        let line = self.other.line;
        let opcode =
            self.other.text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        let family = if opcode.starts_with("cp.async.bulk") { "cp.async.bulk" } else { "cp.async" };
        match self.held {
            Held::Group | Held::Phase => {
                write!(f, "{what} of shared memory that a `{family}` at line {line} is still writing")?;
            }
            Held::Read => {
                write!(f, "{what} of shared memory that a `{family}` at line {line} is still reading")?;
            }
            Held::Barrier => write!(f, "{what} of an mbarrier, made at line {line}")?,
        }
        write!(f, ": {}", self.access)
    }
}

/// What is wrong with the use of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MbarrierProblem {
    /// There is none at the address.
    #[error("none has been made here")]
    NotMade,
    /// There is one already.
    #[error("made a second time without `mbarrier.inval`")]
    MadeTwice,
    /// It is made for a number of arrivals that hardware does not take.
    #[error("made for {}", crate::diag::count(*count, "arrival"))]
    Count {
        /// The number.
        count: u32,
    },
    /// More arrivals than the phase lacks, or none.
    #[error("{}, where the phase lacks {pending}", crate::diag::count(*count, "arrival"))]
    Arrivals {
        /// Those that come.
        count: u32,
        /// Those that are lacking.
        pending: u32,
    },
    /// More bytes than hardware counts.
    #[error("{bytes} bytes are lacking, more than it can count")]
    Bytes {
        /// The count.
        bytes: i64,
    },
}

impl MbarrierProblem {
    /// What to do about it.
    pub(super) fn help(self) -> &'static str {
        match self {
            Self::NotMade => "let one thread make it with `mbarrier.init`, and put a barrier after",
            Self::MadeTwice => "make it once, or end it first",
            Self::Count { .. } => "make it for 1 to 1,048,575 arrivals",
            Self::Arrivals { .. } => "make it for as many arrivals as come in a phase",
            Self::Bytes { .. } => "expect at most 1,048,575 bytes in a phase",
        }
    }
}
