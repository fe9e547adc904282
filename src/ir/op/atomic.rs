//! Atomic operations, and the order of memory that they promise.
//!
//! A read-modify-write, a load or a store that is atomic is never a race with another one. Which of two comes first
//! is not defined; what integers, extremes and bit operations leave in memory does not depend on it, a float sum does.

use smallvec::smallvec;

use super::memory::{Place, ValueList, check_place};
use super::{Keyword, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{ArraySpace, Kernel, ValueId};
use crate::ir::op::MemBase;
use crate::ir::types::DType;

op! {
    /// Replaces an element by what `op` makes of it and the value, as one step, and gives the old one. Two values are
    /// two sums of 16-bit floats, at an even index, each a step of its own.
    Atomic = "atomic" [op: AtomicOp, order: MemoryOrder, scope: MemoryScope] {
        /// Where: global memory that is written, or shared memory.
        place: Place,
        /// The operand, or two.
        values: ValueList,
    }
}

op! {
    /// Replaces an element by `value` if its bits are those of `compare`, as one step, and gives the old one.
    AtomicCas = "atomic_cas" [order: MemoryOrder, scope: MemoryScope] {
        /// Where: global memory that is written, or shared memory.
        place: Place,
        /// What has to be there.
        compare: ValueId,
        /// What comes there.
        value: ValueId,
    }
}

op! {
    /// Reads an element as one step; the order is `relaxed` or `acquire`.
    AtomicLoad = "atomic_load" [order: MemoryOrder, scope: MemoryScope] {
        /// Where: global memory that is written, or shared memory.
        place: Place,
    }
}

op! {
    /// Writes an element as one step; the order is `relaxed` or `release`.
    AtomicStore = "atomic_store" [order: MemoryOrder, scope: MemoryScope] {
        /// Where: global memory that is written, or shared memory.
        place: Place,
        /// What comes there.
        value: ValueId,
    }
}

op! {
    /// Orders the thread's accesses before it ahead of those after it, as `scope` sees them; never `relaxed`.
    Fence = "fence" [order: MemoryOrder, scope: MemoryScope] {}
}

/// What an atomic operation does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// Adds; integers wrap. The order of float sums is not defined.
    Add,
    /// The lesser, as [`BinaryOp::Min`](super::BinaryOp::Min).
    Min,
    /// The greater, as [`BinaryOp::Max`](super::BinaryOp::Max).
    Max,
    /// Both bits.
    And,
    /// Either bit.
    Or,
    /// Exactly one of the bits.
    Xor,
    /// The operand.
    Exch,
}

impl Keyword for AtomicOp {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Add, "add"),
        (Self::Min, "min"),
        (Self::Max, "max"),
        (Self::And, "and"),
        (Self::Or, "or"),
        (Self::Xor, "xor"),
        (Self::Exch, "exch"),
    ];
}

impl AtomicOp {
    /// The two-operand operation on the old value and the operand; `None` for an exchange.
    pub fn binary(self) -> Option<super::BinaryOp> {
        Some(match self {
            Self::Add => super::BinaryOp::Add,
            Self::Min => super::BinaryOp::Min,
            Self::Max => super::BinaryOp::Max,
            Self::And => super::BinaryOp::And,
            Self::Or => super::BinaryOp::Or,
            Self::Xor => super::BinaryOp::Xor,
            Self::Exch => return None,
        })
    }
}

/// What an operation promises about the accesses around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryOrder {
    /// Nothing.
    Relaxed,
    /// Later accesses of the thread come after it: it sees what was before the release that it reads from.
    Acquire,
    /// Earlier accesses of the thread come before it.
    Release,
    /// Both.
    AcqRel,
}

impl Keyword for MemoryOrder {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Relaxed, "relaxed"),
        (Self::Acquire, "acquire"),
        (Self::Release, "release"),
        (Self::AcqRel, "acq_rel"),
    ];
}

/// Among whom an operation is atomic and ordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryScope {
    /// The threads of the CTA.
    Cta,
    /// The threads of the device.
    Gpu,
    /// Those of every device, and the host.
    Sys,
}

impl Keyword for MemoryScope {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Cta, "cta"), (Self::Gpu, "gpu"), (Self::Sys, "sys")];
}

/// Whether an operation is defined for a type. What is narrower than 32 bits has no atomic form but 16-bit floats.
fn takes(op: AtomicOp, dtype: DType) -> bool {
    match dtype {
        DType::I32 | DType::U32 | DType::I64 | DType::U64 => true,
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => match op {
            AtomicOp::Add | AtomicOp::Min | AtomicOp::Max | AtomicOp::Exch => true,
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => false,
        },
        DType::Bool | DType::I8 | DType::I16 | DType::U8 | DType::U16 | DType::Storage(_) => false,
    }
}

/// The element type of a place that an atomic operation can work on.
fn check_atomic(op: &'static str, place: &Place, width: u32, kernel: &Kernel) -> Result<DType, TypeError> {
    let dtype = check_place(op, place, width, kernel)?;
    let name = || place.base.name(kernel).to_owned();
    match place.base {
        MemBase::Param(id) if !kernel.params[id].is_written() => {
            return Err(TypeError::AtomicNotWritten { name: name() });
        }
        MemBase::Array(id) if kernel.arrays[id].space == ArraySpace::Private => {
            return Err(TypeError::AtomicPrivate { name: name() });
        }
        MemBase::Param(_) | MemBase::Array(_) => {}
    }
    if takes(AtomicOp::Exch, dtype) {
        return Ok(dtype);
    }
    Err(TypeError::Operand { op, takes: ELEMENTS, found: dtype })
}

const ELEMENTS: &str = "elements that are 32- or 64-bit integers, or floats";

fn check_value(op: &'static str, dtype: DType, value: ValueId, kernel: &Kernel) -> Result<(), TypeError> {
    let right = kernel.dtype(value);
    if right == dtype { Ok(()) } else { Err(TypeError::Differ { op, left: dtype, right }) }
}

fn check_order(
    op: &'static str,
    order: MemoryOrder,
    takes: &'static str,
    fits: &[MemoryOrder],
) -> Result<(), TypeError> {
    if fits.contains(&order) {
        return Ok(());
    }
    Err(TypeError::Order { op, takes, found: order.keyword() })
}

impl Rule for Atomic {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let count = self.values.0.len();
        if !matches!(count, 1 | 2) {
            return Err(TypeError::AtomicCount { count });
        }
        let dtype = check_atomic("atomic", &self.place, count as u32, kernel)?;
        if !takes(self.op, dtype) {
            let takes = "integers for its bit operations";
            return Err(TypeError::Operand { op: "atomic", takes, found: dtype });
        }
        if count == 2 && !(self.op == AtomicOp::Add && matches!(dtype, DType::F16 | DType::BF16)) {
            return Err(TypeError::AtomicCount { count });
        }
        for &value in &self.values.0 {
            check_value("atomic", dtype, value, kernel)?;
        }
        Ok((0..count).map(|_| dtype).collect())
    }
}

impl Rule for AtomicCas {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let dtype = check_atomic("atomic_cas", &self.place, 1, kernel)?;
        check_value("atomic_cas", dtype, self.compare, kernel)?;
        check_value("atomic_cas", dtype, self.value, kernel)?;
        Ok(smallvec![dtype])
    }
}

impl Rule for AtomicLoad {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let fits = [MemoryOrder::Relaxed, MemoryOrder::Acquire];
        check_order("atomic_load", self.order, "`relaxed` or `acquire`", &fits)?;
        Ok(smallvec![check_atomic("atomic_load", &self.place, 1, kernel)?])
    }
}

impl Rule for AtomicStore {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let fits = [MemoryOrder::Relaxed, MemoryOrder::Release];
        check_order("atomic_store", self.order, "`relaxed` or `release`", &fits)?;
        let dtype = check_atomic("atomic_store", &self.place, 1, kernel)?;
        check_value("atomic_store", dtype, self.value, kernel)?;
        Ok(ResultTypes::new())
    }
}

impl Rule for Fence {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let fits = [MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::AcqRel];
        check_order("fence", self.order, "`acquire`, `release` or `acq_rel`", &fits)?;
        Ok(ResultTypes::new())
    }
}
