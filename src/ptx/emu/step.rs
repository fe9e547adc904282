//! What each row owes the emulator: its [`Step`], from which the decoder makes a [`Micro`](super::micro::Micro).
//!
//! Entry: a checked instruction. Exit: a [`Plan`]: operands as positions in the register file and an operation or a
//! kind. The dispatch is made from the instruction set's own list, so that a row without a `Step` doesn't build.
//! What a row's `Step` can't do is an [`Unsupported`] here, before anything runs.

use super::decode::Planner;
use super::file::{FIRST_PRED, SINK};
use super::micro::{Flags, Kind, Micro};
use super::simd::{Bind, Body, Exec};
use crate::ptx::isa::{Op, PairedDef, PredUse, Reg, RegClass, Use, for_each_inst};

/// The semantics of a row.
pub(super) trait Step {
    /// Decides once what every execution will do.
    ///
    /// # Errors
    /// What about the form the emulator can't do.
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported>;
}

/// What the emulator lacks, in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unsupported(pub(super) &'static str);

/// A decoded instruction before its guard and its level of vector instructions are known.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) bind: Bind,
    pub(super) kind: Kind,
    pub(super) d: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
    pub(super) e: u32,
    pub(super) flags: Flags,
}

struct Nothing;

impl Body for Nothing {
    #[inline(always)]
    fn run<const FMA: bool>(_micro: &Micro, _file: &mut super::file::File, _mask: u32) {}
}

impl Plan {
    /// A plan for the run loop, without operands.
    pub(super) fn of(kind: Kind) -> Self {
        Self { bind: Exec::of::<Nothing>, kind, d: 0, a: 0, b: 0, c: 0, e: 0, flags: Flags::default() }
    }

    /// An operation on lanes.
    pub(super) fn lanes(bind: Bind, d: u32, sources: &[u32]) -> Self {
        let source = |index: usize| sources.get(index).copied().unwrap_or(0);
        let plan = Self::of(Kind::Lanes);
        Self { bind, d, a: source(0), b: source(1), c: source(2), e: source(3), ..plan }
    }

    pub(super) fn flags(self, flags: Flags) -> Self {
        Self { flags, ..self }
    }
}

macro_rules! dispatch {
    ($($name:ident,)*) => {
        impl Step for Op {
            fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                match self { $(Self::$name(row) => row.plan(planner),)* }
            }
        }
    };
}

for_each_inst!(dispatch);

/// Position of a predicate.
pub(super) fn pred(reg: Reg) -> u32 {
    reg.index() as u32 + FIRST_PRED
}

/// Position of the second result of `d|p`.
pub(super) fn paired(def: PairedDef) -> u32 {
    match def {
        PairedDef::Absent | PairedDef::Sink => SINK,
        PairedDef::Reg(reg) => pred(reg),
    }
}

/// A predicate source: position and negation in one operand.
pub(super) fn pred_use(source: PredUse) -> u32 {
    pred(source.reg) << 1 | u32::from(source.negated)
}

impl Planner<'_> {
    /// An operation whose sources are values of the classes given.
    pub(super) fn map(&mut self, bind: Bind, dst: Reg, sources: &[(Use, RegClass)]) -> Plan {
        let mut positions = [0; 4];
        for (position, &(source, class)) in positions.iter_mut().zip(sources) {
            *position = self.value(source, class);
        }
        Plan::lanes(bind, self.reg(dst), &positions)
    }

    /// The same where all sources have one class.
    pub(super) fn map_all(&mut self, bind: Bind, dst: Reg, sources: &[Use], class: RegClass) -> Plan {
        let mut positions = [0; 4];
        for (position, &source) in positions.iter_mut().zip(sources) {
            *position = self.value(source, class);
        }
        Plan::lanes(bind, self.reg(dst), &positions)
    }
}

impl super::file::File {
    /// The value of a predicate source.
    #[inline(always)]
    pub(super) fn pred_source(&self, packed: u32) -> u32 {
        self.pred(packed >> 1) ^ 0_u32.wrapping_sub(packed & 1)
    }
}
