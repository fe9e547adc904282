//! Mutable variables: traced ones ([`Local`]), host ones ([`Host`]), arrays of them; and how they are named, read, written
//! and indexed.
//!
//! The wrappers (`Nm`, `Mt`, `Sa`, …) choose by type as [`Pair`](super::compare::Pair) does.

use std::ops::{Deref, DerefMut};

use super::build::with;
use super::error::BuildError;
use super::types::KernelType;
use super::val::{Flt, HostInt, Int, IntoVal, Val, host_int};
use crate::ir::op::{LocalGet, LocalSet};
use crate::ir::{DType, LocalId};

/// A traced mutable variable. Its type is that of its first value; what is assigned is converted to it, as a store does.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    id: LocalId,
    dtype: DType,
}

impl Local {
    pub(crate) fn new(value: Val, name: Option<&str>) -> Self {
        let dtype = value.dtype();
        let local = with(|build| Self { id: build.ir.local(name, dtype), dtype });
        local.write(value);
        local
    }

    /// The value it has now.
    pub fn read(self) -> Val {
        with(|build| build.value(LocalGet { local: self.id }))
    }

    /// Gives it a value, converted to its type.
    pub fn write(self, value: impl IntoVal) {
        let value = value.val();
        with(|build| {
            let value = build.adopt(value, self.dtype);
            let value = build.id(value);
            build.ir.push(LocalSet { local: self.id, value });
        });
    }

    /// Its type.
    pub fn dtype(self) -> DType {
        self.dtype
    }

    /// The value it has now, converted.
    pub fn cast<D: KernelType>(self) -> Val {
        self.read().cast::<D>()
    }

    /// The bits it has now, as another type.
    pub fn bitcast<D: KernelType>(self) -> Val {
        self.read().bitcast::<D>()
    }
}

impl IntoVal for Local {
    fn val(self) -> Val {
        self.read()
    }
}

impl IntoVal for &Local {
    fn val(self) -> Val {
        self.read()
    }
}

impl IntoVal for &mut Local {
    fn val(self) -> Val {
        self.read()
    }
}

/// A host variable bound by `let mut`. Writing it under a traced condition opened since is an error: both arms run.
#[derive(Clone, Debug)]
pub struct Host<T> {
    value: T,
    depth: usize,
}

impl<T> Host<T> {
    fn new(value: T) -> Self {
        Self { value, depth: with(|build| build.traced_depth()) }
    }

    fn check(&self) {
        with(|build| {
            if build.traced_depth() > self.depth {
                build.error(BuildError::HostWritten);
            }
        });
    }
}

impl<T> Deref for Host<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Host<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.check();
        &mut self.value
    }
}

/// What becomes traced when it is bound by `let mut`.
pub trait Traceable {
    /// A [`Local`], or an array of them.
    type Bound;
    /// Binds it.
    fn bind_as(self, name: &str) -> Self::Bound;
}

impl Traceable for Val {
    type Bound = Local;
    fn bind_as(self, name: &str) -> Local {
        Local::new(self, Some(name))
    }
}

impl Traceable for Int {
    type Bound = Local;
    fn bind_as(self, name: &str) -> Local {
        Local::new(self.val(), Some(name))
    }
}

impl Traceable for Flt {
    type Bound = Local;
    fn bind_as(self, name: &str) -> Local {
        Local::new(self.val(), Some(name))
    }
}

impl<T: Traceable, const N: usize> Traceable for [T; N] {
    type Bound = [T::Bound; N];
    fn bind_as(self, name: &str) -> Self::Bound {
        let mut position = 0;
        self.map(|item| {
            let bound = item.bind_as(&format!("{name}{position}"));
            position += 1;
            bound
        })
    }
}

impl<T: Traceable> Traceable for Vec<T> {
    type Bound = Vec<T::Bound>;
    fn bind_as(self, name: &str) -> Self::Bound {
        let named = self.into_iter().enumerate();
        named.map(|(position, item)| item.bind_as(&format!("{name}{position}"))).collect()
    }
}

/// `let mut`.
#[derive(Debug)]
pub struct Mt<'a, T>(pub T, pub &'a str);

impl<T: Traceable> Mt<'_, T> {
    /// Binds a traced variable.
    pub fn bind(self) -> T::Bound {
        self.0.bind_as(self.1)
    }
}

/// `let mut` of a host value.
pub trait HostBind<T> {
    /// Binds a host variable.
    fn bind(self) -> Host<T>;
}

impl<T> HostBind<T> for Mt<'_, T> {
    fn bind(self) -> Host<T> {
        Host::new(self.0)
    }
}

/// `let`.
#[derive(Debug)]
pub struct Nm<'a, T>(pub T, pub &'a str);

impl Nm<'_, Val> {
    /// Names the value in dumps.
    pub fn nm(self) -> Val {
        self.0.named(self.1)
    }
}

/// `let` of a host value.
pub trait HostName<T> {
    /// The value itself.
    fn nm(self) -> T;
}

impl<T> HostName<T> for Nm<'_, T> {
    fn nm(self) -> T {
        self.0
    }
}

/// `let x: f32 = e`.
#[derive(Debug)]
pub struct Ty<T>(pub T);

impl<T: IntoVal> Ty<T> {
    /// The value in that type, converted as an assignment does.
    pub fn to<D: KernelType>(self) -> Val {
        let (value, dtype) = (self.0.val(), D::dtype());
        with(|build| build.adopt(value, dtype))
    }
}

/// What a mutable variable's value is.
pub trait Readable {
    /// Its type.
    type Value;
    /// The value now.
    fn read_value(&self) -> Self::Value;
}

impl Readable for Local {
    type Value = Val;
    fn read_value(&self) -> Val {
        self.read()
    }
}

impl<T: Clone> Readable for Host<T> {
    type Value = T;
    fn read_value(&self) -> T {
        self.value.clone()
    }
}

impl<T: Readable, const N: usize> Readable for [T; N] {
    type Value = [T::Value; N];
    fn read_value(&self) -> Self::Value {
        self.each_ref().map(Readable::read_value)
    }
}

impl<T: Readable> Readable for Vec<T> {
    type Value = Vec<T::Value>;
    fn read_value(&self) -> Self::Value {
        self.iter().map(Readable::read_value).collect()
    }
}

macro_rules! plain_readable {
    ($($ty:ty),*) => {$(
        impl Readable for $ty {
            type Value = $ty;
            fn read_value(&self) -> $ty {
                *self
            }
        }
    )*};
}

plain_readable!(Val, Int, Flt, bool, usize, isize, u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, DType);

/// Reads a mutable variable.
pub fn rd<T: Readable>(variable: &T) -> T::Value {
    variable.read_value()
}

/// The left side of an assignment.
#[derive(Debug)]
pub struct Sa<'a, T: ?Sized>(pub &'a mut T);

impl Sa<'_, Local> {
    /// Writes a traced variable.
    pub fn set(self, value: impl IntoVal) {
        self.0.write(value);
    }
}

impl<const N: usize> Sa<'_, [Local; N]> {
    /// Writes every element.
    pub fn set<V: IntoVal>(self, values: [V; N]) {
        for (local, value) in self.0.iter().zip(values) {
            local.write(value);
        }
    }
}

impl<T> Sa<'_, Host<T>> {
    /// Writes a host variable.
    pub fn set(self, value: impl IntoHost<T>) {
        **self.0 = value.into_host();
    }
}

/// Assignment to anything else.
pub trait HostSet<T> {
    /// Writes it.
    fn set(self, value: T);
}

impl<T> HostSet<T> for Sa<'_, T> {
    fn set(self, value: T) {
        *self.0 = value;
    }
}

/// What can be assigned to a host variable: its own type, and literals.
pub trait IntoHost<T> {
    /// The value.
    fn into_host(self) -> T;
}

impl<T> IntoHost<T> for T {
    fn into_host(self) -> T {
        self
    }
}

macro_rules! from_literal {
    ($Lit:ident: $($ty:ty),*) => {$(
        impl IntoHost<$ty> for $Lit {
            fn into_host(self) -> $ty {
                self.0 as $ty
            }
        }
    )*};
}

from_literal!(Int: usize, isize, u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);
from_literal!(Flt: f32, f64);

/// Picks an element of a mutable array, to read.
#[derive(Debug)]
pub struct Pix<'a, T: ?Sized>(pub &'a T);

/// Picks an element of a mutable array, to write.
#[derive(Debug)]
pub struct PixMut<'a, T: ?Sized>(pub &'a mut T);

fn element(index: impl HostInt, len: usize) -> usize {
    let index = host_int(index);
    match usize::try_from(index) {
        Ok(index) if index < len => index,
        Ok(_) | Err(_) => {
            with(|build| build.error(BuildError::HostIndex { index, len }));
            0
        }
    }
}

/// An element of a host array; outside its length the first, with a mistake recorded.
pub(crate) fn pick<T>(items: &[T], index: impl HostInt) -> &T {
    &items[element(index, items.len())]
}

macro_rules! picks {
    ([$($generics:tt)*] $ty:ty, $item:ty) => {
        impl<'a, $($generics)*> Pix<'a, $ty> {
            /// The element.
            pub fn pix(self, index: impl HostInt) -> &'a $item {
                let index = element(index, self.0.len());
                &self.0[index]
            }
        }
        impl<'a, $($generics)*> PixMut<'a, $ty> {
            /// The element.
            pub fn pix_mut(self, index: impl HostInt) -> &'a mut $item {
                let index = element(index, self.0.len());
                &mut self.0[index]
            }
        }
    };
}

picks!([T, const N: usize] [T; N], T);
picks!([T] Vec<T>, T);
picks!([T, const N: usize] Host<[T; N]>, T);
picks!([T] Host<Vec<T>>, T);
