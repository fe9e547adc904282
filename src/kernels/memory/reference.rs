//! Where each element should have gone, byte for byte.

use crate::case::TestBuffer;

fn elements(x: &TestBuffer) -> Vec<&[u8]> {
    x.bytes().unwrap_or_default().chunks_exact(x.dtype().size() as usize).collect()
}

/// x under another name.
pub(super) fn copy(x: &TestBuffer) -> TestBuffer {
    picked(x, 0..x.len() as usize)
}

/// The elements of x at these indices.
pub(in crate::kernels) fn picked(x: &TestBuffer, indices: impl IntoIterator<Item = usize>) -> TestBuffer {
    let all = elements(x);
    let bytes = indices.into_iter().flat_map(|index| all[index].to_vec()).collect();
    TestBuffer::from_vec("out", bytes, x.dtype())
}

/// The elements of a view of x, row after row.
pub(in crate::kernels) fn viewed<const N: usize>(
    x: &TestBuffer,
    shape: [usize; N],
    strides: [usize; N],
) -> TestBuffer {
    let count: usize = shape.iter().product();
    let place = |mut number: usize| {
        let mut place = 0;
        for axis in (0..N).rev() {
            place += number % shape[axis] * strides[axis];
            number /= shape[axis];
        }
        place
    };
    picked(x, (0..count).map(place))
}
