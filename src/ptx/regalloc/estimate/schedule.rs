//! Orders of the instructions within a block, and what is live at once under one.
//!
//! Entry: a body with its liveness. Exit: an order keeps what depends on one another in order: registers, and memory as
//! far as it can't be told apart. Blocks stay where they are. Not here: how long an instruction takes.

use std::ops::Range;

use super::features::Body;
use crate::ptx::isa::Op;
use crate::ptx::isa::modifier::Space;
use crate::ptx::regalloc::bits;
use crate::ptx::regalloc::code::{NONE, Step};
use crate::ptx::regalloc::liveness::Liveness;

/// What an instruction is to the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A load from global memory, or from an unknown place; nobody writes what a read-only one reads.
    Global { read_only: bool },
    /// A load from shared or local memory.
    Shared,
    /// Slow as a load, but of registers only.
    Slow,
    /// A store or an atomic.
    Store,
    /// What orders memory.
    Fence,
    /// Anything else.
    Other,
}

impl Kind {
    pub(super) fn of(op: &Op) -> Self {
        match op {
            Op::Ld(load) => match load.space {
                Some(Space::Param | Space::Const) => Self::Other,
                Some(Space::Global) | None => Self::Global { read_only: load.nc.0 },
                Some(_) => Self::Shared,
            },
            Op::LdHint(load) => Self::Global { read_only: load.nc.0 },
            Op::LdMatrix(_) => Self::Shared,
            Op::Shfl(_) => Self::Slow,
            Op::St(_) | Op::StHint(_) | Op::StMatrix(_) | Op::Atom(_) | Op::AtomCas(_) | Op::Red(_) => {
                Self::Store
            }
            other => {
                const FENCES: [&str; 6] = ["bar", "cp", "fence", "membar", "mbarrier", "call"];
                let opcode = other.opcode();
                let word = opcode.split('.').next().unwrap_or_default();
                if FENCES.contains(&word) || word == "barrier" { Self::Fence } else { Self::Other }
            }
        }
    }

    const fn is_slow(self) -> bool {
        matches!(self, Self::Global { .. } | Self::Shared | Self::Slow)
    }
}

/// The steps of a block as they stand.
pub(super) fn as_written(_: &Body<'_>, _: &mut Scratch, steps: Range<usize>) -> Vec<usize> {
    steps.collect()
}

/// Loads first, with all that they wait for; then the rest.
pub(super) fn loads_first(body: &Body<'_>, scratch: &mut Scratch, steps: Range<usize>) -> Vec<usize> {
    let start = steps.start;
    if !steps.clone().any(|at| body.kinds[at].is_slow()) {
        return steps.collect();
    }
    let waits = scratch.dependencies(body, steps.clone());
    let mut early = vec![false; steps.len()];
    for at in steps.clone().rev() {
        if body.kinds[at].is_slow() || early[at - start] {
            early[at - start] = true;
            waits[at - start].iter().for_each(|&on| early[on - start] = true);
        }
    }
    let is_early = |at: &usize| early[at - start];
    steps.clone().filter(is_early).chain(steps.filter(|at| !is_early(at))).collect()
}

/// Tables over the registers, for one block after the other.
#[derive(Debug)]
pub(super) struct Scratch {
    /// The step of the block that wrote it last, or [`NONE`].
    written: Vec<u32>,
    /// The steps that read it since.
    read: Vec<Vec<u32>>,
}

impl Scratch {
    fn new(registers: usize) -> Self {
        Self { written: vec![NONE; registers], read: vec![Vec::new(); registers] }
    }

    /// For each step of a block, those of the block before it that it has to stay behind.
    fn dependencies(&mut self, body: &Body<'_>, steps: Range<usize>) -> Vec<Vec<usize>> {
        let code = body.code;
        let (mut store, mut fence, mut loads) = (None, None, Vec::new());
        let mut all = Vec::with_capacity(steps.len());
        for at in steps.clone() {
            let mut waits = Vec::new();
            for operand in code.operands(&code.steps[at]) {
                let number = operand.number();
                waits.extend((self.written[number] != NONE).then_some(self.written[number] as usize));
                if operand.is_def() {
                    waits.extend(self.read[number].drain(..).map(|reader| reader as usize));
                }
            }
            match body.kinds[at] {
                Kind::Global { read_only: true } => waits.extend(fence),
                Kind::Global { read_only: false } | Kind::Shared => {
                    waits.extend(store.into_iter().chain(fence))
                }
                Kind::Store | Kind::Fence => {
                    waits.append(&mut loads);
                    waits.extend(store.into_iter().chain(fence));
                }
                Kind::Slow | Kind::Other => {}
            }
            match body.kinds[at] {
                Kind::Global { .. } | Kind::Shared => loads.push(at),
                Kind::Store => store = Some(at),
                Kind::Fence => fence = Some(at),
                Kind::Slow | Kind::Other => {}
            }
            for operand in code.operands(&code.steps[at]) {
                let short = u32::try_from(at).expect("a body has fewer than 2^32 steps");
                if operand.is_def() {
                    self.written[operand.number()] = short;
                } else {
                    self.read[operand.number()].push(short);
                }
            }
            waits.retain(|&on| on != at);
            all.push(waits);
        }
        for operand in steps.flat_map(|at| code.operands(&code.steps[at])) {
            self.written[operand.number()] = NONE;
            self.read[operand.number()].clear();
        }
        all
    }
}

/// The most that is live at once when the steps of each block go in an order.
pub(super) fn peak(
    body: &Body<'_>,
    liveness: &Liveness,
    cost: &[u32],
    order: impl Fn(&Body<'_>, &mut Scratch, Range<usize>) -> Vec<usize>,
) -> u32 {
    let mut scratch = Scratch::new(body.code.numbering.len());
    let mut live = Vec::new();
    let mut most = 0;
    for (at, block) in body.code.blocks.iter().enumerate() {
        live.clear();
        live.extend_from_slice(liveness.at_end(at));
        let mut now: u32 = bits::ones(&live).map(|number| cost[number]).sum();
        most = most.max(now);
        for at in order(body, &mut scratch, block.steps.clone()).into_iter().rev() {
            let step = &body.code.steps[at];
            most = most.max(now + unread(body, step, &live, cost));
            step_back(body, step, &mut live, cost, &mut now);
        }
    }
    most
}

/// What the results cost that nobody reads: they have a place for a moment.
fn unread(body: &Body<'_>, step: &Step, live: &[u64], cost: &[u32]) -> u32 {
    let defs = body.code.operands(step).iter().filter(|operand| operand.is_def());
    defs.map(|def| def.number()).filter(|&number| !bits::has(live, number)).map(|number| cost[number]).sum()
}

fn step_back(body: &Body<'_>, step: &Step, live: &mut [u64], cost: &[u32], now: &mut u32) {
    let operands = body.code.operands(step);
    for number in operands.iter().filter(|operand| operand.is_def()).map(|operand| operand.number()) {
        if !step.guarded && bits::has(live, number) {
            bits::clear(live, number);
            *now -= cost[number];
        }
    }
    // Under a guard the old value of what is written may still be wanted.
    for operand in operands.iter().filter(|operand| step.guarded || !operand.is_def()) {
        if !bits::has(live, operand.number()) {
            bits::set(live, operand.number());
            *now += cost[operand.number()];
        }
    }
}
