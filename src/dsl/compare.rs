//! Comparisons and logic where either side may be the host's: host with host stays `bool`, anything else is traced.
//!
//! [`Pair`] chooses by type: an inherent method for the types of the language, a trait's for the rest, which inherent
//! methods hide. So user types need no implementation.

use super::ops::compare;
use super::types::{bf16, f16};
use super::val::{Flt, Int, IntoVal, Val};
use crate::ir::op::{BinaryOp, CompareOp};

/// Two operands of a comparison.
#[derive(Debug)]
pub struct Pair<'a, A: ?Sized, B: ?Sized>(pub &'a A, pub &'a B);

macro_rules! traced {
    ($($method:ident $op:ident),*) => {
        impl<B: IntoVal + Copy> Pair<'_, Val, B> {
            $(
                #[doc = concat!("Traced `", stringify!($op), "`.")]
                pub fn $method(self) -> Val {
                    compare(CompareOp::$op, *self.0, *self.1)
                }
            )*
        }
        traced!(@host [$($method $op),*] Int, Flt, bool, f64, f32, f16, bf16, usize, isize, i8, i16, i32, i64, u8, u16, u32, u64);
    };
    (@host $methods:tt $($ty:ty),*) => {$(traced!(@one $methods $ty);)*};
    (@one [$($method:ident $op:ident),*] $ty:ty) => {
        impl Pair<'_, $ty, Val> {
            $(
                #[doc = concat!("Traced `", stringify!($op), "`.")]
                pub fn $method(self) -> Val {
                    compare(CompareOp::$op, *self.0, *self.1)
                }
            )*
        }
    };
}

traced!(eq_ Eq, ne_ Ne, lt_ Lt, le_ Le, gt_ Gt, ge_ Ge);

macro_rules! literal {
    ($($ty:ty),*; $lit:ident as $wide:ty) => {$(
        literal!(@methods $ty, $lit, |a: &$ty, b: &$lit| (*a as $wide, b.0 as $wide));
        literal!(@methods $lit, $ty, |a: &$lit, b: &$ty| (a.0 as $wide, *b as $wide));
    )*};
    (@methods $A:ty, $B:ty, $wide:expr) => {
        impl Pair<'_, $A, $B> {
            literal!(@method $A, $B, $wide, eq_ ==, ne_ !=, lt_ <, le_ <=, gt_ >, ge_ >=);
        }
    };
    (@method $A:ty, $B:ty, $wide:expr, $($method:ident $op:tt),*) => {$(
        #[doc = concat!("Host `", stringify!($op), "` with a literal.")]
        pub fn $method(self) -> bool {
            let (a, b) = ($wide)(self.0, self.1);
            a $op b
        }
    )*};
}

literal!(usize, isize, i8, i16, i32, i64, u8, u16, u32, u64; Int as i128);
literal!(f32, f64; Flt as f64);

/// Host with host.
pub trait HostPair {
    /// Host `==`.
    fn eq_(self) -> bool;
    /// Host `!=`.
    fn ne_(self) -> bool;
}

impl<A: PartialEq<B> + ?Sized, B: ?Sized> HostPair for Pair<'_, A, B> {
    fn eq_(self) -> bool {
        self.0 == self.1
    }
    fn ne_(self) -> bool {
        self.0 != self.1
    }
}

/// Host with host, ordered.
pub trait HostOrder {
    /// Host `<`.
    fn lt_(self) -> bool;
    /// Host `<=`.
    fn le_(self) -> bool;
    /// Host `>`.
    fn gt_(self) -> bool;
    /// Host `>=`.
    fn ge_(self) -> bool;
}

impl<A: PartialOrd<B> + ?Sized, B: ?Sized> HostOrder for Pair<'_, A, B> {
    fn lt_(self) -> bool {
        self.0 < self.1
    }
    fn le_(self) -> bool {
        self.0 <= self.1
    }
    fn gt_(self) -> bool {
        self.0 > self.1
    }
    fn ge_(self) -> bool {
        self.0 >= self.1
    }
}

/// `a && b` and `a || b`, where short-circuiting matters for host values only.
pub trait Logic<B> {
    /// `bool` where both sides are the host's, else a traced value.
    type Output;
    /// `a && b`.
    fn and(self, other: impl FnOnce() -> B) -> Self::Output;
    /// `a || b`.
    fn or(self, other: impl FnOnce() -> B) -> Self::Output;
}

impl Logic<bool> for bool {
    type Output = bool;
    fn and(self, other: impl FnOnce() -> bool) -> bool {
        self && other()
    }
    fn or(self, other: impl FnOnce() -> bool) -> bool {
        self || other()
    }
}

impl Logic<Val> for bool {
    type Output = Val;
    fn and(self, other: impl FnOnce() -> Val) -> Val {
        if self { truth(other()) } else { false.val() }
    }
    fn or(self, other: impl FnOnce() -> Val) -> Val {
        if self { true.val() } else { truth(other()) }
    }
}

impl<B: IntoVal> Logic<B> for Val {
    type Output = Val;
    fn and(self, other: impl FnOnce() -> B) -> Val {
        logic(BinaryOp::And, self, other().val())
    }
    fn or(self, other: impl FnOnce() -> B) -> Val {
        logic(BinaryOp::Or, self, other().val())
    }
}

fn truth(val: Val) -> Val {
    super::build::with(|build| build.condition(val))
}

fn logic(op: BinaryOp, a: Val, b: Val) -> Val {
    super::build::with(|build| {
        let (a, b) = (build.condition(a), build.condition(b));
        // `true && x` is x: a host side must leave no trace.
        match (op, a.as_int(), b.as_int()) {
            (BinaryOp::And, Some(1), _) | (BinaryOp::Or, Some(0), _) => b,
            (BinaryOp::And, _, Some(1)) | (BinaryOp::Or, _, Some(0)) => a,
            (_, Some(known), _) | (_, _, Some(known)) => (known != 0).val(),
            (_, None, None) => build.binary(op, a, b),
        }
    })
}

/// `a && b`.
pub fn and<A: Logic<B>, B>(a: A, b: impl FnOnce() -> B) -> A::Output {
    a.and(b)
}

/// `a || b`.
pub fn or<A: Logic<B>, B>(a: A, b: impl FnOnce() -> B) -> A::Output {
    a.or(b)
}
