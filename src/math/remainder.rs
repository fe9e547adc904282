//! The remainder of a division that truncates (C's `fmod`).

use super::ops::Ops;

/// a − n·b, n being a/b cut to an integer, exactly; its sign is a's. NaN where a is infinite or b is 0; a itself where b is
/// infinite.
///
/// Below a quotient of 2²³ the rounded quotient, cut, is n or n + 1, and a − n·b is one exact fused step. Beyond, the same
/// step is done with b·2²⁵³, b·2²³⁰, …, b: twelve steps span the f32 numbers.
pub fn remainder<F: Ops>(a: F, b: F) -> F {
    let (dividend, divisor) = (a.abs(), b.abs());
    let quotient = dividend / divisor;
    // 0·∞ would be a NaN.
    let ordinary = reduce(dividend, divisor.min_nan(F::of(f32::MAX)), quotient);
    ordinary.unless(!quotient.lt(F::of(8_388_608.0)), || long(dividend, divisor)).copysign(a)
}

/// dividend − n·divisor, `quotient` being the rounded one and at most 2²⁴.
fn reduce<F: Ops>(dividend: F, divisor: F, quotient: F) -> F {
    let rest = (-quotient.trunc()).fma(divisor, dividend);
    F::select(rest.lt(F::of(0.0)), rest + divisor, rest)
}

fn long<F: Ops>(dividend: F, divisor: F) -> F {
    let mut rest = dividend;
    for step in (0..12).rev() {
        let (whole, half) = (23 * step, 23 * step / 2);
        // Exact, or ∞, which no rest reaches.
        let scaled = divisor * F::of(2f32.powi(half)) * F::of(2f32.powi(whole - half));
        rest = F::select(scaled.le(rest), reduce(rest, scaled, rest / scaled), rest);
    }
    // ∞ · 0: NaN where either is infinite or a NaN.
    let zero = F::of(0.0);
    rest + (dividend * zero + divisor * zero)
}

#[cfg(test)]
mod tests {
    use super::remainder;

    #[test]
    fn special_values() {
        for (a, b, expected) in [
            (5.5, 2.0, 1.5),
            (-5.5, 2.0, -1.5),
            (5.5, -2.0, 1.5),
            (-6.0, 2.0, -0.0),
            (0.0, 1.0, 0.0),
            (-0.0, 1.0, -0.0),
            (3.0, f32::INFINITY, 3.0),
            (-3.0, f32::NEG_INFINITY, -3.0),
            (1.0, f32::MAX, 1.0),
            (f32::MAX, f32::from_bits(1), 0.0),
            (f32::MAX, f32::from_bits(3), f32::MAX % f32::from_bits(3)),
        ] {
            assert_eq!(remainder(a, b).to_bits(), f32::to_bits(expected), "{a:e} % {b:e}");
        }
        let nan = f32::NAN;
        let infinity = f32::INFINITY;
        for (a, b) in [
            (1.0, 0.0),
            (0.0, 0.0),
            (infinity, 2.0),
            (infinity, infinity),
            (nan, 1.0),
            (1.0, nan),
            (nan, 0.0),
        ] {
            assert!(remainder(a, b).is_nan() && remainder(-a, -b).is_nan(), "{a:e} % {b:e}");
        }
    }

    #[test]
    fn equals_the_hosts() {
        let mut state = 1u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits(state ^ (state >> 15))
        };
        for _ in 0..1_000_000 {
            let (a, b) = (number(), number());
            let (got, expected) = (remainder(a, b), a % b);
            assert!(
                got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()),
                "{a:e} % {b:e}"
            );
        }
    }
}
