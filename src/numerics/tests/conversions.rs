//! Conversions: every 16-bit code, neighbours and midpoints of f32 and f64, every integer width.

use half::{bf16, f16};
use proptest::prelude::*;

use super::super::*;
use super::big::Big;
use super::samples::{corners, operand, random};

const FORMATS: [Format; 4] = [Format::F16, Format::BF16, Format::F32, Format::F64];

fn reference(bits: u64, from: Format, to: Format, rounding: Rounding) -> u64 {
    let magnitude = bits & from.magnitude_mask();
    let sign = if bits & from.sign_mask() != 0 { to.sign_mask() } else { 0 };
    match Big::of_bits(bits, from) {
        Some(value) => value.round(to, rounding),
        None if magnitude == from.max_finite() + 1 => sign | (to.max_finite() + 1),
        None => to.magnitude_mask(),
    }
}

/// All the ways from one f32 to the 16-bit formats.
fn check_f32(bits: u32) {
    let value = f32::from_bits(bits);
    let expect = |to| reference(bits.into(), Format::F32, to, Rounding::NearestEven);
    let (half, brain) = (f16_from_f32(value).bits(), bf16_from_f32(value).bits());
    assert_eq!(half, expect(Format::F16), "f16 of {bits:#x}");
    assert_eq!(brain, expect(Format::BF16), "bf16 of {bits:#x}");
    for (to, fast) in [(Format::F16, half), (Format::BF16, brain)] {
        let codec = encode(decode(bits.into(), Format::F32), to, Rounding::NearestEven, Overflow::Special);
        assert_eq!(codec, fast, "codec of {bits:#x}");
        assert_eq!(narrow_bits(bits.into(), Format::F32, to, Rounding::NearestEven), fast, "{bits:#x}");
    }
}

fn check_f64(bits: u64) {
    let value = f64::from_bits(bits);
    let expect = |to, rounding| reference(bits, Format::F64, to, rounding);
    assert_eq!(f16_from_f64(value).bits(), expect(Format::F16, Rounding::NearestEven), "f16 of {bits:#x}");
    assert_eq!(bf16_from_f64(value).bits(), expect(Format::BF16, Rounding::NearestEven), "bf16 of {bits:#x}");
    assert_eq!(f32_from_f64(value).bits(), expect(Format::F32, Rounding::NearestEven), "f32 of {bits:#x}");
    for rounding in [Rounding::NearestEven, Rounding::TowardZero, Rounding::ToOdd] {
        assert_eq!(f32_from_f64_with(value, rounding).bits(), expect(Format::F32, rounding), "{bits:#x}");
        for to in [Format::F16, Format::BF16] {
            assert_eq!(narrow_bits(bits, Format::F64, to, rounding), expect(to, rounding), "{bits:#x}");
        }
    }
    // Round-to-odd is what makes a second step harmless.
    let odd = f32_from_f64_with(value, Rounding::ToOdd);
    assert_eq!(f16_from_f32(odd).bits(), expect(Format::F16, Rounding::NearestEven), "via odd {bits:#x}");
    // bf16 has the range of f32, whose subnormals still keep 16 more places: enough.
    assert_eq!(bf16_from_f32(odd).bits(), expect(Format::BF16, Rounding::NearestEven), "via odd {bits:#x}");
}

/// A code of a 16-bit format in a wider one, the midpoint to the next code, and the neighbours of both.
fn around(code: u64, narrow: Format, wide: Format) -> impl Iterator<Item = u64> {
    let low = widen_bits(code, narrow, wide);
    let high = widen_bits(code + 1, narrow, wide);
    let middle = low + (high - low) / 2;
    [low, middle].into_iter().flat_map(|bits| [bits.wrapping_sub(1), bits, bits + 1])
}

#[test]
fn every_code_its_midpoint_and_their_neighbours_round_right() {
    for format in [Format::F16, Format::BF16] {
        for code in 0..format.max_finite() {
            for sign in [0, 1_u64] {
                for bits in around(code, format, Format::F32).filter(|bits| *bits <= 0x7FFF_FFFF) {
                    check_f32(bits as u32 | (sign as u32) << 31);
                }
                for bits in around(code, format, Format::F64).filter(|bits| *bits <= i64::MAX as u64) {
                    check_f64(bits | sign << 63);
                }
            }
        }
    }
}

#[test]
fn f32_strata_round_right() {
    for step in 0..=u32::MAX / 1_009 {
        check_f32(step * 1_009);
    }
    for bits in corners(Format::F32) {
        check_f32(bits as u32);
    }
}

#[test]
fn f64_samples_round_right() {
    for n in 0..200_000 {
        let near = random(31, n) & Format::F32.magnitude_mask();
        check_f64(operand(Format::F64, 32, n, widen_bits(near, Format::F32, Format::F64)));
    }
}

#[test]
fn every_16_bit_code_widens_exactly_and_comes_back() {
    for code in 0..=0xFFFF_u16 {
        let (half, brain) = (f16::from_bits(code), bf16::from_bits(code));
        let (half32, brain32) = (f16_to_f32(half), bf16_to_f32(brain));
        for (format, wide) in [(Format::F16, half32.bits()), (Format::BF16, brain32.bits())] {
            let exact = decode(code.into(), format);
            let codec = encode(exact, Format::F32, Rounding::ToOdd, Overflow::Special);
            assert_eq!(wide, codec, "{code:#x}");
            assert_eq!(widen_bits(code.into(), format, Format::F32), codec, "{code:#x}");
            assert_eq!(wide, reference(code.into(), format, Format::F32, Rounding::ToOdd), "{code:#x}");
            let back = encode(decode(wide, Format::F32), format, Rounding::NearestEven, Overflow::Special);
            let same = if exact == Exact::Nan { 0x7FFF } else { code.into() };
            assert_eq!(back, same, "{code:#x}");
        }
        assert_eq!(Float::widen_f64(half).bits(), widen_bits(code.into(), Format::F16, Format::F64));
        assert_eq!(Float::widen_f64(brain).bits(), widen_bits(code.into(), Format::BF16, Format::F64));
        assert_eq!(f16_from_f32(half32).bits(), half.canonical().bits());
        assert_eq!(bf16_from_f32(brain32).bits(), brain.canonical().bits());
    }
}

#[test]
fn the_codec_takes_formats_as_data() {
    let e4m3 = Storage::E4M3.format();
    let e2m1 = Storage::E2M1.format();
    let of = |value: f64, format, overflow| {
        encode(decode(value.bits(), Format::F64), format, Rounding::NearestEven, overflow)
    };
    assert_eq!(of(448.0, e4m3, Overflow::Special), 0x7E);
    assert_eq!(of(464.0, e4m3, Overflow::Special), 0x7E);
    assert_eq!(of(465.0, e4m3, Overflow::Special), 0x7F);
    assert_eq!(of(1e6, e4m3, Overflow::Saturate), 0x7E);
    assert_eq!(of(f64::INFINITY, e4m3, Overflow::Saturate), 0x7E);
    assert_eq!(of(2f64.powi(-9), e4m3, Overflow::Special), 0x01);
    assert_eq!(of(2f64.powi(-10), e4m3, Overflow::Special), 0x00);
    let all: Vec<u64> =
        [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0].map(|v| of(v, e2m1, Overflow::Saturate)).into();
    assert_eq!(all, (0..8).collect::<Vec<_>>());
    assert_eq!((of(f64::NAN, e2m1, Overflow::Special), of(-9.0, e2m1, Overflow::Special)), (7, 15));
    for code in 0..256 {
        let back = encode(decode(code, e4m3), e4m3, Rounding::NearestEven, Overflow::Special);
        assert_eq!(back, if code & 0x7F == 0x7F { 0x7F } else { code });
    }
}

/// An integer in every float format, against the reference.
macro_rules! check_int {
    ($value:expr) => {{
        let value = $value;
        let big = Big::new((value as i128) < 0, (value as i128).unsigned_abs(), 0);
        let found: [u64; 4] = [
            Convert::<f16>::convert(value).bits(),
            Convert::<bf16>::convert(value).bits(),
            Convert::<f32>::convert(value).bits(),
            Convert::<f64>::convert(value).bits(),
        ];
        assert_eq!(found, FORMATS.map(|format| big.nearest(format)), "{value}");
    }};
}

#[test]
fn integers_round_to_floats_directly() {
    for value in 0..=u16::MAX {
        check_int!(value);
        check_int!(value as i16);
        check_int!(value as u8);
        check_int!(value as i8);
    }
    for n in 0..100_000 {
        // All lengths, and ones with a long run of zeros before the last bit: just past midpoints.
        let noise = random(41, n);
        let value = random(42, n) >> (noise & 63);
        let past = (value & !(u64::MAX >> 1 >> (noise >> 6 & 63))) | 1;
        for value in [value, past, 1 << (noise & 63), (1 << (noise & 63)) - 1] {
            check_int!(value);
            check_int!(value as i64);
            check_int!(value as u32);
            check_int!(value as i32);
        }
    }
    check_int!(u64::MAX);
    check_int!(i64::MIN);
}

/// A float in every integer type: truncated, clamped, NaN to 0, by 128-bit arithmetic.
fn check_to_ints<F>(value: F)
where
    F: Float
        + Convert<i8>
        + Convert<i16>
        + Convert<i32>
        + Convert<i64>
        + Convert<u8>
        + Convert<u16>
        + Convert<u32>
        + Convert<u64>,
{
    let clamp = |low: i128, high: i128| -> i128 {
        match decode(value.bits(), F::FORMAT) {
            Exact::Nan => 0,
            Exact::Infinite { negative } => [high, low][negative as usize],
            Exact::Finite { negative, significand, exponent } => {
                let magnitude = match exponent {
                    64.. if significand != 0 => 1 << 100,
                    0..64 => significand << exponent,
                    -127..0 => significand >> -exponent,
                    _ => 0,
                } as i128;
                (if negative { -magnitude } else { magnitude }).clamp(low, high)
            }
        }
    };
    let context = format!("{:#x} {:?}", value.bits(), F::FORMAT);
    macro_rules! check {
        ($($int:ty)*) => {
            $(assert_eq!(
                Convert::<$int>::convert(value) as i128,
                clamp(<$int>::MIN as i128, <$int>::MAX as i128),
                "{context}"
            );)*
        };
    }
    check!(i8 i16 i32 i64 u8 u16 u32 u64);
}

#[test]
fn floats_truncate_and_clamp_to_integers() {
    for code in 0..=0xFFFF {
        check_to_ints(f16::from_bits(code));
        check_to_ints(bf16::from_bits(code));
    }
    for n in 0..100_000 {
        check_to_ints(f32::of_bits(operand(Format::F32, 51, n, 3e9_f32.bits())));
        check_to_ints(f64::of_bits(operand(Format::F64, 52, n, 3e9_f64.bits())));
    }
}

#[test]
fn bools_are_zero_and_one_and_everything_but_zero_is_true() {
    assert_eq!(Convert::<f16>::convert(true).bits(), 0x3C00);
    assert_eq!(Convert::<bf16>::convert(true).bits(), 0x3F80);
    assert_eq!((Convert::<i8>::convert(true), Convert::<u64>::convert(false)), (1, 0));
    let truths: [bool; 4] =
        [(-0.0_f32).convert(), f32::NAN.convert(), f32::from_bits(1).convert(), 256_u64.convert()];
    assert_eq!(truths, [false, true, true, true]);
}

#[test]
fn a_conversion_to_the_own_type_is_a_move() {
    let signalling = 0xFF80_0001_u32;
    assert_eq!(Convert::<f32>::convert(f32::from_bits(signalling)).to_bits(), signalling);
    assert_eq!(Convert::<f16>::convert(f16::from_bits(0xFC01)).to_bits(), 0xFC01);
}

#[test]
fn integers_extend_by_their_own_sign_and_truncate() {
    assert_eq!(Convert::<u64>::convert(-1_i8), u64::MAX);
    assert_eq!(Convert::<i64>::convert(0xFF_u8), 255);
    assert_eq!(Convert::<i8>::convert(0x1_80_u16), -128);
}

proptest! {
    #[test]
    fn any_f64_narrows_as_the_reference_does(bits: u64) {
        check_f64(bits);
    }

    #[test]
    fn any_f32_narrows_as_the_reference_does(bits: u32) {
        check_f32(bits);
    }

    #[test]
    fn any_shift_rounds_as_the_definition_says(value: u64, shift in 0_u32..70) {
        let divisor = 1_u128 << shift;
        let (quotient, rest) = (value as u128 / divisor, value as u128 % divisor);
        let up = rest * 2 > divisor || (rest * 2 == divisor && quotient & 1 == 1);
        prop_assert_eq!(shift_right(value, shift, Rounding::NearestEven) as u128, quotient + up as u128);
        prop_assert_eq!(shift_right(value, shift, Rounding::TowardZero) as u128, quotient);
        prop_assert_eq!(shift_right(value, shift, Rounding::ToOdd) as u128, quotient | (rest != 0) as u128);
    }
}
