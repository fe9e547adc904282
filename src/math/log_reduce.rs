//! What the logarithms share: x = 2^k · (1 + f) by integer steps on the bits, the polynomial of ln(1 + f), and what happens
//! to operands that have no such form.
//!
//! On entry to [`reduce`] the bits are those of a positive normal number. What is left to each function: its base, and
//! how k times its constant is added. Double-f32 logarithms are not here (`pow`).

use super::ops::{Ops, Word};

/// x = 2^k · (1 + f).
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced<F: Ops> {
    /// f, exactly.
    pub(super) fraction: F,
    /// −k·2²³: added to bits it divides by 2^k. It is the negative because −0 · ln 2 + r = r also for r = −0.
    pub(super) shift: F::Word,
}

/// −k·2²³ so that 2^−k · x is in [least, 2·least).
pub(super) fn shift<F: Ops>(bits: F::Word, least: f32) -> F::Word {
    (F::Word::of(least.to_bits() + 0x7f_ffff) - bits) & Word::of(0xff80_0000)
}

/// The k and f of a positive normal number, 1 + f in [least, 2·least).
pub(super) fn reduce<F: Ops>(bits: F::Word, least: f32) -> Reduced<F> {
    let shift = shift::<F>(bits, least);
    Reduced { fraction: (bits + shift).real() - F::of(1.0), shift }
}

/// Where √½ begins the interval, no sum of k and log(1 + f) cancels so far that the rounding of the second shows.
pub(super) const SQRT_HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// A constant c with −k·2²³ in front: multiplied with the shift as a real it gives k·c.
pub(super) const fn per_shift(c: f32) -> f32 {
    -c / 8_388_608.0
}

/// A logarithm of any x from one of positive normal numbers: `normal` takes their bits, and the exponent by which they
/// were multiplied to make them so.
pub(super) fn of_any<F: Ops>(x: F, normal: impl Fn(F::Word, u32) -> F) -> F {
    let bits = x.bits();
    let is_other = F::Word::of(0x7eff_ffff).lt(bits - Word::of(0x0080_0000));
    normal(bits, 0).unless(is_other, || {
        let subnormal = normal((x * F::of(SUBNORMAL_SCALE)).bits(), 24);
        // ∞ and NaN give themselves.
        let value = F::select(x.lt(F::of(f32::MIN_POSITIVE)), subnormal, x);
        let value = F::select(x.eq(F::of(0.0)), F::of(f32::NEG_INFINITY), value);
        F::select(x.lt(F::of(0.0)), F::of(f32::NAN), value)
    })
}

/// 2²⁴: makes every subnormal number normal.
pub(super) const SUBNORMAL_SCALE: f32 = 16_777_216.0;

/// The shift as a real, after x was multiplied by 2^scale.
pub(super) fn real_shift<F: Ops>(shift: F::Word, scale: u32) -> F {
    if scale == 0 { shift.signed_to_real() } else { (shift + Word::of(scale << 23)).signed_to_real() }
}

/// ln(1 + f) on [−¼, ½] to 2⁻²⁷·⁵ (relative); of ±0 it is ±0, and of an f below 2⁻²⁴ it is f.
pub(super) fn ln_1p_fraction<F: Ops>(f: F) -> F {
    let square = f * f;
    f.polynomial(&LN_1P).fma(square, f)
}

/// (ln(1 + f) − f)/f².
const LN_1P: [f32; 9] = [
    -0.5,
    0.333_334_5,
    -0.250_001,
    0.199_908_1,
    -0.166_470_99,
    0.144_787_24,
    -0.131_633_52,
    0.104_653_07,
    -0.045_076_203,
];

/// ln(2a + 4b) for a finite a ≥ ½ and a b below a/4, each exact.
///
/// The mantissa is 2^−k·2a − 1, exactly, and 2^−k·4b, so that b is not rounded to the place of a.
pub(super) fn ln_of_sum<F: Ops>(a: F, b: F) -> F {
    // The sum halved, which is finite for every a, has the exponent less 1.
    let half = b.fma(F::of(2.0), a);
    let shift =
        (F::Word::of(0.75f32.to_bits() + 0x7f_ffff - 0x0080_0000) - half.bits()) & Word::of(0xff80_0000);
    let twice = (a.bits() + shift).real();
    // 4·2^−k, because 2^−129 is subnormal.
    let power = (shift + Word::of(4f32.to_bits())).real();
    let fraction = b.fma(power, twice.fma(F::of(2.0), F::of(-1.0)));
    shift.signed_to_real().fma(F::of(per_shift(std::f32::consts::LN_2)), ln_1p_fraction(fraction))
}
