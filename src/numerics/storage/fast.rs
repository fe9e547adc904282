//! The fast forms of [`Storage::encode`] and [`Storage::decode`]: a few integer operations and selects, which a compiler
//! turns into vector code. The tests compare them with the format-driven codec.

use super::{CastMode, Storage};

const NAN: u32 = 0x7FFF_FFFF;
const INFINITY: u32 = 0x7F80_0000;
const MAGNITUDE: u32 = 0x7FFF_FFFF;

#[inline]
pub(super) const fn encode(storage: Storage, value: f32, mode: CastMode) -> u32 {
    let bits = value.to_bits();
    match storage {
        Storage::E4M3 => small::<3, 7>(bits, limit(0x7E, mode), 0x7F, 7),
        Storage::E5M2 => small::<2, 15>(bits, limit(0x7B, mode), 0x7F, 7),
        Storage::E2M3 => small::<3, 1>(bits, 0x1F, 0x1F, 5),
        Storage::E3M2 => small::<2, 3>(bits, 0x1F, 0x1F, 5),
        Storage::E2M1 => small::<1, 1>(bits, 0x7, 0x7, 3),
        Storage::E8M0 => power(bits, matches!(mode, CastMode::Up)),
        Storage::UE4M3 => {
            let positive = if bits >> 31 != 0 && bits & MAGNITUDE <= INFINITY { 0 } else { bits & MAGNITUDE };
            small::<3, 7>(positive, limit(0x7E, mode), 0x7F, 7)
        }
        Storage::TF32 => tf32(bits, matches!(mode, CastMode::TowardZero)),
    }
}

/// The largest code: one beyond the finite ones (infinity, or NaN) where the conversion does not saturate.
#[inline]
const fn limit(max_finite: u32, mode: CastMode) -> u32 {
    max_finite + matches!(mode, CastMode::Nonsat) as u32
}

/// A format of at most 8 bits with `M` mantissa bits and the bias `BIAS`, whose sign stands at bit `sign`.
#[inline]
const fn small<const M: u32, const BIAS: u32>(bits: u32, limit: u32, nan: u32, sign: u32) -> u32 {
    let magnitude = bits & MAGNITUDE;
    let drop = 23 - M;
    // Rebias, then round on the bits: a carry out of the mantissa counts up the exponent, as it should.
    let rebased = magnitude.wrapping_sub((127 - BIAS) << 23);
    let normal = rebased.wrapping_add((1 << (drop - 1)) - 1 + ((rebased >> drop) & 1)) >> drop;
    // Below, the result counts units of the least subnormal, which is the last place of f32 numbers from `unit` on:
    // that addition makes the one rounding.
    let unit = (127 + 24 - BIAS - M) << 23;
    let subnormal = (f32::from_bits(magnitude) + f32::from_bits(unit)).to_bits().wrapping_sub(unit);
    let rounded = if magnitude < (128 - BIAS) << 23 { subnormal } else { normal };
    let bounded = if rounded < limit { rounded } else { limit };
    if magnitude > INFINITY { nan } else { bounded | (bits >> 31) << sign }
}

/// e8m0: the exponent field, plus one where rounding up meets a mantissa.
#[inline]
const fn power(bits: u32, up: bool) -> u32 {
    let magnitude = bits & MAGNITUDE;
    // Code 0 is 2^-127, which lies in the middle of f32's subnormals.
    let most = if magnitude < 0x0080_0000 { 0x003F_FFFF } else { 0x007F_FFFF };
    let field = (magnitude + if up { most } else { 0 }) >> 23;
    let bounded = if field < 0xFE { field } else { 0xFE };
    let positive = if bits >> 31 != 0 { 0 } else { bounded };
    if magnitude > INFINITY { 0xFF } else { positive }
}

#[inline]
const fn tf32(bits: u32, truncate: bool) -> u32 {
    // The carry runs up to infinity, which has a mantissa of 0 and passes nothing on.
    let rounded = bits.wrapping_add(if truncate { 0 } else { 0xFFF + ((bits >> 13) & 1) });
    (if bits & MAGNITUDE > INFINITY { NAN } else { rounded }) & !0x1FFF
}

#[inline]
pub(super) const fn decode(storage: Storage, word: u32) -> f32 {
    let word = word & storage.mask();
    match storage {
        Storage::E4M3 => expand::<3, 7>(word & 0x7F, word >> 7, 0x7F, u32::MAX),
        Storage::E5M2 => expand::<2, 15>(word & 0x7F, word >> 7, 0x7D, 0x7C),
        Storage::E2M3 => expand::<3, 1>(word & 0x1F, word >> 5, u32::MAX, u32::MAX),
        Storage::E3M2 => expand::<2, 3>(word & 0x1F, word >> 5, u32::MAX, u32::MAX),
        Storage::E2M1 => expand::<1, 1>(word & 0x7, word >> 3, u32::MAX, u32::MAX),
        Storage::E8M0 => {
            let normal = if word == 0xFF { NAN } else { word << 23 };
            f32::from_bits(if word == 0 { 0x0040_0000 } else { normal })
        }
        Storage::UE4M3 => expand::<3, 7>(word, 0, 0x7F, u32::MAX),
        Storage::TF32 => f32::from_bits(if word & MAGNITUDE > INFINITY { NAN } else { word }),
    }
}

/// A magnitude of a format with `M` mantissa bits and the bias `BIAS`, and its sign. From `nan` on it is NaN, at
/// `infinity` infinite.
#[inline]
const fn expand<const M: u32, const BIAS: u32>(magnitude: u32, sign: u32, nan: u32, infinity: u32) -> f32 {
    let normal = (magnitude << (23 - M)) + ((127 - BIAS) << 23);
    // Exact, and a normal f32.
    let subnormal = (magnitude as f32 * f32::from_bits((128 - BIAS - M) << 23)).to_bits();
    let finite = if magnitude < 1 << M { subnormal } else { normal };
    let bounded = if magnitude == infinity { INFINITY } else { finite };
    f32::from_bits(if magnitude >= nan { NAN } else { bounded | sign << 31 })
}
