//! The tangent.

use super::ops::{Ops, Word};
use super::reduction::{Reduced, huge, is_huge, ordinary};

/// tan x, x in radians, over the whole range. tan ±0 = ±0; NaN of ±∞. No f32 is a pole.
///
/// The reduction of `sin`; in odd quadrants −1/tan of the rest, with one step of Newton's that makes up for the roundings
/// of the tangent and of the quotient.
pub fn tan<F: Ops>(x: F) -> F {
    of_reduced(ordinary(x, 0.0)).unless(is_huge(x), || of_reduced(huge(x)))
}

fn of_reduced<F: Ops>(Reduced { rest, excess, quadrant }: Reduced<F>) -> F {
    let square = rest * rest;
    // What the square was rounded by shifts the tangent as that share of it of the rest does, within a tenth.
    let rounded = rest.fma(rest, -square);
    let excess = rounded.fma(rest * F::of(-0.31), excess);
    // The slope, 1 + tan², to a twelfth: it scales what is below the last place.
    let lower = excess * square.fma(F::of(-1.5), F::of(-1.0));
    let correction = (rest * square).fma(square.polynomial(&COEFFICIENTS), lower);
    let tan = rest + correction;
    let below = (rest - tan) + correction;
    let quotient = F::of(-1.0) / tan;
    let missing = quotient.fma(below, quotient.fma(tan, F::of(1.0)));
    let is_even = (quadrant & Word::of(1)).eq(Word::of(0));
    F::select(is_even, tan, quotient.fma(missing, quotient))
}

/// (tan r − r)/r³ by r² on |r| ≤ 0.79, tan r to 2⁻²⁹·³ of itself.
const COEFFICIENTS: [f32; 7] =
    [0.333_333_52, 0.133_325_77, 0.054_069_877, 0.021_229_895, 0.010_973_427, -8.736_678e-5, 0.004_464_671];

#[cfg(test)]
mod tests {
    use super::tan;

    #[test]
    fn special_values() {
        for zero in [0.0f32, -0.0, 1e-45, -1e-45, 1e-30] {
            assert_eq!(tan(zero).to_bits(), zero.to_bits());
        }
        for none in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(tan(none).is_nan());
        }
    }

    #[test]
    fn known_values() {
        for x in
            [1.0f32, -1.0, std::f32::consts::FRAC_PI_2, 1.570_796_2, 1e5, 131_072.02, -1e6, 1e22, f32::MAX]
        {
            assert!((f64::from(tan(x)) / f64::from(x).tan() - 1.0).abs() < 1e-7, "{x}");
        }
    }
}
