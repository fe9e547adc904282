//! What an approximate operation gives here: the true value, computed in f64 and rounded once to the format.
//!
//! Hardware gives some value within a stated distance of the true one, and its bits differ between chips. This is the
//! centre of all of them: within half a unit in the last place, a little more where the host's f64 function errs. The
//! oracle and the emulator both use it, so that they agree; a case that approximates is judged with a tolerance, and
//! never by these bits. On exit: a NaN is the canonical one, subnormals are kept. Deliberately not here: the
//! reproducible functions, whose bits are a contract.

/// A function of reals that hardware approximates, in f64.
pub type Real = fn(f64) -> f64;

/// 2^x.
pub const EXP2: Real = f64::exp2;
/// The binary logarithm: −∞ of a zero, NaN of a negative number.
pub const LOG2: Real = f64::log2;
/// The sine; NaN of an infinity.
pub const SIN: Real = f64::sin;
/// The cosine; NaN of an infinity.
pub const COS: Real = f64::cos;
/// The hyperbolic tangent.
pub const TANH: Real = f64::tanh;
/// The square root, NaN of a negative number.
pub const SQRT: Real = f64::sqrt;
/// 1/√x: an infinity of x's sign of a zero.
pub const RSQRT: Real = |x| 1.0 / x.sqrt();
/// 1/x: an infinity of x's sign of a zero.
pub const RECIP: Real = |x| 1.0 / x;

/// A function's value at `x`, rounded once to f32.
pub fn nearest(function: Real, x: f32) -> f32 {
    let value = function(f64::from(x));
    if value.is_nan() { f32::from_bits(0x7fff_ffff) } else { value as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        let bits = |function, x: f32| nearest(function, x).to_bits();
        let (nan, infinity) = (0x7fff_ffff, f32::INFINITY.to_bits());
        assert_eq!(bits(EXP2, f32::NEG_INFINITY), 0);
        assert_eq!(bits(EXP2, -149.0), 1);
        assert_eq!(bits(EXP2, 128.0), infinity);
        assert_eq!(bits(LOG2, -0.0), f32::NEG_INFINITY.to_bits());
        assert_eq!(bits(LOG2, -1.0), nan);
        assert_eq!(bits(LOG2, f32::from_bits(1)), (-149.0_f32).to_bits());
        assert_eq!(bits(SIN, f32::INFINITY), nan);
        assert_eq!(bits(SIN, -0.0), (-0.0_f32).to_bits());
        assert_eq!(bits(COS, f32::from_bits(0xffc0_0001)), nan);
        assert_eq!(bits(TANH, f32::NEG_INFINITY), (-1.0_f32).to_bits());
        assert_eq!(bits(RSQRT, -0.0), f32::NEG_INFINITY.to_bits());
        assert_eq!(bits(RECIP, f32::NEG_INFINITY), (-0.0_f32).to_bits());
        assert_eq!(bits(SQRT, -1.0), nan);
    }

    #[test]
    fn a_root_and_a_reciprocal_round_once() {
        // f64 has more than twice the digits, so the second rounding can't be seen.
        for index in 0..100_000_u32 {
            let x = f32::from_bits(index.wrapping_mul(42_949) & 0x7fff_ffff);
            if x.is_finite() {
                assert_eq!(nearest(SQRT, x).to_bits(), x.sqrt().to_bits());
                assert_eq!(nearest(RECIP, x).to_bits(), (1.0 / x).to_bits());
            }
        }
    }
}
