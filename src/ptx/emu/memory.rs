//! Loads, stores, and generic addresses.
//!
//! The windows of shared and local memory in the generic address space lie above every global address; parameters
//! have one too.

use super::access::{Access, AddressBase, Element, Order};
use super::body::body;
use super::decode::Planner;
use super::micro::Kind;
use super::mov::copy;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::modifier::{LoadOrder, Scope, Space, StoreOrder};
use crate::ptx::isa::types::MemType;
use crate::ptx::isa::{Address, Base, Cvta, CvtaSymbol, CvtaTo, Ld, RegClass, ScalarType, St, TypeKind, Use};
use crate::ptx::module::VarSpace;

/// Generic address of byte 0 of shared memory.
pub(super) const SHARED_WINDOW: u64 = 0x0001_0000_0000_0000;

/// Generic address of byte 0 of local memory.
pub(super) const LOCAL_WINDOW: u64 = 0x0001_0001_0000_0000;

/// Generic address of byte 0 of the parameters.
pub(super) const PARAM_WINDOW: u64 = 0x0001_0002_0000_0000;

/// Bytes of a window.
pub(super) const WINDOW: u64 = 1 << 32;

fn window(space: Space) -> Result<u64, Unsupported> {
    match space {
        Space::Global => Ok(0),
        Space::Shared | Space::SharedCta | Space::SharedCluster => Ok(SHARED_WINDOW),
        Space::Local => Ok(LOCAL_WINDOW),
        Space::Param => Ok(PARAM_WINDOW),
        Space::Const => Err(Unsupported("constant memory")),
    }
}

pub(super) fn base(
    planner: &Planner<'_>,
    space: Option<Space>,
    address: Address,
) -> Result<(AddressBase, i64), Unsupported> {
    match address.base {
        Base::Reg(reg) if reg.class() == RegClass::B64 => {
            Ok((AddressBase::Long(planner.reg(reg)), address.offset))
        }
        Base::Reg(reg) => Ok((AddressBase::Word(planner.reg(reg)), address.offset)),
        Base::Symbol(symbol) => {
            let (found, start) = planner.symbol(symbol)?;
            let expected = match found {
                None => Space::Param,
                Some(VarSpace::Shared) => Space::Shared,
                Some(VarSpace::Local) => Space::Local,
                Some(VarSpace::Global) => Space::Global,
                Some(VarSpace::Const) => return Err(Unsupported("constant memory")),
            };
            let same = space
                .is_some_and(|space| space == expected || (space.is_shared() && expected == Space::Shared));
            if !same {
                return Err(Unsupported("a symbol used in another space than its own"));
            }
            Ok((AddressBase::Fixed, start.cast_signed().wrapping_add(address.offset)))
        }
    }
}

fn is_signed(ty: MemType) -> bool {
    ty.scalar().kind() == TypeKind::Signed
}

/// A volatile access is a relaxed one that everybody sees.
fn load_order(order: Option<LoadOrder>, scope: Option<Scope>) -> Option<(Order, Scope)> {
    let scope = scope.unwrap_or(Scope::Sys);
    match order? {
        LoadOrder::Weak => None,
        LoadOrder::Volatile | LoadOrder::Relaxed => Some((Order::Relaxed, scope)),
        LoadOrder::Acquire => Some((Order::Acquire, scope)),
    }
}

fn store_order(order: Option<StoreOrder>, scope: Option<Scope>) -> Option<(Order, Scope)> {
    let scope = scope.unwrap_or(Scope::Sys);
    match order? {
        StoreOrder::Weak => None,
        StoreOrder::Volatile | StoreOrder::Relaxed => Some((Order::Relaxed, scope)),
        StoreOrder::Release => Some((Order::Release, scope)),
    }
}

fn check_space(space: Option<Space>) -> Result<(), Unsupported> {
    if space == Some(Space::Const) { Err(Unsupported("constant memory")) } else { Ok(()) }
}

impl Step for Ld {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        check_space(self.space)?;
        let class = self.ty.scalar().class();
        let elements = self.dst.0.iter().map(|slot| match *slot {
            Some(reg) => Element { class: reg.class(), index: planner.reg(reg) },
            None => Element { class, index: planner.sink(class) },
        });
        let elements = elements.collect();
        let (base, offset) = base(planner, self.space, self.addr)?;
        planner.accesses.push(Access {
            store: false,
            space: self.space,
            bytes: ScalarType::from(self.ty).bytes(),
            signed: is_signed(self.ty),
            elements,
            base,
            offset,
            strong: load_order(self.order, self.scope),
            nc: self.nc.0,
        });
        Ok(Plan::of(Kind::Access(planner.accesses.len() as u32 - 1)))
    }
}

impl Step for St {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        check_space(self.space)?;
        let class = self.ty.scalar().class();
        let elements = self.src.0.iter().map(|&value| Element {
            class: value.reg().map_or(class, |reg| reg.class()),
            index: planner.value(value, class),
        });
        let elements = elements.collect();
        let (base, offset) = base(planner, self.space, self.addr)?;
        planner.accesses.push(Access {
            store: true,
            space: self.space,
            bytes: ScalarType::from(self.ty).bytes(),
            signed: is_signed(self.ty),
            elements,
            base,
            offset,
            strong: store_order(self.order, self.scope),
            nc: false,
        });
        Ok(Plan::of(Kind::Access(planner.accesses.len() as u32 - 1)))
    }
}

impl Step for Cvta {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let start = planner.constant(RegClass::B64, window(self.space)?);
        let source = planner.value(self.src, RegClass::B64);
        let bind = body!(|a: u64, window: u64| -> u64 { a.wrapping_add(window) });
        Ok(Plan::lanes(bind, planner.reg(self.dst.0), &[source, start]))
    }
}

impl Step for CvtaSymbol {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (_, address) = planner.symbol(self.src.symbol)?;
        let address = window(self.space)?.wrapping_add(address).cast_signed();
        let address = Use::Int(address.wrapping_add(self.src.offset));
        Ok(planner.map_all(copy(RegClass::B64), self.dst.0, &[address], RegClass::B64))
    }
}

impl Step for CvtaTo {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let start = planner.constant(RegClass::B64, window(self.space)?);
        let source = planner.value(self.src, RegClass::B64);
        let bind = body!(|a: u64, window: u64| -> u64 { a.wrapping_sub(window) });
        Ok(Plan::lanes(bind, planner.reg(self.dst.0), &[source, start]))
    }
}
