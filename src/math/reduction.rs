//! An angle less a multiple of π/2, for sin, cos and tan.
//!
//! On exit |r| is below π/4 and a little, and `r − excess` is the rest to about 2⁻²⁷ of itself or better. NaN and
//! infinities come out as NaN. Deliberately not here: what is done with the quadrant.

use super::exp2::ROUNDER;
use super::ops::{Ops, Word};

/// x = quadrant · π/2 + (rest − excess).
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced<F: Ops> {
    /// What is left, rounded to f32.
    pub rest: F,
    /// How much `rest` is too great.
    pub excess: F,
    /// Of which the low two bits count.
    pub quadrant: F::Word,
}

/// Whether [`ordinary`] doesn't hold of it.
pub(super) fn is_huge<F: Ops>(x: F) -> F::Bool {
    !x.abs().le(F::of(LIMIT))
}

/// Up to here the multiple of π/2 is below 2¹⁷, and what three parts of π/2 leave out is below 2⁻⁵⁶ in all, while no
/// f32 up to here is nearer than 2⁻²⁸ to a multiple.
const LIMIT: f32 = 131_072.0;

/// Cody and Waite's reduction with fused steps, |x| ≤ `LIMIT`; `turn` is added to the quadrant at no cost.
pub(super) fn ordinary<F: Ops>(x: F, turn: f32) -> Reduced<F> {
    let rounder = ROUNDER + turn;
    let shifted = x.fma(F::of(std::f32::consts::FRAC_2_PI), F::of(rounder));
    let count = shifted - F::of(rounder);
    // Exact: both are multiples of 2⁻²⁴ and the difference is below 1.
    let first = count.fma(F::of(-PARTS[0]), x);
    let second = count * F::of(-PARTS[1]);
    let rest = first + second;
    // What the sum and the product were rounded by, and the third part. Where much of the sum cancels it is exact; a
    // fused step instead of the product would leave a difference there that isn't.
    let rounded = (rest - first) - second;
    let product = count.fma(F::of(PARTS[1]), second);
    let excess = rounded + count.fma(F::of(PARTS[2]), product);
    Reduced { rest, excess, quadrant: shifted.bits() }
}

/// π/2 in parts of 24 bits, the first two cut rather than rounded, to 2⁻⁷³.
const PARTS: [f32; 3] = [f32::from_bits(0x3fc9_0fda), 7.549_789_4e-8, 5.390_303e-15];

/// Payne and Hanek's reduction: the mantissa times those 96 bits of 2/π that decide the quadrant and the rest, in
/// integers. Right for every |x| ≥ 2; the nearest any such f32 comes to a multiple of π/2 is about 2⁻²⁹.
pub(super) fn huge<F: Ops>(x: F) -> Reduced<F> {
    let bits = x.bits();
    // x = mantissa · 2^(exponent − 158). Bits of 2/π above 2^(128 − exponent) give whole turns and are left out.
    let mantissa = (bits << Word::of(8)) | Word::of(0x8000_0000);
    let window = window::<F>(bits);
    let low = mantissa * window[1];
    let carried = mantissa.mul_hi(window[2]);
    let sum = low + carried;
    let carry = F::Word::select(sum.lt(carried), Word::of(1), Word::of(0));
    let turns = mantissa * window[0] + mantissa.mul_hi(window[1]) + carry;
    // Now the angle in units of a turn is 0.turns:sum. The complement negates, but for 2⁻⁶⁴.
    let sign = bits.signed_shr(Word::of(31));
    let (turns, sum) = (turns ^ sign, sum ^ sign);
    // To the nearest quadrant: what follows its two bits, read as signed, is the rest in units of π/2.
    let quadrant = (turns + Word::of(0x2000_0000)) >> Word::of(30);
    let upper = (turns << Word::of(2)) | (sum >> Word::of(30));
    let lower = sum << Word::of(2);
    let high = upper.signed_to_real();
    // Within 64 of 2³¹ `high` is 2³¹ and its integer one less, which is 2⁻³¹ of the value.
    let left = (upper - high.to_int()).signed_to_real();
    let low = lower.to_real().fma(F::of_bits(0x2f80_0000), left);
    let rest = high * F::of_bits(UNIT[0]);
    let excess = high.fma(-F::of_bits(UNIT[0]), rest);
    let excess = high.fma(-F::of_bits(UNIT[1]), excess);
    let excess = low.fma(-F::of_bits(UNIT[0]), excess);
    // ∞ · 0 is a NaN, and nothing changes for a number.
    Reduced { rest, excess: x.fma(F::of(0.0), excess), quadrant }
}

/// π/2 · 2⁻³² in two parts.
const UNIT: [u32; 2] = [0x2fc9_0fdb, 0xa33b_bd2e];

/// 2/π in words of 32 bits, with a word of zeros ahead.
const TWO_OVER_PI: [u32; 7] =
    [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041];

/// 96 bits of the table from bit `exponent − 128` on, for the f32 with these bits, from 2 up.
fn window<F: Ops>(bits: F::Word) -> [F::Word; 3] {
    let zero = Word::of(0);
    let is_clear = |bit: u32| (bits & Word::of(1 << bit)).eq(zero);
    // By whole words first: bits 6 and 5 of the exponent.
    let (no_two, no_one) = (is_clear(29), is_clear(28));
    let by_two: [F::Word; 5] = std::array::from_fn(|word| {
        Word::select(no_two, Word::of(TWO_OVER_PI[word]), Word::of(TWO_OVER_PI[word + 2]))
    });
    let words: [F::Word; 4] =
        std::array::from_fn(|word| Word::select(no_one, by_two[word], by_two[word + 1]));
    let count = (bits >> Word::of(23)) & Word::of(31);
    // A shift by 32 gives 0.
    let rest = F::Word::of(32) - count;
    std::array::from_fn(|word| (words[word] << count) | (words[word + 1] >> rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_first_quadrant() {
        assert_eq!(PARTS.map(f32::to_bits), [0x3fc9_0fda, 0x33a2_2168, 0x27c2_34c5]);
    }

    #[test]
    fn both_reductions_agree_where_both_hold() {
        let exact = |reduced: Reduced<f32>| f64::from(reduced.rest) - f64::from(reduced.excess);
        for step in 0..100_000u32 {
            // Every exponent from 2 up to the limit.
            let x = f32::from_bits(0x4000_0000 + step * 1342);
            for x in [x, -x] {
                let (one, other) = (ordinary(x, 0.0), huge(x));
                // Halfway they may choose differently.
                let quadrants = match one.quadrant.0.wrapping_sub(other.quadrant.0) & 3 {
                    0 => 0.0,
                    1 => 1.0,
                    3 => -1.0,
                    far => unreachable!("{x}: {far} quadrants apart"),
                };
                let apart = exact(one) - exact(other) + quadrants * std::f64::consts::FRAC_PI_2;
                assert!(apart.abs() < 2e-9 * exact(one).abs(), "{x}");
            }
        }
    }
}
