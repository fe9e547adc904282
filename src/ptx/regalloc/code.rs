//! A body as the analyses read it: steps with their registers as plain numbers, and the blocks they stand in.
//!
//! Entry: an entry whose labels are placed. Exit: one step per instruction in order, operands in the order of the
//! text; a block ends at a terminator or before a label. Registers are numbered class by class, so that one bit set
//! covers them all. Not here: what is live ([`super::liveness`]).

use std::ops::Range;

use smallvec::SmallVec;

use crate::entity::EntityId;
use crate::ptx::isa::{Inst, LabelId, Op, Reg, RegClass, RegTable, Use};
use crate::ptx::module::{Entry, StatementKind};

/// No label, or no column.
pub(super) const NONE: u32 = u32::MAX;

/// Registers of all classes in one row of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbering {
    base: [u32; 6],
    len: u32,
}

impl Numbering {
    pub(super) fn new(regs: &RegTable) -> Self {
        let mut numbering = Self::default();
        for class in RegClass::ALL {
            numbering.base[class as usize] = numbering.len;
            numbering.len += u32::try_from(regs.len(class)).expect("a class has fewer than 2^28 registers");
        }
        numbering
    }

    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    pub(super) fn number(&self, reg: Reg) -> usize {
        self.base[reg.class() as usize] as usize + reg.index()
    }

    pub(super) fn reg(&self, number: usize) -> Reg {
        let class = RegClass::ALL
            .into_iter()
            .rfind(|&class| self.base[class as usize] as usize <= number)
            .expect("the first class starts at 0");
        Reg::new(class, number - self.base[class as usize] as usize)
    }
}

/// A register at a place of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand(u32);

impl Operand {
    fn new(number: usize, is_def: bool) -> Self {
        let number = u32::try_from(number).expect("a function has fewer than 2^31 registers");
        Self(number << 1 | u32::from(is_def))
    }

    pub(super) const fn number(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) const fn is_def(self) -> bool {
        self.0 & 1 != 0
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Position in the body.
    pub(super) statement: u32,
    first: u32,
    end: u32,
    /// Lanes whose guard is false keep the old values of what it writes.
    pub(super) guarded: bool,
    /// Which copy it is, counted from the start, or [`NONE`]. A copy's operands are two, the one written first.
    pub(super) copy: u32,
}

/// Steps that run one after the other.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Positions of its steps.
    pub(super) steps: Range<usize>,
    /// It starts at a label, so that several ways may lead here.
    pub(super) labelled: bool,
    /// The next block is one of those that may follow, the first of them.
    falls_through: bool,
    /// The blocks that may follow.
    pub(super) next: SmallVec<[u32; 2]>,
}

/// A body.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) numbering: Numbering,
    pub(super) operands: Vec<Operand>,
    pub(super) steps: Vec<Step>,
    pub(super) blocks: Vec<Block>,
    /// Number of copies without a guard.
    copies: u32,
}

impl Code {
    pub(super) fn scan(entry: &Entry) -> Self {
        let numbering = Numbering::new(&entry.regs);
        let mut code = Self {
            numbering,
            operands: Vec::with_capacity(entry.body.len() * 4),
            steps: Vec::with_capacity(entry.body.len()),
            blocks: Vec::with_capacity(entry.labels.len() * 2 + 1),
            copies: 0,
        };
        let mut labels = vec![NONE; entry.labels.len()];
        let mut open = (0, false);
        for (at, statement) in entry.body.iter().enumerate() {
            match &statement.kind {
                StatementKind::Inst(inst) => {
                    code.push(at, inst);
                    if inst.op.is_terminator() {
                        let falls_through = inst.guard.is_some();
                        code.close(&mut open, falls_through, entry.jumps(inst));
                    }
                }
                StatementKind::Label(label) => {
                    if open.0 < code.steps.len() {
                        code.close(&mut open, true, &[]);
                    }
                    labels[label.index()] = to_u32(code.blocks.len());
                    open.1 = true;
                }
                StatementKind::Loc { .. } | StatementKind::Comment(_) | StatementKind::Pragma(_) => {}
            }
        }
        code.close(&mut open, false, &[]);
        for block in &mut code.blocks {
            // Up to here the jumps name their labels, which stand behind the block that follows.
            for next in &mut block.next[usize::from(block.falls_through)..] {
                *next = labels[*next as usize];
            }
            // A label that is not placed leads nowhere.
            block.next.retain(|next| *next != NONE);
        }
        code
    }

    fn push(&mut self, at: usize, inst: &Inst) {
        let (operands, numbering) = (&mut self.operands, self.numbering);
        let first = operands.len();
        inst.visit(|role, reg| operands.push(Operand::new(numbering.number(reg), role.is_def())));
        let is_copy = inst.guard.is_none() && copied(&inst.op).is_some();
        self.steps.push(Step {
            statement: to_u32(at),
            first: to_u32(first),
            end: to_u32(operands.len()),
            guarded: inst.guard.is_some(),
            copy: if is_copy { self.copies } else { NONE },
        });
        self.copies += u32::from(is_copy);
    }

    /// Ends the block that started at this step, with a label or not.
    fn close(&mut self, open: &mut (usize, bool), falls_through: bool, jumps: &[LabelId]) {
        let end = self.steps.len();
        let following = falls_through.then(|| to_u32(self.blocks.len() + 1));
        let next = following.into_iter().chain(jumps.iter().map(|label| to_u32(label.index()))).collect();
        let (start, labelled) = std::mem::replace(open, (end, false));
        self.blocks.push(Block { steps: start..end, labelled, falls_through, next });
    }

    pub(super) fn operands(&self, step: &Step) -> &[Operand] {
        &self.operands[step.first as usize..step.end as usize]
    }

    /// The registers of a copy: the one written, the one read.
    pub(super) fn copy(&self, step: &Step) -> Option<(usize, usize)> {
        match self.operands(step) {
            [dst, src] if step.copy != NONE => Some((dst.number(), src.number())),
            _ => None,
        }
    }
}

/// The registers of a plain copy within a class, whatever its guard: the one written, the one read.
pub(super) fn copied(op: &Op) -> Option<(Reg, Reg)> {
    let (dst, src) = match op {
        Op::Mov(row) => (
            row.dst.0,
            match row.src {
                Use::Reg(reg) => reg,
                Use::Int(_) | Use::F32(_) | Use::F64(_) => return None,
            },
        ),
        Op::MovPred(row) if !row.src.negated => (row.dst.0, row.src.reg),
        // Every other row computes something, loads, stores or jumps.
        _ => return None,
    };
    (dst.class() == src.class()).then_some((dst, src))
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("a body has fewer than 2^32 operands")
}
