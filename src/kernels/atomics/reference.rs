//! What the kernels should compute: integers in 128 bits, wrapped at the end; extremes and sums of floats in f64.

use crate::case::TestBuffer;
use crate::ir::DType;

/// Integers wrapped to a type.
pub(super) fn integers(name: &str, values: &[i128], dtype: DType) -> TestBuffer {
    let size = dtype.size() as usize;
    let bytes = values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(size)).collect();
    TestBuffer::from_vec(name, bytes, dtype)
}

/// Elements in each bin; an element counts as its low 32 bits.
pub(super) fn histogram(x: &TestBuffer, bins: usize) -> Vec<i128> {
    let mut counts = vec![0; bins];
    for value in x.as_int() {
        counts[value.cast_unsigned() as u32 as usize % bins] += 1;
    }
    counts
}

/// Folds element i into bin i mod the number of bins.
pub(super) fn binned<T: Copy>(x: &[T], start: &[T], fold: impl Fn(T, T) -> T) -> Vec<T> {
    let mut bins = start.to_vec();
    let count = bins.len();
    for (index, &value) in x.iter().enumerate() {
        bins[index % count] = fold(bins[index % count], value);
    }
    bins
}

/// Sums of pairs, pair i in bin i mod `bins`.
pub(super) fn pair_sums(x: &[f64], bins: usize) -> Vec<f64> {
    let mut sums = vec![0.0; 2 * bins];
    for (index, value) in x.iter().enumerate() {
        sums[index / 2 % bins * 2 + index % 2] += value;
    }
    sums
}

/// The lesser; a NaN loses, and −0 is less than +0.
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a.is_nan() || (!b.is_nan() && b.total_cmp(&a).is_lt()) { b } else { a }
}

/// The greater; a NaN loses, and +0 is greater than −0.
pub(super) fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || (!b.is_nan() && b.total_cmp(&a).is_gt()) { b } else { a }
}

/// Least and greatest of each bin, as buffers of these names.
pub(super) fn extremes(x: &TestBuffer, starts: [&TestBuffer; 2]) -> [TestBuffer; 2] {
    let dtype = x.dtype();
    let [least, greatest] = starts;
    let (low, high) = (least.name(), greatest.name());
    if dtype.is_float() {
        let x = x.as_f64();
        return [
            TestBuffer::from_f64(low, &binned(&x, &least.as_f64(), lesser), dtype),
            TestBuffer::from_f64(high, &binned(&x, &greatest.as_f64(), greater), dtype),
        ];
    }
    let x = x.as_int();
    [
        integers(low, &binned(&x, &least.as_int(), i128::min), dtype),
        integers(high, &binned(&x, &greatest.as_int(), i128::max), dtype),
    ]
}

/// The same, a bin for each run of `n` elements, without a start.
pub(super) fn extremes_of_runs(x: &TestBuffer, n: usize) -> [TestBuffer; 2] {
    let dtype = x.dtype();
    if dtype.is_float() {
        let x = x.as_f64();
        let of = |fold: fn(f64, f64) -> f64| -> Vec<f64> {
            x.chunks(n).map(|run| run.iter().copied().reduce(fold).unwrap_or(0.0)).collect()
        };
        return [
            TestBuffer::from_f64("least", &of(lesser), dtype),
            TestBuffer::from_f64("greatest", &of(greater), dtype),
        ];
    }
    let x = x.as_int();
    let of = |fold: fn(i128, i128) -> i128| -> Vec<i128> {
        x.chunks(n).map(|run| run.iter().copied().reduce(fold).unwrap_or(0)).collect()
    };
    [integers("least", &of(i128::min), dtype), integers("greatest", &of(i128::max), dtype)]
}

/// Sums of runs of `n` elements.
pub(super) fn run_sums(x: &TestBuffer, n: usize) -> Vec<i128> {
    x.as_int().chunks(n).map(|run| run.iter().sum()).collect()
}

/// Sums up to the end of each run of `n` elements.
pub(super) fn running_sums(x: &TestBuffer, n: usize) -> Vec<i128> {
    let mut sum = 0;
    let sums = run_sums(x, n).into_iter().map(|run| {
        sum += run;
        sum
    });
    sums.collect()
}
