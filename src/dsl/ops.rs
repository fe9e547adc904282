//! Operators: arithmetic, comparison, logic. Every pair of operands goes through the one promotion table.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use super::build::with;
use super::local::Local;
use super::types::{bf16, f16};
use super::val::{Flt, Int, IntoVal, Val};
use crate::ir::op::{BinaryOp, Compare, CompareOp, Unary, UnaryOp};

/// Arithmetic in the common type; `bool`s count as numbers.
pub(crate) fn arithmetic(op: BinaryOp, a: impl IntoVal, b: impl IntoVal) -> Val {
    let (a, b) = (a.val(), b.val());
    with(|build| {
        let (a, b) = build.unify_numbers(a, b);
        build.binary(op, a, b)
    })
}

fn bitwise(op: BinaryOp, a: impl IntoVal, b: impl IntoVal) -> Val {
    let (a, b) = (a.val(), b.val());
    with(|build| {
        let (a, b) = build.unify(a, b);
        build.binary(op, a, b)
    })
}

fn shift(op: BinaryOp, a: impl IntoVal, b: impl IntoVal) -> Val {
    let (a, b) = (a.val(), b.val());
    with(|build| {
        let (a, b) = build.unify_shift(a, b);
        build.binary(op, a, b)
    })
}

/// A one-operand operation.
pub(crate) fn unary(op: UnaryOp, a: impl IntoVal) -> Val {
    let a = a.val();
    with(|build| {
        let id = match super::fold::unary(op, a) {
            Some(literal) => return Val::constant(literal),
            None => build.id(a),
        };
        build.value(Unary { op, a: id })
    })
}

/// A comparison in the common type.
pub(crate) fn compare(op: CompareOp, a: impl IntoVal, b: impl IntoVal) -> Val {
    let (a, b) = (a.val(), b.val());
    with(|build| {
        let both = a.dtype() == crate::ir::DType::Bool && b.dtype() == crate::ir::DType::Bool;
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        let (a, b) = if both && equality { build.unify(a, b) } else { build.unify_numbers(a, b) };
        if let Some(known) = super::fold::compare(op, a, b) {
            return known.val();
        }
        let (a, b) = (build.id(a), build.id(b));
        build.value(Compare { op, a, b })
    })
}

macro_rules! operators {
    ($($Trait:ident $method:ident $build:ident $op:ident),* $(,)?) => {
        $(
            impl<R: IntoVal> $Trait<R> for Val {
                type Output = Val;
                fn $method(self, other: R) -> Val {
                    $build(BinaryOp::$op, self, other)
                }
            }

            impl<R: IntoVal> $Trait<R> for &Val {
                type Output = Val;
                fn $method(self, other: R) -> Val {
                    $build(BinaryOp::$op, *self, other)
                }
            }

            impl<R: IntoVal> $Trait<R> for Local {
                type Output = Val;
                fn $method(self, other: R) -> Val {
                    $build(BinaryOp::$op, self, other)
                }
            }

            operators!(@host $Trait $method $build $op: Int, Flt, bool, f64, f32, f16, bf16, usize, isize, i8, i16, i32,
                i64, u8, u16, u32, u64);
        )*
    };
    (@host $Trait:ident $method:ident $build:ident $op:ident: $($ty:ty),*) => {$(
        impl $Trait<Val> for $ty {
            type Output = Val;
            fn $method(self, other: Val) -> Val {
                $build(BinaryOp::$op, self, other)
            }
        }
    )*};
}

operators! {
    Add add arithmetic Add,
    Sub sub arithmetic Sub,
    Mul mul arithmetic Mul,
    Div div arithmetic Div,
    Rem rem arithmetic Rem,
    BitAnd bitand bitwise And,
    BitOr bitor bitwise Or,
    BitXor bitxor bitwise Xor,
    Shl shl shift Shl,
    Shr shr shift Shr,
}

macro_rules! literal_operators {
    ($($Trait:ident $method:ident),*) => {
        $(
            impl $Trait for Int {
                type Output = Int;
                fn $method(self, other: Int) -> Int {
                    Int($Trait::$method(self.0, other.0))
                }
            }
            literal_operators!(@with $Trait $method: usize, isize, i8, i16, i32, i64, u8, u16, u32, u64);
        )*
    };
    (@with $Trait:ident $method:ident: $($ty:ty),*) => {$(
        impl $Trait<Int> for $ty {
            type Output = $ty;
            fn $method(self, other: Int) -> $ty {
                $Trait::$method(self, other.0 as $ty)
            }
        }
        impl $Trait<$ty> for Int {
            type Output = $ty;
            fn $method(self, other: $ty) -> $ty {
                $Trait::$method(self.0 as $ty, other)
            }
        }
    )*};
}

literal_operators!(Add add, Sub sub, Mul mul, Div div, Rem rem, BitAnd bitand, BitOr bitor, BitXor bitxor, Shl shl, Shr shr);

macro_rules! float_operators {
    ($($Trait:ident $method:ident),*) => {$(
        impl $Trait for Flt {
            type Output = Flt;
            fn $method(self, other: Flt) -> Flt {
                Flt($Trait::$method(self.0, other.0))
            }
        }
        impl $Trait<Int> for Flt {
            type Output = Flt;
            fn $method(self, other: Int) -> Flt {
                Flt($Trait::$method(self.0, other.0 as f64))
            }
        }
        impl $Trait<Flt> for Int {
            type Output = Flt;
            fn $method(self, other: Flt) -> Flt {
                Flt($Trait::$method(self.0 as f64, other.0))
            }
        }
        float_operators!(@host $Trait $method: f32, f64);
    )*};
    (@host $Trait:ident $method:ident: $($ty:ty),*) => {$(
        impl $Trait<Flt> for $ty {
            type Output = $ty;
            fn $method(self, other: Flt) -> $ty {
                $Trait::$method(self, other.0 as $ty)
            }
        }
        impl $Trait<$ty> for Flt {
            type Output = $ty;
            fn $method(self, other: $ty) -> $ty {
                $Trait::$method(self.0 as $ty, other)
            }
        }
    )*};
}

float_operators!(Add add, Sub sub, Mul mul, Div div, Rem rem);

impl Neg for Val {
    type Output = Val;
    fn neg(self) -> Val {
        match self.node {
            super::val::Node::Int(value) => Val::weak_int(-value),
            super::val::Node::Flt(value) => Val::weak_float(-value),
            super::val::Node::Value(..) | super::val::Node::Const(_) => unary(UnaryOp::Neg, self),
        }
    }
}

impl Neg for Int {
    type Output = Int;
    fn neg(self) -> Int {
        Int(-self.0)
    }
}

impl Neg for Flt {
    type Output = Flt;
    fn neg(self) -> Flt {
        Flt(-self.0)
    }
}

impl Not for Val {
    type Output = Val;
    fn not(self) -> Val {
        unary(UnaryOp::Not, self)
    }
}

impl Not for Int {
    type Output = Val;
    fn not(self) -> Val {
        unary(UnaryOp::Not, self)
    }
}
