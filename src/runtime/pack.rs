//! Where the parameters of an entry point stand in what `backend::pack` packs.

use crate::backend::AbiParam;
use crate::ir::Launch;

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
    use crate::backend::{AbiKind, pack};

    #[test]
    fn each_stands_at_its_own_alignment() {
        let sizes = [1u32, 4, 2, 8, 1];
        let params: Vec<AbiParam> = (0u8..)
            .zip(sizes)
            .map(|(axis, size)| AbiParam { name: format!("p{axis}"), kind: AbiKind::Extent(axis), size })
            .collect();
        let words = pack(&params, |kind| match kind {
            AbiKind::Extent(axis) => 0x1122_3344_5566_7700 + u64::from(axis),
            AbiKind::Buffer(_)
            | AbiKind::Scalar(_)
            | AbiKind::Shape(..)
            | AbiKind::Stride(..)
            | AbiKind::GridDim(_) => 0,
        });
        let (starts, end) = offsets(&params);
        assert_eq!((starts.as_slice(), end), (&[0, 4, 8, 16, 24][..], 25));
        let bytes = bytes(&words);
        assert_eq!(bytes.len(), 32);
        assert_eq!(bytes[..10], [0x00, 0, 0, 0, 0x01, 0x77, 0x66, 0x55, 0x02, 0x77]);
        assert_eq!(bytes[16..25], [0x03, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x04]);
    }
}
