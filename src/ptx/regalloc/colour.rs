//! Colouring: a physical place for each register, as an assembler might choose it.
//!
//! Entry: any body with placed labels. Exit: registers that are in use at once have places of their own; a register
//! of 64 or 128 bits has an aligned run of slots; predicates are numbered apart. [`Colouring::check`] proves it by
//! replay. Registers are taken in order of first appearance and get the lowest place that is free. Not here: the
//! assembler's own choice, which reorders instructions before it assigns registers.

use super::bits::{self, BitMatrix};
use super::check::{CheckError, Replay};
use super::class;
use super::coalesce;
use super::code::{Code, Numbering};
use super::liveness::Columns;
use crate::ptx::isa::{Reg, RegClass};
use crate::ptx::module::Entry;

/// Physical places of the registers of one body.
#[derive(Clone, Debug)]
pub struct Colouring {
    /// Slots of 32 bits in all: one more than the highest that is taken.
    pub slots: u32,
    /// Predicates in all.
    pub predicates: u32,
    numbering: Numbering,
    place: Vec<Option<u32>>,
}

impl Colouring {
    /// Colours a body.
    pub fn of(entry: &Entry) -> Self {
        let code = Code::scan(entry);
        let columns = Columns::all(&code);
        let rows = symmetric(coalesce::interference(&code, &columns, None), columns.len());
        let place = vec![None; code.numbering.len()];
        let mut colouring = Self { slots: 0, predicates: 0, numbering: code.numbering, place };
        let mut taken = Vec::new();
        for operand in &code.operands {
            if colouring.place[operand.number()].is_none() {
                colouring.assign(operand.number(), rows.row(operand.number()), &mut taken);
            }
        }
        colouring
    }

    /// The first slot of a register, or the number of a predicate; `None` if the body never names it.
    pub fn place(&self, reg: Reg) -> Option<u32> {
        self.place[self.numbering.number(reg)]
    }

    /// Proves that each use finds its value in its place.
    ///
    /// # Errors
    /// The first use whose place another register overwrote.
    pub fn check(&self, entry: &Entry) -> Result<(), CheckError> {
        let slots = self.slots as usize;
        let cells = |number: usize| {
            let class = self.numbering.reg(number).class();
            match (self.place[number].map(|place| place as usize), class) {
                (None, _) => 0..0,
                (Some(place), RegClass::Pred) => slots + place..slots + place + 1,
                (Some(place), _) => place..place + class::slots(class) as usize,
            }
        };
        Replay::new(self.numbering, slots + self.predicates as usize, cells).run(entry)
    }

    fn assign(&mut self, number: usize, neighbours: &[u64], taken: &mut Vec<bool>) {
        let class = self.numbering.reg(number).class();
        let is_pred = class == RegClass::Pred;
        taken.clear();
        for other in bits::ones(neighbours).filter(|&other| other != number) {
            let other_class = self.numbering.reg(other).class();
            if let Some(place) = self.place[other].filter(|_| (other_class == RegClass::Pred) == is_pred) {
                let end = place as usize + class::slots(other_class).max(1) as usize;
                if taken.len() < end {
                    taken.resize(end, false);
                }
                taken[place as usize..end].fill(true);
            }
        }
        let run = class::slots(class).max(1);
        let free = |place: &u32| (*place..place + run).all(|slot| taken.get(slot as usize) != Some(&true));
        let place = (0..).step_by(run as usize).find(free).expect("the slots above those taken are free");
        self.place[number] = Some(place);
        let total = if is_pred { &mut self.predicates } else { &mut self.slots };
        *total = (*total).max(place + run);
    }
}

fn symmetric(mut rows: BitMatrix, columns: usize) -> BitMatrix {
    for column in 0..columns {
        let others: Vec<usize> = bits::ones(rows.row(column)).collect();
        others.into_iter().for_each(|other| bits::set(rows.row_mut(other), column));
    }
    rows
}

#[cfg(test)]
impl Colouring {
    /// Puts a register where another is, to see the check refuse it.
    pub(super) fn move_to(&mut self, reg: Reg, other: Reg) {
        self.place[self.numbering.number(reg)] = self.place[self.numbering.number(other)];
    }
}
