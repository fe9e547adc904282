//! Operands as the fused step takes them: significands and exponents, decoded once a tile.
//!
//! A number is `significand · 2^(exponent − places)`, where `places` is its format's fraction bits; a subnormal has the
//! least exponent of a normal number, as the hardware has it. What has no exponent has one of the marks below. On exit a
//! tile is a list of lines along k, rows of A or columns of B, so that both run through memory in order.

use super::form::Element;
use super::step::Corners;
use crate::numerics::{Exact, Format, Overflow, Rounding, Storage, decode, encode};

/// The exponent that +0 has: below every other, also in a sum of two.
pub(super) const ZERO: i32 = -(1 << 20);
/// The exponent that −0 has.
const NEGATIVE_ZERO: i32 = ZERO - 1;
/// The exponent that an infinity has; its significand is 1 or −1.
pub(super) const INFINITE: i32 = 1 << 20;
/// The exponent that a NaN has.
pub(super) const NAN: i32 = 1 << 21;

/// A decoded number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) significand: i32,
    pub(super) exponent: i32,
}

impl Number {
    /// The number of some bits, of a format of at most 32.
    #[inline(always)]
    pub(super) fn decode(bits: u64, format: Format, corners: &Corners) -> Self {
        let magnitude = bits & format.magnitude_mask();
        let is_negative = bits & format.sign_mask() != 0;
        let sign = if is_negative { -1 } else { 1 };
        let mantissa = magnitude & format.mantissa_mask();
        if magnitude > format.max_finite() {
            let is_infinite = format.infinity() == Some(magnitude);
            return Self { significand: sign, exponent: if is_infinite { INFINITE } else { NAN } };
        }
        let field = (magnitude >> format.mantissa_bits) as i32;
        if magnitude == 0 || (field == 0 && corners.flushes_operands) {
            let exponent = if is_negative { NEGATIVE_ZERO } else { ZERO };
            let exponent = if corners.zero_has_exponent { 1 - format.bias } else { exponent };
            return Self { significand: 0, exponent };
        }
        if field != 0 {
            let significand = sign * (mantissa | format.implicit_bit()) as i32;
            return Self { significand, exponent: field - format.bias };
        }
        let places = if corners.normalises_operands {
            format.mantissa_bits - (63 - mantissa.leading_zeros())
        } else {
            0
        };
        Self { significand: sign * (mantissa << places) as i32, exponent: 1 - format.bias - places as i32 }
    }
}

/// How an element's bits are read.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    element: Element,
    format: Format,
    /// Whether fp8 becomes f16 first.
    converts: bool,
}

/// The f16 of each e4m3, which holds it exactly.
const F16_OF_E4M3: [u16; 256] = {
    let mut table = [0; 256];
    let mut code = 0;
    while code < 256 {
        let value: Exact = decode(code as u64, Storage::E4M3.format());
        table[code] = encode(value, Format::F16, Rounding::NearestEven, Overflow::Special) as u16;
        code += 1;
    }
    table
};

impl Reading {
    /// The reading of a floating element of at most 32 bits, fp8 as it is or as f16.
    pub(super) fn of(element: Element, converts: bool, corners: &Corners) -> Option<Self> {
        let format = match element {
            Element::E4M3 | Element::E5M2 if converts => Format::F16,
            Element::F16 => Format::F16,
            Element::BF16 => Format::BF16,
            Element::TF32 if corners.reads_low_bits => Format::F32,
            Element::TF32 => Storage::TF32.format(),
            Element::E4M3 => Storage::E4M3.format(),
            Element::E5M2 => Storage::E5M2.format(),
            Element::E3M2 => Storage::E3M2.format(),
            Element::E2M3 => Storage::E2M3.format(),
            Element::E2M1 => Storage::E2M1.format(),
            Element::F64 | Element::S8 | Element::U8 | Element::S4 | Element::U4 => return None,
        };
        Some(Self { element, format, converts })
    }

    /// Fraction bits of a significand.
    pub(super) fn places(self) -> i32 {
        self.format.mantissa_bits as i32
    }

    #[inline(always)]
    fn read(self, bits: u64, corners: &Corners) -> Number {
        let bits = match self.element {
            Element::TF32 if !corners.reads_low_bits => (bits & 0xFFFF_FFFF) >> Storage::TF32.shift(),
            Element::E4M3 if self.converts => F16_OF_E4M3[(bits & 0xFF) as usize] as u64,
            // e5m2 is the upper half of an f16.
            Element::E5M2 if self.converts => (bits & 0xFF) << 8,
            Element::F16
            | Element::BF16
            | Element::TF32
            | Element::F64
            | Element::E4M3
            | Element::E5M2
            | Element::E3M2
            | Element::E2M3
            | Element::E2M1
            | Element::S8
            | Element::U8
            | Element::S4
            | Element::U4 => bits,
        };
        Number::decode(bits, self.format, corners)
    }
}

/// Rows of A or columns of B.
pub(super) struct Lines {
    significands: Vec<i32>,
    exponents: Vec<i32>,
    /// Whether a line holds an infinity or a NaN.
    specials: Vec<bool>,
    depth: usize,
}

impl Lines {
    /// Decodes `count` lines; element `place` of a line is number `depths[place]` along k, and `at` says where that is.
    pub(super) fn read(
        matrix: &[u64],
        reading: Reading,
        count: usize,
        depths: &[usize],
        corners: &Corners,
        at: impl Fn(usize, usize) -> usize,
    ) -> Self {
        let depth = depths.len();
        let mut lines = Self {
            significands: Vec::with_capacity(count * depth),
            exponents: Vec::with_capacity(count * depth),
            specials: Vec::with_capacity(count),
            depth,
        };
        for line in 0..count {
            let mut is_special = false;
            for &k in depths {
                let number = reading.read(matrix[at(line, k)], corners);
                lines.significands.push(number.significand);
                lines.exponents.push(number.exponent);
                is_special |= number.exponent >= INFINITE;
            }
            lines.specials.push(is_special);
        }
        lines
    }

    /// A part of a line.
    #[inline(always)]
    pub(super) fn part(&self, line: usize, start: usize, end: usize) -> Line<'_> {
        let (from, to) = (line * self.depth + start, line * self.depth + end);
        Line { significands: &self.significands[from..to], exponents: &self.exponents[from..to] }
    }

    /// Whether a line holds an infinity or a NaN.
    #[inline(always)]
    pub(super) fn is_special(&self, line: usize) -> bool {
        self.specials[line]
    }
}

/// Neighbours along k of a row of A or a column of B.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) significands: &'a [i32],
    pub(super) exponents: &'a [i32],
}

impl Line<'_> {
    pub(super) fn number(&self, at: usize) -> Number {
        Number { significand: self.significands[at], exponent: self.exponents[at] }
    }

    pub(super) fn is_negative(&self, at: usize) -> bool {
        self.significands[at] < 0 || self.exponents[at] == NEGATIVE_ZERO
    }
}
