//! Buffers: flat and strided parameters, and what `x[i]` means for them.

use std::marker::PhantomData;

use smallvec::SmallVec;

use super::build::{Build, with};
use super::error::BuildError;
use super::types::KernelType;
use super::val::{HostInt, Int, IntoVal, Val, host_int};
use crate::ir::op::{
    Axis, BinaryOp, Guard, Load, MemBase, Place, Scalar, Shape, Store, Stride, ValueList, Width,
};
use crate::ir::{DType, ParamId, ParamKind};

/// A device buffer of a kernel.
pub struct Tensor<T> {
    pub(crate) base: Base,
    element: PhantomData<T>,
}

impl<T> Clone for Tensor<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Tensor<T> {}

impl<T> std::fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tensor").field(&self.base).finish()
    }
}

/// What a tensor's elements are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    /// A parameter of the kernel.
    Param(ParamId),
    /// A value that a calling kernel gave for the buffer: every element is it.
    Given(Val),
    /// The output of a kernel called as a function: its first store is the result.
    Captured(usize),
}

impl<T: KernelType> Tensor<T> {
    pub(crate) fn new(base: Base) -> Self {
        Self { base, element: PhantomData }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        T::dtype()
    }

    /// Elements on an axis of a strided view, a `u64`.
    pub fn shape(&self, axis: impl HostInt) -> Val {
        let axis = host_int(axis);
        with(|build| build.axis(self.base, axis, |param, axis| Shape { param, axis }.into()))
    }

    /// The same as [`shape`](Self::shape).
    pub fn dim(&self, axis: impl HostInt) -> Val {
        self.shape(axis)
    }

    /// Elements between neighbours on an axis of a strided view, a `u64`.
    pub fn stride(&self, axis: impl HostInt) -> Val {
        let axis = host_int(axis);
        with(|build| build.axis(self.base, axis, |param, axis| Stride { param, axis }.into()))
    }

    /// The element at an index, or at one index for each axis.
    pub(crate) fn read(&self, index: impl Subscript) -> Val {
        let index = index.indices();
        let dtype = T::dtype();
        with(|build| match self.base {
            Base::Param(param) => {
                let index = build.offset(param, &index);
                build.load(MemBase::Param(param), index, Width::X1)[0]
            }
            Base::Given(val) => build.convert(val, dtype),
            Base::Captured(slot) => {
                let stored = build.captures[slot];
                stored.unwrap_or_else(|| {
                    build.error(BuildError::NoResult);
                    Int(0).val()
                })
            }
        })
    }

    /// Stores a value, converted to the element type.
    pub(crate) fn write(&self, index: impl Subscript, value: impl IntoVal) {
        let (index, value) = (index.indices(), value.val());
        let dtype = T::dtype();
        with(|build| match self.base {
            Base::Param(param) => {
                let index = build.offset(param, &index);
                build.store(MemBase::Param(param), index, &[value]);
            }
            Base::Given(_) => build.error(BuildError::Refused {
                what: "an input of a called kernel is stored to".into(),
                help: "a kernel that is called as a function stores only its output",
            }),
            Base::Captured(slot) => {
                if build.captures[slot].is_none() {
                    let value = build.adopt(value, dtype);
                    build.captures[slot] = Some(value);
                }
            }
        });
    }
}

/// A subscript: one index, or a tuple with one for each axis.
pub trait Subscript {
    /// The indices, outermost first.
    fn indices(self) -> SmallVec<[Val; 4]>;
}

impl<I: IntoVal> Subscript for I {
    fn indices(self) -> SmallVec<[Val; 4]> {
        SmallVec::from_iter([self.val()])
    }
}

macro_rules! subscripts {
    ($($name:ident),*) => {
        impl<$($name: IntoVal),*> Subscript for ($($name,)*) {
            #[expect(non_snake_case, reason = "the type's name serves for the value")]
            fn indices(self) -> SmallVec<[Val; 4]> {
                let ($($name,)*) = self;
                SmallVec::from_iter([$($name.val()),*])
            }
        }
    };
}

subscripts!(A);
subscripts!(A, B);
subscripts!(A, B, C);
subscripts!(A, B, C, D);
subscripts!(A, B, C, D, E);
subscripts!(A, B, C, D, E, F);

/// Declares a buffer parameter.
pub fn buffer<T: KernelType>(name: &str, written: bool, rank: u8, alias: bool) -> Tensor<T> {
    let dtype = T::dtype();
    with(|build| {
        if rank > Axis::MAX {
            build.error(BuildError::NoAxis { axis: i128::from(rank), rank: Axis::MAX as usize });
        }
        let kind = ParamKind::Buffer { written, rank: rank.min(Axis::MAX), alias };
        Tensor::new(Base::Param(build.ir.param(name, dtype, kind)))
    })
}

/// Declares a scalar parameter and reads it.
pub fn scalar<T: KernelType>(name: &str) -> Val {
    let dtype = T::dtype();
    with(|build| {
        let param = build.ir.param(name, dtype, ParamKind::Scalar);
        let value = build.value(Scalar { param });
        let id = build.id(value);
        build.ir.name(id, name);
        value
    })
}

impl Build {
    fn axis(&mut self, base: Base, axis: i128, op: impl FnOnce(ParamId, Axis) -> crate::ir::Op) -> Val {
        let rank = match base {
            Base::Param(param) => usize::from(self.ir.kernel().params[param].rank()),
            Base::Given(_) | Base::Captured(_) => 0,
        };
        match (base, u8::try_from(axis)) {
            (Base::Param(param), Ok(axis)) if usize::from(axis) < rank => self.value(op(param, Axis(axis))),
            _ => {
                self.error(BuildError::NoAxis { axis, rank });
                Val::constant(crate::ir::Literal::from_bits(DType::U64, 0))
            }
        }
    }

    /// The element offset of a subscript: the index itself, or Σ index × stride in 64 bits.
    fn offset(&mut self, param: ParamId, indices: &[Val]) -> Val {
        let (rank, name) = {
            let param = &self.ir.kernel().params[param];
            (usize::from(param.rank()), param.name.clone())
        };
        if rank.max(1) != indices.len() {
            self.error(BuildError::AxisCount { name, rank: rank.max(1), given: indices.len() });
            return indices.first().copied().unwrap_or_else(|| Int(0).val());
        }
        if rank == 0 {
            return indices[0];
        }
        let mut sum: Option<Val> = None;
        for (axis, &index) in indices.iter().enumerate() {
            let stride = self.value(Stride { param, axis: Axis(axis as u8) });
            let index = self.adopt(index, DType::U64);
            let term = self.binary(BinaryOp::Mul, index, stride);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.binary(BinaryOp::Add, sum, term),
            });
        }
        sum.expect("a strided parameter has an axis")
    }

    /// An index as an operand: 32 or 64 bits.
    pub(crate) fn index_id(&mut self, index: Val) -> crate::ir::ValueId {
        let index = match index.dtype() {
            DType::I8 | DType::I16 => self.convert(index, DType::I32),
            DType::U8 | DType::U16 | DType::Bool => self.convert(index, DType::U32),
            DType::I32
            | DType::U32
            | DType::I64
            | DType::U64
            | DType::F16
            | DType::BF16
            | DType::F32
            | DType::F64
            | DType::Storage(_) => index,
        };
        let index = match index.as_int() {
            // A constant beyond 32 bits needs the wide form.
            Some(value) if !index.is_strong() && value > i128::from(u32::MAX) => {
                self.adopt(index, DType::U64)
            }
            _ => index,
        };
        self.id(index)
    }

    /// Loads elements; inside an arm of `select` under its guard.
    pub(crate) fn load(&mut self, base: MemBase, index: Val, width: Width) -> SmallVec<[Val; 4]> {
        let index = self.index_id(index);
        let guard = self.guards.last_mut().map(|guard| {
            guard.used = true;
            guard.cond
        });
        let ids = self.ir.push(Load { width, place: Place { base, index }, guard: Guard(guard) });
        ids.into_iter().map(|id| self.val(id)).collect()
    }

    /// Stores values, each converted to the element type.
    pub(crate) fn store(&mut self, base: MemBase, index: Val, values: &[Val]) {
        let index = self.index_id(index);
        let dtype = base.dtype(self.ir.kernel());
        let ids = values.iter().map(|&value| {
            let value = self.adopt(value, dtype);
            self.id(value)
        });
        let values = ValueList(ids.collect());
        self.ir.push(Store { place: Place { base, index }, values });
    }
}

/// `x[i]` as a value.
pub struct Ix<'a, X: ?Sized>(pub &'a X);

/// `x[i] = v`.
pub struct St<'a, X: ?Sized>(pub &'a X);

impl<T: KernelType> Ix<'_, Tensor<T>> {
    /// Loads an element.
    pub fn ix(self, index: impl Subscript) -> Val {
        self.0.read(index)
    }
}

impl<T: KernelType> St<'_, Tensor<T>> {
    /// Stores an element.
    pub fn st(self, index: impl Subscript, value: impl IntoVal) {
        self.0.write(index, value);
    }
}

impl<T: Clone, const N: usize> Ix<'_, [T; N]> {
    /// An element of a host array.
    pub fn ix(self, index: impl HostInt) -> T {
        super::local::pick(self.0, index).clone()
    }
}

impl<T: Clone> Ix<'_, Vec<T>> {
    /// An element of a host array.
    pub fn ix(self, index: impl HostInt) -> T {
        super::local::pick(self.0, index).clone()
    }
}

impl<T: Clone> Ix<'_, [T]> {
    /// An element of a host array.
    pub fn ix(self, index: impl HostInt) -> T {
        super::local::pick(self.0, index).clone()
    }
}

impl<T: Clone> Ix<'_, &[T]> {
    /// An element of a host array.
    pub fn ix(self, index: impl HostInt) -> T {
        super::local::pick(self.0, index).clone()
    }
}

impl<T: Clone, const N: usize> Ix<'_, &[T; N]> {
    /// An element of a host array.
    pub fn ix(self, index: impl HostInt) -> T {
        super::local::pick(*self.0, index).clone()
    }
}

/// Subscripts of everything else.
pub trait HostIndex<I> {
    /// What is indexed.
    type Output;
    /// An element.
    fn ix(self, index: I) -> Self::Output;
}

impl<X: std::ops::Index<I> + ?Sized, I> HostIndex<I> for Ix<'_, X>
where
    X::Output: Clone,
{
    type Output = X::Output;
    fn ix(self, index: I) -> X::Output {
        self.0[index].clone()
    }
}

/// A vector of `N` neighbouring elements from an index that is a multiple of `N`.
pub fn load_vec<const N: usize>(x: impl Vectored, index: impl IntoVal) -> [Val; N] {
    let (base, index) = (x.base(), index.val());
    with(|build| {
        let Some(base) = base else {
            build.error(no_vector());
            return [Int(0).val(); N];
        };
        let Some(width) = Width::of(N) else {
            build.error(BuildError::Type(crate::ir::op::TypeError::StoreCount { count: N }));
            return [Int(0).val(); N];
        };
        let values = build.load(base, index, width);
        std::array::from_fn(|lane| values[lane])
    })
}

/// Stores 2, 4 or 8 neighbouring elements to an index that is a multiple of their number.
pub fn store_vec<const N: usize, V: IntoVal>(x: impl Vectored, index: impl IntoVal, values: [V; N]) {
    let (base, index) = (x.base(), index.val());
    let values = values.map(IntoVal::val);
    with(|build| match base {
        Some(base) => build.store(base, index, &values),
        None => build.error(no_vector()),
    });
}

fn no_vector() -> BuildError {
    BuildError::Refused {
        what: "vectors of a buffer given by a calling kernel or of a strided view".into(),
        help: "access its elements one by one",
    }
}

/// What vectors can be loaded from.
pub trait Vectored {
    /// The memory, if it has an address and neighbours.
    fn base(self) -> Option<MemBase>;
}

impl<T: KernelType> Vectored for Tensor<T> {
    fn base(self) -> Option<MemBase> {
        match self.base {
            Base::Param(param) => {
                let flat = with(|build| build.ir.kernel().params[param].rank() == 0);
                flat.then_some(MemBase::Param(param))
            }
            Base::Given(_) | Base::Captured(_) => None,
        }
    }
}
