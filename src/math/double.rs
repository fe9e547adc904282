//! Sums and products of two f32: a value as `hi + lo` with |lo| ≤ ½ ulp(hi), some 48 bits in all.
//!
//! The error-free transformations are Dekker's; with a fused multiply-add a product's error is one more
//! operation. They hold while nothing overflows and no error term is subnormal.

use super::ops::Ops;

/// `hi + lo`, unevaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Double<F> {
    /// The sum rounded to f32.
    pub(super) hi: F,
    /// What is left.
    pub(super) lo: F,
}

impl<F: Ops> Double<F> {
    /// The same value.
    pub(super) fn new(hi: F, lo: F) -> Self {
        Self { hi, lo }
    }

    /// `a + b` exactly, where |a| ≥ |b| or a = 0.
    pub(super) fn fast_sum(a: F, b: F) -> Self {
        let hi = a + b;
        Self { hi, lo: b - (hi - a) }
    }

    /// `a · b` exactly.
    pub(super) fn product(a: F, b: F) -> Self {
        let hi = a * b;
        Self { hi, lo: a.fma(b, -hi) }
    }
}
