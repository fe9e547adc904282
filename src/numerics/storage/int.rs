//! Integers of 2 to 8 bits, two's complement: what block formats store.

/// A number, an f32 or an f64, as an integer of `bits` bits: nearest even, clamped to −2^(bits−1) … 2^(bits−1)−1, NaN → 0. The code is the
/// low `bits` bits; those above are zero. Widths outside 2…8 are taken for the nearer end.
#[inline]
pub fn int_encode(value: impl Into<f64>, bits: u32) -> u8 {
    let bits = width(bits);
    let high = (1 << (bits - 1)) - 1;
    // The cast clamps, and takes NaN to 0.
    let rounded = value.into().round_ties_even() as i32;
    let clamped = if rounded > high { high } else { rounded };
    let clamped = if clamped < -high - 1 { -high - 1 } else { clamped };
    (clamped & ((1 << bits) - 1)) as u8
}

/// The integer that the low `bits` bits of a code hold.
#[inline]
pub const fn int_decode(code: u8, bits: u32) -> i8 {
    let unused = 8 - width(bits);
    ((code << unused) as i8) >> unused
}

#[inline]
const fn width(bits: u32) -> u32 {
    if bits < 2 {
        2
    } else if bits > 8 {
        8
    } else {
        bits
    }
}
