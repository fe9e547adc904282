//! How far a result may be from its reference.

use std::fmt;

use crate::dsl::literal;
use crate::ir::{DType, Literal};

/// How far a result may be from its reference. Zero of any kind is exact.
///
/// A NaN passes only where the reference has one, and an infinity only as itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// |result − reference| ≤ amount · |reference|.
    Rel(f64),
    /// At most that many representable values of the result's type lie between them.
    Ulp(u64),
    /// |result − reference| ≤ amount, whatever the reference's size: shown in `list`.
    Abs(f64),
}

impl Tolerance {
    /// Only the reference itself, rounded to the type.
    pub const EXACT: Self = Self::Ulp(0);

    /// Whether a result, given by its bits, is near enough.
    pub fn accepts(self, result: Literal, reference: f64) -> bool {
        let dtype = result.dtype;
        let want = rounded(reference, dtype);
        let value = value_of(result);
        if value.is_nan() || reference.is_nan() {
            return value.is_nan() && reference.is_nan();
        }
        if value == reference || value == value_of(want) {
            return true;
        }
        if value.is_infinite() || value_of(want).is_infinite() {
            return false;
        }
        let apart = (value - reference).abs();
        match self {
            Self::Rel(amount) => apart <= amount * reference.abs(),
            Self::Abs(amount) => apart <= amount,
            Self::Ulp(count) => rank(result).abs_diff(rank(want)) <= u128::from(count),
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rel(amount) => write!(f, "rel({amount:e})"),
            Self::Ulp(count) => write!(f, "ulp({count})"),
            Self::Abs(amount) => write!(f, "abs({amount:e})"),
        }
    }
}

/// A number in a type, rounded once; integers saturate.
pub(crate) fn rounded(value: f64, dtype: DType) -> Literal {
    if let Some(literal) = literal::float(value, dtype) {
        return literal;
    }
    let (low, high) = crate::ir::types::int_range(dtype).unwrap_or((0, 1));
    let whole = if value.is_nan() { 0 } else { (value as i128).clamp(low, high) };
    Literal::from_bits(dtype, whole as u64)
}

/// The number that a literal is; 64-bit integers lose their last bits.
pub(crate) fn value_of(literal: Literal) -> f64 {
    literal.as_f64().or_else(|| literal.as_int().map(|int| int as f64)).unwrap_or(f64::NAN)
}

/// The position among the type's values in ascending order.
fn rank(literal: Literal) -> i128 {
    if let Some(int) = literal.as_int() {
        return int;
    }
    let sign = 1u64 << (literal.dtype.bits() - 1);
    let magnitude = i128::from(literal.bits & !sign);
    if literal.bits & sign == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_edge() {
        let f32 = |value: f32| Literal::f32(value);
        assert!(Tolerance::Rel(1e-3).accepts(f32(1000.5), 1000.0));
        assert!(!Tolerance::Rel(1e-3).accepts(f32(1002.0), 1000.0));
        assert!(Tolerance::Ulp(1).accepts(f32(1.0f32.next_up()), 1.0));
        assert!(!Tolerance::Ulp(1).accepts(f32(1.0f32.next_up().next_up()), 1.0));
        assert!(Tolerance::Abs(0.1).accepts(f32(0.05), 0.0));
        assert!(!Tolerance::Abs(0.1).accepts(f32(0.2), 0.0));
    }

    #[test]
    fn nan_and_infinity_pass_only_where_they_are_expected() {
        let wide = Tolerance::Rel(1e9);
        assert!(wide.accepts(Literal::f32(f32::NAN), f64::NAN));
        assert!(!wide.accepts(Literal::f32(f32::NAN), 1.0));
        assert!(!wide.accepts(Literal::f32(1.0), f64::NAN));
        assert!(!wide.accepts(Literal::f32(f32::INFINITY), 1.0));
        assert!(wide.accepts(Literal::f32(f32::INFINITY), f64::INFINITY));
        // The reference overflows the type.
        assert!(Tolerance::EXACT.accepts(Literal::from_bits(DType::F16, 0x7c00), 1e9));
    }
}
