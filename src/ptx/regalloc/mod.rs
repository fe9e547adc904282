//! Register allocation: one PTX register per web, and what a body costs in physical ones.
//!
//! The assembler assigns physical registers; here virtual registers that copies join become one register with a name
//! from the source, and analyses say how many slots of 32 bits a body needs and how many warps fit.
//!
//! Entry: a body with placed labels, one virtual register per value and variable, plain copies between them.
//! Exit: copies within a web are gone, registers are numbered and named in order of appearance, and each use reads
//! what it read before: [`check()`] proves it, in every debug build. Not here: spilling, scheduling, splitting of live
//! ranges (the assembler's), and removal of dead code (`passes`).

mod bits;
mod check;
mod class;
mod coalesce;
mod code;
mod colour;
mod coloured;
mod equal;
pub mod estimate;
mod liveness;
mod name;
mod occupancy;
mod pressure;
#[cfg(test)]
mod tests;
mod unwritten;

use crate::ptx::isa::Reg;
use crate::ptx::module::{Entry, Statement, StatementKind};

pub use check::{CheckError, check};
pub use class::{Prefix, slots};
pub use colour::Colouring;
pub use coloured::{colour_module, coloured};
pub use estimate::Estimate;
pub use name::{Hint, Hints, Priority};
pub use occupancy::{CtaResources, LimitingResource, OccupancyReport};
pub use pressure::{Pressure, PressurePoint};
pub use unwritten::{Unwritten, unwritten};

use code::{Code, Numbering};

/// What [`allocate`] did.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Registers of the result.
    pub webs: usize,
    /// Copies that became needless and are gone.
    pub copies_removed: usize,
    numbering: Numbering,
    web_of: Vec<Option<Reg>>,
}

impl Allocation {
    /// The register of the result that a register of the original lives in; `None` if the body never names it.
    pub fn web_of(&self, original: Reg) -> Option<Reg> {
        self.web_of[self.numbering.number(original)]
    }
}

/// Coalesces copies, drops those that became needless, and numbers and names the registers.
///
/// ```
/// use warpsmith::ptx::{module, regalloc};
///
/// let text = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n\
///     .reg .b32 %a, %b, %c;\n mov.b32 %a, 1;\n mov.b32 %b, %a;\n add.s32 %c, %b, 1;\n ret;\n}\n";
/// let mut module = module::parse(text)?;
/// let allocation = regalloc::allocate(&mut module.entries[0], &regalloc::Hints::new());
/// assert_eq!((allocation.webs, allocation.copies_removed), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// Panics in a debug build if the result doesn't compute what the original did.
pub fn allocate(entry: &mut Entry, hints: &Hints) -> Allocation {
    let original = cfg!(debug_assertions).then(|| entry.clone());
    let code = Code::scan(entry);
    let webs = coalesce::run(&code);
    let named = name::run(&code, &webs, hints);
    let mut allocation = Allocation {
        webs: named.regs.iter().count(),
        copies_removed: 0,
        numbering: code.numbering,
        web_of: named.web_of,
    };
    entry.regs = named.regs;
    allocation.copies_removed = rewrite(&mut entry.body, &allocation);
    if let Some(original) = original {
        check(&original, entry, &allocation).expect("coalescing joins no two values that are wanted at once");
    }
    allocation
}

/// Puts webs in the place of virtual registers; returns the number of copies dropped.
fn rewrite(body: &mut Vec<Statement>, allocation: &Allocation) -> usize {
    let before = body.len();
    body.retain_mut(|statement| {
        let StatementKind::Inst(inst) = &mut statement.kind else { return true };
        inst.visit_mut(|_, reg| {
            *reg = allocation.web_of(*reg).expect("the scan met every register of the body");
        });
        code::copied(&inst.op).is_none_or(|(dst, src)| dst != src)
    });
    let removed = before - body.len();
    if removed > 0 {
        // The place of a statement of which no instruction is left.
        body.dedup_by(|later, earlier| {
            let superseded = is_bare_loc(later) && is_bare_loc(earlier);
            if superseded {
                std::mem::swap(later, earlier);
            }
            superseded
        });
    }
    removed
}

fn is_bare_loc(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Loc { .. }) && statement.comment.is_none()
}
