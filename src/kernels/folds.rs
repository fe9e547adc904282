//! Reductions and prefixes for references: one element after the other, integers exactly and reals in f64.
//!
//! On entry: the elements of a buffer, as its dtype rounded them. On exit: numbers that are put into a dtype once, integers
//! by their low bits. Written from what the words mean and not from how lanes combine, so that an order of lanes that
//! loses or doubles one can't agree with it. Deliberately not here: the order in which floats round.

use super::rounding::{real, wrapped};
use crate::case::{Generator, TestBuffer, inputs};
use crate::ir::DType;

/// An element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// Of an integer type.
    Int(i128),
    /// Of a float type.
    Real(f64),
}

/// What combines elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fold {
    Sum,
    Product,
    Max,
    Min,
    And,
    Or,
    Xor,
}

/// The type of a result: what 16-bit floats are reduced in, else the type itself.
pub(crate) fn accumulator(dtype: DType) -> DType {
    if dtype.is_float() && dtype != DType::F64 { DType::F32 } else { dtype }
}

/// Contents whose fold is exact, and says of every lane whether it was taken in.
pub(crate) fn telling(fold: Fold, name: &str, n: usize, dt: DType) -> TestBuffer {
    let contents = match fold {
        Fold::Sum if dt.is_float() => Generator::Ints(-9, 12),
        Fold::Sum | Fold::Xor => Generator::Ints(i64::MIN, i64::MAX),
        // Powers of two and their signs are exact, odd numbers never become 0.
        Fold::Product if dt.is_float() => {
            Generator::FromSlice(&[0.5, 2.0, -1.0, 4.0, 1.0, -0.25, 2.0, -0.5, 1.0])
        }
        Fold::Product => Generator::FromSlice(&[3.0, 5.0, 1.0, 7.0, 9.0, 11.0, 1.0, 13.0, 99.0, 101.0, 17.0]),
        Fold::Max | Fold::Min if dt.is_float() => Generator::Hard,
        Fold::Max | Fold::Min if dt.is_signed() => Generator::Ints(i64::MIN, i64::MAX),
        // Beyond what is negative in a signed type, and short of all ones, which anybody can write.
        Fold::Max | Fold::Min => Generator::Ints(2, (1 << (dt.bits() - 1).min(62)) + 70),
        // Each clears, or sets, a bit that few others do.
        Fold::And => {
            Generator::FromSlice(&[127.0, 119.0, 127.0, 126.0, 95.0, 127.0, 127.0, 111.0, 63.0, 127.0, 125.0])
        }
        Fold::Or => Generator::FromSlice(&[0.0, 8.0, 0.0, 1.0, 32.0, 0.0, 0.0, 16.0, 64.0, 0.0, 2.0]),
    };
    inputs(name, [n], dt, contents)
}

/// The elements of a buffer.
pub(crate) fn numbers(x: &TestBuffer) -> Vec<Number> {
    if x.dtype().is_float() {
        x.as_f64().into_iter().map(Number::Real).collect()
    } else {
        x.as_int().into_iter().map(Number::Int).collect()
    }
}

/// Numbers as the elements of a buffer.
pub(crate) fn buffer(name: &str, values: &[Number], dtype: DType) -> TestBuffer {
    if dtype.is_float() {
        let rounded: Vec<_> = values.iter().map(|value| real(value.real(), dtype)).collect();
        return TestBuffer::from_f64(name, &rounded, dtype);
    }
    wrapped(name, &values.iter().map(|value| value.int()).collect::<Vec<_>>(), dtype)
}

impl Number {
    /// As a real.
    pub(crate) fn real(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Real(real) => real,
        }
    }

    /// As an integer.
    pub(crate) fn int(self) -> i128 {
        match self {
            Self::Int(int) => int,
            Self::Real(real) => real as i128,
        }
    }

    /// Whether it is before another: −0 equals +0, and NaN is before everything.
    pub(crate) fn is_less(self, other: Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a < b,
            (a, b) => a.real() < b.real() || (a.real().is_nan() && !b.real().is_nan()),
        }
    }
}

impl Fold {
    /// Two combined, the earlier one first.
    pub(crate) fn of(self, a: Number, b: Number) -> Number {
        match (a, b) {
            (Number::Int(a), Number::Int(b)) => Number::Int(self.of_ints(a, b)),
            (a, b) => Number::Real(self.of_reals(a.real(), b.real())),
        }
    }

    fn of_ints(self, a: i128, b: i128) -> i128 {
        match self {
            Self::Sum => a.wrapping_add(b),
            Self::Product => a.wrapping_mul(b),
            Self::Max => a.max(b),
            Self::Min => a.min(b),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
        }
    }

    fn of_reals(self, a: f64, b: f64) -> f64 {
        let is_greater = a.total_cmp(&b).is_gt();
        match self {
            Self::Sum => a + b,
            Self::Product => a * b,
            // NaN loses, and −0 is below +0 as `total_cmp` has it.
            Self::Max | Self::Min if a.is_nan() => b,
            Self::Max | Self::Min if b.is_nan() => a,
            Self::Max => {
                if is_greater {
                    a
                } else {
                    b
                }
            }
            Self::Min => {
                if is_greater {
                    b
                } else {
                    a
                }
            }
            Self::And | Self::Or | Self::Xor => f64::NAN,
        }
    }

    /// What is in front of the first.
    pub(crate) fn identity(self, dtype: DType) -> Number {
        if dtype.is_float() {
            return Number::Real(match self {
                Self::Product => 1.0,
                Self::Max => f64::NEG_INFINITY,
                Self::Min => f64::INFINITY,
                Self::Sum | Self::And | Self::Or | Self::Xor => 0.0,
            });
        }
        let (bits, signed) = (dtype.bits(), dtype.is_signed());
        Number::Int(match self {
            Self::Product => 1,
            Self::Max if signed => -(1i128 << (bits - 1)),
            Self::Min if signed => (1i128 << (bits - 1)) - 1,
            Self::Min => (1i128 << bits) - 1,
            Self::And => -1,
            Self::Sum | Self::Max | Self::Or | Self::Xor => 0,
        })
    }

    /// All of them combined; of none, what is in front of the first.
    pub(crate) fn all(self, values: impl IntoIterator<Item = Number>, dtype: DType) -> Number {
        values.into_iter().reduce(|a, b| self.of(a, b)).unwrap_or_else(|| self.identity(dtype))
    }

    /// What combines up to each of them.
    pub(crate) fn inclusive(self, values: &[Number]) -> Vec<Number> {
        let mut sum = None;
        let up_to = |&value: &Number| *sum.insert(sum.map_or(value, |sum| self.of(sum, value)));
        values.iter().map(up_to).collect()
    }

    /// What combines before each of them.
    pub(crate) fn exclusive(self, values: &[Number], dtype: DType) -> Vec<Number> {
        let mut before = vec![self.identity(dtype)];
        before.extend(self.inclusive(values));
        before.truncate(values.len());
        before
    }
}

/// Where the greatest is, by `Max`, or the least, by `Min`: the first of those that are equal; NaN loses.
pub(crate) fn place(fold: Fold, values: &[Number]) -> usize {
    let is_nan = |value: Number| value.real().is_nan();
    let beats = |a: Number, b: Number| match (is_nan(a), is_nan(b)) {
        (true, _) => false,
        (false, true) => true,
        (false, false) if fold == Fold::Max => b.is_less(a),
        (false, false) => a.is_less(b),
    };
    (0..values.len()).reduce(|best, at| if beats(values[at], values[best]) { at } else { best }).unwrap_or(0)
}

/// The warps of `n` threads in CTAs of `cta`.
pub(crate) fn warps(n: usize, cta: usize) -> Vec<Vec<usize>> {
    ctas(n, cta).iter().flat_map(|threads| threads.chunks(32).map(<[usize]>::to_vec)).collect()
}

/// The members' values.
pub(crate) fn picked(values: &[Number], members: &[usize]) -> Vec<Number> {
    members.iter().map(|&at| values[at]).collect()
}

/// For each element what `each` makes of the members of its group.
fn by_group(
    x: &TestBuffer,
    groups: &[Vec<usize>],
    to: DType,
    each: impl Fn(&[Number]) -> Vec<Number>,
) -> Vec<Number> {
    let values = numbers(x);
    let mut out = vec![zero(to); values.len()];
    for members in groups {
        for (&at, result) in members.iter().zip(each(&picked(&values, members))) {
            out[at] = result;
        }
    }
    out
}

/// The 0 of a type.
pub(crate) fn zero(dtype: DType) -> Number {
    Fold::Sum.identity(dtype)
}

/// All of the group, for each of its elements.
pub(crate) fn folded(x: &TestBuffer, groups: &[Vec<usize>], fold: Fold, to: DType) -> Vec<Number> {
    by_group(x, groups, to, |values| vec![fold.all(values.iter().copied(), to); values.len()])
}

/// What is up to each element in its group, or before it. The identity is the input's type's.
pub(crate) fn prefixes(
    x: &TestBuffer,
    groups: &[Vec<usize>],
    fold: Fold,
    is_exclusive: bool,
    to: DType,
) -> Vec<Number> {
    let dtype = x.dtype();
    by_group(
        x,
        groups,
        to,
        |values| {
            if is_exclusive { fold.exclusive(values, dtype) } else { fold.inclusive(values) }
        },
    )
}

/// The CTAs of `n` threads.
pub(crate) fn ctas(n: usize, cta: usize) -> Vec<Vec<usize>> {
    (0..n).step_by(cta).map(|first| (first..(first + cta).min(n)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_do_what_they_are_named() {
        let reals = [f64::NAN, -0.0, 0.0, -2.0].map(Number::Real);
        let all = |fold: Fold| fold.all(reals, DType::F32).real();
        assert_eq!(all(Fold::Max).to_bits(), 0.0f64.to_bits());
        assert_eq!(all(Fold::Min), -2.0);
        assert!(all(Fold::Sum).is_nan());
        assert_eq!((place(Fold::Max, &reals), place(Fold::Min, &reals)), (1, 3));
        let ints = [6i128, -1, 3].map(Number::Int);
        let inclusive: Vec<_> = Fold::And.inclusive(&ints).into_iter().map(Number::int).collect();
        assert_eq!(inclusive, [6, 6, 2]);
        let exclusive: Vec<_> = Fold::Min.exclusive(&ints, DType::I8).into_iter().map(Number::int).collect();
        assert_eq!(exclusive, [127, 6, -1]);
    }

    #[test]
    fn warps_end_with_their_cta() {
        let lengths: Vec<_> = warps(100, 45).iter().map(Vec::len).collect();
        assert_eq!(lengths, [32, 13, 32, 13, 10]);
    }
}
