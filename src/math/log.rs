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
