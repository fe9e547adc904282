//! Rounding of integers that stand for significands, and the sum that rounds to odd.
//!
//! Round-to-odd keeps the memory of an inexact step in the last place: a result in a format with at least two more
//! bits, rounded to odd, can be rounded again without error. It is how a wide exact value reaches a narrow format
//! through a step that exists in hardware.

/// How a value between two neighbours of a format is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearer one; of two equally near to the even one.
    NearestEven,
    /// To the one nearer to zero.
    TowardZero,
    /// To the one whose last place is odd. Never overflows to infinity.
    ToOdd,
}

/// `value / 2^shift`, rounded. `shift` may be anything; from 64 on only the fact that bits were lost counts.
#[inline]
pub const fn shift_right(value: u64, shift: u32, rounding: Rounding) -> u64 {
    if shift == 0 {
        return value;
    }
    // A shift by 64 or more leaves nothing; 2^63 of a value that is below 2^64 may still be half of it.
    let (kept, lost, half) = if shift < 64 {
        (value >> shift, value & ((1 << shift) - 1), 1 << (shift - 1))
    } else if shift == 64 {
        (0, value, 1 << 63)
    } else {
        (0, (value != 0) as u64, 2)
    };
    match rounding {
        Rounding::NearestEven => kept + ((lost > half) | ((lost == half) & (kept & 1 == 1))) as u64,
        Rounding::TowardZero => kept,
        Rounding::ToOdd => kept | (lost != 0) as u64,
    }
}

/// `a + b` rounded to odd in f64. Infinities and NaN come out as the host's addition gives them.
///
/// The error of a rounded sum is itself a number (Knuth's two-sum, valid without an order of the operands as long
/// as nothing overflows), so its sign tells on which side of the rounded sum the exact one lies.
#[inline]
pub fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    // NaN compares false with 0 both ways, so an infinite sum, whose error is NaN, stays.
    let inexact = (error > 0.0) | (error < 0.0);
    let is_even = bits & 1 == 0;
    let away = (error > 0.0) == (sum > 0.0);
    let step = if away { 1_u64 } else { u64::MAX };
    f64::from_bits(if inexact & is_even { bits.wrapping_add(step) } else { bits })
}
