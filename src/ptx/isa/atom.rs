//! Atomic read-modify-write operations: with the old value as their result, and without.
//!
//! Without an order they are relaxed, without a scope `.gpu`. Not here: ordered loads and stores (`memory`), fences
//! (`barrier`), vectors and cache policies (`atom_vector`), and `.b128`.

use super::modifier::{AtomOp, AtomOrder, Cas, NoFtz, RedOp, RedOrder, Scope, Space};
use super::reg::RegClass;
use super::row::row;
use super::slot::{Address, Def, Rule, SinkDef, Use};
use super::types::{AtomType, CasType, ScalarType};
use super::version::Requirement;

row! {
    /// Replaces a value in memory by what an operation makes of it, as one step; gives the old one.
    Atom = "atom" [order: Option<AtomOrder>] [scope: Option<Scope>] [space: Option<Space>] [op: AtomOp] [noftz: NoFtz]
        [ty: AtomType] {
        dst: SinkDef(ScalarType::from(ty)), addr: Address(pointer(space)), value: Use(operand(ty)),
    }
    since ptx(2, 0), sm(20); manual "parallel-synchronization-and-communication-instructions-atom";
    check check_atom; needs atom_needs
}

row! {
    /// Replaces a value in memory if it equals `compare`, as one step; gives the old one.
    AtomCas = "atom" [order: Option<AtomOrder>] [scope: Option<Scope>] [space: Option<Space>] [cas: Cas] [ty: CasType] {
        dst: Def(ty), addr: Address(pointer(space)), compare: Use(ty), value: Use(ty),
    }
    since ptx(2, 0), sm(20); manual "parallel-synchronization-and-communication-instructions-atom";
    check check_cas; needs cas_needs
}

row! {
    /// The same as `atom` where nobody asks for the old value.
    Red = "red" [order: Option<RedOrder>] [scope: Option<Scope>] [space: Option<Space>] [op: RedOp] [noftz: NoFtz]
        [ty: AtomType] {
        addr: Address(pointer(space)), value: Use(operand(ty)),
    }
    since ptx(2, 0), sm(20); manual "parallel-synchronization-and-communication-instructions-red";
    check check_red; needs red_needs
}

/// The registers of an address: shared memory has 32-bit ones too.
fn pointer(space: Option<Space>) -> Rule {
    if space.is_some_and(Space::is_shared) {
        Rule::from(RegClass::B32).or_wider()
    } else {
        RegClass::B64.into()
    }
}

/// Bits are exchanged or combined as integers.
fn operand(ty: AtomType) -> Rule {
    Rule::from(ty.scalar())
}

fn check_space(space: Option<Space>) -> Result<(), &'static str> {
    match space {
        None | Some(Space::Global | Space::Shared | Space::SharedCta | Space::SharedCluster) => Ok(()),
        Some(Space::Local | Space::Const | Space::Param) => {
            Err("atomics go with global, shared and generic addresses only")
        }
    }
}

pub(super) fn check_operation(op: AtomOp, noftz: NoFtz, ty: AtomType) -> Result<(), &'static str> {
    use AtomType::{B32, B64, BF16, BF16x2, F16, F16x2, F32, F64, S32, S64, U32, U64};
    let fits = match op {
        AtomOp::Add => matches!(ty, U32 | S32 | U64 | F32 | F64 | F16 | F16x2 | BF16 | BF16x2),
        AtomOp::Min | AtomOp::Max => matches!(ty, U32 | S32 | U64 | S64),
        AtomOp::And | AtomOp::Or | AtomOp::Xor | AtomOp::Exch => matches!(ty, B32 | B64),
        AtomOp::Inc | AtomOp::Dec => ty == U32,
    };
    if !fits {
        return Err(
            "`.add` takes u32 s32 u64 and floats, `.min` and `.max` integers, bit operations b32 and b64, \
                    `.inc` and `.dec` u32",
        );
    }
    if noftz.0 != matches!(ty, F16 | F16x2 | BF16 | BF16x2) {
        return Err("`.noftz` goes with 16-bit floats, which need it");
    }
    Ok(())
}

/// The assembler dies of a sum of bf16 whose old value is thrown away.
pub(super) fn check_sink(dst: SinkDef, ty: AtomType) -> Result<(), &'static str> {
    if dst.0.is_none() && matches!(ty, AtomType::BF16 | AtomType::BF16x2) {
        return Err("`_` does not go with bf16; use `red`");
    }
    Ok(())
}

fn check_atom(row: &Atom) -> Result<(), &'static str> {
    check_space(row.space)?;
    check_sink(row.dst, row.ty)?;
    check_operation(row.op, row.noftz, row.ty)
}

fn check_cas(row: &AtomCas) -> Result<(), &'static str> {
    check_space(row.space)
}

fn check_red(row: &Red) -> Result<(), &'static str> {
    check_space(row.space)?;
    check_operation(row.op.atom(), row.noftz, row.ty)
}

pub(super) fn place_needs(ordered: bool, scope: Option<Scope>, space: Option<Space>) -> Requirement {
    let order = if ordered { Requirement::new(6, 0, 70) } else { Requirement::NONE };
    let scope = match scope {
        None => Requirement::NONE,
        Some(Scope::Cluster) => Requirement::new(7, 8, 90),
        Some(Scope::Cta | Scope::Gpu | Scope::Sys) => Requirement::new(5, 0, 60),
    };
    let space = match space {
        Some(Space::SharedCta) => Requirement::new(7, 8, 30),
        Some(Space::SharedCluster) => Requirement::new(7, 8, 90),
        None | Some(Space::Global | Space::Shared | Space::Local | Space::Const | Space::Param) => {
            Requirement::NONE
        }
    };
    order.and(scope).and(space)
}

pub(super) fn operation_needs(op: AtomOp, ty: AtomType) -> Requirement {
    match ty {
        AtomType::BF16 | AtomType::BF16x2 => Requirement::new(7, 8, 90),
        AtomType::F16 => Requirement::new(6, 3, 70),
        AtomType::F16x2 => Requirement::new(6, 2, 60),
        AtomType::F64 => Requirement::new(5, 0, 60),
        AtomType::U64 | AtomType::S64 | AtomType::B64 if op != AtomOp::Add && op != AtomOp::Exch => {
            Requirement::new(3, 1, 32)
        }
        AtomType::U32
        | AtomType::S32
        | AtomType::U64
        | AtomType::S64
        | AtomType::B32
        | AtomType::B64
        | AtomType::F32 => Requirement::NONE,
    }
}

fn atom_needs(row: &Atom) -> Requirement {
    place_needs(row.order.is_some(), row.scope, row.space).and(operation_needs(row.op, row.ty))
}

fn cas_needs(row: &AtomCas) -> Requirement {
    let width = if row.ty == CasType::B16 { Requirement::new(6, 3, 70) } else { Requirement::NONE };
    place_needs(row.order.is_some(), row.scope, row.space).and(width)
}

fn red_needs(row: &Red) -> Requirement {
    place_needs(row.order.is_some(), row.scope, row.space).and(operation_needs(row.op.atom(), row.ty))
}

impl RedOp {
    /// The same operation of `atom`.
    pub const fn atom(self) -> AtomOp {
        match self {
            Self::Add => AtomOp::Add,
            Self::Min => AtomOp::Min,
            Self::Max => AtomOp::Max,
            Self::And => AtomOp::And,
            Self::Or => AtomOp::Or,
            Self::Xor => AtomOp::Xor,
            Self::Inc => AtomOp::Inc,
            Self::Dec => AtomOp::Dec,
        }
    }
}
