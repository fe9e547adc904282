//! x^y.

use super::double::Double;
use super::exp2::{COEFFICIENTS, ROUNDER, scale};
use super::log_reduce::{SQRT_HALF, SUBNORMAL_SCALE, per_shift, shift};
use super::ops::{Ops, Word};

/// x^y for every pair.
///
/// Domain: every x ≥ +0 with every y; a negative finite x with an integer y only (every |y| ≥ 2²⁴ is an even one), where the
/// sign is that of x for an odd y; NaN for other y. As C99 Annex F has it:
/// - x^±0 = 1 and 1^y = 1 for any operand, NaN included; (−1)^±∞ = 1; any other NaN operand gives NaN;
/// - ±0 and ±∞ to an odd integer keep their sign in ±0 and ±∞, to any other y the result is +0 or +∞;
/// - results below 2⁻¹²⁶ are subnormal; overflow gives ±∞.
///
/// 2^(y · log₂|x|) where the logarithm and the product are two f32: the product errs by less than 2⁻²⁸, so that the error
/// stays below 1 ulp (that before the last rounding below ½, so that exact powers are exact).
pub fn pow<F: Ops>(x: F, y: F) -> F {
    let bits = x.bits();
    let magnitude = bits & Word::of(0x7fff_ffff);
    let product = log2(magnitude, |shift| shift).times(y);
    let ordinary = exp2(product);
    let is_out_of_range = !product.hi.abs().le(F::of(RANGE));
    ordinary.unless(is_abnormal::<F>(bits) | is_out_of_range, || {
        let is_hard = is_abnormal::<F>(magnitude) | is_out_of_range;
        let power = ordinary.unless(is_hard, || hard(x.abs(), y));
        of_sign(x, y, power)
    })
}

/// Up to here 2^p is a normal number whatever its rounding.
const RANGE: f32 = 125.0;

/// Not the bits of a positive normal number.
fn is_abnormal<F: Ops>(bits: F::Word) -> F::Bool {
    F::Word::of(0x7eff_ffff).lt(bits - Word::of(0x0080_0000))
}

impl<F: Ops> Double<F> {
    /// The product with one f32, its parts not normalised.
    fn times(self, y: F) -> Self {
        let hi = self.hi * y;
        Self { hi, lo: self.lo.fma(y, self.hi.fma(y, -hi)) }
    }
}

/// log₂ of a positive normal number by its bits, to 2⁻³⁵, relative; `adjust` may change k, given as −k·2²³.
///
/// With m = 2^−k·x in [√½, √2), f = m − 1 and u = 2f/(2 + f): log₂ m = u·(c + u²/12·c + u⁴/80·c + …), c = log₂ e, the series
/// of 2·atanh(u/2). u is a quotient and its remainder; the factor is summed in two f32 from its second term on.
fn log2<F: Ops>(bits: F::Word, adjust: impl Fn(F::Word) -> F::Word) -> Double<F> {
    let shift = shift::<F>(bits, SQRT_HALF);
    let mantissa = (bits + shift).real();
    let k = adjust(shift).signed_to_real();

    let f = mantissa - F::of(1.0);
    let minus_half_f = mantissa.fma(F::of(-0.5), F::of(0.5));
    let inverse = F::of(2.0) / (mantissa + F::of(1.0));
    let u = f * inverse;
    // f − u is exact, as u is within a factor 2 of f; then the remainder of the quotient.
    let u_lo = u.fma(minus_half_f, f - u) * inverse;

    let square = u * u;
    let square_lo = (u + u).fma(u_lo, u.fma(u, -square));
    let rest = square.polynomial(&REST);
    let inner = rest + F::of(LOG2_E_12TH);
    let inner_lo = rest - (inner - F::of(LOG2_E_12TH));
    let term = square * inner;
    let term_lo = square.fma(inner, -term) + F::of(LOG2_E_LO);
    let term_lo = square_lo.fma(inner, square.fma(inner_lo, term_lo));
    let factor = term + F::of(LOG2_E);
    let factor_lo = (term - (factor - F::of(LOG2_E))) + term_lo;

    let hi = u * factor;
    let lo = u_lo.fma(factor, u.fma(factor_lo, u.fma(factor, -hi)));
    // |k| is 0 or above the logarithm, so that the error of the sum is this.
    let sum = k.fma(F::of(per_shift(1.0)), hi);
    let error = hi - k.fma(F::of(-per_shift(1.0)), sum);
    Double::new(sum, error + lo)
}

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// log₂ e − `LOG2_E`.
const LOG2_E_LO: f32 = 1.925_963e-8;
/// log₂ e/12 to 24 bits.
const LOG2_E_12TH: f32 = 0.120_224_59;

/// (log₂((2 + u)/(2 − u))/u − log₂ e)/u² − `LOG2_E_12TH` in u² for |u| ≤ 0.3432, to 2⁻³⁷·⁵ of the logarithm.
const REST: [f32; 4] = [-2.724_814e-9, 0.018_033_84, 0.003_216_443, 0.000_664_557_45];

/// 2^p = mantissa · 2^k, with k in the low bits of the second.
fn mantissa<F: Ops>(p: Double<F>) -> (F, F) {
    let shifted = p.hi + F::of(ROUNDER);
    let fraction = (p.hi - (shifted - F::of(ROUNDER))) + p.lo;
    (fraction.polynomial(&COEFFICIENTS), shifted)
}

/// 2^p where it is a normal number.
fn exp2<F: Ops>(p: Double<F>) -> F {
    let (mantissa, shifted) = mantissa(p);
    (mantissa.bits() + (shifted.bits() << Word::of(23))).real()
}

/// |x|^y where |x| is subnormal, 0 or ∞, or the result is not surely a normal number. Where an operand is NaN, or y = 0,
/// anything.
fn hard<F: Ops>(x: F, y: F) -> F {
    let is_subnormal = x.lt(F::of(f32::MIN_POSITIVE));
    let normal = F::select(is_subnormal, x * F::of(SUBNORMAL_SCALE), x);
    let scale_back = Word::select(is_subnormal, Word::of(24 << 23), Word::of(0));
    let Double { hi, lo } = log2(normal.bits(), |shift| shift + scale_back);
    let hi = F::select(x.eq(F::of(f32::INFINITY)), x, hi);
    let hi = F::select(x.eq(F::of(0.0)), F::of(f32::NEG_INFINITY), hi);
    // A finite y leaves log₂ 1 = 0 a zero; it is still so great that every other x overflows or gives 0.
    let y = y.max_nan(F::of(-HUGE)).min_nan(F::of(HUGE));
    let product = Double::new(hi, lo).times(y);
    // Outside the lower part is meaningless, perhaps NaN.
    let lo = F::select(product.hi.abs().le(F::of(200.0)), product.lo, F::of(0.0));
    let hi = product.hi.max_nan(F::of(-200.0)).min_nan(F::of(200.0));
    let (mantissa, shifted) = mantissa(Double::new(hi, lo));
    scale(mantissa, shifted.bits() - Word::of(ROUNDER.to_bits()))
}

/// 2¹⁰⁰.
const HUGE: f32 = 1.267_650_6e30;

/// x^y from |x|^y: the sign, and what Annex F says of NaN, 0 and 1.
fn of_sign<F: Ops>(x: F, y: F, power: F) -> F {
    let half = y * F::of(0.5);
    let is_integer = y.eq(y.trunc());
    let is_odd = is_integer & half.ne(half.trunc());
    let value = F::select(is_odd, power.copysign(x), power);
    let is_outside = x.lt(F::of(0.0)) & x.gt(F::of(f32::NEG_INFINITY)) & !is_integer;
    let value = F::select(is_outside | x.is_nan() | y.is_nan(), F::of(f32::NAN), value);
    F::select(x.eq(F::of(1.0)) | y.eq(F::of(0.0)), F::of(1.0), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f32 = f32::INFINITY;
    const NAN: f32 = f32::NAN;

    #[test]
    fn annex_f() {
        let is = |x: f32, y: f32, right: f32| {
            let got = pow(x, y);
            assert!(
                got.to_bits() == right.to_bits() || got.is_nan() && right.is_nan(),
                "{x}^{y} = {got}, not {right}"
            );
        };
        for other in [0.0, -0.0, 1.0, -3.5, INF, -INF, NAN] {
            is(1.0, other, 1.0);
            is(other, 0.0, 1.0);
            is(other, -0.0, 1.0);
        }
        for zero in [0.0f32, -0.0] {
            is(zero, 3.0, zero);
            is(zero, -3.0, INF.copysign(zero));
            for even in [2.0, 2.5, 16_777_216.0, INF, 1e-45] {
                is(zero, even, 0.0);
                is(zero, -even, INF);
            }
        }
        for infinity in [INF, -INF] {
            is(infinity, 3.0, infinity);
            is(infinity, -3.0, 0f32.copysign(infinity));
            for even in [2.0, 2.5, 16_777_216.0, INF, 1e-45] {
                is(infinity, even, INF);
                is(infinity, -even, 0.0);
            }
        }
        for sign in [1.0, -1.0] {
            is(sign, INF, 1.0);
            is(sign, -INF, 1.0);
            for small in [0.5 * sign, 0.999_999_94 * sign, 1e-40 * sign] {
                is(small, INF, 0.0);
                is(small, -INF, INF);
            }
            for great in [2.0 * sign, 1.000_000_1 * sign, f32::MAX * sign] {
                is(great, INF, INF);
                is(great, -INF, 0.0);
            }
            is(-2.0, 0.5 * sign, NAN);
            is(-1e-40, 1e-45 * sign, NAN);
            is(NAN, sign, NAN);
            is(2.0 * sign, NAN, NAN);
        }
        is(-1.0, NAN, NAN);
        is(-1.0, 16_777_215.0, -1.0);
        is(-1.0, 16_777_216.0, 1.0);
    }

    #[test]
    fn exact_powers_are_exact() {
        for base in 2..=15u32 {
            for sign in [1.0, -1.0] {
                let mut right = 1u128;
                for exponent in 1..=24i32 {
                    right *= u128::from(base);
                    if (right >> right.trailing_zeros()) >= 1 << 24 {
                        break;
                    }
                    let right = right as f32 * if exponent % 2 == 1 { sign } else { 1.0 };
                    assert_eq!(pow(base as f32 * sign, exponent as f32), right, "{base}^{exponent}");
                }
            }
        }
        for bits in [0x0000_0001u32, 0x0012_3457, 0x0080_0000, 0x3f12_3456, 0x3f80_0001, 0x7f7f_ffff] {
            let x = f32::from_bits(bits);
            assert_eq!(pow(x, 1.0), x);
            assert_eq!(pow(-x, 1.0), -x);
        }
        assert_eq!(pow(2.0f32, -149.0), f32::from_bits(1));
        assert_eq!(pow(2.0f32, -150.0), 0.0);
        assert_eq!(pow(f32::from_bits(1), 0.5).to_bits(), 0x1a35_04f3);
    }
}
