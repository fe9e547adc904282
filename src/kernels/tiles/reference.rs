//! Products of matrices in f64, from what a tile holds of its factors.

use warpsmith::case::prelude::*;

use super::super::rounding::real;

/// The values of a factor in a cooperative tile, which holds bf16 as f16.
pub(super) fn staged(x: &TestBuffer) -> Vec<f64> {
    let stage = if x.dtype() == DType::BF16 { DType::F16 } else { x.dtype() };
    x.as_f64().iter().map(|&value| real(value, stage)).collect()
}

/// a · b for a of m × k and b of k × n, row by row.
pub(super) fn product(a: &[f64], b: &[f64], [m, n, k]: [usize; 3]) -> Vec<f64> {
    let mut sums = vec![0.0; m * n];
    for row in 0..m {
        for depth in 0..k {
            let factor = a[row * k + depth];
            for column in 0..n {
                sums[row * n + column] += factor * b[depth * n + column];
            }
        }
    }
    sums
}

/// The transpose of a matrix of `rows` rows.
pub(super) fn transposed(x: &[f64], rows: usize) -> Vec<f64> {
    let columns = x.len() / rows.max(1);
    (0..x.len()).map(|i| x[i % rows * columns + i / rows]).collect()
}
