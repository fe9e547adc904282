//! Numbers that a lane computes from its own index, given as functions of the index on the host.
//!
//! A lane map stands once, as a table function of `numerics`; what a kernel computes is derived from it here, so that
//! the two can't differ. On entry a function that is its value at lane 0 plus an amount for each bit of the lane.

use super::val::{Int, Val};
use crate::ir::DType;
use crate::numerics::tensor::LANES;

/// Bits of a lane's index.
const BITS: usize = LANES.ilog2() as usize;

/// What `f` gives for the lane `lane`, a `u32`.
pub(super) fn of_lane(lane: Val, f: impl Fn(usize) -> usize) -> Val {
    let first = f(0);
    let amounts: [usize; BITS] = std::array::from_fn(|bit| f(1 << bit).wrapping_sub(first));
    debug_assert!((0..LANES).all(|lane| f(lane) == host(first, &amounts, lane)), "{amounts:?}");
    let mut sum = Int(first as i128).val_u32();
    // Bits that move by the same distance move together.
    for distance in -(BITS as i32)..=32 {
        let bits = (0..BITS).filter(|&bit| amounts[bit] != 0 && distance_of(bit, amounts[bit]) == distance);
        let mask = bits.fold(0, |mask, bit| mask | 1u32 << bit);
        if mask != 0 {
            let kept = if mask == u32::MAX >> (32 - BITS) { lane } else { lane & mask };
            let moved = match distance {
                0 => kept,
                1.. => kept << distance.unsigned_abs(),
                _ => kept >> distance.unsigned_abs(),
            };
            sum = moved + sum;
        }
    }
    sum
}

fn distance_of(bit: usize, amount: usize) -> i32 {
    debug_assert!(amount.is_power_of_two(), "{amount}");
    amount.ilog2() as i32 - bit as i32
}

fn host(first: usize, amounts: &[usize; BITS], lane: usize) -> usize {
    (0..BITS).filter(|bit| lane >> bit & 1 == 1).fold(first, |sum, bit| sum + amounts[bit])
}

impl Int {
    fn val_u32(self) -> Val {
        Val::constant(crate::ir::Literal::from_bits(DType::U32, self.0 as u64))
    }
}
