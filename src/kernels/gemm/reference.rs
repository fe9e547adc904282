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
