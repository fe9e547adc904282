//! Proves an allocation: replays the result beside the original and follows which value lies where.
//!
//! Entry: the original body, the result, the register that each virtual register became. Exit: `Ok` means that the
//! result is the original with registers replaced and some copies dropped, and that on every way each use finds in
//! its register the very value that the original's use reads. It shares neither liveness nor interference with
//! what it judges: it goes forward, over values that registers hold. Not here: whether fewer registers would do.

use smallvec::SmallVec;

use super::Allocation;
use super::bits::{self, BitMatrix};
use super::code::{self, Numbering};
use crate::entity::EntityId;
use crate::ptx::isa::{Inst, Reg, RegTable};
use crate::ptx::module::{Entry, Statement, StatementKind};

/// How a result fails its original. Statements and registers are the original's unless said otherwise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// More was changed than registers and needless copies.
    #[error("statement {statement} became another one")]
    Changed {
        /// The statement.
        statement: usize,
    },
    /// The result goes on after the original has ended.
    #[error("the result has more statements than the original from its statement {result} on")]
    Longer {
        /// Statement of the result.
        result: usize,
    },
    /// Parameters, variables, labels, bounds or name differ.
    #[error("the frame of the entry changed")]
    Frame,
    /// A register has none in the result, or one of another class.
    #[error("register {register:?} has no place of its class")]
    Misplaced {
        /// The register.
        register: Reg,
    },
    /// A use reads something else than in the original.
    #[error("statement {statement} reads {register:?}, but another value overwrote it")]
    Clobbered {
        /// The statement.
        statement: usize,
        /// The register.
        register: Reg,
    },
    /// One instruction writes two results to one place.
    #[error("statement {statement} writes {register:?} and another result to one place")]
    WrittenTwice {
        /// The statement.
        statement: usize,
        /// One of the registers.
        register: Reg,
    },
}

/// Checks the result of [`super::allocate`] against the entry it was given.
///
/// # Errors
/// The first difference, or the first use that reads another value.
pub fn check(original: &Entry, result: &Entry, allocation: &Allocation) -> Result<(), CheckError> {
    check_text(original, result, allocation)?;
    let numbering = Numbering::new(&original.regs);
    let webs = Numbering::new(&result.regs);
    let cells = |number: usize| match allocation.web_of(numbering.reg(number)) {
        Some(web) => webs.number(web)..webs.number(web) + 1,
        None => 0..0,
    };
    Replay::new(numbering, webs.len(), cells).run(original)
}

/// Checks that the result is the original with its registers replaced and needless copies dropped.
fn check_text(original: &Entry, result: &Entry, allocation: &Allocation) -> Result<(), CheckError> {
    let frame = |entry: &Entry| Entry { regs: RegTable::default(), body: Vec::new(), ..entry.clone() };
    if frame(original) != frame(result) {
        return Err(CheckError::Frame);
    }
    let mut results = result.body.iter().peekable();
    for (at, statement) in original.body.iter().enumerate() {
        let expected = replaced(statement, allocation, result)?;
        if results.next_if(|met| **met == expected).is_some() {
            continue;
        }
        let may_go = match &expected.kind {
            StatementKind::Inst(Inst { op, .. }) => code::copied(op).is_some_and(|(dst, src)| dst == src),
            StatementKind::Loc { .. } => true,
            StatementKind::Label(_) | StatementKind::Comment(_) | StatementKind::Pragma(_) => false,
        };
        if !may_go {
            return Err(CheckError::Changed { statement: at });
        }
    }
    let result = result.body.len() - results.len();
    if results.next().is_some() { Err(CheckError::Longer { result }) } else { Ok(()) }
}

fn replaced(statement: &Statement, allocation: &Allocation, result: &Entry) -> Result<Statement, CheckError> {
    let mut statement = statement.clone();
    if let StatementKind::Inst(inst) = &mut statement.kind {
        let mut wrong = None;
        inst.visit_mut(|_, reg| match allocation.web_of(*reg) {
            Some(web) if web.class() == reg.class() && result.regs.contains(web) => *reg = web,
            _ => wrong = Some(*reg),
        });
        if let Some(register) = wrong {
            return Err(CheckError::Misplaced { register });
        }
    }
    Ok(statement)
}

/// Follows which virtual registers' values are where they should be. A register's place is a run of cells: one for
/// a web, several for a physical register of more than 32 bits.
pub(super) struct Replay {
    numbering: Numbering,
    /// The cells of each register.
    places: Vec<std::ops::Range<usize>>,
    /// The registers that use each cell.
    users: Vec<Vec<u32>>,
    /// Of each label, the registers whose value is in place on all ways that reach it so far.
    at_label: BitMatrix,
    again: bool,
}

/// What is known at a point.
struct State {
    /// Registers whose value is in place.
    valid: Vec<u64>,
    /// The number of each register's value: copies since the last label give equal numbers.
    values: Vec<u32>,
    /// Number of the next value.
    next: u32,
}

impl State {
    fn has(&self, number: usize) -> bool {
        bits::has(&self.valid, number)
    }

    fn write(&mut self, number: usize, valid: bool) {
        self.values[number] = self.next;
        self.next += 1;
        self.set(number, valid);
    }

    fn copy(&mut self, dst: usize, src: usize, valid: bool) {
        self.values[dst] = self.values[src];
        self.set(dst, valid);
    }

    fn set(&mut self, number: usize, valid: bool) {
        if valid { bits::set(&mut self.valid, number) } else { bits::clear(&mut self.valid, number) }
    }

    /// Starts over with what is in place at a label, where values of several ways meet.
    fn start(&mut self, valid: &[u64]) {
        self.valid.copy_from_slice(valid);
        self.next = 0;
        for value in &mut self.values {
            *value = self.next;
            self.next += 1;
        }
    }
}

impl Replay {
    pub(super) fn new(
        numbering: Numbering,
        cells: usize,
        place: impl Fn(usize) -> std::ops::Range<usize>,
    ) -> Self {
        let places: Vec<_> = (0..numbering.len()).map(place).collect();
        let mut users = vec![Vec::new(); cells];
        for (number, cells) in (0..).zip(&places) {
            users[cells.clone()].iter_mut().for_each(|users: &mut Vec<u32>| users.push(number));
        }
        Self { numbering, places, users, at_label: BitMatrix::new(0, 0), again: false }
    }

    /// Goes over the body until no label loses a value any more. Values are only ever lost from one round to the
    /// next, so that a use that fails in any round fails for good.
    pub(super) fn run(mut self, entry: &Entry) -> Result<(), CheckError> {
        let all = vec![!0_u64; self.numbering.len().div_ceil(64)];
        self.at_label = BitMatrix::new(entry.labels.len(), self.numbering.len());
        for label in 0..entry.labels.len() {
            self.at_label.row_mut(label).copy_from_slice(&all);
        }
        loop {
            self.again = false;
            self.round(entry, &all)?;
            if !self.again {
                return Ok(());
            }
        }
    }

    fn round(&mut self, entry: &Entry, all: &[u64]) -> Result<(), CheckError> {
        let mut state = State { valid: all.to_vec(), values: vec![0; self.numbering.len()], next: 0 };
        // What no instruction wrote yet has no particular value: at the start any will do.
        state.start(all);
        let mut reachable = true;
        for (at, statement) in entry.body.iter().enumerate() {
            match &statement.kind {
                StatementKind::Label(label) => {
                    if reachable {
                        self.meet(label.index(), &state.valid);
                    }
                    state.start(self.at_label.row(label.index()));
                    reachable = true;
                }
                StatementKind::Inst(inst) if reachable => {
                    self.step(at, inst, &mut state)?;
                    for target in entry.jumps(inst) {
                        self.meet(target.index(), &state.valid);
                    }
                    reachable = inst.guard.is_some() || !inst.op.is_terminator();
                }
                StatementKind::Inst(_)
                | StatementKind::Loc { .. }
                | StatementKind::Comment(_)
                | StatementKind::Pragma(_) => {}
            }
        }
        Ok(())
    }

    fn meet(&mut self, label: usize, valid: &[u64]) {
        for (word, valid) in self.at_label.row_mut(label).iter_mut().zip(valid) {
            self.again |= *word & !valid != 0;
            *word &= valid;
        }
    }

    fn step(&self, statement: usize, inst: &Inst, state: &mut State) -> Result<(), CheckError> {
        let number = |reg| self.numbering.number(reg);
        let copied = code::copied(&inst.op).map(|(dst, src)| (number(dst), number(src)));
        if let Some((dst, src)) = copied.filter(|&(dst, src)| self.places[dst] == self.places[src]) {
            // Dropped, or a copy of a register to itself: nothing moves, so that nothing is lost. The target's new
            // value is in place where the source's is; under a guard its old one must be too.
            match inst.guard {
                None => state.copy(dst, src, state.has(src)),
                Some(guard) if state.has(number(guard.pred)) => {
                    state.write(dst, state.has(dst) && state.has(src));
                }
                Some(guard) => return Err(CheckError::Clobbered { statement, register: guard.pred }),
            }
            return Ok(());
        }
        if let Some(register) = inst.uses().into_iter().find(|&register| !state.has(number(register))) {
            return Err(CheckError::Clobbered { statement, register });
        }
        if let Some((dst, src)) = copied.filter(|_| inst.guard.is_none()) {
            // Others that live in the target's place and equal the source find their value written once more.
            let equal = |state: &State, user| {
                state.has(user)
                    && state.values[user] == state.values[src]
                    && self.places[user] == self.places[dst]
            };
            self.overwrite(dst, state, equal);
            state.copy(dst, src, true);
            return Ok(());
        }
        let defs = inst.defs();
        // Lanes whose guard is false keep what was there: that must be the old value.
        let kept = |&reg: &Reg| inst.guard.is_none() || state.has(number(reg));
        let stays: SmallVec<[bool; 8]> = defs.iter().map(kept).collect();
        for (at, &register) in defs.iter().enumerate() {
            let shares = |&other: &Reg| self.share(number(register), number(other));
            if defs[at + 1..].iter().any(shares) {
                return Err(CheckError::WrittenTwice { statement, register });
            }
            self.overwrite(number(register), state, |_, _| false);
        }
        for (&register, stays) in defs.iter().zip(stays) {
            state.write(number(register), stays);
        }
        Ok(())
    }

    fn overwrite(&self, number: usize, state: &mut State, keeps: impl Fn(&State, usize) -> bool) {
        for &user in self.places[number].clone().flat_map(|cell| &self.users[cell]) {
            if !keeps(state, user as usize) {
                state.set(user as usize, false);
            }
        }
    }

    fn share(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.places[a], &self.places[b]);
        a.start < b.end && b.start < a.end
    }
}
