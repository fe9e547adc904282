//! Sine and cosine together, and the parts that each alone is made of.

use super::ops::{Ops, Word};
use super::reduction::{Reduced, huge, is_huge, ordinary};

/// sin x and cos x, from one reduction; the same bits as `sin` and `cos` give.
pub fn sin_cos<F: Ops>(x: F) -> (F, F) {
    let reduced = ordinary(x, 0.0);
    let parts = parts(reduced);
    let is_huge = is_huge(x);
    let sin = turned(parts, reduced.quadrant);
    let cos = turned(parts, reduced.quadrant + Word::of(1));
    (sin.unless(is_huge, || sin_of_huge(x, 0)), cos.unless(is_huge, || sin_of_huge(x, 1)))
}

/// sin(x + turn · π/2); `turn` is 0 or 1.
pub(super) fn sin_turned<F: Ops>(x: F, turn: u8) -> F {
    let reduced = ordinary(x, f32::from(turn));
    turned(parts(reduced), reduced.quadrant).unless(is_huge(x), || sin_of_huge(x, turn))
}

fn sin_of_huge<F: Ops>(x: F, turn: u8) -> F {
    let reduced = huge(x);
    turned(parts(reduced), reduced.quadrant + Word::of(u32::from(turn)))
}

/// The sine and the cosine of the rest.
fn parts<F: Ops>(Reduced { rest, excess, .. }: Reduced<F>) -> (F, F) {
    // (rest − excess)², but for excess².
    let square = rest.fma(rest, (rest * F::of(-2.0)) * excess);
    let cos = square.polynomial(&COS);
    // The correction is subtracted so that −0 stays.
    let correction = (rest * square).fma(square.polynomial(&MINUS_SIN), excess);
    (rest - correction, cos)
}

/// The sine in the given quadrant.
fn turned<F: Ops>((sin, cos): (F, F), quadrant: F::Word) -> F {
    let is_even = (quadrant & Word::of(1)).eq(Word::of(0));
    let sign = ((quadrant << Word::of(30)) & Word::of(0x8000_0000)) | Word::of(1f32.to_bits());
    F::select(is_even, sin, cos) * sign.real()
}

/// (r − sin r)/r³ by r² on |r| ≤ 0.79, sin r to 2⁻²⁷·⁸ of itself.
const MINUS_SIN: [f32; 3] = [0.166_666_54, -0.008_332_106, 0.000_195_078_74];
/// cos r by r² on |r| ≤ 0.79, to 2⁻³²·⁸.
const COS: [f32; 5] = [1.0, -0.5, 0.041_666_646, -0.001_388_730_5, 2.443_142_1e-5];
