//! Atomic operations on buffers and shared arrays, by name or by handle, and fences.
//!
//! The short words are relaxed; their scope is the device for a buffer and the CTA for a shared array. `atomic_rmw` and
//! `atomic_cas_ordered` say order and scope. All but stores and fences give the old value. The order in which threads
//! come is not defined: a float sum, and whatever depends on an old value, differs from run to run.

use smallvec::SmallVec;

use super::build::{Build, with};
use super::error::BuildError;
use super::memory::Shared;
use super::tensor::{Base, Tensor};
use super::types::KernelType;
use super::val::{Int, IntoVal, Val};
use crate::ir::op::{
    Atomic, AtomicCas, AtomicLoad, AtomicOp, AtomicStore, Fence, MemBase, MemoryOrder, MemoryScope, Place,
    ValueList,
};
use crate::ir::{ArraySpace, DType};

/// What an atomic operation works on: a buffer, or a shared array; by handle or by name.
pub trait AtomicTarget {
    /// The memory; `None` after a mistake, which is recorded.
    fn memory(self) -> Option<MemBase>;
}

impl AtomicTarget for &str {
    fn memory(self) -> Option<MemBase> {
        with(|build| {
            let param = build.ir.kernel().param(self).map(MemBase::Param);
            let found = param.or_else(|| shared_array(build, self));
            if found.is_none() {
                build.error(BuildError::Refused {
                    what: format!("`{self}` is no buffer and no shared array"),
                    help: "an atomic operation takes the name of a parameter, or its handle",
                });
            }
            found
        })
    }
}

impl<T: KernelType> AtomicTarget for Tensor<T> {
    fn memory(self) -> Option<MemBase> {
        match self.base {
            Base::Param(param) => with(|build| {
                let is_flat = build.ir.kernel().params[param].rank() == 0;
                if !is_flat {
                    build.error(BuildError::Refused {
                        what: "an atomic operation on a strided view".into(),
                        help: "take a flat buffer and compute the index",
                    });
                }
                is_flat.then_some(MemBase::Param(param))
            }),
            Base::Given(_) | Base::Captured(_) => {
                with(|build| {
                    build.error(BuildError::Refused {
                        what: "an atomic operation of a kernel that is called as a function".into(),
                        help: "such a kernel stores only its output: launch it",
                    });
                });
                None
            }
        }
    }
}

impl<T: KernelType> AtomicTarget for Shared<T> {
    fn memory(self) -> Option<MemBase> {
        Some(self.base())
    }
}

impl<T: KernelType> AtomicTarget for &Shared<T> {
    fn memory(self) -> Option<MemBase> {
        Some(self.base())
    }
}

impl<T: KernelType> AtomicTarget for &Tensor<T> {
    fn memory(self) -> Option<MemBase> {
        (*self).memory()
    }
}

/// A name that the short words of shared memory take.
struct SharedName<'n>(&'n str);

impl AtomicTarget for SharedName<'_> {
    fn memory(self) -> Option<MemBase> {
        with(|build| {
            let found = shared_array(build, self.0);
            if found.is_none() {
                build.error(BuildError::UnknownArray { space: "shared", name: self.0.into() });
            }
            found
        })
    }
}

/// The newest shared array of a name.
fn shared_array(build: &Build, name: &str) -> Option<MemBase> {
    let arrays = build.ir.kernel().arrays.iter().rev();
    let mut found = arrays.filter(|(_, array)| array.name == name && array.space == ArraySpace::Shared);
    found.next().map(|(id, _)| MemBase::Array(id))
}

/// An order and a scope; without a scope that of the memory.
#[derive(Clone, Copy)]
struct Strength(MemoryOrder, Option<MemoryScope>);

const RELAXED: Strength = Strength(MemoryOrder::Relaxed, None);

impl Strength {
    fn scope(self, base: MemBase) -> MemoryScope {
        self.1.unwrap_or(match base {
            MemBase::Param(_) => MemoryScope::Gpu,
            MemBase::Array(_) => MemoryScope::Cta,
        })
    }
}

/// Resolves the memory and the index; a mistake gives zeros, and building goes on.
fn at<R>(
    target: impl AtomicTarget,
    index: Val,
    mistaken: R,
    build_op: impl FnOnce(&mut Build, Place, DType) -> R,
) -> R {
    let Some(base) = target.memory() else { return mistaken };
    with(|build| {
        let dtype = base.dtype(build.ir.kernel());
        let index = build.index_id(index);
        build_op(build, Place { base, index }, dtype)
    })
}

fn update(
    op: AtomicOp,
    target: impl AtomicTarget,
    index: Val,
    values: &[Val],
    strength: Strength,
) -> SmallVec<[Val; 2]> {
    let zeros = values.iter().map(|_| Int(0).val()).collect();
    at(target, index, zeros, |build, place, dtype| {
        let ids = values.iter().map(|&value| {
            let value = build.adopt(value, dtype);
            build.id(value)
        });
        let values = ValueList(ids.collect());
        let (order, scope) = (strength.0, strength.scope(place.base));
        let results = build.ir.push(Atomic { op, order, scope, place, values });
        results.into_iter().map(|id| build.val(id)).collect()
    })
}

fn swap(target: impl AtomicTarget, index: Val, compare: Val, value: Val, strength: Strength) -> Val {
    at(target, index, Int(0).val(), |build, place, dtype| {
        let [compare, value] = [compare, value].map(|operand| {
            let operand = build.adopt(operand, dtype);
            build.id(operand)
        });
        let (order, scope) = (strength.0, strength.scope(place.base));
        build.value(AtomicCas { order, scope, place, compare, value })
    })
}

macro_rules! words {
    ($($(#[$meta:meta])* $name:ident $shared:ident $op:ident;)*) => {$(
        $(#[$meta])*
        pub fn $name(target: impl AtomicTarget, index: impl IntoVal, value: impl IntoVal) -> Val {
            let (index, value) = (index.val(), value.val());
            update(AtomicOp::$op, target, index, &[value], RELAXED)[0]
        }

        #[doc = concat!("[`", stringify!($name), "`] on a shared array, by its name.")]
        pub fn $shared(name: &str, index: impl IntoVal, value: impl IntoVal) -> Val {
            let (index, value) = (index.val(), value.val());
            update(AtomicOp::$op, SharedName(name), index, &[value], RELAXED)[0]
        }
    )*};
}

words! {
    /// Adds to an element, relaxed; gives the old value. A float sum depends on the order of threads.
    atomic_add atomic_add_tg Add;
    /// Keeps the lesser, relaxed; gives the old value.
    atomic_min atomic_min_tg Min;
    /// Keeps the greater, relaxed; gives the old value.
    atomic_max atomic_max_tg Max;
    /// Keeps both bits, relaxed; gives the old value.
    atomic_and atomic_and_tg And;
    /// Keeps either bit, relaxed; gives the old value.
    atomic_or atomic_or_tg Or;
    /// Flips the bits given, relaxed; gives the old value.
    atomic_xor atomic_xor_tg Xor;
    /// Puts a value there, relaxed; gives the old one.
    atomic_exch atomic_exch_tg Exch;
}

/// A read-modify-write with order and scope; gives the old value.
pub fn atomic_rmw(
    op: AtomicOp,
    target: impl AtomicTarget,
    index: impl IntoVal,
    value: impl IntoVal,
    order: MemoryOrder,
    scope: MemoryScope,
) -> Val {
    let (index, value) = (index.val(), value.val());
    update(op, target, index, &[value], Strength(order, Some(scope)))[0]
}

/// Adds two neighbouring `f16` or `bf16` elements from an even index on, relaxed; gives the old values.
pub fn atomic_add_pair<V: IntoVal>(
    target: impl AtomicTarget,
    index: impl IntoVal,
    values: [V; 2],
) -> [Val; 2] {
    let (index, values) = (index.val(), values.map(IntoVal::val));
    let old = update(AtomicOp::Add, target, index, &values, RELAXED);
    [old[0], old[1]]
}

/// Puts `value` there if the bits there are those of `compare`, relaxed; gives the old value.
pub fn atomic_cas(
    target: impl AtomicTarget,
    index: impl IntoVal,
    compare: impl IntoVal,
    value: impl IntoVal,
) -> Val {
    let (index, compare, value) = (index.val(), compare.val(), value.val());
    swap(target, index, compare, value, RELAXED)
}

/// [`atomic_cas`] on a shared array, by its name.
pub fn atomic_cas_tg(name: &str, index: impl IntoVal, compare: impl IntoVal, value: impl IntoVal) -> Val {
    let (index, compare, value) = (index.val(), compare.val(), value.val());
    swap(SharedName(name), index, compare, value, RELAXED)
}

/// [`atomic_cas`] with order and scope.
pub fn atomic_cas_ordered(
    target: impl AtomicTarget,
    index: impl IntoVal,
    compare: impl IntoVal,
    value: impl IntoVal,
    order: MemoryOrder,
    scope: MemoryScope,
) -> Val {
    let (index, compare, value) = (index.val(), compare.val(), value.val());
    swap(target, index, compare, value, Strength(order, Some(scope)))
}

/// Reads an element as one step: relaxed or acquiring.
pub fn atomic_load(target: impl AtomicTarget, index: impl IntoVal, order: MemoryOrder) -> Val {
    let index = index.val();
    at(target, index, Int(0).val(), |build, place, _| {
        let scope = Strength(order, None).scope(place.base);
        build.value(AtomicLoad { order, scope, place })
    })
}

/// Writes an element as one step: relaxed or releasing.
pub fn atomic_store(target: impl AtomicTarget, index: impl IntoVal, value: impl IntoVal, order: MemoryOrder) {
    let (index, value) = (index.val(), value.val());
    at(target, index, (), |build, place, dtype| {
        let value = build.adopt(value, dtype);
        let value = build.id(value);
        let scope = Strength(order, None).scope(place.base);
        build.ir.push(AtomicStore { order, scope, place, value });
    });
}

/// Orders the thread's accesses before it ahead of those after it.
pub fn fence(order: MemoryOrder, scope: MemoryScope) {
    with(|build| {
        build.ir.push(Fence { order, scope });
    });
}
