//! Atomic operations on vectors: one step an element, in the order of memory. Cache policies do nothing.

use smallvec::SmallVec;

use super::access::{Element, Order};
use super::atom::order;
use super::atomic::{Atomic, What};
use super::decode::Planner;
use super::memory;
use super::micro::Kind;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::arith_modifier::{DeviceSpace, VectorOp};
use crate::ptx::isa::modifier::{AtomOp, RedOrder, Scope};
use crate::ptx::isa::types::{AtomType, AtomVectorType};
use crate::ptx::isa::{Address, AtomHint, AtomVector, RedHint, RedVector, ScalarType, VecDef, VecUse};

/// What both rows have in common.
struct Parts<'a> {
    op: VectorOp,
    order: Order,
    scope: Option<Scope>,
    space: Option<DeviceSpace>,
    ty: AtomVectorType,
    dst: Option<&'a VecDef>,
    addr: Address,
    value: &'a VecUse,
}

/// The type of one element.
fn element_type(ty: AtomVectorType) -> AtomType {
    match ty {
        AtomVectorType::F16 => AtomType::F16,
        AtomVectorType::F16x2 => AtomType::F16x2,
        AtomVectorType::BF16 => AtomType::BF16,
        AtomVectorType::BF16x2 => AtomType::BF16x2,
        AtomVectorType::F32 => AtomType::F32,
    }
}

fn plan(planner: &mut Planner<'_>, parts: &Parts<'_>) -> Result<Plan, Unsupported> {
    if parts.op != VectorOp::Add {
        return Err(Unsupported("the least and greatest of floats in memory"));
    }
    let class = ScalarType::from(parts.ty).class();
    let element = |index| Element { class, index };
    let values: SmallVec<[u32; 8]> = parts.value.0.iter().map(|&value| planner.value(value, class)).collect();
    let results: SmallVec<[Option<u32>; 8]> =
        (0..values.len()).map(|at| parts.dst.and_then(|dst| dst.0[at]).map(|reg| planner.reg(reg))).collect();
    // An element's result is there before the next element's operand is read.
    let clobbers = (1..values.len()).any(|at| results[..at].contains(&Some(values[at])));
    if clobbers {
        return Err(Unsupported("a vector whose old values go where operands of later elements lie"));
    }
    let space = parts.space.map(DeviceSpace::space);
    let (base, offset) = memory::base(planner, space, parts.addr)?;
    let bytes = ScalarType::from(parts.ty).bytes();
    let (count, first) = (values.len() as u32, planner.atomics.len() as u32);
    for (at, (value, result)) in values.into_iter().zip(results).enumerate() {
        planner.atomics.push(Atomic {
            what: What::Operation(AtomOp::Add, element_type(parts.ty)),
            strength: (parts.order, parts.scope.unwrap_or(Scope::Gpu)),
            space,
            bytes,
            total: if at == 0 { bytes * count } else { bytes },
            more: if at == 0 { count - 1 } else { 0 },
            base,
            offset: offset.wrapping_add(i64::from(bytes) * at as i64),
            dst: result.map(element),
            value: element(value),
            compare: None,
        });
    }
    Ok(Plan::of(Kind::Atomic(first)))
}

impl Step for AtomVector {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let Self { op, scope, space, ty, addr, .. } = *self;
        let (dst, value) = (Some(&self.dst), &self.value);
        plan(planner, &Parts { op, order: order(self.order), scope, space, ty, dst, addr, value })
    }
}

impl Step for RedVector {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let Self { op, scope, space, ty, addr, .. } = *self;
        let order = match self.order {
            None | Some(RedOrder::Relaxed) => Order::Relaxed,
            Some(RedOrder::Release) => Order::Release,
        };
        plan(planner, &Parts { op, order, scope, space, ty, dst: None, addr, value: &self.value })
    }
}

impl Step for AtomHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        self.plain().plan(planner)
    }
}

impl Step for RedHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        self.plain().plan(planner)
    }
}
