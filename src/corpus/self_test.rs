//! What the comparator of a case has to reject before it is trusted.
//!
//! On entry: the oracle's bits and the references. On exit: the canary, zeros, two elements swapped and one element
//! off by four times the tolerance were each handed to the very comparisons that judge devices, and each was
//! rejected. A corruption that happens to be the right result (zeros, where zeros are expected) is none and is left
//! out. Not here: corruptions of kernels, which `mutate` makes.

use std::fmt;

use super::judge::{against_oracle, against_reference, allowance, follows_oracle, spacing, tolerance};
use super::prepare::{Expected, ExpectedBuffer, Refusal};
use crate::case::{self, Case, Expectation};
use crate::ir::{DType, Literal, host};

/// A wrong result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    /// Nothing was written.
    Canary,
    /// Zeros were written.
    Zeros,
    /// The two elements furthest apart changed places.
    Swapped(u64, u64),
    /// One element is off by four times the tolerance.
    Off(u64),
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Canary => f.write_str("the buffer as it was before the launch"),
            Self::Zeros => f.write_str("all zeros"),
            Self::Swapped(a, b) => write!(f, "elements {a} and {b} in each other's place"),
            Self::Off(index) => write!(f, "element {index} off by four times the tolerance"),
        }
    }
}

/// Tries every corruption on every comparison that the case makes.
pub(crate) fn check(case: &Case, expected: &Expected) -> Result<(), Refusal> {
    for expectation in case.expectations.iter().filter(|expectation| !expectation.is_empty()) {
        let index = case
            .buffers
            .iter()
            .position(|bound| bound.buffer.name() == expectation.name)
            .expect("a checked case has a buffer for each expectation");
        check_expectation(case, expected, index, expectation)?;
    }
    Ok(())
}

fn check_expectation(
    case: &Case,
    expected: &Expected,
    index: usize,
    expectation: &Expectation,
) -> Result<(), Refusal> {
    let subject = Subject::of(case, &expected.buffers[index], expectation);
    let before = subject.slice(&expected.buffers[index].before).to_vec();
    let right = subject.slice(&expected.buffers[index].after).to_vec();
    let zeros = vec![0; right.len()];
    let whole = [(Corruption::Canary, before), (Corruption::Zeros, zeros)];
    for (corruption, bytes) in whole.into_iter().chain(subject.swapped(&right)).chain(subject.off(&right)) {
        if bytes == right {
            continue;
        }
        let by_reference = !against_reference(case, expectation, &bytes).is_match();
        let by_oracle = !follows_oracle(case) || {
            let mut region = expected.buffers[index].after[subject.region].clone();
            region[subject.start..subject.start + bytes.len()].copy_from_slice(&bytes);
            !against_oracle(case, expected, (index, subject.region), &region).is_match()
        };
        if !(by_reference && by_oracle) {
            return Err(Refusal::Lenient { name: expectation.name.clone(), corruption });
        }
    }
    Ok(())
}

/// What an expectation speaks of, as numbers and as bytes.
struct Subject<'a> {
    case: &'a Case,
    expectation: &'a Expectation,
    values: Vec<f64>,
    region: usize,
    /// Where it starts in the region, in bytes.
    start: usize,
}

impl<'a> Subject<'a> {
    fn of(case: &'a Case, buffer: &ExpectedBuffer, expectation: &'a Expectation) -> Self {
        let dtype = expectation.dtype;
        let values = match &expectation.expected {
            case::Expected::Values(values) => values.clone(),
            case::Expected::Bits(bytes) => bytes
                .chunks_exact(dtype.size() as usize)
                .map(|element| host::value_of(Literal::from_bits(dtype, host::element_bits(element))))
                .collect(),
        };
        let end = expectation.first + expectation.len();
        let holds = |range: &std::ops::Range<u64>| range.start <= expectation.first && end <= range.end;
        let region = buffer.regions.iter().position(holds).expect("regions cover the expectations");
        let elements = expectation.first - buffer.regions[region].start;
        let start = (elements * u64::from(dtype.size())) as usize;
        Self { case, expectation, values, region, start }
    }

    fn dtype(&self) -> DType {
        self.expectation.dtype
    }

    fn size(&self) -> usize {
        self.dtype().size() as usize
    }

    fn slice<'b>(&self, regions: &'b [Vec<u8>]) -> &'b [u8] {
        &regions[self.region][self.start..self.start + self.values.len() * self.size()]
    }

    fn allowance(&self, index: usize) -> f64 {
        match self.expectation.expected {
            case::Expected::Values(_) => {
                allowance(tolerance(self.case, self.expectation), self.dtype(), self.values[index])
            }
            case::Expected::Bits(_) => 0.0,
        }
    }

    fn finite(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.values.iter().copied().enumerate().filter(|(_, value)| value.is_finite())
    }

    fn swapped(&self, right: &[u8]) -> Option<(Corruption, Vec<u8>)> {
        let (low, least) = self.finite().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let (high, greatest) = self.finite().max_by(|a, b| a.1.total_cmp(&b.1))?;
        if greatest - least <= self.allowance(low).max(self.allowance(high)) {
            return None;
        }
        let (size, mut bytes) = (self.size(), right.to_vec());
        for byte in 0..size {
            bytes.swap(low * size + byte, high * size + byte);
        }
        let first = self.expectation.first;
        Some((Corruption::Swapped(first + low as u64, first + high as u64), bytes))
    }

    /// The largest element is the one whose tolerance is widest, so that it shows a tolerance that is too wide.
    fn off(&self, right: &[u8]) -> Option<(Corruption, Vec<u8>)> {
        let (index, number) = self.finite().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
        let wrong = self.beyond(index, number)?;
        let (size, mut bytes) = (self.size(), right.to_vec());
        bytes[index * size..(index + 1) * size].copy_from_slice(&wrong.bits.to_le_bytes()[..size]);
        Some((Corruption::Off(self.expectation.first + index as u64), bytes))
    }

    /// An element of the type that lies four times the tolerance from `number`, and at least one step.
    fn beyond(&self, index: usize, number: f64) -> Option<Literal> {
        let right = host::literal_of(number, self.dtype());
        if self.dtype() == DType::Bool {
            return Some(Literal::bool(number == 0.0));
        }
        if !self.dtype().is_real() && self.allowance(index) == 0.0 {
            // A step of 1 is lost in an f64 that holds a large 64-bit integer, but not in its bits.
            return Some(Literal::from_bits(self.dtype(), right.bits ^ 1));
        }
        let distance = (4.0 * self.allowance(index)).max(spacing(self.dtype(), number));
        // Away from zero, else towards it where the type ends.
        [number + distance.copysign(number), number - distance.copysign(number)]
            .map(|wrong| host::literal_of(wrong, self.dtype()))
            .into_iter()
            .find(|wrong| host::value_of(*wrong).is_finite() && *wrong != right)
    }
}
