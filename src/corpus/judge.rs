//! Compares what a device left in its buffers with the oracle's bits and with the reference.
//!
//! On entry: the regions of each buffer, of the declared length. On exit: every byte of them was looked at, those that
//! nobody should have written included. A NaN equals a NaN in a float result, because its sign and payload are
//! unspecified; nothing else is excused. Not here: what a comparator has to reject to be trusted (`self_test`).

use super::prepare::Expected;
use crate::case::{self, Case, Expectation, Tolerance};
use crate::ir::{DType, Literal, host};
use crate::oracle::Buffer;
use crate::oracle::compare::{self, Comparison, Nan, compare_bits, compare_values};

/// What was found in the buffers of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Judgement {
    /// One text for each region that is not as it should be.
    pub(crate) faults: Vec<String>,
    /// The greatest distance from a reference.
    pub(crate) worst_ulps: Option<u64>,
}

/// A buffer of a case as a device left it: the bytes of each region.
pub(crate) type Left = Vec<Vec<u8>>;

/// Whether the oracle says what a device owes: its very bits, or within the tolerance of an approximation.
pub(crate) fn follows_oracle(case: &Case) -> bool {
    case.unordered.is_none()
}

/// Judges the buffers of a case, in the order of its arguments.
pub(crate) fn judge(case: &Case, expected: &Expected, left: &[Left]) -> Judgement {
    let mut judgement = Judgement::default();
    for (index, (bound, regions)) in case.buffers.iter().zip(left).enumerate() {
        // A buffer that is only read has to be what it was, whatever the kernel is excused from.
        if bound.written && !case.guard && !follows_oracle(case) {
            continue;
        }
        for (region, bytes) in regions.iter().enumerate() {
            let comparison = against_oracle(case, expected, (index, region), bytes);
            if !comparison.is_match() {
                let what =
                    if bound.written { "differs from the oracle" } else { "is only read, but was written" };
                judgement.faults.push(format!("`{}` {what}: {comparison}", bound.buffer.name()));
            }
        }
    }
    for expectation in &case.expectations {
        let bytes = part(case, expected, left, expectation);
        let comparison = against_reference(case, expectation, bytes);
        judgement.worst_ulps = judgement.worst_ulps.max(Some(comparison.worst_ulps));
        if !comparison.is_match() {
            let name = &expectation.name;
            judgement.faults.push(format!("`{name}` differs from the reference: {comparison}"));
        }
    }
    judgement
}

/// The bytes that a reference speaks of.
fn part<'a>(case: &Case, expected: &Expected, left: &'a [Left], expectation: &Expectation) -> &'a [u8] {
    let named = |name: &str| case.buffers.iter().position(|bound| bound.buffer.name() == name);
    let index = named(&expectation.name).expect("a checked case has a buffer for each expectation");
    let (first, end) = (expectation.first, expectation.first + expectation.len());
    let holds = |range: &std::ops::Range<u64>| range.start <= first && end <= range.end;
    let region = expected.buffers[index].regions.iter().position(holds);
    let region = region.expect("the regions of a buffer cover its expectations");
    let size = u64::from(expectation.dtype.size());
    let start = expected.buffers[index].regions[region].start;
    &left[index][region][((first - start) * size) as usize..((end - start) * size) as usize]
}

/// Over a whole region: bit by bit, or the floats that an approximate kernel writes within its tolerance.
pub(crate) fn against_oracle(
    case: &Case,
    expected: &Expected,
    (index, region): (usize, usize),
    actual: &[u8],
) -> Comparison {
    let bound = &case.buffers[index];
    let dtype = bound.buffer.dtype();
    // Only a result of arithmetic has unspecified NaN bits: what is only read keeps them.
    let nan = if bound.written { Nan::Equal } else { Nan::Exact };
    let after = &expected.buffers[index].after[region];
    if let (Some((_, tolerance)), true, false) = (&case.approx, bound.written && dtype.is_float(), case.guard)
    {
        let elements = after.chunks_exact(dtype.size() as usize).map(host::element_bits);
        let values: Vec<f64> = elements.map(|bits| host::value_of(Literal::from_bits(dtype, bits))).collect();
        return compare_values(
            &Buffer::from_bytes(dtype, actual.to_vec()),
            &values,
            &for_comparison(*tolerance),
        );
    }
    let wanted = Buffer::from_bytes(dtype, after.clone());
    compare_bits(&Buffer::from_bytes(dtype, actual.to_vec()), &wanted, nan)
}

/// Within the tolerance.
pub(crate) fn against_reference(case: &Case, expectation: &Expectation, actual: &[u8]) -> Comparison {
    let buffer = Buffer::from_bytes(expectation.dtype, actual.to_vec());
    match &expectation.expected {
        case::Expected::Values(values) => {
            compare_values(&buffer, values, &for_comparison(tolerance(case, expectation)))
        }
        case::Expected::Bits(bytes) => {
            let wanted = Buffer::from_bytes(expectation.dtype, bytes.clone());
            compare_bits(&buffer, &wanted, Nan::Equal)
        }
    }
}

/// The tolerance of an expectation: that of the approximation where there is one, else its own, else none.
pub(crate) fn tolerance(case: &Case, expectation: &Expectation) -> Tolerance {
    match &case.approx {
        Some((_, tolerance)) => *tolerance,
        None => expectation.tolerance.unwrap_or(Tolerance::EXACT),
    }
}

fn for_comparison(tolerance: Tolerance) -> compare::Tolerance {
    match tolerance {
        Tolerance::Rel(relative) => compare::Tolerance::relative(relative),
        Tolerance::Ulp(ulps) => compare::Tolerance::ulps(ulps),
        Tolerance::Abs(absolute) => compare::Tolerance::absolute(absolute),
    }
}

/// How far a tolerance lets an element of `dtype` lie from `value`, as a number.
pub(crate) fn allowance(tolerance: Tolerance, dtype: DType, value: f64) -> f64 {
    match tolerance {
        Tolerance::Abs(absolute) => absolute,
        Tolerance::Rel(_) | Tolerance::Ulp(_) if !dtype.is_real() => 0.0,
        Tolerance::Rel(relative) => relative * value.abs(),
        Tolerance::Ulp(ulps) => ulps as f64 * spacing(dtype, value),
    }
}

/// From the element nearest to `value` to the next of its type, away from zero.
pub(crate) fn spacing(dtype: DType, value: f64) -> f64 {
    if !dtype.is_real() {
        return 1.0;
    }
    let at = host::literal_of(value.abs(), dtype);
    let neighbour = |bits| host::value_of(Literal::from_bits(dtype, bits));
    let up = neighbour(at.bits + 1) - host::value_of(at);
    if up.is_finite() { up } else { host::value_of(at) - neighbour(at.bits.saturating_sub(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_is_in_the_units_of_the_value() {
        assert_eq!(allowance(Tolerance::Abs(0.5), DType::I32, 7.0), 0.5);
        assert_eq!(allowance(Tolerance::Rel(1e-3), DType::F32, -1e6), 1e3);
        assert_eq!(allowance(Tolerance::Rel(1.0), DType::I32, 7.0), 0.0);
        assert_eq!(allowance(Tolerance::Ulp(3), DType::F32, 1.0), 3.0 * f64::from(f32::EPSILON));
        assert_eq!(spacing(DType::F16, 65504.0), 32.0);
        assert_eq!(spacing(DType::F32, 0.0), f64::from(f32::from_bits(1)));
    }
}
