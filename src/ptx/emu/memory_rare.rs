//! Loads and stores of rare kinds, which are ordinary ones here; what space a generic address lies in; hints about L2,
//! which do nothing.
//!
//! `discard` may make its bytes anything: here they stay what they are.

use super::decode::Planner;
use super::file::{File, LANES};
use super::micro::{Kind, Micro};
use super::mov::copy;
use super::simd::{Bind, Body, Exec};
use super::space::{WINDOW, WINDOWS, window};
use super::step::{Plan, Step, Unsupported, pred};
use crate::ptx::isa::arith_modifier::DeviceSpace;
use crate::ptx::isa::modifier::{LoadOrder, Nc, Scope, Space, StoreOrder};
use crate::ptx::isa::{
    ApplyPriority, ConvertPolicy, CreateRangePolicy, Discard, Isspacep, Ld, LdEvict, LdMmio, Ldu, RegClass,
    St, StEvict, StMmio, Use,
};

fn space(space: Option<DeviceSpace>) -> Option<Space> {
    space.map(DeviceSpace::space)
}

impl Step for LdMmio {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let Self { space: named, ty, ref dst, addr } = *self;
        let (order, scope) = (Some(LoadOrder::Relaxed), Some(Scope::Sys));
        let (nc, l1, l2, cache, vec) = (Nc(false), None, None, None, None);
        Ld { order, scope, space: space(named), cache, nc, l1, l2, vec, ty, dst: dst.clone(), addr }
            .plan(planner)
    }
}

impl Step for StMmio {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let Self { space: named, ty, addr, ref src } = *self;
        let (order, scope) = (Some(StoreOrder::Relaxed), Some(Scope::Sys));
        let (cache, l1, vec) = (None, None, None);
        St { order, scope, space: space(named), cache, l1, vec, ty, addr, src: src.clone() }.plan(planner)
    }
}

impl Step for Ldu {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let Self { space: named, vec, ty, ref dst, addr } = *self;
        let (order, scope, cache, l1, l2) = (None, None, None, None, None);
        // What it reads nobody may write meanwhile, as with `.nc`.
        let nc = Nc(named.is_some());
        Ld { order, scope, space: space(named), cache, nc, l1, l2, vec, ty, dst: dst.clone(), addr }
            .plan(planner)
    }
}

impl Step for LdEvict {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let Self { nc, l1, prefetch: l2, ty, ref dst, addr, .. } = *self;
        let (order, scope, cache, space, vec) = (None, None, None, Some(Space::Global), Some(self.vec));
        Ld { order, scope, space, cache, nc, l1, l2, vec, ty, dst: dst.clone(), addr }.plan(planner)
    }
}

impl Step for StEvict {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let Self { l1, ty, addr, ref src, .. } = *self;
        let (order, scope, cache, space, vec) = (None, None, None, Some(Space::Global), Some(self.vec));
        St { order, scope, space, cache, l1, vec, ty, addr, src: src.clone() }.plan(planner)
    }
}

/// Operand `b` holds the start of the window.
struct InWindow;

impl Body for InWindow {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        let (addresses, start) = (file.read::<u64>(micro.a), file.read::<u64>(micro.b));
        let inside = (0..LANES).fold(0, |bits, lane| {
            bits | u32::from(addresses[lane].wrapping_sub(start[lane]) < WINDOW) << lane
        });
        file.write_pred(micro.d, inside, mask);
    }
}

/// Whatever lies in no window is global.
struct Outside;

impl Body for Outside {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        let addresses = file.read::<u64>(micro.a);
        let outside = (0..LANES).fold(0, |bits, lane| {
            let within = WINDOWS.iter().any(|&(_, start)| addresses[lane].wrapping_sub(start) < WINDOW);
            bits | u32::from(!within) << lane
        });
        file.write_pred(micro.d, outside, mask);
    }
}

impl Step for Isspacep {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let address = planner.value(self.a, RegClass::B64);
        if self.space == Space::Global {
            return Ok(Plan::lanes(Exec::of::<Outside> as Bind, pred(self.dst.0), &[address]));
        }
        let start = planner.constant(RegClass::B64, window(self.space));
        Ok(Plan::lanes(Exec::of::<InWindow> as Bind, pred(self.dst.0), &[address, start]))
    }
}

macro_rules! no_effect {
    ($($row:ident)*) => {$(
        impl Step for $row {
            fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                Ok(Plan::of(Kind::Lanes))
            }
        }
    )*};
}

no_effect! { Discard ApplyPriority }

/// A policy is opaque: nothing reads it but hints, which do nothing.
macro_rules! policies {
    ($($row:ident)*) => {$(
        impl Step for $row {
            fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                Ok(planner.map_all(copy(RegClass::B64), self.policy.0, &[Use::Int(0)], RegClass::B64))
            }
        }
    )*};
}

policies! { CreateRangePolicy ConvertPolicy }
