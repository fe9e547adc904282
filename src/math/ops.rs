//! What a function may compute with: the operations of an f32 and of the 32-bit word of its bits.
//!
//! Every operation has the bits that `docs/semantics.md` gives it. There is one more rule: a condition that
//! [`unless`](Ops::unless) or [`branch`](Ops::branch) takes may differ from thread to thread, so that an arm must be right
//! for the threads that take it only, and what stands before it must not fault for any (nothing here can).

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

/// An f32. The operators round once to nearest even; unary minus flips the sign bit.
pub trait Ops:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A 32-bit word.
    type Word: Word<Real = Self, Bool = Self::Bool>;
    /// A condition.
    type Bool: Copy + BitAnd<Output = Self::Bool> + BitOr<Output = Self::Bool> + Not<Output = Self::Bool>;

    /// A constant.
    fn of(value: f32) -> Self;

    /// A constant by its bits, for coefficients whose last place matters.
    fn of_bits(bits: u32) -> Self {
        Self::of(f32::from_bits(bits))
    }

    /// `self · factor + addend`, rounded once.
    fn fma(self, factor: Self, addend: Self) -> Self;
    /// The square root, rounded once.
    fn sqrt(self) -> Self;
    /// The sign bit cleared.
    fn abs(self) -> Self;
    /// These bits with the sign bit of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// Toward zero.
    fn trunc(self) -> Self;
    /// The lesser; of a NaN and a number the number.
    fn min(self, other: Self) -> Self;
    /// The greater; of a NaN and a number the number.
    fn max(self, other: Self) -> Self;
    /// The lesser, or NaN where either is.
    fn min_nan(self, other: Self) -> Self;
    /// The greater, or NaN where either is.
    fn max_nan(self, other: Self) -> Self;

    /// The bits. Those of a NaN that an operation made are 7FFFFFFF.
    fn bits(self) -> Self::Word;
    /// Truncated to a signed integer, clamped to its range; 0 of a NaN.
    fn to_int(self) -> Self::Word;

    /// `self < other`; false with a NaN, as the next three.
    fn lt(self, other: Self) -> Self::Bool;
    /// `self ≤ other`.
    fn le(self, other: Self) -> Self::Bool;
    /// `self > other`.
    fn gt(self, other: Self) -> Self::Bool {
        other.lt(self)
    }
    /// `self ≥ other`.
    fn ge(self, other: Self) -> Self::Bool {
        other.le(self)
    }
    /// `self = other`; false with a NaN.
    fn eq(self, other: Self) -> Self::Bool;
    /// `self ≠ other`; true with a NaN.
    fn ne(self, other: Self) -> Self::Bool;
    /// Whether it is a NaN.
    fn is_nan(self) -> Self::Bool {
        self.ne(self)
    }

    /// `a` where the condition holds, else `b`; both are computed.
    fn select(cond: Self::Bool, a: Self, b: Self) -> Self;
    /// Itself, or what `slow` gives where the condition holds; `slow` runs only there.
    fn unless(self, cond: Self::Bool, slow: impl FnOnce() -> Self) -> Self;
    /// What `then` gives where the condition holds, else what `otherwise` gives; one of them runs.
    fn branch(cond: Self::Bool, then: impl FnOnce() -> Self, otherwise: impl FnOnce() -> Self) -> Self;

    /// c₀ + x·(c₁ + x·(c₂ + …)) by Horner's rule, each step one fused multiply-add.
    fn polynomial(self, coefficients: &[f32]) -> Self {
        let (last, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
        rest.iter().rev().fold(Self::of(*last), |sum, &c| sum.fma(self, Self::of(c)))
    }
}

/// A 32-bit word: unsigned where it matters, unless the name says `signed`. The operators wrap; a shift by 32 or more
/// gives 0.
pub trait Word:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<Output = Self>
    + Shr<Output = Self>
{
    /// The f32 of such bits.
    type Real: Ops<Word = Self, Bool = Self::Bool>;
    /// A condition.
    type Bool: Copy;

    /// A constant.
    fn of(value: u32) -> Self;

    /// The f32 with these bits.
    fn real(self) -> Self::Real;
    /// The signed integer as an f32, rounded once.
    fn signed_to_real(self) -> Self::Real;
    /// The unsigned integer as an f32, rounded once.
    fn to_real(self) -> Self::Real;
    /// Shifted right, filled with the sign bit.
    fn signed_shr(self, count: Self) -> Self;
    /// The upper half of the unsigned product.
    fn mul_hi(self, other: Self) -> Self;

    /// Equality.
    fn eq(self, other: Self) -> Self::Bool;
    /// Unsigned order.
    fn lt(self, other: Self) -> Self::Bool;
    /// `a` where the condition holds, else `b`.
    fn select(cond: Self::Bool, a: Self, b: Self) -> Self;
}
