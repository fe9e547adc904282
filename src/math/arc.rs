//! The one form of inverse trigonometric functions: a multiple of π/2 plus an odd polynomial of what remains.

use super::ops::{Ops, Word};

/// A multiple of π/2 and an arc that is added to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc<F> {
    /// 0, π/2 or π, rounded to f32.
    pub base: F,
    /// The arc's first term, |first| ≤ max(base, 1).
    pub first: F,
    /// What the result lacks because `first` is rounded, below its last place, as a product.
    pub rest: (F, F),
}

impl<F: Ops> Arc<F> {
    /// base + asin s or base ± 2·asin s for |s| ≤ ½, s² given; `first` is s or ±2·s.
    pub(super) fn plus_arcsine(self, square: F) -> F {
        let (sum, lower) = self.sum();
        sum + self.first.fma(square * square.polynomial(&ASIN), lower)
    }

    /// base + atan first, |first| ≤ 1.
    pub(super) fn plus_arctangent(self) -> F {
        let (sum, lower) = self.sum();
        // About the middle of the squares each step damps the rounding of the step before.
        let square = self.first.fma(self.first, F::of(-0.5));
        sum + self.first.fma(square.polynomial(&ATAN), lower)
    }

    /// base + first, and what it lacks.
    fn sum(self) -> (F, F) {
        let Self { base, first, rest, .. } = self;
        let sum = base + first;
        // Exact, as the base is 0 or the greater.
        let rounded = (base - sum) + first;
        // What the base itself lacks is the same share of π/2 as of π, and none of 0.
        (sum, rest.0.fma(rest.1, base.fma(F::of(LACK), rounded)))
    }
}

/// (π − its f32)/π.
const LACK: f32 = -2.782_753_4e-8;

/// About 1/√x, within 3.5 %, of a normal or zero x; finite. It scales what is below the last place.
pub(super) fn rough_inverse_root<F: Ops>(x: F) -> F::Word {
    F::Word::of(0x5f37_59df) - (x.bits() >> Word::of(1))
}

/// (asin s − s)/s³ by s² on |s| ≤ ½, asin s to 2⁻²⁷·⁶ of itself.
const ASIN: [f32; 5] = [0.166_667_52, 0.074_953_094, 0.045_469_15, 0.024_184_778, 0.042_158_306];

/// (atan t)/t − 1 by t² − ½ on |t| ≤ 1, atan t to 2⁻²⁷·⁵ of itself. The last places are chosen for how the steps
/// round near 1, and so that 1 gives π/4 rounded.
const ATAN: [f32; 10] = [
    -0.129_580_24,
    -0.203_753_08,
    0.083_406_78,
    -0.040_247_17,
    0.021_066_027,
    -0.011_548_823,
    0.006_382_869,
    -0.003_775_013,
    0.002_885_237,
    -0.001_578_542_2,
];
