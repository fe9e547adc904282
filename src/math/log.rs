//! ln x.

use super::log_reduce::{ln_1p_fraction, of_any, per_shift, real_shift, reduce};
use super::ops::Ops;

/// ln x. −∞ at ±0, NaN below, ∞ at ∞; +0 at 1.
///
/// x = 2^k·(1 + f) with 1 + f in [¾, 3/2) (Cody and Waite's reduction, by the bits as in N. Juffa's logf), so
/// that the sum k·ln 2 + ln(1 + f) cancels by less than a bit.
pub fn log<F: Ops>(x: F) -> F {
    of_any(x, |bits, scale| {
        let reduced = reduce::<F>(bits, 0.75);
        let k = real_shift::<F>(reduced.shift, scale);
        k.fma(F::of(per_shift(std::f32::consts::LN_2)), ln_1p_fraction(reduced.fraction))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        for (x, right) in [
            (1.0, 0.0),
            (0.0, f32::NEG_INFINITY),
            (-0.0, f32::NEG_INFINITY),
            (f32::INFINITY, f32::INFINITY),
            (std::f32::consts::E, 1.0),
            (f32::from_bits(1), -103.278_93),
            (f32::MIN_POSITIVE, -87.336_55),
            (f32::MAX, 88.722_84),
        ] {
            assert_eq!(log(x).to_bits(), f32::to_bits(right), "of {x:e}");
        }
        for x in [-1.0, -f32::from_bits(1), f32::NEG_INFINITY, f32::NAN] {
            assert!(log(x).is_nan(), "of {x:e}");
        }
    }
}
