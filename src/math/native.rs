//! The operations on the host's own numbers, which Rust defines to be IEEE's.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Shl, Shr, Sub};

use super::ops::{Ops, Word};
use crate::numerics::Float;

/// A 32-bit word whose operators wrap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits(pub u32);

impl Ops for f32 {
    type Word = Bits;
    type Bool = bool;

    #[inline(always)]
    fn of(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn fma(self, factor: Self, addend: Self) -> Self {
        self.mul_add(factor, addend)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        f32::copysign(self, sign)
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        f32::trunc(self)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.fmin(other)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.fmax(other)
    }

    #[inline(always)]
    fn min_nan(self, other: Self) -> Self {
        self.fmin_nan(other)
    }

    #[inline(always)]
    fn max_nan(self, other: Self) -> Self {
        self.fmax_nan(other)
    }

    #[inline(always)]
    fn bits(self) -> Bits {
        Bits(if self.is_nan() { 0x7fff_ffff } else { self.to_bits() })
    }

    #[inline(always)]
    fn to_int(self) -> Bits {
        Bits((self as i32).cast_unsigned())
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn eq(self, other: Self) -> bool {
        self == other
    }

    #[inline(always)]
    fn ne(self, other: Self) -> bool {
        self != other
    }

    #[inline(always)]
    fn select(cond: bool, a: Self, b: Self) -> Self {
        if cond { a } else { b }
    }

    #[inline(always)]
    fn unless(self, cond: bool, slow: impl FnOnce() -> Self) -> Self {
        if cond { slow() } else { self }
    }

    #[inline(always)]
    fn branch(cond: bool, then: impl FnOnce() -> Self, otherwise: impl FnOnce() -> Self) -> Self {
        if cond { then() } else { otherwise() }
    }
}

macro_rules! operators {
    ($($Trait:ident $method:ident |$a:ident, $b:ident| $body:expr;)*) => {$(
        impl $Trait for Bits {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($body)
            }
        }
    )*};
}

operators! {
    Add add |a, b| a.wrapping_add(b);
    Sub sub |a, b| a.wrapping_sub(b);
    Mul mul |a, b| a.wrapping_mul(b);
    BitAnd bitand |a, b| a & b;
    BitOr bitor |a, b| a | b;
    BitXor bitxor |a, b| a ^ b;
    Shl shl |a, b| a.checked_shl(b).unwrap_or(0);
    Shr shr |a, b| a.checked_shr(b).unwrap_or(0);
}

impl Not for Bits {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Word for Bits {
    type Real = f32;
    type Bool = bool;

    #[inline(always)]
    fn of(value: u32) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn real(self) -> f32 {
        f32::from_bits(self.0)
    }

    #[inline(always)]
    fn signed_to_real(self) -> f32 {
        self.0.cast_signed() as f32
    }

    #[inline(always)]
    fn to_real(self) -> f32 {
        self.0 as f32
    }

    #[inline(always)]
    fn signed_shr(self, count: Self) -> Self {
        Self((self.0.cast_signed() >> count.0.min(31)).cast_unsigned())
    }

    #[inline(always)]
    fn mul_hi(self, other: Self) -> Self {
        Self(((u64::from(self.0) * u64::from(other.0)) >> 32) as u32)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> bool {
        self.0 == other.0
    }

    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self.0 < other.0
    }

    #[inline(always)]
    fn select(cond: bool, a: Self, b: Self) -> Self {
        if cond { a } else { b }
    }
}
