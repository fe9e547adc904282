//! Registers, shared memory, and how many CTAs an SM holds.
//!
//! Entry: a subject. Exit: the assembler's numbers where they are known, the estimate always, and the occupancy of the
//! better known of the two. Formulas and tables are in `docs/inspect.md`.

use super::Subject;
use crate::ptx::isa::Symbol;
use crate::ptx::module::{Extent, VarSpace, Variable};
use crate::ptx::regalloc::{CtaResources, Estimate, LimitingResource, OccupancyReport};

/// What a kernel takes of an SM.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Resources {
    /// Registers of a thread.
    pub registers: Registers,
    /// Shared memory of a CTA.
    pub shared: Shared,
    /// How much of the SM is used; `None` where the CTA's shape is not known.
    pub occupancy: Option<Occupied>,
}

/// Registers of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Registers {
    /// The estimate.
    pub estimate: u32,
    /// The assembler's number, where there is an assembler.
    pub assembler: Option<u32>,
    /// Bytes of spilled registers that are stored, and loaded; the assembler's.
    pub spill_store_bytes: Option<u32>,
    /// Those loaded.
    pub spill_load_bytes: Option<u32>,
    /// Bytes of stack of a thread; the assembler's.
    pub stack_bytes: Option<u32>,
}

impl Registers {
    /// The assembler's number, else the estimate.
    pub fn best(&self) -> u32 {
        self.assembler.unwrap_or(self.estimate)
    }
}

/// Shared memory of a CTA, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Shared {
    /// Declared in the text.
    pub static_bytes: u32,
    /// Asked for by the launch.
    pub dynamic_bytes: u32,
    /// What the system keeps of each CTA's share.
    pub reserved_bytes: u32,
}

/// How much of an SM is used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Occupied {
    /// Threads of a CTA: x, y, z.
    pub block: [u32; 3],
    /// Whether the registers that it is computed from are the estimate.
    pub estimated: bool,
    /// CTAs on an SM.
    pub ctas: u32,
    /// Warps on it.
    pub warps: u32,
    /// Warps that it could hold.
    pub max_warps: u32,
    /// As a part of those, in percent.
    pub percent: f64,
    /// What stands in the way of one more CTA.
    pub limit: &'static str,
}

/// The resources of a subject.
pub fn resources(subject: &Subject<'_>) -> Resources {
    let said = subject.assembled;
    let registers = Registers {
        estimate: Estimate::of(subject.entry).registers,
        assembler: said.map(|usage| usage.registers),
        spill_store_bytes: said.map(|usage| usage.spill_store_bytes),
        spill_load_bytes: said.map(|usage| usage.spill_load_bytes),
        stack_bytes: said.map(|usage| usage.stack_bytes),
    };
    let shared = Shared {
        static_bytes: said.map_or_else(|| static_shared(subject), |usage| usage.shared_bytes),
        dynamic_bytes: subject.dynamic_shared,
        reserved_bytes: subject.target.occupancy().shared_reserved_per_cta,
    };
    let occupancy = subject.block.map(|block| {
        let threads = block.iter().fold(1_u32, |threads, &axis| threads.saturating_mul(axis));
        let cta = CtaResources {
            threads,
            registers: registers.best(),
            shared_bytes: shared.static_bytes.saturating_add(shared.dynamic_bytes),
        };
        let report = OccupancyReport::of(subject.target, cta);
        Occupied {
            block,
            estimated: registers.assembler.is_none(),
            ctas: report.ctas,
            warps: report.warps,
            max_warps: report.max_warps,
            percent: 100.0 * report.fraction(),
            limit: name(report.limit),
        }
    });
    Resources { registers, shared, occupancy }
}

fn name(limit: LimitingResource) -> &'static str {
    match limit {
        LimitingResource::Warps => "warps",
        LimitingResource::Ctas => "ctas",
        LimitingResource::Registers => "registers",
        LimitingResource::Shared => "shared",
    }
}

/// The shared variables that the entry names, each at its own alignment, in the order of the text.
fn static_shared(subject: &Subject<'_>) -> u32 {
    let mut named = Vec::new();
    subject.entry.insts().for_each(|(_, inst)| inst.op.symbols(|symbol| named.push(symbol)));
    let globals = subject.module.globals.iter().map(|(id, variable)| (Symbol::Global(id), variable));
    let locals = subject.entry.vars.iter().map(|(id, variable)| (Symbol::Var(id), variable));
    let is_static =
        |variable: &Variable| variable.space == VarSpace::Shared && variable.extent != Extent::Unsized;
    let used =
        globals.chain(locals).filter(|(symbol, variable)| is_static(variable) && named.contains(symbol));
    let end = used.fold(0_u64, |end, (_, variable)| {
        end.next_multiple_of(u64::from(variable.alignment().max(1))).saturating_add(variable.bytes())
    });
    u32::try_from(end).unwrap_or(u32::MAX)
}
