//! log₂ x.

use super::log_reduce::{SQRT_HALF, of_any, per_shift, real_shift, reduce};
use super::ops::Ops;

/// log₂ x, exact at powers of two. −∞ at ±0, NaN below, ∞ at ∞; +0 at 1.
///
/// x = 2^k·(1 + f) with 1 + f in [√½, √2). log₂(1 + f) = f·c + f·q(f) where c is log₂ e to 24 bits and q has the rest, so
/// that only the last steps round to the place of the result.
pub fn log2<F: Ops>(x: F) -> F {
    of_any(x, |bits, scale| {
        let reduced = reduce::<F>(bits, SQRT_HALF);
        let f = reduced.fraction;
        let k = real_shift::<F>(reduced.shift, scale);
        let fraction = f.fma(F::of(LOG2_E), f * f.polynomial(&REST));
        k.fma(F::of(per_shift(1.0)), fraction)
    })
}

const LOG2_E: f32 = std::f32::consts::LOG2_E;

/// log₂(1 + f)/f − c on [√½ − 1, √2 − 1] to 2⁻²⁷·⁶ of the logarithm.
const REST: [f32; 10] = [
    1.919_929_8e-8,
    -0.721_347_33,
    0.480_898_2,
    -0.360_698_5,
    0.288_571_92,
    -0.239_577_04,
    0.204_480_38,
    -0.191_266_73,
    0.187_058_94,
    -0.110_580_95,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_at_powers_of_two() {
        for k in -149..=127i32 {
            assert_eq!(log2(2f64.powi(k) as f32).to_bits(), (k as f32).to_bits(), "of 2^{k}");
        }
    }

    #[test]
    fn special_values() {
        assert_eq!(log2(0.0f32), f32::NEG_INFINITY);
        assert_eq!(log2(-0.0f32), f32::NEG_INFINITY);
        assert_eq!(log2(f32::INFINITY), f32::INFINITY);
        for x in [-1.0, -f32::from_bits(1), f32::NEG_INFINITY, f32::NAN] {
            assert!(log2(x).is_nan(), "of {x:e}");
        }
    }
}
