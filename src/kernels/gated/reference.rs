//! What the kernels should compute, in f64; what is a function's argument is rounded to f32, as in the kernel.

use super::super::rounding::real;
use crate::case::TestBuffer;
use crate::ir::DType;

/// f(a, b) for the pairs of each row of 2 · n, which stand in halves or side by side.
pub(super) fn gated(x: &TestBuffer, n: usize, is_pairs: bool, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let of_row = |row: &[f64]| -> Vec<f64> {
        let operands = |i: usize| if is_pairs { (row[2 * i], row[2 * i + 1]) } else { (row[i], row[n + i]) };
        (0..n).map(operands).map(|(a, b)| f(a, b)).collect()
    };
    x.as_f64().chunks((2 * n).max(1)).flat_map(of_row).collect()
}

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub(super) fn silu(x: f64) -> f64 {
    x / (1.0 + (-x).exp())
}

/// ½x(1 + tanh u) = x/(1 + e⁻²ᵘ), which doesn't cancel for negative x; u is held to ±15.
pub(super) fn gelu(x: f64) -> f64 {
    let u = (0.797_884_560_8 * (x + 0.044_715 * x * x * x)).clamp(-15.0, 15.0);
    x / (1.0 + (-2.0 * u).exp())
}

/// ½x(1 + erf(x/√2)) = ½x·erfc(−x/√2).
pub(super) fn gelu_erf(x: f64) -> f64 {
    0.5 * x * erfc(-x / std::f64::consts::SQRT_2)
}

/// max(x, 0); NaN of a NaN.
pub(super) fn relu(x: f64) -> f64 {
    if x.is_nan() || x > 0.0 { x } else { 0.0 }
}

/// No more than `bound`; NaN of a NaN.
pub(super) fn at_most(x: f64, bound: f64) -> f64 {
    if x > bound { bound } else { x }
}

/// Within ± `bound`; NaN of a NaN.
pub(super) fn held(x: f64, bound: f64) -> f64 {
    if x < -bound { -bound } else { at_most(x, bound) }
}

/// g · sigmoid(alpha · g) · (u + 1), with both clamped.
pub(super) fn biased(a: f64, b: f64, alpha: f64, limit: f64) -> f64 {
    let (gate, up) = (at_most(a, limit), held(b, limit));
    gate * sigmoid(real(alpha * gate, DType::F32)) * real(up + 1.0, DType::F32)
}

/// The complement of the error function to some 1e-14 of itself: the series of erf with positive terms
/// (Abramowitz & Stegun 7.1.6) below 2, the continued fraction (7.1.14) from there on.
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    let density = (-x * x).exp() / std::f64::consts::PI.sqrt();
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for n in 1..60 {
            term *= 2.0 * x * x / f64::from(2 * n + 1);
            sum += term;
        }
        return 1.0 - 2.0 * density * sum;
    }
    if density == 0.0 {
        return density;
    }
    let fraction = (1..120).rev().fold(x, |below, k| x + f64::from(k) / 2.0 / below);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erfc_is_what_tables_say() {
        // Abramowitz & Stegun, tables 7.1 and 7.3, and the same to more digits.
        let table = [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (2.0, 4.677_734_981_047_266e-3),
            (3.0, 2.209_049_699_858_544e-5),
            (5.0, 1.537_459_794_428_034_8e-12),
            (-1.0, 1.842_700_792_949_715),
        ];
        for (x, want) in table {
            assert!((erfc(x) - want).abs() <= 1e-13 * want, "{x}: {}", erfc(x));
        }
        assert_eq!(erfc(f64::INFINITY), 0.0);
        assert!((erfc(2.0 - 1e-12) - erfc(2.0)).abs() < 1e-13);
    }
}
