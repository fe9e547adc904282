//! The inverse of the error function.

use super::double::Double;
use super::ops::{Ops, Word};

/// The y with erf y = x, for x in (−1, 1). ±1 gives ±∞, what is beyond NaN; ±0 gives itself.
///
/// With w = −ln(1 − x²), y/x is smooth: a polynomial in w up to 4.957 (|x| = 0.9965), beyond one in √w, where w and √w
/// are sums of two f32. (M. Giles, *Approximating the erfinv function*, chose the variables; the polynomials are ours.)
/// The constant term of each is so near to an f32 that its rounding makes no error, and the last step before the
/// product with x isn't rounded.
pub fn erfinv<F: Ops>(x: F) -> F {
    let log = Log::of(x.fma(x, F::of(-1.0)));
    let is_ordinary =
        (log.argument.bits() - Word::of(LIMIT.to_bits())).lt(Word::of((-1f32).to_bits() - LIMIT.to_bits()));
    centre(x, &log).unless(!is_ordinary, || {
        let size = x.abs();
        // At ±1 a division by 0; beyond, the root of a negative number.
        let edge = x / (F::of(1.0) - size).sqrt();
        F::select(size.lt(F::of(0.5)), tiny(x), F::select(size.lt(F::of(1.0)), tail(x, &log), edge))
    })
}

fn centre<F: Ops>(x: F, log: &Log<F>) -> F {
    let t = log.rest() - F::of(CENTRE_ORIGIN);
    let u = log.exponent.fma(F::of(LN2), t);
    // The linear term from the parts of u, since u is rounded: the first sum is exact.
    let whole = log.exponent.fma(F::of(SLOPE_LN2_UPPER), F::of(CENTRE[0]));
    let slope = F::of(CENTRE[1]);
    let hi = t.fma(slope, whole);
    let lo = log.exponent.fma(F::of(SLOPE_LN2_LOWER), t.fma(slope, whole - hi));
    product(x, hi, (u * u).fma(u.polynomial(&CENTRE[2..]), lo))
}

/// x · (hi + lo).
fn product<F: Ops>(x: F, hi: F, lo: F) -> F {
    hi.fma(x, lo * x)
}

/// x·√π/2, where x² is nothing beside 1, far enough from the subnormal numbers.
fn tiny<F: Ops>(x: F) -> F {
    // The factor's parts have one sign, so that −0 stays.
    let x = x * F::of(4_294_967_296.0);
    x.fma(F::of(0.886_226_9), x * F::of(3.298_144_5e-8)) * F::of(1.0 / 4_294_967_296.0)
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

fn tail<F: Ops>(x: F, log: &Log<F>) -> F {
    let w = Double::fast_sum(log.exponent * F::of(LN2_UPPER), log.fraction);
    let w = Double::fast_sum(w.hi, w.lo + log.exponent.fma(F::of(LN2_LOWER), log.series()));
    let root = w.hi.sqrt();
    let rest = ((-root).fma(root, w.hi) + w.lo) * F::of(0.5) / root;
    let (u, slope) = (root - F::of(TAIL_ORIGIN), F::of(TAIL[1]));
    let hi = u.fma(slope, F::of(TAIL[0]));
    // The slope of the polynomial is 1 to some percent: near enough for the last places of the root.
    let lo = u.fma(slope, F::of(TAIL[0]) - hi) + rest;
    product(x, hi, (u * u).fma(u.polynomial(&TAIL[2..]), lo))
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

/// −z at w = 4.957.
const LIMIT: f32 = -0.007_030_344_6;

const CENTRE_ORIGIN: f32 = 0.957_519_53;
/// erfinv(x)/x in w − 0.95751953 for w ≤ 4.957, to 2⁻²⁷·⁵.
const CENTRE: [f32; 10] = [
    1.116_854_2,
    0.247_458_85,
    0.004_554_578,
    -0.002_392_764_7,
    0.000_092_005_34,
    0.000_039_330_298,
    -0.000_004_218_452,
    -0.000_000_584_399_86,
    0.000_000_147_606_24,
    -0.000_000_008_972_032,
];
/// The second coefficient times [`LN2`], to a multiple of 2⁻²² times the exponent's unit, as the first coefficient is one.
const SLOPE_LN2_UPPER: f32 = -0.171_525_48 / 8_388_608.0;
/// What is left.
const SLOPE_LN2_LOWER: f32 = 7.738_537e-8 / 8_388_608.0;

const TAIL_ORIGIN: f32 = 3.117_187_5;
/// erfinv(x)/x in √w − 3.1171875 for 4.95 ≤ w ≤ 16, to 2⁻²⁷.
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
            (0.999, f32::from_bits(1_075_112_339)),
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
