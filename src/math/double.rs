//! Sums and products of two f32: a value as `hi + lo` with |lo| ≤ ½ ulp(hi), some 48 bits in all.
//!
//! The error-free transformations are Dekker's and Knuth's; with a fused multiply-add a product's error is one more
//! operation. They hold while nothing overflows and no error term is subnormal.

use super::ops::Ops;

/// `hi + lo`, unevaluated.
#[derive(Clone, Copy, Debug)]
pub struct Double<F> {
    /// The sum rounded to f32.
    pub hi: F,
    /// What is left.
    pub lo: F,
}

impl<F: Ops> Double<F> {
    /// The same value.
    pub fn new(hi: F, lo: F) -> Self {
        Self { hi, lo }
    }

    /// A single f32.
    pub fn of(hi: F) -> Self {
        Self { hi, lo: F::of(0.0) }
    }

    /// A constant from its two parts.
    pub fn constant(hi: f32, lo: f32) -> Self {
        Self { hi: F::of(hi), lo: F::of(lo) }
    }

    /// `a + b` exactly, where |a| ≥ |b| or a = 0.
    pub fn fast_sum(a: F, b: F) -> Self {
        let hi = a + b;
        Self { hi, lo: b - (hi - a) }
    }

    /// `a + b` exactly.
    pub fn sum(a: F, b: F) -> Self {
        let hi = a + b;
        let from_b = hi - a;
        Self { hi, lo: (a - (hi - from_b)) + (b - from_b) }
    }

    /// `a · b` exactly.
    pub fn product(a: F, b: F) -> Self {
        let hi = a * b;
        Self { hi, lo: a.fma(b, -hi) }
    }

    /// The sum, to about 2⁻⁴⁶ of the greater operand.
    pub fn add(self, other: Self) -> Self {
        let sum = Self::sum(self.hi, other.hi);
        Self::fast_sum(sum.hi, sum.lo + (self.lo + other.lo))
    }

    /// The sum with one f32.
    pub fn add_single(self, other: F) -> Self {
        let sum = Self::sum(self.hi, other);
        Self::fast_sum(sum.hi, sum.lo + self.lo)
    }

    /// The product, to about 2⁻⁴⁶.
    pub fn mul(self, other: Self) -> Self {
        let product = Self::product(self.hi, other.hi);
        let cross = self.hi.fma(other.lo, self.lo * other.hi);
        Self::fast_sum(product.hi, product.lo + cross)
    }

    /// The product with one f32.
    pub fn mul_single(self, other: F) -> Self {
        let product = Self::product(self.hi, other);
        Self::fast_sum(product.hi, self.lo.fma(other, product.lo))
    }

    /// The quotient, to about 2⁻⁴⁵.
    pub fn div(self, other: Self) -> Self {
        let quotient = self.hi / other.hi;
        // What is left after the first digit, exactly but for the lower parts.
        let rest = (-quotient).fma(other.hi, self.hi);
        let rest = rest + ((-quotient).fma(other.lo, self.lo));
        Self::fast_sum(quotient, rest / other.hi)
    }

    /// The negated value.
    pub fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }

    /// Rounded to one f32.
    pub fn value(self) -> F {
        self.hi + self.lo
    }
}
