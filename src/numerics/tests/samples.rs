//! Operands: a counter-based stream, and the values at which formats change their behaviour.

use super::super::Format;

/// SplitMix64: the n-th number of a seed.
pub(super) fn random(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Zeros, the ends of the subnormals and normals, around one, infinities and NaN, both signs.
pub(super) fn corners(format: Format) -> Vec<u64> {
    let one = (format.bias as u64) << format.mantissa_bits;
    let infinity = format.max_finite() + 1;
    let bases = [
        0,
        1,
        2,
        3,
        format.mantissa_mask() / 2,
        format.mantissa_mask(),
        format.implicit_bit(),
        format.implicit_bit() + 1,
        one - 1,
        one,
        one + 1,
        one + format.mantissa_mask(),
        one + format.implicit_bit() / 2,
        infinity - 1,
        infinity - 2,
        infinity,
        infinity + 1,
        format.magnitude_mask(),
    ];
    bases.iter().flat_map(|bits| [*bits, bits | format.sign_mask()]).collect()
}

/// A number of the format. Every fourth is a corner; the others have either any exponent or one near that of
/// `near`, so that sums cancel and align, and often a mantissa of few bits, so that midpoints happen.
pub(super) fn operand(format: Format, seed: u64, n: u64, near: u64) -> u64 {
    let noise = random(seed, n);
    let corners = corners(format);
    if noise & 3 == 0 {
        return corners[(noise >> 8) as usize % corners.len()];
    }
    let mantissa = match noise >> 2 & 3 {
        0 => 0,
        1 => 1 << ((noise >> 8) % format.mantissa_bits as u64),
        _ => random(seed ^ 0xA5, n) & format.mantissa_mask(),
    };
    let fields = 1 << format.exponent_bits;
    let field = match noise >> 4 & 3 {
        0 | 1 => (noise >> 20) % fields,
        _ => {
            let base = (near & format.magnitude_mask()) >> format.mantissa_bits;
            let spread = 2 * format.mantissa_bits as u64 + 6;
            (base + (noise >> 20) % spread).saturating_sub(spread / 2).min(fields - 1)
        }
    };
    let sign = if noise >> 6 & 1 == 1 { format.sign_mask() } else { 0 };
    sign | field << format.mantissa_bits | mantissa
}
