//! Inputs from a counter: each element is a function of (case, buffer, seed, index), so it is the same in any shard and
//! order, and a sample of a large buffer needs no more than the sample.

use std::cell::RefCell;

use super::buffer::{Shape, TestBuffer};
use super::tolerance::rounded;
use crate::ir::{DType, Literal};

/// How elements are made.
#[derive(Clone, PartialEq, Debug)]
pub enum Generator {
    /// Uniform in [low, high).
    Range(f64, f64),
    /// The values that break things: zeros of both signs, subnormals, the largest, infinities, NaN, ties of rounding, and
    /// numbers over the whole range of exponents.
    Hard,
    /// Normal with mean 0 and deviation 1.
    Normal,
    /// Whole numbers in [low, high].
    Ints(i64, i64),
    /// One number.
    Fill(f64),
    /// These numbers, over and over.
    FromSlice(Vec<f64>),
}

thread_local! {
    /// The running case's name and seed.
    static CASE: RefCell<(String, u64)> = const { RefCell::new((String::new(), 0)) };
}

/// Runs a function that describes a case, whose inputs are keyed by the case's name and a seed.
pub fn with_case<R>(name: &str, seed: u64, run: impl FnOnce() -> R) -> R {
    struct Restore((String, u64));
    impl Drop for Restore {
        fn drop(&mut self) {
            CASE.with_borrow_mut(|case| *case = std::mem::take(&mut self.0));
        }
    }
    let _restore = Restore(CASE.with_borrow_mut(|case| std::mem::replace(case, (name.to_owned(), seed))));
    run()
}

/// A buffer of generated numbers, each rounded to the dtype.
pub fn inputs(name: &str, shape: impl Shape, dtype: DType, generator: Generator) -> TestBuffer {
    let shape = shape.extents();
    let count: u64 = shape.iter().product();
    let key = CASE.with_borrow(|(case, seed)| mix(hash(case) ^ mix(hash(name)) ^ mix(*seed)));
    let values = (0..count).map(|index| element(&generator, key, index, dtype));
    TestBuffer::of_literals(name, shape, dtype, values)
}

/// FNV-1a: a name's number must not depend on the program's run.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Uniform in [0, 1), 53 bits.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

fn element(generator: &Generator, key: u64, index: u64, dtype: DType) -> Literal {
    let bits = mix(key ^ mix(index));
    let value = match generator {
        Generator::Range(low, high) => low + (high - low) * unit(bits),
        Generator::Normal => normal(bits),
        Generator::Ints(low, high) => {
            let span = (i128::from(*high) - i128::from(*low) + 1).max(1);
            let value = i128::from(*low) + (u128::from(bits) % span as u128) as i128;
            // Not through f64, which has 53 bits.
            return match dtype.is_float() {
                true => rounded(value as f64, dtype),
                false => Literal::from_bits(dtype, value as u64),
            };
        }
        Generator::Fill(value) => *value,
        Generator::FromSlice(values) => match values.len() {
            0 => 0.0,
            len => values[(index % len as u64) as usize],
        },
        Generator::Hard => return hard(bits, index, dtype),
    };
    rounded(value, dtype)
}

/// A normal number by summing twelve uniform ones: exact arithmetic, the same on every host, unlike a logarithm.
fn normal(bits: u64) -> f64 {
    let mut state = bits;
    let sum: f64 = (0..12)
        .map(|_| {
            state = mix(state);
            unit(state)
        })
        .sum();
    sum - 6.0
}

/// The listed values first, so that even a short buffer has some; then any bit pattern.
fn hard(bits: u64, index: u64, dtype: DType) -> Literal {
    if dtype == DType::Bool {
        return Literal::bool(bits & 1 == 1);
    }
    let special = special_bits(dtype);
    match bits % 4 {
        0 => Literal::from_bits(dtype, special[(index as usize / 2) % special.len()]),
        1 if dtype.is_float() => rounded((unit(mix(bits)) - 0.5) * 4.0, dtype),
        _ => Literal::from_bits(dtype, mix(bits)),
    }
}

fn special_bits(dtype: DType) -> Vec<u64> {
    let width = dtype.bits();
    let sign = 1u64 << (width - 1);
    if !dtype.is_float() {
        return vec![0, 1, dtype.mask(), sign, sign - 1, sign + 1, dtype.mask() - 1, 2];
    }
    let mantissa = match dtype {
        DType::F16 => 10,
        DType::BF16 => 7,
        DType::F32 => 23,
        DType::F64 => 52,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => 0,
    };
    let infinity = (sign - 1) & !((1u64 << mantissa) - 1);
    let one = rounded(1.0, dtype).bits;
    let magnitudes = [
        0,                             // zero
        1,                             // the least subnormal
        (1 << mantissa) - 1,           // the greatest subnormal
        1 << mantissa,                 // the least normal
        infinity - 1,                  // the greatest
        infinity,
        infinity | 1 << (mantissa - 1), // a quiet NaN
        one,
        one + 1,
        one - 1,
        rounded(0.5, dtype).bits,      // ties of rounding to whole numbers
        rounded(1.5, dtype).bits,
        rounded(2.5, dtype).bits,
    ];
    magnitudes.into_iter().flat_map(|magnitude| [magnitude, magnitude | sign]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_depends_on_case_buffer_seed_and_index_alone() {
        let make = |case: &str, name: &str, seed, len: usize| {
            with_case(case, seed, || inputs(name, len, DType::F32, Generator::Range(-1.0, 1.0)).as_f64())
        };
        let base = make("k", "x", 0, 64);
        assert_eq!(make("k", "x", 0, 32), base[..32], "the length does not matter");
        for other in [make("l", "x", 0, 64), make("k", "y", 0, 64), make("k", "x", 1, 64)] {
            assert_ne!(other, base);
        }
        assert!(base.iter().all(|value| (-1.0..1.0).contains(value)));
    }

    #[test]
    fn generators_give_what_they_say() {
        let ints = inputs("x", 1000, DType::I32, Generator::Ints(-3, 3)).as_f64();
        for want in -3..=3 {
            assert!(ints.contains(&f64::from(want)));
        }
        let normal = inputs("x", 10_000, DType::F64, Generator::Normal).as_f64();
        let mean = normal.iter().sum::<f64>() / 1e4;
        let variance = normal.iter().map(|value| value * value).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        let hard = inputs("x", 1000, DType::F16, Generator::Hard).as_f64();
        assert!(hard.iter().any(|value| value.is_nan()));
        assert!(hard.contains(&f64::INFINITY) && hard.contains(&5.960464477539063e-8));
        let slice = inputs("x", 5, DType::U8, Generator::FromSlice(vec![1.0, 2.0])).as_f64();
        assert_eq!(slice, [1.0, 2.0, 1.0, 2.0, 1.0]);
    }
}
