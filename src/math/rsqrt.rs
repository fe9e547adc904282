//! 1/√x.

use super::ops::{Ops, Word};

/// 1/√x. ±0 gives ±∞ (as 1/√x does in C, where √−0 is −0), +∞ gives 0, and what is below zero NaN.
///
/// A first guess comes from halving the exponent in the bits, which is within 3.5 %. It is cut to twelve bits, so that its
/// square is exact and x·y² − 1 is rounded once, small as it is; the binomial series of (1 + t)^(−½) does the rest.
pub fn rsqrt<F: Ops>(x: F) -> F {
    let bits = x.bits();
    of_middle(x, bits).unless(!is_within::<F>(bits, LEAST_NORMAL, MIDDLE_END), || {
        // Beyond the middle the square of the guess would be subnormal.
        let is_small = x.lt(F::of(1.0));
        let scaled = x * F::select(is_small, F::of(16_777_216.0), F::of(1.0 / 16_777_216.0));
        let root = of_middle(scaled, scaled.bits()) * F::select(is_small, F::of(4096.0), F::of(1.0 / 4096.0));
        F::select(is_within::<F>(bits, 1, INFINITY), root, F::of(1.0) / x.sqrt())
    })
}

/// Whether the bits are from `first` up to `end`.
fn is_within<F: Ops>(bits: F::Word, first: u32, end: u32) -> F::Bool {
    (bits - Word::of(first)).lt(Word::of(end - first))
}

fn of_middle<F: Ops>(x: F, bits: F::Word) -> F {
    let guess = (F::Word::of(GUESS) - (bits >> Word::of(1))) & Word::of(TWELVE_BITS);
    let guess = guess.real();
    let t = (guess * guess).fma(x, F::of(-1.0));
    (guess * t).fma(t.polynomial(&COEFFICIENTS), guess)
}

const LEAST_NORMAL: u32 = 0x0080_0000;
/// 2¹²⁴.
const MIDDLE_END: u32 = 0x7d80_0000;
const INFINITY: u32 = 0x7f80_0000;
/// The magic number of the inverse square root, and half of what the cut takes away.
const GUESS: u32 = 0x5f37_59df + 0x0800;
const TWELVE_BITS: u32 = 0xffff_f000;

/// ((1 + t)^(−½) − 1)/t for |t| ≤ 0.0725, the sum to 2⁻²⁹·⁵.
const COEFFICIENTS: [f32; 5] = [-0.5, 0.374_997_35, -0.312_495_83, 0.275_085_95, -0.247_992_28];

#[cfg(test)]
mod tests {
    use super::rsqrt;

    #[test]
    fn special_values() {
        for (x, expected) in [
            (0.0, f32::INFINITY),
            (-0.0, f32::NEG_INFINITY),
            (f32::INFINITY, 0.0),
            (1.0, 1.0),
            (4.0, 0.5),
            (0.25, 2.0),
            (f32::from_bits(1), f32::from_bits(0x64b5_04f3)),
            (f32::MIN_POSITIVE, 9_223_372_036_854_775_808.0),
        ] {
            assert_eq!(rsqrt(x).to_bits(), expected.to_bits(), "{x:e}");
        }
        for x in [f32::NAN, -1.0, -f32::from_bits(1), f32::NEG_INFINITY] {
            assert!(rsqrt(x).is_nan(), "{x:e}");
        }
    }
}
