//! log₁₀ x.

use super::log_reduce::{SQRT_HALF, of_any, per_shift, real_shift, reduce};
use super::ops::Ops;

/// log₁₀ x, exact at 10⁰ … 10¹⁰ (the powers that are f32). −∞ at ±0, NaN below, ∞ at ∞; +0 at 1.
///
/// As [`log2`](super::log2()), with k·log₁₀ 2 in two parts: its last place is that of the result where k = ±1.
pub fn log10<F: Ops>(x: F) -> F {
    of_any(x, |bits, scale| {
        let reduced = reduce::<F>(bits, SQRT_HALF);
        let f = reduced.fraction;
        let k = real_shift::<F>(reduced.shift, scale);
        let rest = f.fma(f.polynomial(&REST), k * F::of(per_shift(LOG10_2_LO)));
        k.fma(F::of(per_shift(LOG10_2)), f.fma(F::of(LOG10_E), rest))
    })
}

const LOG10_E: f32 = std::f32::consts::LOG10_E;
const LOG10_2: f32 = std::f32::consts::LOG10_2;
/// log₁₀ 2 − `LOG10_2`.
const LOG10_2_LO: f32 = -1.432_098_9e-8;

/// log₁₀(1 + f)/f − c on [√½ − 1, √2 − 1] to 2⁻²⁷·⁷ of the logarithm.
const REST: [f32; 10] = [
    -1.012_121_1e-8,
    -0.217_147_19,
    0.144_764_8,
    -0.108_580_88,
    0.086_867_77,
    -0.072_123_06,
    0.061_580_844,
    -0.057_580_255,
    0.056_137_014,
    -0.033_057_015,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_at_powers_of_ten() {
        for k in 0..=10u16 {
            let x = 10f64.powi(i32::from(k)) as f32;
            assert_eq!(f64::from(x), 10f64.powi(i32::from(k)), "a power that is an f32");
            assert_eq!(log10(x).to_bits(), f32::from(k).to_bits(), "of 10^{k}");
        }
    }

    #[test]
    fn special_values() {
        assert_eq!(log10(0.0f32), f32::NEG_INFINITY);
        assert_eq!(log10(-0.0f32), f32::NEG_INFINITY);
        assert_eq!(log10(f32::INFINITY), f32::INFINITY);
        for x in [-1.0, -f32::from_bits(1), f32::NEG_INFINITY, f32::NAN] {
            assert!(log10(x).is_nan(), "of {x:e}");
        }
    }
}
