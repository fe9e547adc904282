//! Atomic operations on several elements, each of which is a step of its own, and those with a cache policy.

use super::arith_modifier::{CacheHint, DeviceSpace, VectorOp};
use super::atom::{check_operation, check_sink, operation_needs, place_needs};
use super::modifier::{AtomOp, AtomOrder, NoFtz, RedOp, RedOrder, Scope, Space, VecWidth};
use super::reg::RegClass::B64;
use super::row::row;
use super::slot::{Address, OptUse, Rule, SinkDef, Use, VecDef, VecUse};
use super::types::{AtomType, AtomVectorType, ScalarType};
use super::version::Requirement;
use super::{Atom, Red};

row! {
    /// Replaces each element of a vector in device memory; gives the old ones.
    AtomVector = "atom" [order: Option<AtomOrder>] [scope: Option<Scope>] [space: Option<DeviceSpace>] [op: VectorOp]
        [noftz: NoFtz] [hint: CacheHint] [vec: VecWidth] [ty: AtomVectorType] {
        dst: VecDef(elements(vec, ty)), addr: Address(B64), value: VecUse(elements(vec, ty)),
        policy: OptUse(Rule::from(ScalarType::U64).no_imm()),
    }
    since ptx(8, 1), sm(90); manual "parallel-synchronization-and-communication-instructions-atom";
    check check_atom; needs atom_needs
}

row! {
    /// The same where nobody asks for the old values.
    RedVector = "red" [order: Option<RedOrder>] [scope: Option<Scope>] [space: Option<DeviceSpace>] [op: VectorOp]
        [noftz: NoFtz] [hint: CacheHint] [vec: VecWidth] [ty: AtomVectorType] {
        addr: Address(B64), value: VecUse(elements(vec, ty)), policy: OptUse(Rule::from(ScalarType::U64).no_imm()),
    }
    since ptx(8, 1), sm(90); manual "parallel-synchronization-and-communication-instructions-red";
    check check_red; needs red_needs
}

row! {
    /// `atom` with a cache policy.
    AtomHint = "atom" [order: Option<AtomOrder>] [scope: Option<Scope>] [space: Option<DeviceSpace>] [op: AtomOp]
        [noftz: NoFtz] ".L2::cache_hint" [ty: AtomType] {
        dst: SinkDef(ScalarType::from(ty)), addr: Address(B64), value: Use(ty), policy: Use(Rule::from(ScalarType::U64).no_imm()),
    }
    since ptx(7, 4), sm(80); manual "parallel-synchronization-and-communication-instructions-atom";
    check check_atom_hint; needs atom_hint_needs
}

row! {
    /// `red` with a cache policy.
    RedHint = "red" [order: Option<RedOrder>] [scope: Option<Scope>] [space: Option<DeviceSpace>] [op: RedOp]
        [noftz: NoFtz] ".L2::cache_hint" [ty: AtomType] {
        addr: Address(B64), value: Use(ty), policy: Use(Rule::from(ScalarType::U64).no_imm()),
    }
    since ptx(7, 4), sm(80); manual "parallel-synchronization-and-communication-instructions-red";
    check check_red_hint; needs red_hint_needs
}

fn elements(vec: VecWidth, ty: AtomVectorType) -> Rule {
    Rule::from(ScalarType::from(ty)).no_imm().lanes(vec.lanes())
}

fn check_vector(
    op: VectorOp,
    noftz: NoFtz,
    (vec, ty): (VecWidth, AtomVectorType),
    (hint, policy): (CacheHint, OptUse),
) -> Result<(), &'static str> {
    if noftz.0 != (ty != AtomVectorType::F32) {
        return Err("`.noftz` goes with 16-bit floats, which need it");
    }
    if op != VectorOp::Add && ty == AtomVectorType::F32 {
        return Err("`.min` and `.max` go with 16-bit floats");
    }
    if vec == VecWidth::V8 && !matches!(ty, AtomVectorType::F16 | AtomVectorType::BF16) {
        return Err("`.v8` goes with `.f16` and `.bf16`");
    }
    if hint.0 == policy.0.is_some() { Ok(()) } else { Err("a policy goes with `.L2::cache_hint`") }
}

fn check_atom(row: &AtomVector) -> Result<(), &'static str> {
    check_vector(row.op, row.noftz, (row.vec, row.ty), (row.hint, row.policy))
}

fn check_red(row: &RedVector) -> Result<(), &'static str> {
    check_vector(row.op, row.noftz, (row.vec, row.ty), (row.hint, row.policy))
}

fn atom_needs(row: &AtomVector) -> Requirement {
    place_needs(row.order.is_some(), row.scope, None)
}

fn red_needs(row: &RedVector) -> Requirement {
    place_needs(row.order.is_some(), row.scope, None)
}

fn check_atom_hint(row: &AtomHint) -> Result<(), &'static str> {
    check_sink(row.dst, row.ty)?;
    check_operation(row.op, row.noftz, row.ty)
}

fn check_red_hint(row: &RedHint) -> Result<(), &'static str> {
    check_operation(row.op.atom(), row.noftz, row.ty)
}

fn atom_hint_needs(row: &AtomHint) -> Requirement {
    place_needs(row.order.is_some(), row.scope, None).and(operation_needs(row.op, row.ty))
}

fn red_hint_needs(row: &RedHint) -> Requirement {
    place_needs(row.order.is_some(), row.scope, None).and(operation_needs(row.op.atom(), row.ty))
}

impl DeviceSpace {
    /// The same among all state spaces.
    pub const fn space(self) -> Space {
        match self {
            Self::Global => Space::Global,
        }
    }
}

impl AtomHint {
    /// The same operation without its policy.
    pub fn plain(&self) -> Atom {
        let Self { order, scope, op, noftz, ty, dst, addr, value, .. } = *self;
        Atom { order, scope, space: self.space.map(DeviceSpace::space), op, noftz, ty, dst, addr, value }
    }
}

impl RedHint {
    /// The same operation without its policy.
    pub fn plain(&self) -> Red {
        let Self { order, scope, op, noftz, ty, addr, value, .. } = *self;
        Red { order, scope, space: self.space.map(DeviceSpace::space), op, noftz, ty, addr, value }
    }
}
