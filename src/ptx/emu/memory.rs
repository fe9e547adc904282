//! Loads, stores, and generic addresses; the windows of the generic address space are in [`space`](super::space).

use super::access::{Access, AddressBase, Element, Order};
use super::body::body;
use super::decode::Planner;
use super::micro::Kind;
use super::mov::copy;
use super::space::window;
pub(super) use super::space::{PARAM_WINDOW, SHARED_WINDOW, WINDOW};
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::modifier::{LoadOrder, Scope, Space, StoreOrder};
use crate::ptx::isa::types::MemType;
use crate::ptx::isa::{Address, Base, Cvta, CvtaSymbol, CvtaTo, Ld, RegClass, ScalarType, St, TypeKind, Use};
use crate::ptx::module::VarSpace;

/// The space that holds what a symbol of this space names: what calls pass lies in local memory.
pub(super) const fn space_of(space: Option<VarSpace>) -> Space {
    match space {
        None => Space::Param,
        Some(VarSpace::Shared) => Space::Shared,
        Some(VarSpace::Local | VarSpace::Param) => Space::Local,
        Some(VarSpace::Global) => Space::Global,
        Some(VarSpace::Const) => Space::Const,
    }
}

/// The space that an access is to. `.param` is the kernel's parameters, but a variable of a body is in local memory.
fn place(
    planner: &Planner<'_>,
    space: Option<Space>,
    address: Address,
) -> Result<Option<Space>, Unsupported> {
    match (space, address.base) {
        (Some(Space::Param), Base::Symbol(symbol)) => {
            let (found, _) = planner.symbol(symbol)?;
            let local = found == Some(VarSpace::Param);
            Ok(Some(if local { Space::Local } else { Space::Param }))
        }
        (space, Base::Symbol(_) | Base::Reg(_)) => Ok(space),
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
            let expected = space_of(found);
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

impl Step for Ld {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let class = self.ty.scalar().class();
        let elements = self.dst.0.iter().map(|slot| match *slot {
            Some(reg) => Element { class: reg.class(), index: planner.reg(reg) },
            None => Element { class, index: planner.sink(class) },
        });
        let elements = elements.collect();
        let space = place(planner, self.space, self.addr)?;
        let (base, offset) = base(planner, space, self.addr)?;
        planner.accesses.push(Access {
            store: false,
            space,
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
        let class = self.ty.scalar().class();
        let elements = self.src.0.iter().map(|&value| Element {
            class: value.reg().map_or(class, |reg| reg.class()),
            index: planner.value(value, class),
        });
        let elements = elements.collect();
        let space = place(planner, self.space, self.addr)?;
        let (base, offset) = base(planner, space, self.addr)?;
        planner.accesses.push(Access {
            store: true,
            space,
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
        let start = planner.constant(RegClass::B64, window(self.space));
        let source = planner.value(self.src, RegClass::B64);
        let bind = body!(|a: u64, window: u64| -> u64 { a.wrapping_add(window) });
        Ok(Plan::lanes(bind, planner.reg(self.dst.0), &[source, start]))
    }
}

impl Step for CvtaSymbol {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (found, address) = planner.symbol(self.src.symbol)?;
        let expected = space_of(found);
        if !(self.space == expected || (self.space.is_shared() && expected == Space::Shared)) {
            return Err(Unsupported("a symbol used in another space than its own"));
        }
        let address = window(self.space).wrapping_add(address).cast_signed();
        let address = Use::Int(address.wrapping_add(self.src.offset));
        Ok(planner.map_all(copy(RegClass::B64), self.dst.0, &[address], RegClass::B64))
    }
}

impl Step for CvtaTo {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let start = planner.constant(RegClass::B64, window(self.space));
        let source = planner.value(self.src, RegClass::B64);
        let bind = body!(|a: u64, window: u64| -> u64 { a.wrapping_sub(window) });
        Ok(Plan::lanes(bind, planner.reg(self.dst.0), &[source, start]))
    }
}
