//! What the kernels should compute, by the standard library's sort.

use std::cmp::Ordering;

use super::super::folds::{Number, buffer};
use crate::case::TestBuffer;
use crate::ir::{DType, Literal};

/// Floats by their total order, on their bits: a NaN that is widened may become another.
fn order(a: &Literal, b: &Literal) -> Ordering {
    if a.dtype == DType::F32 {
        let [a, b] = [a, b].map(|literal| f32::from_bits(literal.bits as u32));
        return a.total_cmp(&b);
    }
    a.as_int().cmp(&b.as_int())
}

/// Each row of `n` in order, and where its elements stood.
pub(super) fn sorted(x: &TestBuffer, n: usize, name: &str) -> (TestBuffer, TestBuffer) {
    let (size, mut bytes, mut places) = (x.dtype().size() as usize, Vec::new(), Vec::new());
    for row in x.literals().chunks(n) {
        let mut at: Vec<_> = (0..row.len()).collect();
        at.sort_by(|&a, &b| order(&row[a], &row[b]));
        bytes.extend(at.iter().flat_map(|&at| row[at].bits.to_le_bytes().into_iter().take(size)));
        places.extend(at.into_iter().map(|at| Number::Int(at as i128)));
    }
    (TestBuffer::from_vec(name, bytes, x.dtype()), buffer("places", &places, DType::U32))
}
