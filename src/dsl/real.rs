//! The operations of `math` on traced values: a function of reals becomes operations of the kernel that is being built.
//!
//! On entry every operand is an `f32` (a [`Real`]) or a `u32` (a [`Bits`](math::Word)); the words of `dsl::transcendental`
//! see to that. Each operation is emitted as it is, at the place of the call.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

use super::build::{Build, with};
use super::val::Val;
use crate::ir::op::{
    Binary, BinaryOp, Bitcast, Compare, CompareOp, Fma, LocalGet, LocalSet, Op, Select, Unary, UnaryOp,
};
use crate::ir::{DType, Literal, RegionId};
use crate::math::{Ops, Word};

/// A traced `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real(pub(crate) Val);

/// A traced `u32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits(Val);

/// A traced `bool`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bool(Val);

fn emit(op: impl FnOnce(&mut Build) -> Op) -> Val {
    with(|build| {
        let op = op(build);
        build.value(op)
    })
}

fn unary(op: UnaryOp, a: Val) -> Val {
    emit(|build| Unary { op, a: build.id(a) }.into())
}

fn binary(op: BinaryOp, a: Val, b: Val) -> Val {
    with(|build| build.binary(op, a, b))
}

fn compare(op: CompareOp, a: Val, b: Val) -> Bool {
    Bool(emit(|build| Compare { op, a: build.id(a), b: build.id(b) }.into()))
}

fn select(cond: Bool, a: Val, b: Val) -> Val {
    emit(|build| Select { cond: build.id(cond.0), a: build.id(a), b: build.id(b) }.into())
}

fn convert(a: Val, to: DType) -> Val {
    with(|build| build.convert(a, to))
}

fn bitcast(a: Val, to: DType) -> Val {
    emit(|build| Bitcast { to, a: build.id(a) }.into())
}

/// A region in which `run` emits and whose value goes to a variable.
fn arm(local: crate::ir::LocalId, run: impl FnOnce() -> Real) -> RegionId {
    let region = with(Build::open);
    let value = run();
    with(|build| {
        let value = build.id(value.0);
        build.ir.push(LocalSet { local, value });
        build.close();
    });
    region
}

fn variable() -> crate::ir::LocalId {
    with(|build| build.ir.local(None, DType::F32))
}

fn join(cond: Bool, local: crate::ir::LocalId, then: RegionId, els: RegionId) -> Real {
    Real(with(|build| {
        let cond = build.id(cond.0);
        build.ir.push_if(cond, then, els);
        build.value(LocalGet { local })
    }))
}

fn word(value: u32) -> Val {
    Val::constant(Literal::u32(value))
}

macro_rules! operators {
    ($($ty:ident: $($Trait:ident $method:ident $op:ident),*;)*) => {$($(
        impl $Trait for $ty {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self(binary(BinaryOp::$op, self.0, other.0))
            }
        }
    )*)*};
}

operators! {
    Real: Add add Add, Sub sub Sub, Mul mul Mul, Div div Div;
    Bits: Add add Add, Sub sub Sub, Mul mul Mul, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor, Shl shl Shl,
        Shr shr Shr;
    Bool: BitAnd bitand And, BitOr bitor Or;
}

impl Neg for Real {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! complement {
    ($($ty:ident),*) => {$(
        impl Not for $ty {
            type Output = Self;
            fn not(self) -> Self {
                Self(unary(UnaryOp::Not, self.0))
            }
        }
    )*};
}

complement!(Bits, Bool);

impl Ops for Real {
    type Word = Bits;
    type Bool = Bool;

    fn of(value: f32) -> Self {
        Self(Val::constant(Literal::f32(value)))
    }

    fn fma(self, factor: Self, addend: Self) -> Self {
        Self(emit(|build| Fma { a: build.id(self.0), b: build.id(factor.0), c: build.id(addend.0) }.into()))
    }

    fn sqrt(self) -> Self {
        Self(unary(UnaryOp::Sqrt, self.0))
    }

    fn abs(self) -> Self {
        Self(unary(UnaryOp::Abs, self.0))
    }

    fn copysign(self, sign: Self) -> Self {
        Self(emit(|build| Binary { op: BinaryOp::Copysign, a: build.id(self.0), b: build.id(sign.0) }.into()))
    }

    fn trunc(self) -> Self {
        Self(unary(UnaryOp::Trunc, self.0))
    }

    fn min(self, other: Self) -> Self {
        Self(binary(BinaryOp::Min, self.0, other.0))
    }

    fn max(self, other: Self) -> Self {
        Self(binary(BinaryOp::Max, self.0, other.0))
    }

    fn min_nan(self, other: Self) -> Self {
        Self(binary(BinaryOp::MinNan, self.0, other.0))
    }

    fn max_nan(self, other: Self) -> Self {
        Self(binary(BinaryOp::MaxNan, self.0, other.0))
    }

    fn bits(self) -> Bits {
        Bits(bitcast(self.0, DType::U32))
    }

    fn to_int(self) -> Bits {
        Bits(convert(convert(self.0, DType::I32), DType::U32))
    }

    fn lt(self, other: Self) -> Bool {
        compare(CompareOp::Lt, self.0, other.0)
    }

    fn le(self, other: Self) -> Bool {
        compare(CompareOp::Le, self.0, other.0)
    }

    fn eq(self, other: Self) -> Bool {
        compare(CompareOp::Eq, self.0, other.0)
    }

    fn ne(self, other: Self) -> Bool {
        compare(CompareOp::Ne, self.0, other.0)
    }

    fn select(cond: Bool, a: Self, b: Self) -> Self {
        Self(select(cond, a.0, b.0))
    }

    fn unless(self, cond: Bool, slow: impl FnOnce() -> Self) -> Self {
        let local = variable();
        with(|build| {
            let value = build.id(self.0);
            build.ir.push(LocalSet { local, value });
        });
        let then = arm(local, slow);
        let els = with(|build| {
            let region = build.open();
            build.close();
            region
        });
        join(cond, local, then, els)
    }

    fn branch(cond: Bool, then: impl FnOnce() -> Self, otherwise: impl FnOnce() -> Self) -> Self {
        let local = variable();
        let then = arm(local, then);
        let els = arm(local, otherwise);
        join(cond, local, then, els)
    }
}

impl Word for Bits {
    type Real = Real;
    type Bool = Bool;

    fn of(value: u32) -> Self {
        Self(word(value))
    }

    fn real(self) -> Real {
        Real(bitcast(self.0, DType::F32))
    }

    fn signed_to_real(self) -> Real {
        Real(convert(convert(self.0, DType::I32), DType::F32))
    }

    fn to_real(self) -> Real {
        Real(convert(self.0, DType::F32))
    }

    fn signed_shr(self, count: Self) -> Self {
        let (value, count) = (convert(self.0, DType::I32), convert(count.0, DType::I32));
        Self(convert(binary(BinaryOp::Shr, value, count), DType::U32))
    }

    fn mul_hi(self, other: Self) -> Self {
        Self(binary(BinaryOp::MulHi, self.0, other.0))
    }

    fn eq(self, other: Self) -> Bool {
        compare(CompareOp::Eq, self.0, other.0)
    }

    fn lt(self, other: Self) -> Bool {
        compare(CompareOp::Lt, self.0, other.0)
    }

    fn select(cond: Bool, a: Self, b: Self) -> Self {
        Self(select(cond, a.0, b.0))
    }
}
