//! Which elements of a buffer are compared, and how they get to a device.
//!
//! On entry: a buffer of a case. On exit: a list of element ranges. A buffer with contents or a canary is compared
//! whole. Of a sparse one, which may be larger than memory, the pieces given and those that a reference speaks of are
//! compared: the rest can't be held in memory, let alone compared. Not here: comparing.

use std::ops::Range;

use crate::case::{Case, CaseBuffer, Contents, canary_byte};
use crate::oracle::{Background, Buffer};

/// The ranges of elements that are compared.
pub(crate) fn regions(case: &Case, bound: &CaseBuffer) -> Vec<Range<u64>> {
    let buffer = &bound.buffer;
    match buffer.contents() {
        Contents::Bytes(_) | Contents::Canary | Contents::Scalar(_) => {
            std::iter::once(0..buffer.len()).collect()
        }
        Contents::Sparse { pieces, .. } => {
            let size = u64::from(buffer.dtype().size());
            let given = pieces.iter().map(|(first, bytes)| *first..first + bytes.len() as u64 / size);
            let mut all: Vec<_> = given.chain(expected(case, buffer.name())).collect();
            all.sort_by_key(|range| (range.start, range.end));
            all.dedup();
            all
        }
    }
}

fn expected<'a>(case: &'a Case, name: &'a str) -> impl Iterator<Item = Range<u64>> + 'a {
    let of_buffer = case.expectations.iter().filter(move |expectation| expectation.name == name);
    of_buffer.map(|expectation| expectation.first..expectation.first + expectation.len())
}

/// The buffer before the launch, as the oracle takes it.
pub(crate) fn initial(bound: &CaseBuffer) -> Buffer {
    let (dtype, len) = (bound.buffer.dtype(), bound.buffer.len());
    let bytes = (len * u64::from(dtype.size())) as usize;
    match bound.buffer.contents() {
        Contents::Bytes(bytes) => Buffer::from_bytes(dtype, bytes.clone()),
        Contents::Canary => Buffer::canary(dtype, vec![canary_byte(dtype); bytes]),
        Contents::Scalar(scalar) => Buffer::from_literals(dtype, &[scalar.0]),
        Contents::Sparse { pieces, zeroed } => {
            let background = if *zeroed { Background::Zeros } else { Background::Uninitialised };
            let mut buffer = Buffer::sparse(dtype, len, background);
            for (first, bytes) in pieces {
                let fits = buffer.write(*first, bytes);
                debug_assert!(fits, "the case's check refused pieces outside their buffer");
            }
            buffer
        }
    }
}

/// The bytes of a range; the canary stands where a sparse buffer holds nothing.
pub(crate) fn bytes_of(buffer: &Buffer, range: &Range<u64>) -> Vec<u8> {
    buffer.read(range.clone()).expect("ranges of a case lie in its buffers")
}
