//! The five ways in which a mutant differs from the text that was emitted.
//!
//! On entry: a module that passes its check. On exit: mutants that pass it too, each with one change in one
//! statement, in the order of the statements. A change that PTX doesn't allow (another rounding of a half type) is no
//! mutant. Not here: whether a mutant means the same as the original, which nobody can decide in general.

use crate::numerics::tensor::{Accumulator, Form};
use crate::ptx::isa::modifier::{DivPrecision, IntRounding, Precision, Rounding};
use crate::ptx::isa::{Address, Base, Inst, Op, Reg, Role, Symbol};
use crate::ptx::module::{Entry, Module, StatementKind};

/// A way to break a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `.rn` becomes `.rz`.
    Rounding,
    /// An address moves by one element.
    Offset,
    /// A guard means its opposite, or is dropped.
    Predicate,
    /// A barrier or fence is removed.
    Barrier,
    /// Two operands change places, or one stands twice.
    Operand,
}

impl Operator {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Rounding, Self::Offset, Self::Predicate, Self::Barrier, Self::Operand];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rounding => "rounding",
            Self::Offset => "offset",
            Self::Predicate => "predicate",
            Self::Barrier => "barrier",
            Self::Operand => "operand",
        }
    }

    /// The one of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.name() == name)
    }
}

/// A module with one change.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) operator: Operator,
    /// The statement, as a position in the body of the entry.
    pub(crate) at: usize,
    /// What was done to it.
    pub(crate) change: &'static str,
    pub(crate) module: Module,
}

/// A changed instruction; `None` removes it.
type Changed = (&'static str, Option<Inst>);

/// All mutants of the first entry.
pub(crate) fn mutants(module: &Module, operators: &[Operator]) -> Vec<Mutant> {
    let Some(entry) = module.entries.first() else { return Vec::new() };
    let mut all = Vec::new();
    for (at, inst) in entry.insts() {
        for &operator in operators {
            for (change, changed) in changes(operator, entry, inst) {
                let mut module = module.clone();
                let body = &mut module.entries[0].body;
                match changed {
                    Some(inst) => body[at].kind = StatementKind::Inst(inst),
                    None => drop(body.remove(at)),
                }
                // The lowest version that the original needs may be too low for the mutant.
                module.version = module.version.max(module.needed_version());
                if module.check().is_ok() {
                    all.push(Mutant { operator, at, change, module });
                }
            }
        }
    }
    all
}

fn changes(operator: Operator, entry: &Entry, inst: &Inst) -> Vec<Changed> {
    match operator {
        Operator::Rounding => rounding(inst).into_iter().collect(),
        Operator::Offset => offset(inst),
        Operator::Predicate => predicate(inst),
        Operator::Barrier => barrier(inst).into_iter().collect(),
        Operator::Operand => operand(entry, inst).into_iter().collect(),
    }
}

fn rounding(inst: &Inst) -> Option<Changed> {
    let mut mutant = inst.clone();
    let is_changed = match &mut mutant.op {
        Op::AddFloat(row) => optional(&mut row.round),
        Op::SubFloat(row) => optional(&mut row.round),
        Op::MulFloat(row) => optional(&mut row.round),
        Op::Fma(row) => replace(&mut row.round, Rounding::Rn, Rounding::Rz),
        Op::DivFloat(row) => replace(&mut row.precision, DivPrecision::Rn, DivPrecision::Rz),
        Op::Sqrt(row) => replace(&mut row.precision, Precision::Rn, Precision::Rz),
        Op::Rcp(row) => replace(&mut row.precision, Precision::Rn, Precision::Rz),
        Op::Cvt(row) => {
            optional(&mut row.round)
                || row
                    .int_round
                    .as_mut()
                    .is_some_and(|round| replace(round, IntRounding::Rni, IntRounding::Rzi))
        }
        Op::CvtPack(row) => replace(&mut row.round, Rounding::Rn, Rounding::Rz),
        // Without a word it is rounded to nearest.
        Op::Mma(row) if row.form.form.acc == Accumulator::F64 => {
            let other = if row.form.form.rounding == Rounding::Rn { Rounding::Rz } else { Rounding::Rn };
            row.form = Form { rounding: other, ..row.form.form }.into();
            true
        }
        Op::CvtTf32(row) => replace(&mut row.round, Rounding::Rn, Rounding::Rz),
        _ => false,
    };
    is_changed.then_some(("rounds toward zero", Some(mutant)))
}

fn optional(round: &mut Option<Rounding>) -> bool {
    round.as_mut().is_some_and(|round| replace(round, Rounding::Rn, Rounding::Rz))
}

fn replace<T: PartialEq>(place: &mut T, from: T, to: T) -> bool {
    let is_changed = *place == from;
    if is_changed {
        *place = to;
    }
    is_changed
}

fn offset(inst: &Inst) -> Vec<Changed> {
    let moved = |elements: i64| {
        let mut mutant = inst.clone();
        let (addr, bytes): (&mut Address, u32) = match &mut mutant.op {
            Op::Ld(row) => (&mut row.addr, row.ty.scalar().bytes()),
            Op::St(row) => (&mut row.addr, row.ty.scalar().bytes()),
            _ => return None,
        };
        // A parameter's address is the ABI, not the kernel's arithmetic.
        if matches!(addr.base, Base::Symbol(Symbol::Param(_))) {
            return None;
        }
        addr.offset += elements * i64::from(bytes);
        Some(mutant)
    };
    [("address one element up", 1), ("address one element down", -1)]
        .into_iter()
        .filter_map(|(change, elements)| Some((change, Some(moved(elements)?))))
        .collect()
}

fn predicate(inst: &Inst) -> Vec<Changed> {
    let Some(guard) = inst.guard else { return Vec::new() };
    let mut negated = inst.clone();
    negated.guard = Some(crate::ptx::isa::Guard { negated: !guard.negated, ..guard });
    let mut dropped = inst.clone();
    dropped.guard = None;
    vec![("guard negated", Some(negated)), ("guard dropped", Some(dropped))]
}

fn barrier(inst: &Inst) -> Option<Changed> {
    let is_barrier = matches!(
        inst.op,
        Op::BarSync(_)
            | Op::BarrierSync(_)
            | Op::BarArrive(_)
            | Op::BarrierArrive(_)
            | Op::BarWarpSync(_)
            | Op::Membar(_)
            | Op::Fence(_)
    );
    is_barrier.then_some(("removed", None))
}

/// Swaps the first two different registers of one class that are read; where that changes nothing, because the
/// operation commutes, the second becomes the first.
fn operand(entry: &Entry, inst: &Inst) -> Option<Changed> {
    let mut reads: Vec<Reg> = Vec::new();
    inst.op.visit(|role, reg| {
        if role == Role::Use {
            reads.push(reg);
        }
    });
    let pairs =
        || (0..reads.len()).flat_map(|first| (first + 1..reads.len()).map(move |second| (first, second)));
    if let Some((first, second)) = pairs().find(|&(first, second)| {
        reads[first] != reads[second] && reads[first].class() == reads[second].class()
    }) {
        let commutes = commutes(&inst.op);
        let change = if commutes { "second operand is the first" } else { "operands swapped" };
        let mutant = with_reads(inst, |index, reg| match index {
            _ if index == first && !commutes => reads[second],
            _ if index == second => reads[first],
            _ => reg,
        });
        return Some((change, Some(mutant)));
    }
    // A single operand becomes some other register of its class: the first one declared.
    let &only = reads.first()?;
    let other = Reg::new(only.class(), usize::from(only.index() == 0));
    (other.index() < entry.regs.len(only.class())).then(|| {
        let mutant = with_reads(inst, |index, reg| if index == 0 { other } else { reg });
        ("operand is another register", Some(mutant))
    })
}

fn with_reads(inst: &Inst, change: impl Fn(usize, Reg) -> Reg) -> Inst {
    let mut mutant = inst.clone();
    let mut index = 0;
    mutant.op.visit_mut(|role, reg| {
        if role == Role::Use {
            *reg = change(index, *reg);
            index += 1;
        }
    });
    mutant
}

/// Whether the first two operands may change places.
fn commutes(op: &Op) -> bool {
    matches!(
        op,
        Op::Add(_)
            | Op::Mul(_)
            | Op::Mad(_)
            | Op::AddFloat(_)
            | Op::MulFloat(_)
            | Op::Fma(_)
            | Op::Min(_)
            | Op::Max(_)
            | Op::MinFloat(_)
            | Op::MaxFloat(_)
            | Op::And(_)
            | Op::Or(_)
            | Op::Xor(_)
            | Op::AndPred(_)
            | Op::OrPred(_)
            | Op::XorPred(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::module::parse;

    const TEXT: &str = include_str!("../../../tests/data/ptx/reduce_sum.ptx");

    #[test]
    fn every_operator_finds_sites_and_changes_one_line() {
        let module = parse(TEXT).unwrap();
        let original = module.print();
        for operator in Operator::ALL {
            let found = mutants(&module, &[operator]);
            assert!(!found.is_empty(), "{} finds nothing", operator.name());
            for mutant in found {
                let text = mutant.module.print();
                assert_ne!(text, original);
                let removed = usize::from(operator == Operator::Barrier);
                assert_eq!(text.lines().count() + removed, original.lines().count());
                if removed == 0 {
                    let differ = text.lines().zip(original.lines()).filter(|(a, b)| a != b).count();
                    assert_eq!(differ, 1, "{}: {}", operator.name(), mutant.change);
                }
                assert_eq!(parse(&text).map(|module| module.print()), Ok(text));
            }
        }
    }

    #[test]
    fn names_round_trip() {
        for operator in Operator::ALL {
            assert_eq!(Operator::parse(operator.name()), Some(operator));
        }
    }
}
