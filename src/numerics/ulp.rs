//! How far two results lie apart, counted in representable numbers.
//!
//! This is the comparator's measure, not an operation of a kernel.

use super::float::Float;
use super::format::Format;

/// The distance between things that no tolerance may join: a NaN and a number, an infinity and anything else.
pub const FAR: u64 = u64::MAX;

/// How many steps from one number to the next lead from `a` to `b`.
///
/// −0 and +0 are one number. NaN is 0 from NaN and [`FAR`] from anything else. An infinity is 0 from itself and
/// [`FAR`] from anything else: a tolerance must not excuse an overflow.
#[inline]
pub fn ulp_distance<F: Float>(a: F, b: F) -> u64 {
    ulp_distance_bits(a.bits(), b.bits(), F::FORMAT)
}

/// [`ulp_distance`] on bits of any format.
#[inline]
pub const fn ulp_distance_bits(a: u64, b: u64, format: Format) -> u64 {
    let (a_magnitude, b_magnitude) = (a & format.magnitude_mask(), b & format.magnitude_mask());
    let (a_negative, b_negative) = (a & format.sign_mask() != 0, b & format.sign_mask() != 0);
    let is_same_infinity = a_magnitude == b_magnitude && a_negative == b_negative;
    let limit = format.max_finite();
    if a_magnitude > limit || b_magnitude > limit {
        let are_nan = is_nan(a_magnitude, format) && is_nan(b_magnitude, format);
        return if are_nan || is_same_infinity { 0 } else { FAR };
    }
    if a_negative == b_negative { a_magnitude.abs_diff(b_magnitude) } else { a_magnitude + b_magnitude }
}

const fn is_nan(magnitude: u64, format: Format) -> bool {
    match format.infinity() {
        Some(infinity) => magnitude > infinity,
        None => magnitude > format.max_finite(),
    }
}
