//! Compares results: bit by bit, or by value within a tolerance.
//!
//! A NaN made by an operation has unspecified bits, so for floats NaN equals NaN unless [`Nan::Exact`] asks otherwise
//! (cases made of moves only). By value, NaN equals NaN only where the reference has NaN, and an infinity only itself.
//! Both directions count every element; only the first mismatches are kept.

use std::fmt;

use super::memory::Buffer;
use super::value::with_float;
use crate::ir::host::element_bits;
use crate::ir::{DType, Literal};
use crate::numerics::{FAR, Float, ulp_distance, ulp_distance_bits};

/// How many mismatches a [`Comparison`] keeps.
const KEPT: usize = 8;

/// Whether two NaNs with different bits are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Nan {
    /// They are.
    #[default]
    Equal,
    /// They aren't: the kernel only moves bits.
    Exact,
}

/// How far a value may lie from its reference. One of the three has to hold.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// |a − b| ≤ relative · |b|, b being the reference.
    pub relative: f64,
    /// Steps from one number of the type to the next, counted from the rounded reference.
    pub ulps: u64,
    /// |a − b| ≤ absolute.
    pub absolute: f64,
}

impl Tolerance {
    /// The reference, rounded to the type.
    pub const EXACT: Self = Self { relative: 0.0, ulps: 0, absolute: 0.0 };

    /// A relative one.
    pub const fn relative(relative: f64) -> Self {
        Self { relative, ..Self::EXACT }
    }

    /// One in steps of the type.
    pub const fn ulps(ulps: u64) -> Self {
        Self { ulps, ..Self::EXACT }
    }

    /// An absolute one.
    pub const fn absolute(absolute: f64) -> Self {
        Self { absolute, ..Self::EXACT }
    }

    /// Whether `actual` is near enough to `expected`, `ulps` apart.
    fn admits(&self, actual: f64, expected: f64, ulps: u64) -> bool {
        if ulps != FAR && ulps <= self.ulps {
            return true;
        }
        if !actual.is_finite() || !expected.is_finite() {
            return false;
        }
        let distance = (actual - expected).abs();
        distance <= self.relative * expected.abs() || distance <= self.absolute
    }
}

/// An element that differs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mismatch {
    /// Its index.
    pub index: u64,
    /// What was computed.
    pub actual: Literal,
    /// What was expected, exactly or rounded to the type.
    pub expected: Literal,
    /// Whether the kernel never wrote it.
    pub is_unwritten: bool,
    /// Steps apart; [`FAR`] where no tolerance counts them, 0 or 1 for integers.
    pub ulps: u64,
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Elements compared.
    pub elements: u64,
    /// Elements that differ by more than allowed.
    pub mismatches: u64,
    /// The first of them.
    pub first: Vec<Mismatch>,
    /// The greatest distance of any element, allowed or not, in steps of the type.
    pub worst_ulps: u64,
    /// The lengths, where they differ: then nothing was compared.
    pub lengths: Option<(u64, u64)>,
}

impl Comparison {
    /// Whether everything is as expected.
    pub fn is_match(&self) -> bool {
        self.mismatches == 0 && self.lengths.is_none()
    }

    fn add(
        &mut self,
        index: u64,
        [actual, expected]: [Literal; 2],
        is_unwritten: bool,
        ulps: u64,
        is_equal: bool,
    ) {
        self.elements += 1;
        self.worst_ulps = self.worst_ulps.max(ulps);
        if is_equal && !is_unwritten {
            return;
        }
        self.mismatches += 1;
        if self.first.len() < KEPT {
            self.first.push(Mismatch { index, actual, expected, is_unwritten, ulps });
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((actual, expected)) = self.lengths {
            return write!(f, "{actual} elements, but {expected} are expected");
        }
        if self.mismatches == 0 {
            return write!(f, "{} elements are as expected", self.elements);
        }
        write!(f, "{} of {} elements differ", self.mismatches, self.elements)?;
        for mismatch in &self.first {
            write!(f, "\n  [{}] is {}, expected {}", mismatch.index, mismatch.actual, mismatch.expected)?;
            if mismatch.is_unwritten {
                write!(f, " (never written)")?;
            } else if mismatch.ulps != FAR && mismatch.actual.dtype.is_real() {
                write!(f, " ({} ulp apart)", mismatch.ulps)?;
            }
        }
        Ok(())
    }
}

/// Compares two results of one type bit by bit.
pub fn compare_bits(actual: &Buffer, expected: &Buffer, nan: Nan) -> Comparison {
    compare_bits_at(actual, expected, nan, 0..expected.len())
}

/// The same for some elements: those that a sample of CTAs wrote, or those of a buffer in pages that were written.
/// Indices past the end are left out.
pub fn compare_bits_at(
    actual: &Buffer,
    expected: &Buffer,
    nan: Nan,
    indices: impl IntoIterator<Item = u64>,
) -> Comparison {
    let mut comparison = Comparison::default();
    if actual.len() != expected.len() || actual.dtype() != expected.dtype() {
        comparison.lengths = Some((actual.len(), expected.len()));
        return comparison;
    }
    let dtype = actual.dtype();
    for index in indices.into_iter().filter(|&index| index < actual.len()) {
        let pair = [element(actual, index), element(expected, index)];
        let both_nan = nan == Nan::Equal && is_nan(pair[0]) && is_nan(pair[1]);
        let is_equal = (both_nan || pair[0] == pair[1]) && stray(actual, index) == stray(expected, index);
        // The two may differ in what was written, where the initial contents were equal.
        let is_unwritten = expected.is_initialised(index) && !actual.is_initialised(index);
        let ulps = if is_equal { 0 } else { distance(dtype, pair) };
        comparison.add(index, pair, is_unwritten, ulps, is_equal);
    }
    comparison
}

/// Compares a result with a reference computed in f64.
pub fn compare_values(actual: &Buffer, expected: &[f64], tolerance: &Tolerance) -> Comparison {
    let mut comparison = Comparison::default();
    if actual.len() != expected.len() as u64 {
        comparison.lengths = Some((actual.len(), expected.len() as u64));
        return comparison;
    }
    let dtype = actual.dtype();
    for (index, &value) in (0..).zip(expected) {
        let rounded = round(dtype, value);
        let found = element(actual, index);
        let ulps = distance(dtype, [found, rounded]);
        let is_equal = match (found.as_f64(), found.as_int()) {
            (Some(_), _) if stray(actual, index) != 0 => false,
            (Some(float), _) if value.is_nan() => float.is_nan(),
            (Some(float), _) => tolerance.admits(float, value, ulps),
            (None, Some(int)) => found == rounded || (int as f64 - value).abs() <= tolerance.absolute,
            (None, None) => unreachable!("a constant is a float, an integer or a bool"),
        };
        comparison.add(index, [found, rounded], !actual.is_initialised(index), ulps, is_equal);
    }
    comparison
}

fn element(buffer: &Buffer, index: u64) -> Literal {
    buffer.get(index).expect("the index runs to the buffer's length")
}

/// The bits of an element that a storage format narrower than its memory has not: zero where they were written.
fn stray(buffer: &Buffer, index: u64) -> u64 {
    let dtype = buffer.dtype();
    if dtype.storage().is_none_or(|storage| storage.mask() == storage.full()) {
        return 0;
    }
    let bytes = buffer.read(index..index + 1).expect("the index runs to the buffer's length");
    element_bits(&bytes) & !dtype.mask()
}

fn is_nan(value: Literal) -> bool {
    value.as_f64().is_some_and(f64::is_nan)
}

/// Steps apart for floats and storage formats; 0 or 1 for anything else.
fn distance(dtype: DType, [a, b]: [Literal; 2]) -> u64 {
    let unequal = u64::from(a != b);
    if let Some(storage) = dtype.storage() {
        let code = |literal: Literal| literal.bits >> storage.shift();
        return ulp_distance_bits(code(a), code(b), storage.format());
    }
    with_float!(dtype, T => ulp_distance(<T as Float>::of_bits(a.bits), <T as Float>::of_bits(b.bits)), unequal)
}

/// An f64 in the type: nearest even for floats, saturated for integers.
fn round(dtype: DType, value: f64) -> Literal {
    if dtype.storage().is_some() {
        return crate::ir::host::literal_of(value, dtype);
    }
    let bits = with_float!(dtype, T => Float::bits(<T as Float>::of_f64(value)), match crate::ir::types::int_range(dtype) {
        Some((low, high)) => (value.round_ties_even() as i128).clamp(low, high) as u64,
        None => u64::from(value != 0.0),
    });
    Literal::from_bits(dtype, bits)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    const OTHER_NAN: f32 = f32::from_bits(0xffc0_0001);

    #[test]
    fn bits_beside_a_code_are_compared_too() {
        let codes = |bytes: &[u8]| Buffer::from_bytes(DType::E2M1, bytes.to_vec());
        let comparison = compare_bits(&codes(&[0x07, 0x17]), &codes(&[0x07, 0x07]), Nan::Equal);
        assert_eq!(comparison.mismatches, 1);
        let tolerance = Tolerance::ulps(0);
        assert!(compare_values(&codes(&[0x07]), &[6.0], &tolerance).is_match());
        assert!(!compare_values(&codes(&[0x17]), &[6.0], &tolerance).is_match());
        // A NaN of e4m3 is equal to its negative.
        let nan = |byte| Buffer::from_bytes(DType::E4M3, vec![byte]);
        assert!(compare_bits(&nan(0x7f), &nan(0xff), Nan::Equal).is_match());
    }

    #[test]
    fn bits_are_compared_with_nan_equal_or_exact() {
        let actual = Buffer::from_f32(&[1.0, f32::NAN, 0.0]);
        let same = Buffer::from_f32(&[1.0, OTHER_NAN, 0.0]);
        assert!(compare_bits(&actual, &same, Nan::Equal).is_match());
        assert_eq!(compare_bits(&actual, &same, Nan::Exact).mismatches, 1);
        // The two zeros are different bits, and no NaN equals a number.
        let zeros = Buffer::from_f32(&[1.0, 1.0, -0.0]);
        let comparison = compare_bits(&actual, &zeros, Nan::Equal);
        expect![[r#"
            2 of 3 elements differ
              [1] is f32:0x7fc00000, expected 1.0f32
              [2] is 0.0f32, expected -0.0f32 (0 ulp apart)"#]]
        .assert_eq(&comparison.to_string());
    }

    #[test]
    fn an_element_that_nobody_wrote_never_matches() {
        let canary = Buffer::canary(DType::F32, 1.0f32.to_bits().to_le_bytes().to_vec());
        assert!(!compare_values(&canary, &[1.0], &Tolerance::relative(1.0)).is_match());
        assert!(!compare_bits(&canary, &Buffer::from_f32(&[1.0]), Nan::Equal).is_match());
        assert!(compare_bits(&canary, &canary, Nan::Equal).is_match());
        assert_eq!(compare_bits_at(&canary, &Buffer::from_f32(&[1.0]), Nan::Equal, [0, 1]).elements, 1);
    }

    #[test]
    fn tolerances_are_relative_or_ulps_or_absolute() {
        let next = f32::from_bits(1.0f32.to_bits() + 2);
        let actual = Buffer::from_f32(&[next]);
        for (tolerance, is_match) in [
            (Tolerance::ulps(2), true),
            (Tolerance::ulps(1), false),
            (Tolerance::relative(1e-6), true),
            (Tolerance::relative(1e-8), false),
            (Tolerance::absolute(1e-6), true),
            (Tolerance::EXACT, false),
        ] {
            assert_eq!(compare_values(&actual, &[1.0], &tolerance).is_match(), is_match, "{tolerance:?}");
        }
    }

    #[test]
    fn no_tolerance_excuses_nan_or_infinity() {
        let wide = Tolerance { relative: 1e30, ulps: FAR, absolute: 1e300 };
        let f32s = |values: &[f32]| Buffer::from_f32(values);
        assert!(!compare_values(&f32s(&[f32::NAN]), &[1.0], &wide).is_match());
        assert!(!compare_values(&f32s(&[1.0]), &[f64::NAN], &wide).is_match());
        assert!(compare_values(&f32s(&[OTHER_NAN]), &[f64::NAN], &Tolerance::EXACT).is_match());
        assert!(!compare_values(&f32s(&[f32::INFINITY]), &[f64::from(f32::MAX)], &wide).is_match());
        assert!(compare_values(&f32s(&[f32::INFINITY]), &[1e300], &Tolerance::EXACT).is_match());
        assert!(!compare_values(&f32s(&[1.0, 2.0]), &[1.0], &wide).is_match());
    }

    #[test]
    fn integers_are_exact_unless_an_absolute_tolerance_is_given() {
        let actual = Buffer::from_u32(&[5]);
        assert!(compare_values(&actual, &[5.0], &Tolerance::EXACT).is_match());
        assert!(!compare_values(&actual, &[6.0], &Tolerance::relative(1.0)).is_match());
        assert!(compare_values(&actual, &[6.0], &Tolerance::absolute(1.0)).is_match());
    }
}
