//! Which registers may still be read: bit sets at both ends of each block, and the walk between them.
//!
//! Entry: scanned code, and the registers of interest as columns. Exit: sets that satisfy the equations of
//! backward liveness. A guarded instruction writes only some lanes' registers, so that what it writes stays live
//! before it: its old value is still wanted. Not here: whether a register was written before it is read;
//! one that may not have been is live from the start.

use super::bits::{self, BitMatrix};
use super::code::{Code, NONE, Step};

/// Registers of interest, numbered densely.
#[derive(Debug)]
pub(super) struct Columns {
    /// The column of each register, or [`NONE`].
    of: Vec<u32>,
    /// The register of each column.
    pub(super) regs: Vec<u32>,
}

impl Columns {
    /// Every register.
    pub(super) fn all(code: &Code) -> Self {
        let of: Vec<u32> = (0..).take(code.numbering.len()).collect();
        Self { regs: of.clone(), of }
    }

    /// None of `registers` registers yet.
    pub(super) fn none(registers: usize) -> Self {
        Self { of: vec![NONE; registers], regs: Vec::new() }
    }

    /// The column of a register, a new one if it had none.
    pub(super) fn add(&mut self, register: usize) -> u32 {
        if self.of[register] == NONE {
            self.of[register] =
                u32::try_from(self.regs.len()).expect("there are fewer columns than registers");
            self.regs.push(u32::try_from(register).expect("a function has fewer than 2^32 registers"));
        }
        self.of[register]
    }

    pub(super) fn get(&self, register: usize) -> Option<usize> {
        match self.of[register] {
            NONE => None,
            column => Some(column as usize),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.regs.len()
    }
}

/// The sets at the ends of blocks.
#[derive(Debug)]
pub(super) struct Liveness {
    live_in: BitMatrix,
    live_out: BitMatrix,
}

impl Liveness {
    pub(super) fn new(code: &Code, columns: &Columns) -> Self {
        let (blocks, width) = (code.blocks.len(), columns.len());
        let mut killed = BitMatrix::new(blocks, width);
        let mut sets =
            Self { live_in: BitMatrix::new(blocks, width), live_out: BitMatrix::new(blocks, width) };
        for (at, block) in code.blocks.iter().enumerate() {
            for step in code.steps[block.steps.clone()].iter().rev() {
                step_back(code, step, columns, sets.live_in.row_mut(at), |column| {
                    bits::set(killed.row_mut(at), column);
                });
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (at, block) in code.blocks.iter().enumerate().rev() {
                for &next in &block.next {
                    bits::union(sets.live_out.row_mut(at), sets.live_in.row(next as usize));
                }
                let out = sets.live_out.row(at).iter().zip(killed.row(at));
                for (live, (out, killed)) in sets.live_in.row_mut(at).iter_mut().zip(out) {
                    changed |= out & !killed & !*live != 0;
                    *live |= out & !killed;
                }
            }
        }
        sets
    }

    /// What is live at the start of the body: read on some way before it is written.
    pub(super) fn at_entry(&self) -> &[u64] {
        self.live_in.row(0)
    }

    /// What is live at the end of a block.
    pub(super) fn at_end(&self, block: usize) -> &[u64] {
        self.live_out.row(block)
    }

    /// Shows each step, block by block and backward within one, with what is live after it.
    pub(super) fn walk(&self, code: &Code, columns: &Columns, mut see: impl FnMut(&Step, &[u64])) {
        let mut live = Vec::new();
        for (at, block) in code.blocks.iter().enumerate() {
            live.clear();
            live.extend_from_slice(self.live_out.row(at));
            for step in code.steps[block.steps.clone()].iter().rev() {
                see(step, &live);
                step_back(code, step, columns, &mut live, |_| ());
            }
        }
    }
}

/// Turns what is live after a step into what is live before it; shows what the step surely overwrites.
fn step_back(code: &Code, step: &Step, columns: &Columns, live: &mut [u64], mut killed: impl FnMut(usize)) {
    let operands = code.operands(step);
    if !step.guarded {
        for column in
            operands.iter().filter(|operand| operand.is_def()).filter_map(|o| columns.get(o.number()))
        {
            bits::clear(live, column);
            killed(column);
        }
    }
    for operand in operands.iter().filter(|operand| step.guarded || !operand.is_def()) {
        if let Some(column) = columns.get(operand.number()) {
            bits::set(live, column);
        }
    }
}
