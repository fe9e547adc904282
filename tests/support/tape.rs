//! A tape of choices: random words that decide what a generator builds.
//!
//! Past its end every choice is 0, which generators make the simplest one: a shorter tape is a smaller case, so that
//! proptest shrinks a case by shrinking a vector of numbers.

use warpsmith::ir::{DType, Literal};

/// Choices, taken one by one.
#[derive(Debug)]
pub(crate) struct Tape {
    words: std::vec::IntoIter<u32>,
}

impl Tape {
    pub(crate) fn new(words: Vec<u32>) -> Self {
        Self { words: words.into_iter() }
    }

    pub(crate) fn word(&mut self) -> u32 {
        self.words.next().unwrap_or(0)
    }

    /// Whether nothing is left.
    pub(crate) fn is_over(&self) -> bool {
        self.words.len() == 0
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.word() as usize % count
    }

    /// One of several.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Whether one in `count` choices.
    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    /// A constant: small, at an edge of the type, or any bits.
    pub(crate) fn literal(&mut self, dtype: DType) -> Literal {
        let small = |tape: &mut Self| tape.below(9) as i128;
        let bits = match self.below(4) {
            0 if dtype.is_float() => float_bits(dtype, small(self) as u8),
            0 => small(self) as u64,
            1 if dtype.is_float() => edge(self.word()),
            1 => [u64::MAX, dtype.mask() >> 1, (dtype.mask() >> 1) + 1, 31][self.below(4)],
            _any => u64::from(self.word()) << 32 | u64::from(self.word()),
        };
        let bits = if dtype == DType::Bool { bits & 1 } else { bits };
        Literal::from_bits(dtype, bits)
    }
}

/// A small whole number in a float type, exactly.
fn float_bits(dtype: DType, value: u8) -> u64 {
    match dtype {
        DType::F16 => half::f16::from_f32(value.into()).to_bits().into(),
        DType::BF16 => half::bf16::from_f32(value.into()).to_bits().into(),
        DType::F32 => f32::from(value).to_bits().into(),
        _other => f64::from(value).to_bits(),
    }
}

/// Zeros, infinities, subnormals and NaNs of every float type, by one shift of the same top bits.
fn edge(choice: u32) -> u64 {
    [
        0,
        0x8000,
        0x7c00,
        0xfc00,
        0x7f80,
        0xff80,
        0x7f80_0000,
        0xff80_0000,
        1,
        0x7fc0_0001,
        0x7ff << 52,
        0xfff << 52,
    ][choice as usize % 12]
}
