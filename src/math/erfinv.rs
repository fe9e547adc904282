//! The inverse of the error function.

use super::double::Double;
use super::ops::{Ops, Word};

/// The y with erf y = x, for x in (−1, 1). ±1 gives ±∞, what is beyond NaN; ±0 gives itself.
///
/// With w = −ln(1 − x²), y/x is smooth: a polynomial in w up to w = 5 (|x| = 0.9965), beyond one in √w, where w and √w
/// are sums of two f32. (M. Giles, *Approximating the erfinv function*, chose the variables; the polynomials are ours.)
/// The constant term of each is so near to an f32 that its rounding makes no error, and the last step before the
/// product with x isn't rounded.
pub fn erfinv<F: Ops>(x: F) -> F {
    let log = Log::of(x.fma(x, F::of(-1.0)));
    let w = log.exponent.fma(F::of(LN2), log.rest() - F::of(CENTRE_ORIGIN));
    let is_ordinary =
        (log.argument.bits() - Word::of(LIMIT.to_bits())).lt(Word::of((-1f32).to_bits() - LIMIT.to_bits()));
    times(x, w, None, &CENTRE).unless(!is_ordinary, || {
        let size = x.abs();
        // At ±1 a division by 0; beyond, the root of a negative number.
        let edge = x / (F::of(1.0) - size).sqrt();
        F::select(size.lt(F::of(0.5)), tiny(x), F::select(size.lt(F::of(1.0)), tail(x, &log), edge))
    })
}

/// x·√π/2, where x² is nothing beside 1, far enough from the subnormal numbers.
fn tiny<F: Ops>(x: F) -> F {
    let x = x * F::of(4_294_967_296.0);
    x.fma(F::of(0.886_226_95), x * F::of(-2.662_320_1e-8)) * F::of(1.0 / 4_294_967_296.0)
}

/// −ln(−z) in parts, for z < 0: −z = 2^−exponent · (1 − fraction).
struct Log<F> {
    argument: F,
    exponent: F,
    fraction: F,
}

impl<F: Ops> Log<F> {
    fn of(argument: F) -> Self {
        let offset = argument.bits() - Word::of(MINUS_TWO_THIRDS);
        let exponent = offset & Word::of(0xff80_0000);
        let mantissa = (argument.bits() - exponent).real();
        Self { argument, exponent: exponent.signed_to_real(), fraction: mantissa + F::of(1.0) }
    }

    /// −ln(1 − fraction) − fraction.
    fn series(&self) -> F {
        (self.fraction * self.fraction) * self.fraction.polynomial(&LOG)
    }

    /// −ln(1 − fraction).
    fn rest(&self) -> F {
        (self.fraction * self.fraction).fma(self.fraction.polynomial(&LOG), self.fraction)
    }
}

/// x · p(u + rest), for a p of slope about 1. Only what stands beside the first two terms is rounded before the end.
fn times<F: Ops>(x: F, u: F, rest: Option<F>, coefficients: &[f32; 10]) -> F {
    let (first, second) = (F::of(coefficients[0]), F::of(coefficients[1]));
    let hi = u.fma(second, first);
    let lo = u.fma(second, first - hi);
    let lo = (u * u).fma(u.polynomial(&coefficients[2..]), rest.map_or(lo, |rest| lo + rest));
    hi.fma(x, lo * x)
}

fn tail<F: Ops>(x: F, log: &Log<F>) -> F {
    let w = Double::fast_sum(log.exponent * F::of(LN2_UPPER), log.fraction);
    let w = Double::fast_sum(w.hi, w.lo + log.exponent.fma(F::of(LN2_LOWER), log.series()));
    let root = w.hi.sqrt();
    let rest = ((-root).fma(root, w.hi) + w.lo) * F::of(0.5) / root;
    // The slope of the polynomial is 1 to some percent: near enough for the last places.
    times(x, root - F::of(TAIL_ORIGIN), Some(rest), &TAIL)
}

const MINUS_TWO_THIRDS: u32 = 0xbf2a_aaab;

/// −ln 2 · 2⁻²³, as the exponent is still in its place in the word.
const LN2: f32 = -std::f32::consts::LN_2 / 8_388_608.0;
/// The same to 16 bits, so that its products are exact.
const LN2_UPPER: f32 = -0.693_145_75 / 8_388_608.0;
/// What is left.
const LN2_LOWER: f32 = -1.428_606_8e-6 / 8_388_608.0;

/// (−ln(1 − f) − f)/f² for |f| ≤ ⅓; the error it makes in the logarithm is 2⁻²⁷·⁵.
const LOG: [f32; 8] = [
    0.499_998_8,
    0.333_329_95,
    0.250_109_8,
    0.200_204_63,
    0.163_657,
    0.138_667_75,
    0.156_275_99,
    0.145_862_7,
];

/// −z at w = 4.97.
const LIMIT: f32 = -0.006_924_73;

const CENTRE_ORIGIN: f32 = 0.972_656_25;
/// erfinv(x)/x in w − 0.97265625 for w ≤ 4.97, to 2⁻²⁷.
const CENTRE: [f32; 10] = [
    1.120_600_9,
    0.247_595_09,
    0.004_446_06,
    -0.002_387_108_5,
    0.000_094_960_49,
    0.000_038_948_834,
    -0.000_004_279_411,
    -0.000_000_567_114_2,
    0.000_000_146_501_32,
    -0.000_000_008_979_598,
];

const TAIL_ORIGIN: f32 = 3.117_187_5;
/// erfinv(x)/x in √w − 3.1171875 for 4.97 ≤ w ≤ 16, to 2⁻²⁷.
const TAIL: [f32; 10] = [
    2.950_479,
    1.003_607_6,
    0.007_174_299,
    -0.005_421_347_5,
    0.003_883_284_5,
    -0.002_580_472_5,
    0.001_324_610_2,
    -0.000_315_810_64,
    -0.000_180_863_83,
    0.000_131_338_75,
];

#[cfg(test)]
mod tests {
    use super::erfinv;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (1.0, f32::INFINITY),
            (0.5, 0.476_936_28),
            (0.25, 0.225_312_06),
            (0.999, 2.326_753_8),
            (f32::from_bits(3), f32::from_bits(3)),
        ] {
            assert_eq!(erfinv(x).to_bits(), f32::to_bits(expected), "{x:e}");
            assert_eq!(erfinv(-x).to_bits(), f32::to_bits(-expected), "{x:e}");
        }
        for x in [f32::NAN, 1.000_000_1, -1.5, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            assert!(erfinv(x).is_nan(), "{x:e}");
        }
    }
}
