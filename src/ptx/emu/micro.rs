//! Decoded instructions: operands as positions in the register file, and what to do as a function or a kind.
//!
//! Entry: the decoder fills them in. Exit: a [`Micro`] fits a cache line, and whatever needs more than the warp's own
//! registers (memory, barriers, control) is told apart by its [`Kind`]. Not here: the semantics.

use super::barrier::BarrierRole;
use super::order::FenceKind;
use super::redux::FloatExtreme;
use super::simd::Exec;
use crate::ptx::isa::SpecialReg;
use crate::ptx::isa::modifier::{ReduxOp, Rounding, ShflMode, VoteMode};

/// One decoded instruction.
pub(super) struct Micro {
    /// The operation on lanes; of another kind than [`Kind::Lanes`] it does nothing.
    pub(super) exec: Exec,
    /// Destination.
    pub(super) d: u32,
    /// First source.
    pub(super) a: u32,
    /// Second source.
    pub(super) b: u32,
    /// Third source.
    pub(super) c: u32,
    /// Fourth source, or a second destination.
    pub(super) e: u32,
    /// Modifiers, as [`Flags`] reads them.
    pub(super) flags: u32,
    /// The guard predicate.
    pub(super) guard: u32,
    /// All ones for a negated guard.
    pub(super) negate: u32,
    /// What the run loop has to do.
    pub(super) kind: Kind,
}

/// What the run loop does with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Calls the operation on lanes.
    Lanes,
    /// Jumps to another instruction.
    Branch {
        /// Position of the instruction.
        target: u32,
        /// Whether all lanes that execute it must take it.
        uniform: bool,
    },
    /// Ends the lanes.
    Exit,
    /// Ends the launch with an error.
    Trap(Cause),
    /// Prints what the format at operand `a` makes of the values at `b`.
    Print,
    /// Reads a special register.
    Special(SpecialReg),
    /// Accesses memory: an index into the program's accesses.
    Access(u32),
    /// Waits for named lanes and exchanges among them.
    Sync(SyncOp),
    /// A snapshot of the lanes.
    ActiveMask,
    /// Waits for threads of the CTA.
    Barrier {
        /// Whether the warp must be converged.
        aligned: bool,
        /// Whether operand `b` counts threads.
        counted: bool,
        /// What the threads do there.
        role: BarrierRole,
    },
    /// Does an atomic operation: an index into the program's atomics.
    Atomic(u32),
    /// Does an asynchronous operation: an index into the program's asynchronous ones.
    Async(u32),
    /// Orders memory: the emulator's memory is in order but for other workers, and races are about what is made certain.
    Fence(FenceKind),
}

/// Why a launch ends with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The text asks for it.
    Asked,
    /// Operand `a` is no number of a list of targets.
    NoTarget,
    /// Operand `a` is no address of a function that the call may reach.
    NoFunction,
    /// There is no room for one more activation than operand `a` says.
    StackFull,
}

/// What lanes do once they have met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncOp {
    /// `shfl.sync`.
    Shfl(ShflMode),
    /// `vote.sync` with a predicate result.
    Vote(VoteMode),
    /// `vote.sync.ballot`.
    Ballot,
    /// `elect.sync`.
    Elect,
    /// `match.sync`.
    Match {
        /// Whether the values have 64 bits, not 32.
        long: bool,
        /// Whether all lanes must hold one value.
        all: bool,
    },
    /// `redux.sync`.
    Redux(ReduxOp),
    /// `redux.sync` of floats.
    ReduxFloat(FloatExtreme),
    /// `bar.warp.sync`.
    Barrier,
    /// An operation on matrices that the whole warp does: an index into the program's.
    Matrix(u32),
}

/// Modifiers of an operation, packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(pub(super) u32);

const FTZ: u32 = 1 << 2;
const SAT: u32 = 1 << 3;
const RELU: u32 = 1 << 4;
const NAN: u32 = 1 << 5;
const XORSIGN: u32 = 1 << 6;
const SATFINITE: u32 = 1 << 7;
const EXTRA_SHIFT: u32 = 8;

impl Flags {
    pub(super) fn rounded(rounding: Rounding) -> Self {
        Self(match rounding {
            Rounding::Rn => 0,
            Rounding::Rz => 1,
            Rounding::Rm => 2,
            Rounding::Rp => 3,
        })
    }

    fn with(self, bit: u32, on: bool) -> Self {
        Self(if on { self.0 | bit } else { self.0 })
    }

    pub(super) fn ftz(self, on: bool) -> Self {
        self.with(FTZ, on)
    }

    pub(super) fn sat(self, on: bool) -> Self {
        self.with(SAT, on)
    }

    pub(super) fn relu(self, on: bool) -> Self {
        self.with(RELU, on)
    }

    pub(super) fn nan(self, on: bool) -> Self {
        self.with(NAN, on)
    }

    pub(super) fn xorsign(self, on: bool) -> Self {
        self.with(XORSIGN, on)
    }

    pub(super) fn satfinite(self, on: bool) -> Self {
        self.with(SATFINITE, on)
    }

    /// Adds a number of the operation's own, up to 24 bits.
    pub(super) fn extra(self, extra: u32) -> Self {
        Self(self.0 | (extra << EXTRA_SHIFT))
    }

    pub(super) fn rounding(self) -> Rounding {
        match self.0 & 3 {
            0 => Rounding::Rn,
            1 => Rounding::Rz,
            2 => Rounding::Rm,
            _ => Rounding::Rp,
        }
    }

    pub(super) fn is_ftz(self) -> bool {
        self.0 & FTZ != 0
    }

    pub(super) fn is_sat(self) -> bool {
        self.0 & SAT != 0
    }

    pub(super) fn is_relu(self) -> bool {
        self.0 & RELU != 0
    }

    pub(super) fn is_nan(self) -> bool {
        self.0 & NAN != 0
    }

    pub(super) fn is_xorsign(self) -> bool {
        self.0 & XORSIGN != 0
    }

    pub(super) fn is_satfinite(self) -> bool {
        self.0 & SATFINITE != 0
    }

    pub(super) fn extra_bits(self) -> u32 {
        self.0 >> EXTRA_SHIFT
    }
}
