//! What the model weighs.
//!
//! Entry: a scanned body with its liveness. Exit: numbers that do not depend on names or comments. Not here: weights.

use super::home::{Home, homes};
use super::loops;
use super::schedule::{self, Kind};
use crate::ptx::isa::Op;
use crate::ptx::module::Entry;
use crate::ptx::regalloc::class;
use crate::ptx::regalloc::code::Code;
use crate::ptx::regalloc::liveness::Liveness;

/// Costs are counted in quarters of a register: the bytes of a vector of bytes stay packed until they are used.
pub(super) const QUARTERS: u32 = 4;

/// Loads of one block that count as being on their way together.
const MOST_LOADS: f64 = 16.0;

/// Registers from which on the assembler begins to order instructions for fewer.
const MANY: f64 = 64.0;

/// Facts of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features {
    /// Most registers live at once when loads go first, without those of [`uniform`](Self::uniform) values and of
    /// what is read in place.
    pub pressure: f64,
    /// Instructions.
    pub instructions: f64,
    /// Registers that the loads of one block from global memory fill, the most of any block.
    pub loaded: f64,
    /// Registers that the loads from shared memory in one turn of an innermost loop fill, the most of any.
    pub loop_shared: f64,
    /// Most registers live at once that hold values equal for the whole warp.
    pub uniform: f64,
    /// Whether it divides f32 numbers: the slow way of `div.rn` is a routine of its own.
    pub divides_floats: bool,
    /// Whether it divides 64-bit integers, which is a longer one.
    pub divides_wide: bool,
}

impl Features {
    /// Weights of the model, a constant included.
    pub const COUNT: usize = 10;

    pub(super) fn new(entry: &Entry, code: &Code, liveness: &Liveness) -> Self {
        let body = Body::new(entry, code);
        let homes = homes(&body);
        let cost = costs(&body);
        let of = |home: Home| -> Vec<u32> {
            cost.iter().zip(&homes).map(|(&cost, &met)| if met == home { cost } else { 0 }).collect()
        };
        let quarters = |count: u32| f64::from(count) / f64::from(QUARTERS);
        let (vector, uniform) = (of(Home::Vector), of(Home::Uniform));
        Self {
            pressure: quarters(schedule::peak(&body, liveness, &vector, schedule::loads_first)),
            instructions: code.steps.len() as f64,
            loaded: quarters(most_loaded(&body, &cost)),
            loop_shared: quarters(loops::shared_of_innermost(&body, &cost)),
            uniform: quarters(schedule::peak(&body, liveness, &uniform, schedule::as_written)),
            divides_floats: body.ops.iter().any(|op| is_exact_division(op)),
            divides_wide: body.ops.iter().any(|op| is_wide_division(op)),
        }
    }

    /// The terms of the model.
    pub fn terms(&self) -> [f64; Self::COUNT] {
        [
            1.0,
            self.pressure,
            self.pressure.sqrt(),
            (self.pressure - MANY).max(0.0),
            self.instructions.sqrt(),
            self.loaded.min(MOST_LOADS),
            self.loop_shared,
            self.uniform,
            f64::from(u8::from(self.divides_floats)),
            f64::from(u8::from(self.divides_wide)),
        ]
    }

    /// The terms, weighed.
    pub fn weighed(&self, model: &[f64; Self::COUNT]) -> f64 {
        self.terms().iter().zip(model).map(|(term, weight)| term * weight).sum()
    }
}

/// A body with what its instructions are.
pub(super) struct Body<'a> {
    pub(super) code: &'a Code,
    /// One for each step.
    pub(super) ops: Vec<&'a Op>,
    /// How often each register is written.
    pub(super) writes: Vec<u32>,
    /// One for each step.
    pub(super) kinds: Vec<Kind>,
}

impl<'a> Body<'a> {
    pub(super) fn new(entry: &'a Entry, code: &'a Code) -> Self {
        let mut writes = vec![0; code.numbering.len()];
        for step in &code.steps {
            let defs = code.operands(step).iter().filter(|operand| operand.is_def());
            defs.for_each(|operand| writes[operand.number()] += 1);
        }
        let ops: Vec<_> = entry.insts().map(|(_, inst)| &inst.op).collect();
        let kinds = ops.iter().map(|op| Kind::of(op)).collect();
        Self { code, ops, writes, kinds }
    }
}

pub(super) fn opcode(op: &Op) -> String {
    let mut text = String::new();
    op.print_opcode(&mut text);
    text
}

fn is_exact_division(op: &Op) -> bool {
    let opcode = opcode(op);
    matches!(op, Op::DivFloat(_)) && opcode.starts_with("div.r") && opcode.ends_with(".f32")
}

fn is_wide_division(op: &Op) -> bool {
    matches!(op, Op::Div(_) | Op::Rem(_)) && opcode(op).ends_with("64")
}

/// What each register costs, in quarters.
fn costs(body: &Body<'_>) -> Vec<u32> {
    let numbering = &body.code.numbering;
    let mut costs: Vec<u32> = (0..numbering.len())
        .map(|number| {
            let class = numbering.reg(number).class();
            // Two halves share a register where a packed instruction or a vector made them.
            if class.bits() < 32 {
                class::slots(class) * QUARTERS / 2
            } else {
                class::slots(class) * QUARTERS
            }
        })
        .collect();
    for (step, op) in body.code.steps.iter().zip(&body.ops) {
        let Op::Ld(load) = op else { continue };
        let bits = load.ty.scalar().bits();
        let defs = body.code.operands(step).iter().filter(|operand| operand.is_def());
        let is_vector = load.vec.is_some() && bits < 32;
        for def in defs.filter(|def| is_vector && body.writes[def.number()] == 1) {
            let cost = &mut costs[def.number()];
            *cost = (*cost).min(bits / 8);
        }
    }
    costs
}

fn most_loaded(body: &Body<'_>, cost: &[u32]) -> u32 {
    let loaded = |at: usize| match body.kinds[at] {
        Kind::Global { .. } => written(body, at, cost),
        Kind::Shared | Kind::Slow | Kind::Store | Kind::Fence | Kind::Other => 0,
    };
    body.code.blocks.iter().map(|block| block.steps.clone().map(loaded).sum()).max().unwrap_or(0)
}

/// What the results of a step cost.
pub(super) fn written(body: &Body<'_>, at: usize, cost: &[u32]) -> u32 {
    let operands = body.code.operands(&body.code.steps[at]);
    operands.iter().filter(|operand| operand.is_def()).map(|operand| cost[operand.number()]).sum()
}
