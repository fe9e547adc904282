//! How many slots of 32 bits are in use at each point.
//!
//! Entry: any body with placed labels. Exit: one point per instruction: what must have a place while its results
//! are written. No assignment of slots does with fewer than the highest point; alignment may ask for more. Not
//! here: registers that the assembler needs beyond those of the text.

use super::bits;
use super::class;
use super::code::Code;
use super::liveness::{Columns, Liveness};
use crate::ptx::isa::RegClass;
use crate::ptx::module::Entry;

/// What is in use just after an instruction: its results, read or not, and all that is read later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PressurePoint {
    /// Position of the statement in the body.
    pub statement: usize,
    /// Slots of 32 bits.
    pub slots: u32,
    /// Predicates.
    pub predicates: u32,
}

/// The points of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    /// Points in the order of the text.
    pub points: Vec<PressurePoint>,
}

impl Pressure {
    /// Counts what is in use at each instruction.
    pub fn of(entry: &Entry) -> Self {
        let code = Code::scan(entry);
        let columns = Columns::all(&code);
        let liveness = Liveness::new(&code, &columns);
        let cost = |number: usize| {
            let class = code.numbering.reg(number).class();
            (class::slots(class), u32::from(class == RegClass::Pred))
        };
        let mut points = Vec::with_capacity(code.steps.len());
        let mut used = Vec::new();
        liveness.walk(&code, &columns, |step, live| {
            used.clear();
            used.extend_from_slice(live);
            for operand in code.operands(step).iter().filter(|operand| operand.is_def()) {
                bits::set(&mut used, operand.number());
            }
            let (slots, predicates) = bits::ones(&used)
                .map(cost)
                .fold((0, 0), |(slots, predicates), (more, p)| (slots + more, predicates + p));
            points.push(PressurePoint { statement: step.statement as usize, slots, predicates });
        });
        points.sort_unstable_by_key(|point| point.statement);
        Self { points }
    }

    /// The first of the points with the most slots; `None` for a body without instructions.
    pub fn highest(&self) -> Option<PressurePoint> {
        self.points.iter().copied().rev().max_by_key(|point| point.slots)
    }

    /// The most slots in use at once.
    pub fn slots(&self) -> u32 {
        self.points.iter().map(|point| point.slots).max().unwrap_or(0)
    }

    /// The most predicates in use at once.
    pub fn predicates(&self) -> u32 {
        self.points.iter().map(|point| point.predicates).max().unwrap_or(0)
    }
}
