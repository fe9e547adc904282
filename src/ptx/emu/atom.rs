//! Atomic operations: what each makes of the old value, as hardware does.
//!
//! The sum of two f32 is flushed in global memory, inputs and result, and keeps subnormals in shared memory; that is
//! the memory's doing, so the space of the address decides, not the instruction. f64 and 16-bit sums keep subnormals.
//! Not here: where the old value lies and who else is after it (`atomic`).

use super::access::{Element, Order};
use super::atomic::{Atomic, What};
use super::decode::Planner;
use super::half::{self, Bfloat, Half, Operation};
use super::memory;
use super::micro::{Flags, Kind};
use super::step::{Plan, Step, Unsupported};
use crate::numerics::Format;
use crate::ptx::isa::modifier::{AtomOp, AtomOrder, RedOrder, Scope, Space};
use crate::ptx::isa::types::{AtomType, CasType};
use crate::ptx::isa::{Address, Atom, AtomCas, Red, Reg, ScalarType, Use};

/// What the three rows have in common.
struct Parts {
    what: What,
    order: Order,
    scope: Option<Scope>,
    space: Option<Space>,
    addr: Address,
    ty: ScalarType,
    dst: Option<Reg>,
    value: Use,
    compare: Option<Use>,
}

fn plan(planner: &mut Planner<'_>, parts: &Parts) -> Result<Plan, Unsupported> {
    let class = parts.ty.class();
    let mut element = |value: Use| Element { class, index: planner.value(value, class) };
    let (value, compare) = (element(parts.value), parts.compare.map(&mut element));
    let dst = parts.dst.map(|reg| Element { class, index: planner.reg(reg) });
    let (base, offset) = memory::base(planner, parts.space, parts.addr)?;
    planner.atomics.push(Atomic {
        what: parts.what,
        strength: (parts.order, parts.scope.unwrap_or(Scope::Gpu)),
        space: parts.space,
        bytes: parts.ty.bytes(),
        total: parts.ty.bytes(),
        more: 0,
        base,
        offset,
        dst,
        value,
        compare,
    });
    Ok(Plan::of(Kind::Atomic(planner.atomics.len() as u32 - 1)))
}

impl Step for Atom {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let parts = Parts {
            what: What::Operation(self.op, self.ty),
            order: order(self.order),
            scope: self.scope,
            space: self.space,
            addr: self.addr,
            ty: self.ty.scalar(),
            dst: self.dst.0,
            value: self.value,
            compare: None,
        };
        plan(planner, &parts)
    }
}

impl Step for AtomCas {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let parts = Parts {
            what: What::CompareAndSwap(self.ty),
            order: order(self.order),
            scope: self.scope,
            space: self.space,
            addr: self.addr,
            ty: self.ty.scalar(),
            dst: Some(self.dst.0),
            value: self.value,
            compare: Some(self.compare),
        };
        plan(planner, &parts)
    }
}

impl Step for Red {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let parts = Parts {
            what: What::Operation(self.op.atom(), self.ty),
            order: match self.order {
                None | Some(RedOrder::Relaxed) => Order::Relaxed,
                Some(RedOrder::Release) => Order::Release,
            },
            scope: self.scope,
            space: self.space,
            addr: self.addr,
            ty: self.ty.scalar(),
            dst: None,
            value: self.value,
            compare: None,
        };
        plan(planner, &parts)
    }
}

/// Without an order an atomic operation is relaxed.
pub(super) fn order(order: Option<AtomOrder>) -> Order {
    match order {
        None | Some(AtomOrder::Relaxed) => Order::Relaxed,
        Some(AtomOrder::Acquire) => Order::Acquire,
        Some(AtomOrder::Release) => Order::Release,
        Some(AtomOrder::AcqRel) => Order::AcqRel,
    }
}

/// What stands in memory after the operation. Bits above the type are 0 in all operands and in the result.
pub(super) fn replaced(what: What, old: u64, value: u64, compare: u64, in_global: bool) -> u64 {
    match what {
        What::CompareAndSwap(CasType::B16 | CasType::B32 | CasType::B64) => {
            if old == compare {
                value
            } else {
                old
            }
        }
        What::Operation(op, ty) => match op {
            AtomOp::Add => sum(ty, old, value, in_global),
            AtomOp::Min if is_less(ty, value, old) => value,
            AtomOp::Max if is_less(ty, old, value) => value,
            AtomOp::Min | AtomOp::Max => old,
            AtomOp::And => old & value,
            AtomOp::Or => old | value,
            AtomOp::Xor => old ^ value,
            AtomOp::Exch => value,
            AtomOp::Inc => {
                if old >= value {
                    0
                } else {
                    old + 1
                }
            }
            AtomOp::Dec => {
                if old == 0 || old > value {
                    value
                } else {
                    old - 1
                }
            }
        },
    }
}

fn is_less(ty: AtomType, a: u64, b: u64) -> bool {
    match ty {
        AtomType::S32 => (a as u32).cast_signed() < (b as u32).cast_signed(),
        AtomType::S64 => a.cast_signed() < b.cast_signed(),
        AtomType::B32
        | AtomType::B64
        | AtomType::U32
        | AtomType::U64
        | AtomType::F16
        | AtomType::F16x2
        | AtomType::BF16
        | AtomType::BF16x2
        | AtomType::F32
        | AtomType::F64 => a < b,
    }
}

fn sum(ty: AtomType, a: u64, b: u64, in_global: bool) -> u64 {
    let plain = Flags::default();
    let f16 = |a: u16, b: u16| half::half_arith::<Half>(Operation::Add, a, b, plain);
    let bf16 = |a: u16, b: u16| half::half_arith::<Bfloat>(Operation::Add, a, b, plain);
    match ty {
        AtomType::U32 | AtomType::S32 | AtomType::B32 => u64::from((a as u32).wrapping_add(b as u32)),
        AtomType::U64 | AtomType::S64 | AtomType::B64 => a.wrapping_add(b),
        AtomType::F32 => half::arith(Operation::Add, Format::F32, a, b, plain.ftz(in_global)),
        AtomType::F64 => half::arith(Operation::Add, Format::F64, a, b, plain),
        AtomType::F16 => u64::from(f16(a as u16, b as u16)),
        AtomType::BF16 => u64::from(bf16(a as u16, b as u16)),
        AtomType::F16x2 => u64::from(half::packed(a as u32, b as u32, f16)),
        AtomType::BF16x2 => u64::from(half::packed(a as u32, b as u32, bf16)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(op: AtomOp, ty: AtomType, old: u64, value: u64) -> u64 {
        replaced(What::Operation(op, ty), old, value, 0, true)
    }

    #[test]
    fn counters_wrap_where_the_manual_says() {
        let inc = |old, value| of(AtomOp::Inc, AtomType::U32, old, value);
        let dec = |old, value| of(AtomOp::Dec, AtomType::U32, old, value);
        assert_eq!([inc(0, 2), inc(1, 2), inc(2, 2), inc(7, 2)], [1, 2, 0, 0]);
        assert_eq!([dec(2, 2), dec(1, 2), dec(0, 2), dec(7, 2)], [1, 0, 2, 2]);
    }

    #[test]
    fn sums_wrap_and_extremes_know_the_sign() {
        assert_eq!(of(AtomOp::Add, AtomType::S32, 0xffff_ffff, 2), 1);
        assert_eq!(of(AtomOp::Add, AtomType::U64, u64::MAX, 2), 1);
        assert_eq!(of(AtomOp::Min, AtomType::S32, 1, 0xffff_ffff), 0xffff_ffff);
        assert_eq!(of(AtomOp::Min, AtomType::U32, 1, 0xffff_ffff), 1);
        assert_eq!(of(AtomOp::Max, AtomType::S64, 1, u64::MAX), 1);
        assert_eq!(of(AtomOp::Max, AtomType::U64, 1, u64::MAX), u64::MAX);
    }

    #[test]
    fn only_global_f32_sums_lose_subnormals() {
        let what = What::Operation(AtomOp::Add, AtomType::F32);
        assert_eq!(replaced(what, 1, 1, 0, true), 0);
        assert_eq!(replaced(what, 1, 1, 0, false), 2);
        assert_eq!(replaced(what, 0x8000_0001, 0x8000_0000, 0, true), 0x8000_0000);
        assert_eq!(of(AtomOp::Add, AtomType::F16, 1, 1), 2);
        assert_eq!(of(AtomOp::Add, AtomType::BF16x2, 0x0001_3f80, 0x0001_3f80), 0x0002_4000);
        assert_eq!(of(AtomOp::Add, AtomType::F64, 1, 1), 2);
    }
}
