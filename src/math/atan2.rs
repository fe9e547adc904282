//! The angle of a point.

use super::arc::Arc;
use super::ops::{Ops, Word};

/// The angle of (x, y) in [−π, π], of the sign of y. Special values by C99 Annex F: of (+0, ±0) it is ±0, of (−0, ±0) ±π,
/// of two infinities an odd multiple of π/4. A quotient that is subnormal is rounded once.
///
/// The arctangent of the lesser over the greater, with what the quotient was rounded by added, and turned to its octant.
pub fn atan2<F: Ops>(y: F, x: F) -> F {
    let (across, up) = (x.abs(), y.abs());
    let (longer, shorter) = (across.max_nan(up), across.min_nan(up));
    let is_steep = up.gt(across);
    let ordinary = in_octant(x, is_steep, longer, shorter).copysign(y);
    // One unsigned comparison also finds 0, ∞ and NaN.
    let is_ordinary = (longer.bits() - Word::of(LEAST)).lt(Word::of(MOST - LEAST));
    ordinary.unless(!is_ordinary, || {
        let (longer, shorter) = scaled(longer, shorter);
        in_octant(x, is_steep, longer, shorter).copysign(y)
    })
}

/// The bits of 2⁻⁸⁰: from here on what a quotient leaves is no subnormal where it counts.
const LEAST: u32 = (127 - 80) << 23;
/// The bits of 2¹²⁰: up to here the reciprocal is a normal number.
const MOST: u32 = (127 + 120) << 23;

/// Two lengths of the same quotient in range: moved by a power of 2 where they are numbers.
fn scaled<F: Ops>(longer: F, shorter: F) -> (F, F) {
    let (zero, one) = (F::of(0.0), F::of(1.0));
    // 2⁻⁶⁴ or 2⁶⁴. The shorter may lose bits to the former only where the quotient is below 2⁻¹⁸⁰.
    let scale = F::select(longer.gt(one), F::of_bits(63 << 23), F::of_bits(191 << 23));
    let is_infinite = longer.eq(F::of(f32::INFINITY));
    let of_infinite = F::select(shorter.eq(longer), one, zero);
    // Both zero gives the angle of a point on the axis.
    let longer_scaled = F::select(is_infinite | longer.eq(zero), one, longer * scale);
    (longer_scaled, F::select(is_infinite, of_infinite, shorter * scale))
}

/// The magnitude of the angle.
fn in_octant<F: Ops>(x: F, is_steep: F::Bool, longer: F, shorter: F) -> F {
    let quotient = shorter / longer;
    let sign_of_x = x.bits() & Word::of(SIGN);
    // The arc is subtracted from π, or from π/2 on the right.
    let sign = sign_of_x ^ F::Word::select(is_steep, Word::of(SIGN), Word::of(0));
    // The slope, 1/(1 + quotient²), and 1/longer, within a tenth in all, scale what is below the last place.
    let slope = quotient.fma(F::of(-0.52), F::of(1.04));
    let inverse = ((F::Word::of(ROUGH_INVERSE) - longer.bits()) ^ sign).real();
    let end = F::select(sign_of_x.eq(Word::of(0)), F::of(0.0), F::of(std::f32::consts::PI));
    let arc = Arc {
        base: F::select(is_steep, F::of(std::f32::consts::FRAC_PI_2), end),
        first: (quotient.bits() ^ sign).real(),
        rest: (longer.fma(-quotient, shorter), inverse * slope),
    };
    arc.plus_arctangent()
}

const SIGN: u32 = 0x8000_0000;
/// Less the bits of a number it leaves about those of its reciprocal.
const ROUGH_INVERSE: u32 = 0x7ef3_11c7;

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

    use super::atan2;

    #[test]
    fn special_values() {
        let infinity = f32::INFINITY;
        // y, x and the angle, with y of either sign.
        let table = [
            (0.0f32, 0.0f32, 0.0f32),
            (0.0, -0.0, PI),
            (0.0, 1.0, 0.0),
            (0.0, -1e-45, PI),
            (0.0, infinity, 0.0),
            (0.0, -infinity, PI),
            (1.0, 0.0, FRAC_PI_2),
            (1e-45, -0.0, FRAC_PI_2),
            (f32::MAX, -0.0, FRAC_PI_2),
            (infinity, -0.0, FRAC_PI_2),
            (1.0, infinity, 0.0),
            (f32::MAX, -infinity, PI),
            (infinity, f32::MAX, FRAC_PI_2),
            (infinity, -1.0, FRAC_PI_2),
            (infinity, infinity, FRAC_PI_4),
            (infinity, -infinity, 2.356_194_5),
            (1e-45, 1e-45, FRAC_PI_4),
            (f32::MAX, f32::MAX, FRAC_PI_4),
            (1e-45, f32::MAX, 0.0),
            (1e-45, 1.0, 1e-45),
            (f32::MIN_POSITIVE, 4.0, f32::MIN_POSITIVE / 4.0),
        ];
        for (y, x, angle) in table {
            assert_eq!(atan2(y, x).to_bits(), angle.to_bits(), "{y} {x}");
            assert_eq!(atan2(-y, x).to_bits(), (-angle).to_bits(), "{y} {x}");
        }
        for other in [0.0, 1.0, -infinity, f32::NAN] {
            assert!(atan2(f32::NAN, other).is_nan() && atan2(other, f32::NAN).is_nan());
        }
    }

    #[test]
    fn known_values() {
        for (y, x) in
            [(1.0f32, 2.0f32), (-3.0, 1.0), (1e-3, -1.0), (5e30, -4e30), (-1e-40, -3e-40), (1e38, 2e38)]
        {
            assert!(
                (f64::from(atan2(y, x)) / f64::from(y).atan2(f64::from(x)) - 1.0).abs() < 1e-7,
                "{y} {x}"
            );
        }
    }
}
