//! The inverse hyperbolic sine.

use super::log_reduce::ln_of_sum;
use super::ops::{Ops, Word};

/// arsinh x. ±0 and subnormals give themselves, ±∞ too.
///
/// Up to where the result is 1 an odd polynomial. From there on ln(a + √(a² + 1)), with the sum as 2a + 1/(a + √(a² + 1)): the
/// second term is small and the first exact, so that the roundings of root and quotient hardly count.
pub fn asinh<F: Ops>(x: F) -> F {
    let bits = x.bits();
    let a = (bits & Word::of(0x7fff_ffff)).real();
    let with_sign = |value: F| (value.bits() | (bits & Word::of(0x8000_0000))).real();
    F::branch(
        a.lt(F::of(SINH_1)),
        || {
            let square = a * a;
            with_sign((a * square).fma(square.polynomial(&ASINH), a))
        },
        || {
            let root = a.fma(a, F::of(1.0)).sqrt();
            let value = ln_of_sum(a, F::of(0.25) / (a + root));
            with_sign(value).unless(!a.lt(F::of(f32::INFINITY)), || x)
        },
    )
}

/// sinh 1, rounded up: from here on a place of the result is twice what it was.
const SINH_1: f32 = 1.175_201_3;

/// (arsinh x − x)/x³ in x² for |x| ≤ 1.1753, to 2⁻²⁹·⁹ of the function.
const ASINH: [f32; 10] = [
    -0.166_666_57,
    0.074_996_136,
    -0.044_590_91,
    0.030_031_476,
    -0.020_975_782,
    0.013_744_008,
    -0.007_497_323,
    0.002_995_228_9,
    -0.000_748_799_9,
    0.000_086_119_755,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        let least = f32::from_bits(1);
        for (x, right) in [
            (0.0, 0.0),
            (least, least),
            (f32::INFINITY, f32::INFINITY),
            (1.0, 0.881_373_6),
            (0.75, std::f32::consts::LN_2),
            (f32::MAX, 89.415_985),
        ] {
            assert_eq!(asinh(x).to_bits(), f32::to_bits(right), "of {x:e}");
            assert_eq!(asinh(-x).to_bits(), f32::to_bits(-right), "of −{x:e}");
        }
        assert!(asinh(f32::NAN).is_nan());
    }
}
