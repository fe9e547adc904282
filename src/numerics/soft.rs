//! Exact arithmetic on bits of any IEEE format, rounded once in any of the four directions.
//!
//! The host rounds to nearest only; `.rz`, `.rm` and `.rp` come from here, and so do conversions that no fast path
//! serves. Entry: bits of the format. Exit: bits of the format, with a NaN as the format's canonical one. A
//! significand that lost bits keeps a one in its last place ("jammed"), which lies far below any place that decides.

use super::{Exact, Format, Overflow, Rounding, decode, encode};

/// Where a result that the format has not goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// To the nearest, of two equally near to the even one.
    Rn,
    /// Toward zero.
    Rz,
    /// Toward −∞.
    Rm,
    /// Toward +∞.
    Rp,
}

impl Direction {
    /// Every one, the nearest first.
    pub const ALL: &'static [Self] = &[Self::Rn, Self::Rz, Self::Rm, Self::Rp];

    /// As PTX spells it, with its dot.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rn => ".rn",
            Self::Rz => ".rz",
            Self::Rm => ".rm",
            Self::Rp => ".rp",
        }
    }
}

/// Where the top bit of a significand is moved before two of them meet: room for a carry above, and at least twenty
/// zeros below even a product of two f64.
const TOP: u32 = 125;

fn shifted_to_top(significand: u128, exponent: i32, top: u32) -> (u128, i32) {
    let have = 127 - significand.leading_zeros();
    if have <= top {
        (significand << (top - have), exponent - (top - have) as i32)
    } else {
        (jam(significand, have - top), exponent + (have - top) as i32)
    }
}

fn jam(significand: u128, places: u32) -> u128 {
    match places {
        0 => significand,
        1..=127 => (significand >> places) | u128::from(significand & ((1 << places) - 1) != 0),
        _ => u128::from(significand != 0),
    }
}

/// The sum of two finite values, jammed.
fn sum(x: (bool, u128, i32), y: (bool, u128, i32), rounding: Direction) -> Exact {
    let zero = |negative| Exact::Finite { negative, significand: 0, exponent: 0 };
    let exact = |(negative, significand, exponent)| Exact::Finite { negative, significand, exponent };
    match (x.1 == 0, y.1 == 0) {
        (true, true) if x.0 == y.0 => return zero(x.0),
        (true, true) => return zero(rounding == Direction::Rm),
        (true, false) => return exact(y),
        (false, true) => return exact(x),
        (false, false) => {}
    }
    let (a, a_exponent) = shifted_to_top(x.1, x.2, TOP);
    let (b, b_exponent) = shifted_to_top(y.1, y.2, TOP);
    let exponent = a_exponent.max(b_exponent);
    let a = jam(a, (exponent - a_exponent) as u32);
    let b = jam(b, (exponent - b_exponent) as u32);
    if x.0 == y.0 {
        return exact((x.0, a + b, exponent));
    }
    match a.cmp(&b) {
        std::cmp::Ordering::Equal => zero(rounding == Direction::Rm),
        std::cmp::Ordering::Greater => exact((x.0, a - b, exponent)),
        std::cmp::Ordering::Less => exact((y.0, b - a, exponent)),
    }
}

/// The bits of a value in a format, rounded once.
pub fn round(value: Exact, format: Format, rounding: Direction) -> u64 {
    let away = |negative| match rounding {
        Direction::Rn | Direction::Rz => false,
        Direction::Rm => negative,
        Direction::Rp => !negative,
    };
    match value {
        Exact::Finite { negative, significand, exponent } if rounding != Direction::Rn => {
            let truncated = encode(value, format, Rounding::TowardZero, Overflow::Special);
            let is_exact = match decode(truncated, format) {
                Exact::Finite { significand: kept, exponent: place, .. } => {
                    least(kept, place) == least(significand, exponent)
                }
                Exact::Nan | Exact::Infinite { .. } => true,
            };
            // The next magnitude is the next integer, and after the largest number comes infinity.
            if !is_exact && away(negative) { truncated + 1 } else { truncated }
        }
        Exact::Finite { .. } | Exact::Nan | Exact::Infinite { .. } => {
            encode(value, format, Rounding::NearestEven, Overflow::Special)
        }
    }
}

/// The same value with an odd significand.
fn least(significand: u128, exponent: i32) -> (u128, i32) {
    if significand == 0 {
        return (0, 0);
    }
    let zeros = significand.trailing_zeros();
    (significand >> zeros, exponent + zeros as i32)
}

/// `a + b`.
pub fn add(format: Format, a: u64, b: u64, rounding: Direction) -> u64 {
    let value = match (decode(a, format), decode(b, format)) {
        (Exact::Nan, _) | (_, Exact::Nan) => Exact::Nan,
        (Exact::Infinite { negative: x }, Exact::Infinite { negative: y }) if x != y => Exact::Nan,
        (Exact::Infinite { negative }, _) | (_, Exact::Infinite { negative }) => Exact::Infinite { negative },
        (
            Exact::Finite { negative: x, significand: s, exponent: e },
            Exact::Finite { negative: y, significand: t, exponent: f },
        ) => sum((x, s, e), (y, t, f), rounding),
    };
    round(value, format, rounding)
}

fn product(a: Exact, b: Exact) -> Exact {
    match (a, b) {
        (Exact::Nan, _) | (_, Exact::Nan) => Exact::Nan,
        (Exact::Infinite { negative: x }, Exact::Infinite { negative: y }) => {
            Exact::Infinite { negative: x != y }
        }
        (Exact::Infinite { negative: x }, Exact::Finite { negative: y, significand, .. })
        | (Exact::Finite { negative: x, significand, .. }, Exact::Infinite { negative: y }) => {
            if significand == 0 { Exact::Nan } else { Exact::Infinite { negative: x != y } }
        }
        (
            Exact::Finite { negative: x, significand: s, exponent: e },
            Exact::Finite { negative: y, significand: t, exponent: f },
        ) => Exact::Finite { negative: x != y, significand: s * t, exponent: e + f },
    }
}

/// `a × b`.
pub fn mul(format: Format, a: u64, b: u64, rounding: Direction) -> u64 {
    round(product(decode(a, format), decode(b, format)), format, rounding)
}

/// `a × b + c`.
pub fn fma(format: Format, a: u64, b: u64, c: u64, rounding: Direction) -> u64 {
    let value = match (product(decode(a, format), decode(b, format)), decode(c, format)) {
        (Exact::Nan, _) | (_, Exact::Nan) => Exact::Nan,
        (Exact::Infinite { negative: x }, Exact::Infinite { negative: y }) if x != y => Exact::Nan,
        (Exact::Infinite { negative }, _) | (_, Exact::Infinite { negative }) => Exact::Infinite { negative },
        (
            Exact::Finite { negative: x, significand: s, exponent: e },
            Exact::Finite { negative: y, significand: t, exponent: f },
        ) => sum((x, s, e), (y, t, f), rounding),
    };
    round(value, format, rounding)
}

/// `a / b`.
pub fn div(format: Format, a: u64, b: u64, rounding: Direction) -> u64 {
    let value = match (decode(a, format), decode(b, format)) {
        (Exact::Nan, _) | (_, Exact::Nan) | (Exact::Infinite { .. }, Exact::Infinite { .. }) => Exact::Nan,
        (Exact::Infinite { negative: x }, Exact::Finite { negative: y, .. }) => {
            Exact::Infinite { negative: x != y }
        }
        (Exact::Finite { negative: x, .. }, Exact::Infinite { negative: y }) => {
            Exact::Finite { negative: x != y, significand: 0, exponent: 0 }
        }
        (
            Exact::Finite { negative: x, significand: s, exponent: e },
            Exact::Finite { negative: y, significand: t, exponent: f },
        ) => match (s, t) {
            (0, 0) => Exact::Nan,
            (_, 0) => Exact::Infinite { negative: x != y },
            (0, _) => Exact::Finite { negative: x != y, significand: 0, exponent: 0 },
            (_, _) => {
                // A dividend of 126 bits over a divisor of at most 53 leaves 73 bits or more.
                let (dividend, e) = shifted_to_top(s, e, TOP);
                let significand = (dividend / t) | u128::from(dividend % t != 0);
                Exact::Finite { negative: x != y, significand, exponent: e - f }
            }
        },
    };
    round(value, format, rounding)
}

/// `√a`.
pub fn sqrt(format: Format, a: u64, rounding: Direction) -> u64 {
    let value = match decode(a, format) {
        Exact::Nan | Exact::Infinite { negative: true } => Exact::Nan,
        Exact::Infinite { negative: false } => Exact::Infinite { negative: false },
        Exact::Finite { negative, significand: 0, exponent } => {
            Exact::Finite { negative, significand: 0, exponent }
        }
        Exact::Finite { negative: true, .. } => Exact::Nan,
        Exact::Finite { negative: false, significand, exponent } => {
            let (radicand, exponent) = shifted_to_top(significand, exponent, TOP);
            let odd = exponent & 1;
            let radicand = radicand << odd;
            let root = radicand.isqrt();
            let significand = root | u128::from(root * root != radicand);
            Exact::Finite { negative: false, significand, exponent: (exponent - odd) / 2 }
        }
    };
    round(value, format, rounding)
}

/// A number in another format.
pub fn convert(from: Format, to: Format, bits: u64, rounding: Direction) -> u64 {
    round(decode(bits, from), to, rounding)
}

/// An integer, given by sign and magnitude.
pub fn of_int(negative: bool, magnitude: u64, to: Format, rounding: Direction) -> u64 {
    let negative = negative && magnitude != 0;
    round(Exact::Finite { negative, significand: u128::from(magnitude), exponent: 0 }, to, rounding)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MODES: [Direction; 4] = [Direction::Rn, Direction::Rz, Direction::Rm, Direction::Rp];

    fn canonical(value: f64) -> u64 {
        if value.is_nan() { 0x7fff_ffff_ffff_ffff } else { value.to_bits() }
    }

    fn canonical32(value: f32) -> u64 {
        u64::from(if value.is_nan() { 0x7fff_ffff } else { value.to_bits() })
    }

    proptest! {
        #[test]
        fn nearest_equals_the_host(a: u64, b: u64, c: u64) {
            let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            prop_assert_eq!(add(Format::F64, a, b, Direction::Rn), canonical(x + y));
            prop_assert_eq!(mul(Format::F64, a, b, Direction::Rn), canonical(x * y));
            prop_assert_eq!(div(Format::F64, a, b, Direction::Rn), canonical(x / y));
            prop_assert_eq!(sqrt(Format::F64, a, Direction::Rn), canonical(x.sqrt()));
            prop_assert_eq!(fma(Format::F64, a, b, c, Direction::Rn), canonical(x.mul_add(y, z)));
        }

        #[test]
        fn nearest_equals_the_host_near_one(a in 0_u32.., b in 0_u32.., c in 0_u32..) {
            // Exponents close together, so that sums cancel and products of fma meet their addend.
            let near = |bits: u32| (bits & 0x80ff_ffff) | 0x3f00_0000;
            let (a, b, c) = (near(a), near(b), near(c));
            let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
            let (a, b, c) = (u64::from(a), u64::from(b), u64::from(c));
            prop_assert_eq!(add(Format::F32, a, b, Direction::Rn), canonical32(x + y));
            prop_assert_eq!(fma(Format::F32, a, b, c, Direction::Rn), canonical32(x.mul_add(y, z)));
            prop_assert_eq!(div(Format::F32, a, b, Direction::Rn), canonical32(x / y));
        }

        #[test]
        fn directed_roundings_enclose_the_nearest(a: u32, b: u32) {
            let (a, b) = (u64::from(a), u64::from(b));
            let results = MODES.map(|mode| f32::from_bits(mul(Format::F32, a, b, mode) as u32));
            let [nearest, zero, down, up] = results;
            if nearest.is_nan() {
                prop_assert!(results.iter().all(|result| result.is_nan()));
            } else {
                prop_assert!(down <= nearest && nearest <= up);
                let toward_zero = if nearest.is_sign_negative() { up } else { down };
                prop_assert_eq!(zero, toward_zero);
                // The product of two f32 is exact in f64.
                let exact = f64::from(f32::from_bits(a as u32)) * f64::from(f32::from_bits(b as u32));
                prop_assert!(f64::from(down) <= exact && exact <= f64::from(up));
                prop_assert_eq!(down == up, f64::from(down) == exact);
            }
        }
    }

    #[test]
    fn overflow_stops_at_the_largest_number_in_the_directions_that_say_so() {
        let max = u64::from(f32::MAX.to_bits());
        let infinity = u64::from(f32::INFINITY.to_bits());
        let results = MODES.map(|mode| add(Format::F32, max, max, mode));
        assert_eq!(results, [infinity, max, max, infinity]);
    }

    #[test]
    fn an_exact_zero_sum_is_negative_when_rounding_down() {
        let one = u64::from(1_f32.to_bits());
        let minus = one | 0x8000_0000;
        assert_eq!(MODES.map(|mode| add(Format::F32, one, minus, mode)), [0, 0, 0x8000_0000, 0]);
    }
}
