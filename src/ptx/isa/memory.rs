//! Loads, stores, and conversion between generic addresses and those of a state space.

use super::modifier::{
    L1Eviction, L2Prefetch, LoadCache, LoadOrder, Nc, Scope, Space, StoreCache, StoreOrder, VecWidth,
};
use super::reg::RegClass;
use super::row::row;
use super::slot::{Address, Base, Def, Rule, SymbolAddress, Use, VecDef, VecUse};
use super::types::{MemType, PointerType};
use super::version::Requirement;

row! {
    /// Loads one value or a vector. A register wider than the type is filled with zeros or the sign.
    Ld = "ld" [order: Option<LoadOrder>] [scope: Option<Scope>] [space: Option<Space>] [cache: Option<LoadCache>]
        [nc: Nc] [l1: Option<L1Eviction>] [l2: Option<L2Prefetch>] [vec: Option<VecWidth>] [ty: MemType] {
        dst: VecDef(access(vec, ty)), addr: Address(pointer(space)),
    }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-ld"; check check_ld; needs ld_needs
}

row! {
    /// Stores one value or a vector. Of a register wider than the type the low bits are stored.
    St = "st" [order: Option<StoreOrder>] [scope: Option<Scope>] [space: Option<Space>] [cache: Option<StoreCache>]
        [l1: Option<L1Eviction>] [vec: Option<VecWidth>] [ty: MemType] {
        addr: Address(pointer(space)), src: VecUse(access(vec, ty)),
    }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-st"; check check_st; needs st_needs
}

row! {
    /// Makes an address of a state space generic.
    Cvta = "cvta" [space: Space] [ty: PointerType] { dst: Def(ty), src: Use(ty) }
    since ptx(2, 0), sm(20); manual "data-movement-and-conversion-instructions-cvta"; needs cvta_needs
}

row! {
    /// Makes the address of a variable generic.
    CvtaSymbol = "cvta" [space: Space] [ty: PointerType] { dst: Def(ty), src: SymbolAddress }
    since ptx(2, 0), sm(20); manual "data-movement-and-conversion-instructions-cvta"; needs cvta_symbol_needs
}

row! {
    /// Makes a generic address one of a state space.
    CvtaTo = "cvta.to" [space: Space] [ty: PointerType] { dst: Def(ty), src: Use(ty) }
    since ptx(2, 0), sm(20); manual "data-movement-and-conversion-instructions-cvta"; needs cvta_to_needs
}

fn lanes(vec: Option<VecWidth>) -> usize {
    vec.map_or(1, VecWidth::lanes)
}

pub(super) fn access(vec: Option<VecWidth>, ty: MemType) -> Rule {
    Rule::from(ty.scalar()).or_wider().lanes(lanes(vec))
}

/// The registers of an address: shared, local and parameter space have 32-bit addresses too.
fn pointer(space: Option<Space>) -> Rule {
    match space {
        None | Some(Space::Global) => RegClass::B64.into(),
        Some(
            Space::Shared
            | Space::SharedCta
            | Space::SharedCluster
            | Space::Local
            | Space::Const
            | Space::Param,
        ) => Rule::from(RegClass::B32).or_wider(),
    }
}

/// Whether a vector has 256 bits, which only global memory of the newest chips moves at once.
fn is_256(vec: Option<VecWidth>, ty: MemType) -> bool {
    lanes(vec) * ty.scalar().bits() as usize == 256
}

fn check_vector(space: Option<Space>, vec: Option<VecWidth>, ty: MemType) -> Result<(), &'static str> {
    let bits = lanes(vec) * ty.scalar().bits() as usize;
    if vec == Some(VecWidth::V8) && bits != 256 {
        return Err("`.v8` goes with 32-bit types only");
    }
    if bits > 256 || (bits == 256 && !matches!(space, None | Some(Space::Global))) {
        return Err("a vector has at most 128 bits; 256 in global memory only");
    }
    Ok(())
}

fn check_order(ordered: bool, scope: Option<Scope>, space: Option<Space>) -> Result<(), &'static str> {
    if ordered != scope.is_some() {
        return Err("a scope goes with an order, and an order needs one");
    }
    if ordered && matches!(space, Some(Space::Local | Space::Const | Space::Param)) {
        return Err("only global, shared and generic accesses are ordered");
    }
    Ok(())
}

pub(super) fn check_ld(row: &Ld) -> Result<(), &'static str> {
    check_vector(row.space, row.vec, row.ty)?;
    let ordered = matches!(row.order, Some(LoadOrder::Relaxed | LoadOrder::Acquire));
    check_order(ordered, row.scope, row.space)?;
    let hinted = row.cache.is_some() || row.l1.is_some() || row.l2.is_some();
    // `.weak` is the default by name, so that it excludes `.nc` but not a cache operation.
    let strong = row.order.is_some_and(|order| order != LoadOrder::Weak);
    if (row.order.is_some() && row.nc.0) || (strong && row.cache.is_some()) {
        return Err("an order excludes `.nc` and cache operations");
    }
    if row.order == Some(LoadOrder::Volatile)
        && (hinted || matches!(row.space, Some(Space::Const | Space::Param)))
    {
        return Err("`.volatile` takes no hint, and no constant memory");
    }
    if row.order == Some(LoadOrder::Volatile) && row.space == Some(Space::Local) {
        return Err("`.volatile` takes no local memory");
    }
    if row.nc.0 && matches!(row.cache, Some(LoadCache::Lu | LoadCache::Cv)) {
        return Err("`.nc` goes with `.ca`, `.cg` and `.cs` only");
    }
    if row.nc.0 && row.space != Some(Space::Global) {
        return Err("`.nc` goes with `.global` only");
    }
    if row.cache.is_some() && row.l1.is_some() {
        return Err("a cache operation excludes an eviction priority");
    }
    if row.l1.is_some() && !matches!(row.space, None | Some(Space::Global)) {
        return Err("an eviction priority goes with global memory only");
    }
    if row.l2.is_some() && !matches!(row.space, None | Some(Space::Global)) {
        return Err("a prefetch size goes with global memory only");
    }
    Ok(())
}

pub(super) fn check_st(row: &St) -> Result<(), &'static str> {
    check_vector(row.space, row.vec, row.ty)?;
    let ordered = matches!(row.order, Some(StoreOrder::Relaxed | StoreOrder::Release));
    check_order(ordered, row.scope, row.space)?;
    if row.space == Some(Space::Const) {
        return Err("constants are not stored to");
    }
    if row.space == Some(Space::Param)
        && (!row.addr.is_symbol() || row.order.is_some() || row.cache.is_some() || row.l1.is_some())
    {
        return Err("`st.param` names a variable, and takes no order or hint");
    }
    if row.order.is_some_and(|order| order != StoreOrder::Weak) && row.cache.is_some() {
        return Err("an order excludes cache operations");
    }
    if row.order == Some(StoreOrder::Volatile) && (row.l1.is_some() || row.space == Some(Space::Local)) {
        return Err("`.volatile` takes no hint and no local memory");
    }
    if row.l1.is_some() && (row.cache.is_some() || !matches!(row.space, None | Some(Space::Global))) {
        return Err("an eviction priority goes with global memory only, without a cache operation");
    }
    Ok(())
}

fn space_needs(space: Option<Space>) -> Requirement {
    match space {
        Some(Space::SharedCta) => Requirement::new(7, 8, 30),
        Some(Space::SharedCluster) => Requirement::new(7, 8, 90),
        None | Some(Space::Global | Space::Shared | Space::Local | Space::Const | Space::Param) => {
            Requirement::NONE
        }
    }
}

fn scope_needs(scope: Option<Scope>) -> Requirement {
    match scope {
        None => Requirement::NONE,
        Some(Scope::Cluster) => Requirement::new(7, 8, 90),
        Some(Scope::Cta | Scope::Gpu | Scope::Sys) => Requirement::new(6, 0, 70),
    }
}

fn hint_needs(hinted: bool, wide: bool) -> Requirement {
    let hint = if hinted { Requirement::new(7, 4, 75) } else { Requirement::NONE };
    hint.and(if wide { Requirement::new(8, 8, 100) } else { Requirement::NONE })
}

pub(super) fn ld_needs(row: &Ld) -> Requirement {
    let nc = if row.nc.0 { Requirement::new(3, 1, 32) } else { Requirement::NONE };
    let hints = hint_needs(row.l1.is_some() || row.l2.is_some(), is_256(row.vec, row.ty));
    nc.and(hints).and(space_needs(row.space)).and(scope_needs(row.scope))
}

pub(super) fn st_needs(row: &St) -> Requirement {
    let hints = hint_needs(row.l1.is_some(), is_256(row.vec, row.ty));
    hints.and(space_needs(row.space)).and(scope_needs(row.scope))
}

fn convert_needs(space: Space) -> Requirement {
    match space {
        Space::Param => Requirement::new(7, 7, 70),
        Space::Const => Requirement::new(3, 1, 20),
        Space::Global | Space::Shared | Space::SharedCta | Space::SharedCluster | Space::Local => {
            space_needs(Some(space))
        }
    }
}

fn cvta_needs(row: &Cvta) -> Requirement {
    convert_needs(row.space)
}

fn cvta_symbol_needs(row: &CvtaSymbol) -> Requirement {
    convert_needs(row.space)
}

fn cvta_to_needs(row: &CvtaTo) -> Requirement {
    convert_needs(row.space)
}

impl Address {
    /// Whether it names a variable or parameter instead of a register.
    pub const fn is_symbol(&self) -> bool {
        matches!(self.base, Base::Symbol(_))
    }
}
