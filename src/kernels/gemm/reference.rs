//! Products in f64, in which products of narrow elements are exact and sums lose nothing that a tolerance would see.

use crate::case::TestBuffer;

/// Σ a[i, l] · b[j, l] of `m` × `k` and `n` × `k` matrices.
pub(super) fn product(a: &TestBuffer, b: &TestBuffer, [m, n, k]: [usize; 3]) -> Vec<f64> {
    let (a, b) = (a.as_f64(), b.as_f64());
    let element = |at: usize| {
        let (row, column) = (at / n, at % n);
        (0..k).map(|depth| a[row * k + depth] * b[column * k + depth]).sum()
    };
    (0..m * n).map(element).collect()
}

/// `count` elements of the product of two matrices of side `n`, spread over all of it, with their places.
pub(super) fn sampled(a: &TestBuffer, b: &TestBuffer, n: usize, count: usize) -> Vec<(u64, f64)> {
    let (a, b) = (a.as_f64(), b.as_f64());
    let element = |sample: usize| {
        // An odd multiplier meets every place once before any twice.
        let at = sample.wrapping_mul(0x9e37_79b1) % (n * n);
        let (row, column) = (at / n, at % n);
        (at as u64, (0..n).map(|depth| a[row * n + depth] * b[column * n + depth]).sum())
    };
    (0..count).map(element).collect()
}
