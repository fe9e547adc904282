//! The reference: exact values as big integers times a power of two, rounded by the definition of rounding.
//!
//! Shares nothing with the code under test but the description of the formats.

use std::cmp::Ordering;

use super::super::{Format, Rounding};

/// `± magnitude · 2^exponent`. Limbs from the least significant.
#[derive(Clone, Debug)]
pub(super) struct Big {
    pub(super) negative: bool,
    limbs: Vec<u64>,
    exponent: i32,
}

impl Big {
    pub(super) fn new(negative: bool, magnitude: u128, exponent: i32) -> Self {
        Self { negative, limbs: vec![magnitude as u64, (magnitude >> 64) as u64], exponent }
    }

    /// The value of finite bits of an IEEE format.
    pub(super) fn of_bits(bits: u64, format: Format) -> Option<Self> {
        let field = (bits >> format.mantissa_bits) & ((1 << format.exponent_bits) - 1);
        let mantissa = bits & ((1 << format.mantissa_bits) - 1);
        let negative = bits >> (format.exponent_bits + format.mantissa_bits) & 1 == 1;
        let scale = -format.bias - format.mantissa_bits as i32;
        match field {
            0 => Some(Self::new(negative, mantissa as u128, 1 + scale)),
            field if field == (1 << format.exponent_bits) - 1 => None,
            field => Some(Self::new(
                negative,
                (mantissa | 1 << format.mantissa_bits) as u128,
                field as i32 + scale,
            )),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.limbs.iter().all(|limb| *limb == 0)
    }

    fn top(&self) -> i32 {
        let limb = self.limbs.iter().rposition(|limb| *limb != 0);
        limb.map_or(-1, |at| at as i32 * 64 + 63 - self.limbs[at].leading_zeros() as i32)
    }

    fn bit(&self, at: i32) -> bool {
        at >= 0 && self.limbs.get(at as usize / 64).is_some_and(|limb| limb >> (at % 64) & 1 == 1)
    }

    fn any_below(&self, at: i32) -> bool {
        (0..at.min(self.top() + 1)).any(|bit| self.bit(bit))
    }

    /// The same value with a lower exponent.
    fn at_exponent(&self, exponent: i32) -> Self {
        let places = (self.exponent - exponent) as usize;
        let mut limbs = vec![0_u64; places / 64];
        let mut carry = 0;
        for limb in &self.limbs {
            let wide = ((*limb as u128) << (places % 64)) | carry;
            limbs.push(wide as u64);
            carry = wide >> 64;
        }
        limbs.push(carry as u64);
        Self { negative: self.negative, limbs, exponent }
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut limbs = vec![0_u64; self.limbs.len() + other.limbs.len()];
        for (i, a) in self.limbs.iter().enumerate() {
            let mut carry = 0_u128;
            for (j, b) in other.limbs.iter().enumerate() {
                let wide = *a as u128 * *b as u128 + limbs[i + j] as u128 + carry;
                limbs[i + j] = wide as u64;
                carry = wide >> 64;
            }
            limbs[i + other.limbs.len()] = carry as u64;
        }
        Self { negative: self.negative != other.negative, limbs, exponent: self.exponent + other.exponent }
    }

    /// The sum; an exact zero of unlike signs is positive.
    pub(super) fn plus(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let (mut a, mut b) = (self.at_exponent(exponent), other.at_exponent(exponent));
        let len = a.limbs.len().max(b.limbs.len()) + 1;
        a.limbs.resize(len, 0);
        b.limbs.resize(len, 0);
        if a.negative == b.negative {
            let mut carry = false;
            for (x, y) in a.limbs.iter_mut().zip(&b.limbs) {
                let (sum, first) = x.overflowing_add(*y);
                let (sum, second) = sum.overflowing_add(carry as u64);
                (*x, carry) = (sum, first || second);
            }
            return a;
        }
        if a.limbs.iter().rev().cmp(b.limbs.iter().rev()) == Ordering::Less {
            std::mem::swap(&mut a, &mut b);
        }
        let mut borrow = false;
        for (x, y) in a.limbs.iter_mut().zip(&b.limbs) {
            let (difference, first) = x.overflowing_sub(*y);
            let (difference, second) = difference.overflowing_sub(borrow as u64);
            (*x, borrow) = (difference, first || second);
        }
        if a.is_zero() {
            a.negative = false;
        }
        a
    }

    /// The quotient to 70 places and more, and a sticky bit; operands of at most 53 bits, the dividend not zero.
    pub(super) fn over(&self, other: &Self) -> Self {
        let shift = 123 - self.top();
        let (a, b) = (self.narrow() << shift, other.narrow());
        let negative = self.negative != other.negative;
        Self::new(negative, ((a / b) << 1) | (a % b != 0) as u128, self.exponent - shift - other.exponent - 1)
    }

    /// The root to some 60 places and a sticky bit; an operand of at most 53 bits.
    pub(super) fn root(&self) -> Self {
        let odd = self.exponent.rem_euclid(2);
        // Up to 124 bits, so that even the smallest operand of one bit leaves a root of 35 and more.
        let shift = 2 * ((122 - self.top()) / 2) - 2;
        let square = self.narrow() << (odd + shift);
        let mut root = 0_u128;
        for bit in (0..63).rev() {
            let next = root | 1 << bit;
            if next * next <= square {
                root = next;
            }
        }
        let sticky = root * root != square;
        Self::new(false, (root << 1) | sticky as u128, (self.exponent - odd - shift) / 2 - 1)
    }

    fn narrow(&self) -> u128 {
        assert!(self.top() < 56);
        self.limbs[0] as u128
    }

    /// The bits nearest in a format, by definition: cut at the last place, look at what was cut.
    pub(super) fn round(&self, format: Format, rounding: Rounding) -> u64 {
        let sign = (self.negative as u64) << (format.exponent_bits + format.mantissa_bits);
        if self.is_zero() {
            return sign;
        }
        let least = 1 - format.bias - format.mantissa_bits as i32;
        let place = (self.top() + self.exponent - format.mantissa_bits as i32).max(least);
        let cut = place - self.exponent;
        let kept: u64 =
            (0..=format.mantissa_bits as i32).map(|bit| (self.bit(cut + bit) as u64) << bit).sum();
        let half = self.bit(cut - 1);
        let rest = self.any_below(cut - 1);
        let kept = match rounding {
            Rounding::NearestEven => kept + (half && (rest || kept & 1 == 1)) as u64,
            Rounding::TowardZero => kept,
            Rounding::ToOdd => kept | (half || rest) as u64,
        };
        let magnitude = ((place - least) as u64) * (1 << format.mantissa_bits) + kept;
        let infinity = ((1_u64 << format.exponent_bits) - 1) << format.mantissa_bits;
        let limit = if rounding == Rounding::NearestEven { infinity } else { infinity - 1 };
        sign | magnitude.min(limit)
    }

    pub(super) fn nearest(&self, format: Format) -> u64 {
        self.round(format, Rounding::NearestEven)
    }
}
