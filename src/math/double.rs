//! Sums and products of two f32: a value as `hi + lo` with |lo| ≤ ½ ulp(hi), some 48 bits in all.
//!
//! The error-free transformations are Dekker's; with a fused multiply-add a product's error is one more
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

    /// `a + b` exactly, where |a| ≥ |b| or a = 0.
    pub fn fast_sum(a: F, b: F) -> Self {
        let hi = a + b;
        Self { hi, lo: b - (hi - a) }
    }

    /// `a · b` exactly.
    pub fn product(a: F, b: F) -> Self {
        let hi = a * b;
        Self { hi, lo: a.fma(b, -hi) }
    }
}
