//! The cube root.

use super::ops::{Ops, Word};

/// ∛x, for x of either sign. ±0, ±∞ and NaN give themselves.
///
/// A first guess y of x^(−⅓) comes from a third of the exponent in the bits. It is cut to eight bits, so that y² is exact;
/// then ∛x = x·y²·(1 + t)^(−⅔) with t = x·y³ − 1, where x·y² is taken as an exact sum of two.
pub fn cbrt<F: Ops>(x: F) -> F {
    let magnitude = magnitude_of(x);
    let is_ordinary = (magnitude - Word::of(LEAST_NORMAL)).lt(Word::of(MIDDLE_END - LEAST_NORMAL));
    of_middle(x, magnitude).unless(!is_ordinary, || {
        // Beyond the middle the cube of the guess would be subnormal.
        let is_small = x.abs().lt(F::of(1.0));
        let scaled = x * F::select(is_small, F::of(16_777_216.0), F::of(1.0 / 16_777_216.0));
        let root =
            of_middle(scaled, magnitude_of(scaled)) * F::select(is_small, F::of(1.0 / 256.0), F::of(256.0));
        let is_finite_nonzero = (magnitude - Word::of(1)).lt(Word::of(INFINITY - 1));
        F::select(is_finite_nonzero, root, x + x)
    })
}

fn magnitude_of<F: Ops>(x: F) -> F::Word {
    x.bits() & Word::of(0x7fff_ffff)
}

fn of_middle<F: Ops>(x: F, magnitude: F::Word) -> F {
    let guess = (F::Word::of(GUESS) - magnitude.mul_hi(Word::of(THIRD))) & Word::of(EIGHT_BITS);
    let guess = guess.real();
    let square = guess * guess;
    let root = x * square;
    let rest = x.fma(square, -root);
    let t = (square * guess).fma(magnitude.real(), F::of(-1.0));
    root + (root * t).fma(t.polynomial(&COEFFICIENTS), rest)
}

const LEAST_NORMAL: u32 = 0x0080_0000;
/// 2¹²⁴.
const MIDDLE_END: u32 = 0x7d80_0000;
const INFINITY: u32 = 0x7f80_0000;
/// 2³²/3.
const THIRD: u32 = 0x5555_5556;
/// The magic number of x^(−⅓), and half of what the cut takes away.
const GUESS: u32 = 0x54a1_c000 + 0x8000;
const EIGHT_BITS: u32 = 0xffff_0000;

/// ((1 + t)^(−⅔) − 1)/t for |t| ≤ 0.11, the sum to 2⁻²⁹·⁵.
const COEFFICIENTS: [f32; 6] =
    [-0.666_666_75, 0.555_555_6, -0.493_776_77, 0.452_632_52, -0.430_694_1, 0.406_763_82];

#[cfg(test)]
mod tests {
    use super::cbrt;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (f32::INFINITY, f32::INFINITY),
            (1.0, 1.0),
            (27.0, 3.0),
            (1000.0, 10.0),
            (f32::from_bits(1), f32::from_bits(0x26a1_4518)),
            (f32::MAX, f32::from_bits(0x54cb_2ff5)),
        ] {
            assert_eq!(cbrt(x).to_bits(), expected.to_bits(), "{x:e}");
            assert_eq!(cbrt(-x).to_bits(), (-expected).to_bits(), "{x:e}");
        }
        assert!(cbrt(f32::NAN).is_nan());
    }
}
