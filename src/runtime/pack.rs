//! Parameters of an entry point as bytes, each at its own alignment.

use crate::backend::{AbiKind, AbiParam};
use crate::ir::Launch;

/// What a launch passes for the parameters of a kernel.
pub(super) trait Values {
    /// The 64 bits for a kind; those above the parameter's size are not passed.
    fn value(&self, kind: AbiKind) -> u64;
}

/// The parameters in words, padded at the end; the unit is a word so that every value stands aligned in memory.
pub(super) fn pack(params: &[AbiParam], values: &impl Values) -> Vec<u64> {
    let mut bytes: Vec<u8> = Vec::new();
    for param in params {
        let size = param.size.clamp(1, 8) as usize;
        bytes.resize(bytes.len().next_multiple_of(size), 0);
        bytes.extend_from_slice(&values.value(param.kind).to_le_bytes()[..size]);
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let words = bytes.chunks_exact(8);
    words.map(|word| word.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))).collect()
}

/// Where each parameter begins, in bytes, and where the last one ends.
pub(super) fn offsets(params: &[AbiParam]) -> (Vec<usize>, usize) {
    let mut end = 0usize;
    let mut starts = Vec::with_capacity(params.len());
    for param in params {
        let size = param.size.clamp(1, 8) as usize;
        let start = end.next_multiple_of(size);
        starts.push(start);
        end = start + size;
    }
    (starts, end)
}

/// The bytes of packed words.
pub(super) fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The exact extent on an axis, as the entry takes it: the first is linear where the class is.
pub(super) fn extent(launch: &Launch, axis: u8, linear: bool) -> u64 {
    let extent = launch.extent.unwrap_or([0; 3]);
    if linear { extent.iter().product() } else { extent[usize::from(axis)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbered;

    impl Values for Numbered {
        fn value(&self, kind: AbiKind) -> u64 {
            match kind {
                AbiKind::Extent(axis) => 0x1122_3344_5566_7700 + u64::from(axis),
                AbiKind::Buffer(_)
                | AbiKind::Scalar(_)
                | AbiKind::Shape(..)
                | AbiKind::Stride(..)
                | AbiKind::GridDim(_) => 0,
            }
        }
    }

    #[test]
    fn each_stands_at_its_own_alignment() {
        let sizes = [1u32, 4, 2, 8, 1];
        let params: Vec<AbiParam> = (0u8..)
            .zip(sizes)
            .map(|(axis, size)| AbiParam { name: format!("p{axis}"), kind: AbiKind::Extent(axis), size })
            .collect();
        let words = pack(&params, &Numbered);
        let (starts, end) = offsets(&params);
        assert_eq!((starts.as_slice(), end), (&[0, 4, 8, 16, 24][..], 25));
        let bytes = bytes(&words);
        assert_eq!(bytes.len(), 32);
        assert_eq!(bytes[..10], [0x00, 0, 0, 0, 0x01, 0x77, 0x66, 0x55, 0x02, 0x77]);
        assert_eq!(bytes[16..25], [0x03, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x04]);
    }
}
