//! Registers, shared memory, and how many CTAs an SM holds.
//!
//! Entry: a subject. Exit: the assembler's numbers where they are known, the estimate always, and the occupancy of the
//! better known of the two. Formulas and tables are in `docs/inspect.md`.

use super::Subject;
use super::place::opcode;
use crate::ptx::isa::Symbol;
use crate::ptx::module::{Entry, Extent, Module, VarSpace, Variable};
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
    /// Asked for by the launch; `None` where the text has some and the launch is not known.
    pub dynamic_bytes: Option<u32>,
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
    /// Whether it is the most that there can be: dynamic shared memory is not known, and was taken to be none.
    pub upper_bound: bool,
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
        static_bytes: said
            .map_or_else(|| static_shared(subject.module, subject.entry), |usage| usage.shared_bytes),
        dynamic_bytes: subject
            .dynamic_shared
            .or_else(|| (!has_dynamic_shared(subject.module, subject.entry)).then_some(0)),
        reserved_bytes: subject.target.occupancy().shared_reserved_per_cta,
    };
    let occupancy = subject.block.map(|block| {
        let threads = block.iter().fold(1_u32, |threads, &axis| threads.saturating_mul(axis));
        let cta = CtaResources {
            threads,
            registers: registers.best(),
            shared_bytes: shared.static_bytes.saturating_add(shared.dynamic_bytes.unwrap_or(0)),
        };
        let report = OccupancyReport::of(subject.target, cta);
        Occupied {
            block,
            estimated: registers.assembler.is_none(),
            upper_bound: shared.dynamic_bytes.is_none(),
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

/// Bytes of the shared variables of known size that an entry names, each at its own alignment, in the order of the text.
pub fn static_shared(module: &Module, entry: &Entry) -> u32 {
    let used = shared_variables(module, entry).filter(|variable| !is_dynamic(variable));
    let end = used.fold(0_u64, |end, variable| {
        end.next_multiple_of(u64::from(variable.alignment().max(1))).saturating_add(variable.bytes())
    });
    u32::try_from(end).unwrap_or(u32::MAX)
}

/// Whether an entry, or a function that it may call, names shared memory whose size the launch says.
fn has_dynamic_shared(module: &Module, entry: &Entry) -> bool {
    let names_any = |code: &Entry| shared_variables(module, code).any(is_dynamic);
    let calls = || entry.insts().any(|(_, inst)| opcode(inst).split('.').next() == Some("call"));
    names_any(entry) || (calls() && module.functions.values().any(|function| names_any(&function.code)))
}

fn is_dynamic(variable: &Variable) -> bool {
    variable.extent == Extent::Unsized
}

/// The shared variables that some code names, in the order of the text.
fn shared_variables<'a>(module: &'a Module, code: &'a Entry) -> impl Iterator<Item = &'a Variable> {
    let mut named = Vec::new();
    code.insts().for_each(|(_, inst)| inst.op.symbols(|symbol| named.push(symbol)));
    let globals = module.globals.iter().map(|(id, variable)| (Symbol::Global(id), variable));
    let locals = code.vars.iter().map(|(id, variable)| (Symbol::Var(id), variable));
    let used = globals
        .chain(locals)
        .filter(move |(symbol, variable)| variable.space == VarSpace::Shared && named.contains(symbol));
    used.map(|(_, variable)| variable)
}
