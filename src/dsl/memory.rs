//! Shared and per-thread arrays: by name, as existing kernels write them, and as typed handles.

use std::marker::PhantomData;

use super::build::{Build, with};
use super::error::BuildError;
use super::tensor::{Ix, St, Vectored};
use super::types::KernelType;
use super::val::{HostInt, Int, IntoVal, Val, host_size};
use crate::ir::op::{CtaBarrier, MemBase, Width};
use crate::ir::{ArrayId, ArraySpace, DType};

/// A shared array, one for each CTA.
#[derive(Clone, Copy, Debug)]
pub struct Shared<T> {
    id: ArrayId,
    element: PhantomData<T>,
}

/// A per-thread array.
#[derive(Clone, Copy, Debug)]
pub struct Private<T> {
    id: ArrayId,
    element: PhantomData<T>,
}

impl<T> Shared<T> {
    pub(crate) fn base(&self) -> MemBase {
        MemBase::Array(self.id)
    }
}

/// A shared array of `len` elements.
pub fn shared<T: KernelType>(len: impl HostInt) -> Shared<T> {
    let (dtype, len) = (T::dtype(), host_size(len));
    let id = with(|build| {
        let name = build.fresh_name("shared");
        build.ir.array(name, ArraySpace::Shared, dtype, len)
    });
    Shared { id, element: PhantomData }
}

/// A per-thread array of `len` elements.
pub fn local<T: KernelType>(len: impl HostInt) -> Private<T> {
    let (dtype, len) = (T::dtype(), host_size(len));
    let id = with(|build| {
        let name = build.fresh_name("local");
        build.ir.array(name, ArraySpace::Private, dtype, len)
    });
    Private { id, element: PhantomData }
}

macro_rules! handles {
    ($($Handle:ident),*) => {$(
        impl<T: KernelType> $Handle<T> {
            /// The element type.
            pub fn dtype(&self) -> DType {
                with(|build| build.ir.kernel().arrays[self.id].dtype)
            }

            /// Elements.
            pub fn len(&self) -> usize {
                with(|build| build.ir.kernel().arrays[self.id].len as usize)
            }

            /// Never: an array has at least one element.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }

        impl<T: KernelType> Ix<'_, $Handle<T>> {
            /// Loads an element.
            pub fn ix(self, index: impl IntoVal) -> Val {
                let index = index.val();
                with(|build| build.load(MemBase::Array(self.0.id), index, Width::X1)[0])
            }
        }

        impl<T: KernelType> St<'_, $Handle<T>> {
            /// Stores an element, converted to the array's type.
            pub fn st(self, index: impl IntoVal, value: impl IntoVal) {
                let (index, value) = (index.val(), value.val());
                with(|build| build.store(MemBase::Array(self.0.id), index, &[value]));
            }
        }

        impl<T: KernelType> Vectored for $Handle<T> {
            fn base(self) -> Option<MemBase> {
                Some(MemBase::Array(self.id))
            }
        }
    )*};
}

handles!(Shared, Private);

/// `threadgroup_alloc("name", SIZE)`: a shared array of `f32`.
pub fn threadgroup_alloc_2(name: &str, len: impl HostInt) -> Shared<f32> {
    Shared { id: declare(name, ArraySpace::Shared, len, DType::F32), element: PhantomData }
}

/// `threadgroup_alloc("name", SIZE, dtype)`.
pub fn threadgroup_alloc_3(name: &str, len: impl HostInt, dtype: DType) {
    declare(name, ArraySpace::Shared, len, dtype);
}

/// `stack_alloc("name", SIZE)`: a per-thread array of `f32`.
pub fn stack_alloc_2(name: &str, len: impl HostInt) -> Private<f32> {
    Private { id: declare(name, ArraySpace::Private, len, DType::F32), element: PhantomData }
}

/// `stack_alloc("name", SIZE, dtype)`.
pub fn stack_alloc_3(name: &str, len: impl HostInt, dtype: DType) {
    declare(name, ArraySpace::Private, len, dtype);
}

fn declare(name: &str, space: ArraySpace, len: impl HostInt, dtype: DType) -> ArrayId {
    let len = host_size(len);
    with(|build| {
        let kernel = build.ir.kernel();
        let taken = kernel.arrays.values().any(|array| array.name == name) || kernel.param(name).is_some();
        if taken {
            build.error(BuildError::DeclaredTwice { name: name.into() });
        }
        build.ir.array(name, space, dtype, len)
    })
}

impl Build {
    /// The array of a name and space; the newest, should a mistake have declared two.
    fn array(&mut self, name: &str, space: ArraySpace) -> Option<ArrayId> {
        let arrays = self.ir.kernel().arrays.iter().rev();
        let mut found = arrays.filter(|(_, array)| array.name == name && array.space == space);
        let id = found.next().map(|(id, _)| id);
        drop(found);
        if id.is_none() {
            let space = match space {
                ArraySpace::Shared => "shared",
                ArraySpace::Private => "per-thread",
            };
            self.error(BuildError::UnknownArray { space, name: name.into() });
        }
        id
    }

    fn load_named(&mut self, name: &str, space: ArraySpace, index: Val) -> Val {
        match self.array(name, space) {
            Some(id) => self.load(MemBase::Array(id), index, Width::X1)[0],
            None => Int(0).val(),
        }
    }

    fn store_named(&mut self, name: &str, space: ArraySpace, index: Val, value: Val) {
        if let Some(id) = self.array(name, space) {
            self.store(MemBase::Array(id), index, &[value]);
        }
    }
}

/// An element of a shared array.
pub fn threadgroup_load(name: &str, index: impl IntoVal) -> Val {
    let index = index.val();
    with(|build| build.load_named(name, ArraySpace::Shared, index))
}

/// Stores an element of a shared array, converted to its type.
pub fn threadgroup_store(name: &str, index: impl IntoVal, value: impl IntoVal) {
    let (index, value) = (index.val(), value.val());
    with(|build| build.store_named(name, ArraySpace::Shared, index, value));
}

/// An element of a per-thread array.
pub fn stack_load(name: &str, index: impl IntoVal) -> Val {
    let index = index.val();
    with(|build| build.load_named(name, ArraySpace::Private, index))
}

/// Stores an element of a per-thread array, converted to its type.
pub fn stack_store(name: &str, index: impl IntoVal, value: impl IntoVal) {
    let (index, value) = (index.val(), value.val());
    with(|build| build.store_named(name, ArraySpace::Private, index, value));
}

/// Waits for every thread of the CTA and orders their memory accesses.
pub fn threadgroup_barrier() {
    with(|build| {
        build.ir.push(CtaBarrier {});
    });
}
