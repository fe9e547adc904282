//! Traced values, weak literals, and what can stand where a value is wanted.

use half::{bf16, f16};

use super::build::with;
use super::error::BuildError;
use super::types::KernelType;
use crate::ir::op::Bitcast;
use crate::ir::{DType, Literal, ValueId};

/// A traced value: an operation's result, or a constant, whose type is known while building.
#[derive(Clone, Copy, Debug)]
pub struct Val {
    pub(crate) node: Node,
    pub(crate) serial: u32,
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Node {
    /// The result of an operation.
    Value(ValueId, DType),
    /// A constant of a type.
    Const(Literal),
    /// An unsuffixed integer: it takes the other operand's type.
    Int(i128),
    /// An unsuffixed float: it takes the other operand's type.
    Flt(f64),
}

/// An unsuffixed integer literal. Alone it is `u32`, or `i32` where it is negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Int(pub i128);

/// An unsuffixed float literal. Alone it is `f32`.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Flt(pub f64);

impl Val {
    pub(crate) fn constant(literal: Literal) -> Self {
        Self { node: Node::Const(literal), serial: 0 }
    }

    pub(crate) fn weak_int(value: i128) -> Self {
        Self { node: Node::Int(value), serial: 0 }
    }

    pub(crate) fn weak_float(value: f64) -> Self {
        Self { node: Node::Flt(value), serial: 0 }
    }

    /// The value's type; that of an unsuffixed literal is the one it has alone.
    pub fn dtype(self) -> DType {
        match self.node {
            Node::Value(_, dtype) => dtype,
            Node::Const(literal) => literal.dtype,
            Node::Int(value) if value < 0 => DType::I32,
            Node::Int(_) => DType::U32,
            Node::Flt(_) => DType::F32,
        }
    }

    /// Whether it has a type of its own.
    pub(crate) fn is_strong(self) -> bool {
        matches!(self.node, Node::Value(..) | Node::Const(_))
    }

    /// The constant it is, in the type it has alone.
    pub(crate) fn strong_literal(self) -> Option<Literal> {
        match self.node {
            Node::Value(..) => None,
            Node::Const(literal) => Some(literal),
            Node::Int(value) => Literal::int(self.dtype(), value),
            Node::Flt(value) => Some(Literal::f32(value as f32)),
        }
    }

    /// The integer or `bool` constant it is.
    pub(crate) fn as_int(self) -> Option<i128> {
        match self.node {
            Node::Const(literal) => literal.as_int(),
            Node::Int(value) => Some(value),
            Node::Value(..) | Node::Flt(_) => None,
        }
    }

    /// Converts by value: to a float to nearest even; from a float truncated and saturated; integers wrap.
    pub fn cast<D: KernelType>(self) -> Self {
        let dtype = D::dtype();
        with(|build| if self.is_strong() { build.convert(self, dtype) } else { build.cast_weak(self, dtype) })
    }

    /// The same bits as another type of the same width.
    pub fn bitcast<D: KernelType>(self) -> Self {
        let to = D::dtype();
        with(|build| {
            let a = build.id(self);
            build.value(Bitcast { to, a })
        })
    }

    /// Names the value in dumps, unless it has a name.
    pub(crate) fn named(self, name: &str) -> Self {
        if let Node::Value(id, _) = self.node {
            with(|build| {
                if self.serial == build.serial {
                    build.ir.name(id, name);
                }
            });
        }
        self
    }
}

impl super::build::Build {
    /// An unsuffixed literal that is cast: exact in its own type first, where the target can't hold it.
    fn cast_weak(&mut self, val: Val, to: DType) -> Val {
        let adopted = match val.node {
            Node::Int(value) => super::fold::literal_int(value, to),
            Node::Flt(value) => super::fold::literal_float(value, to),
            Node::Value(..) | Node::Const(_) => None,
        };
        match adopted {
            Some(literal) => Val::constant(literal),
            None => self.convert(val, to),
        }
    }
}

/// What can stand where a value is wanted: values, literals, host numbers and traced variables.
///
/// Host numbers of a kernel type have that type, save `f64` and `i32` (what rustc makes of a bare literal) and `usize`,
/// `isize`, which are as weak as unsuffixed literals.
pub trait IntoVal {
    /// The value.
    fn val(self) -> Val;
}

impl IntoVal for Val {
    fn val(self) -> Val {
        self
    }
}

impl IntoVal for &Val {
    fn val(self) -> Val {
        *self
    }
}

impl IntoVal for Int {
    fn val(self) -> Val {
        Val::weak_int(self.0)
    }
}

impl IntoVal for Flt {
    fn val(self) -> Val {
        Val::weak_float(self.0)
    }
}

impl IntoVal for bool {
    fn val(self) -> Val {
        Val::constant(Literal::bool(self))
    }
}

impl IntoVal for f64 {
    fn val(self) -> Val {
        Val::weak_float(self)
    }
}

impl IntoVal for f32 {
    fn val(self) -> Val {
        Val::constant(Literal::f32(self))
    }
}

impl IntoVal for f16 {
    fn val(self) -> Val {
        Val::constant(Literal::from_bits(DType::F16, u64::from(self.to_bits())))
    }
}

impl IntoVal for bf16 {
    fn val(self) -> Val {
        Val::constant(Literal::from_bits(DType::BF16, u64::from(self.to_bits())))
    }
}

macro_rules! weak_ints {
    ($($ty:ty),*) => {$(
        impl IntoVal for $ty {
            fn val(self) -> Val {
                Val::weak_int(self as i128)
            }
        }
    )*};
}

weak_ints!(usize, isize, i32);

macro_rules! strong_ints {
    ($($ty:ty = $dtype:ident),*) => {$(
        impl IntoVal for $ty {
            fn val(self) -> Val {
                Val::constant(Literal::from_bits(DType::$dtype, self as u64))
            }
        }
    )*};
}

strong_ints!(i8 = I8, i16 = I16, i64 = I64, u8 = U8, u16 = U16, u32 = U32, u64 = U64);

/// What is known while building: sizes, element numbers, axes.
pub trait HostInt {
    /// The number, or `None` where only the running kernel knows it.
    fn known(self) -> Option<i128>;
}

macro_rules! host_ints {
    ($($ty:ty),*) => {$(
        impl HostInt for $ty {
            fn known(self) -> Option<i128> {
                Some(self as i128)
            }
        }
    )*};
}

host_ints!(usize, isize, u8, u16, u32, u64, i8, i16, i32, i64);

impl HostInt for Int {
    fn known(self) -> Option<i128> {
        Some(self.0)
    }
}

impl HostInt for Val {
    fn known(self) -> Option<i128> {
        self.as_int()
    }
}

/// The number, or 0 with a mistake recorded.
pub(crate) fn host_int(number: impl HostInt) -> i128 {
    number.known().unwrap_or_else(|| {
        with(|build| build.error(BuildError::NotHost));
        0
    })
}

/// A size in elements, or 1 with a mistake recorded.
pub(crate) fn host_size(number: impl HostInt) -> u32 {
    let Some(size) = number.known() else {
        with(|build| build.error(BuildError::NotHost));
        return 1;
    };
    match u32::try_from(size) {
        Ok(size) if size > 0 => size,
        Ok(_) | Err(_) => {
            with(|build| build.error(BuildError::BadSize { size }));
            1
        }
    }
}
