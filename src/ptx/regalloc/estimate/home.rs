//! Where a value lives: in a register of each lane, in one for the warp, or nowhere.
//!
//! Entry: a body whose writes are counted. Exit: a home for each register, from definitions that come before uses in the
//! text; a register that is written twice is a lane's. Not here: whether the assembler agrees in each case.

use super::features::{Body, opcode};
use crate::ptx::isa::Op;
use crate::ptx::isa::modifier::Space;

/// Where a value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// In a register of each lane.
    Vector,
    /// In a register of the whole warp: computed from such alone.
    Uniform,
    /// In the constant bank or in the instruction: constants, parameters, addresses of variables.
    Nowhere,
}

pub(super) fn homes(body: &Body<'_>) -> Vec<Home> {
    let mut homes = vec![Home::Vector; body.code.numbering.len()];
    for (step, op) in body.code.steps.iter().zip(&body.ops) {
        let operands = body.code.operands(step);
        let mut defs = operands.iter().filter(|operand| operand.is_def()).peekable();
        if defs.peek().is_none() || step.guarded {
            continue;
        }
        let uses = operands.iter().filter(|operand| !operand.is_def());
        let sources = uses.map(|operand| homes[operand.number()]).fold(Home::Nowhere, joined);
        let home = of(op, sources);
        for def in operands.iter().filter(|operand| operand.is_def()) {
            if body.writes[def.number()] == 1 {
                homes[def.number()] = home;
            }
        }
    }
    homes
}

/// The home of what is computed from both.
fn joined(a: Home, b: Home) -> Home {
    match (a, b) {
        (Home::Vector, _) | (_, Home::Vector) => Home::Vector,
        (Home::Uniform, _) | (_, Home::Uniform) => Home::Uniform,
        (Home::Nowhere, Home::Nowhere) => Home::Nowhere,
    }
}

/// The home of the results of an instruction.
fn of(op: &Op, sources: Home) -> Home {
    match op {
        Op::MovSpecial(read) => match read.src.name() {
            name if name.starts_with("%ctaid") => Home::Uniform,
            name if name.starts_with("%nctaid") || name.starts_with("%ntid") => Home::Nowhere,
            _of_the_lane => Home::Vector,
        },
        Op::Mov(_) | Op::MovPred(_) | Op::MovAddress(_) | Op::Cvta(_) | Op::CvtaSymbol(_) | Op::CvtaTo(_) => {
            sources
        }
        Op::Ld(load) if load.space == Some(Space::Param) => sources,
        // From constants alone the assembler would fold them; then they are in a register all the same, once.
        computed if sources != Home::Vector && has_uniform_form(computed) => Home::Uniform,
        _computed_by_each_lane => Home::Vector,
    }
}

/// Whether the warp's own unit can do it: integer and logic operations.
fn has_uniform_form(op: &Op) -> bool {
    const WORDS: [&str; 16] = [
        "add", "sub", "mul", "mad", "and", "or", "xor", "not", "shl", "shr", "shf", "setp", "selp", "min",
        "max", "cvt",
    ];
    let opcode = opcode(op);
    let word = opcode.split('.').next().unwrap_or_default();
    let is_float = [".f32", ".f64", ".f16", ".bf16"].iter().any(|ty| opcode.contains(ty));
    (WORDS.contains(&word) && !is_float) || matches!(op, Op::MovPack(_) | Op::MovUnpack(_))
}
