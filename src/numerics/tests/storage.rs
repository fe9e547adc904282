//! Storage formats: every code, every 16-bit float, every midpoint, and the fast codec against the format-driven one.

use super::samples::random;
use crate::numerics::{
    CastMode, Exact, Float, Format, Odd, Storage, bf16, decode, e2m1, e4m3, e5m2, e8m0, f16, int_decode,
    int_encode, tf32, ue4m3,
};

/// Every format with every mode that it takes.
fn conversions() -> impl Iterator<Item = (Storage, CastMode)> {
    let modes = |storage: Storage| CastMode::ALL.into_iter().filter(move |&mode| storage.takes(mode));
    Storage::ALL.into_iter().flat_map(move |storage| modes(storage).map(move |mode| (storage, mode)))
}

/// Every code of a format in its word.
fn codes(storage: Storage) -> impl Iterator<Item = u32> {
    (0..1u32 << storage.format().width()).map(move |code| code << storage.shift())
}

fn exact(value: f32) -> Exact {
    decode(u64::from(value.to_bits()), Format::F32)
}

fn integer(value: i128) -> Exact {
    Exact::Finite { negative: value < 0, significand: value.unsigned_abs(), exponent: 0 }
}

#[test]
fn every_code_decodes_and_encodes_to_itself() {
    for (storage, mode) in conversions() {
        for code in codes(storage) {
            let value = storage.decode(code);
            assert_eq!(value.is_nan(), storage.decode_exact(code) == Exact::Nan, "{storage:?} {code:#x}");
            // Two decoders: bits of an f32, and an exact value.
            if !value.is_nan() {
                let bits = crate::numerics::encode(
                    storage.decode_exact(code),
                    Format::F32,
                    crate::numerics::Rounding::NearestEven,
                    crate::numerics::Overflow::Special,
                );
                assert_eq!(u64::from(value.to_bits()), bits, "{storage:?} {code:#x}");
            }
            let back = storage.encode(value, mode);
            let want = if value.is_nan() {
                storage.nan().expect("a format that holds a NaN has one")
            } else if value.is_infinite() && storage == Storage::E5M2 && mode == CastMode::Default {
                storage.max_finite() | code & 0x80
            } else {
                code
            };
            assert_eq!(back, want, "{storage:?} {mode:?} {code:#x} = {value}");
        }
    }
}

#[test]
fn bits_that_a_format_lacks_are_ignored() {
    for storage in Storage::ALL.into_iter().filter(|storage| storage.bits() <= 8) {
        for byte in 0..=255u32 {
            let (masked, raw) = (storage.decode(byte & storage.mask()), storage.decode(byte));
            assert_eq!(masked.to_bits(), raw.to_bits(), "{storage:?} {byte:#x}");
        }
    }
    assert_eq!(Storage::TF32.decode(0x3F80_1FFF), 1.0);
    assert_eq!(e2m1::from_bits(0xF7).to_bits(), 7);
}

#[test]
fn every_16_bit_float_rounds_once() {
    for (storage, mode) in conversions() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
            let of = |exact| storage.encode_exact(exact, mode);
            assert_eq!(
                storage.encode(half.odd(), mode),
                of(decode(half.bits(), Format::F16)),
                "{storage:?} {mode:?} f16 {bits:#x}"
            );
            assert_eq!(
                storage.encode(brain.odd(), mode),
                of(decode(brain.bits(), Format::BF16)),
                "{storage:?} {mode:?} bf16 {bits:#x}"
            );
        }
    }
}

/// The non-negative codes in order, as f64.
fn ladder(storage: Storage) -> Vec<(u32, f64)> {
    let positive =
        codes(storage).filter(|code| u64::from(code >> storage.shift()) <= storage.format().max_finite());
    positive.map(|code| (code, f64::from(storage.decode(code)))).collect()
}

#[test]
fn every_midpoint_goes_to_the_even_code_and_its_neighbours_to_the_nearer() {
    for (storage, mode) in conversions() {
        let ladder = ladder(storage);
        for pair in ladder.windows(2) {
            let [(low, below), (high, above)] = [pair[0], pair[1]];
            assert!(below < above, "{storage:?} {low:#x}");
            let middle = ((below + above) / 2.0) as f32;
            let nearest = |value: f32| {
                let (down, up) = (f64::from(value) - below, above - f64::from(value));
                let even = if low >> storage.shift() & 1 == 0 { low } else { high };
                if down < up {
                    low
                } else if up < down {
                    high
                } else {
                    even
                }
            };
            for value in [middle.next_down(), middle, middle.next_up()] {
                let want = match mode {
                    CastMode::Default | CastMode::Nonsat => nearest(value),
                    CastMode::TowardZero => {
                        if f64::from(value) >= above {
                            high
                        } else {
                            low
                        }
                    }
                    CastMode::Up => {
                        if f64::from(value) <= below {
                            low
                        } else {
                            high
                        }
                    }
                };
                assert_eq!(storage.encode(value, mode), want, "{storage:?} {mode:?} {value:e}");
                let sign = (storage.format().sign_mask() as u32) << storage.shift();
                let negative = storage.encode(-value, mode);
                assert_eq!(
                    negative,
                    if sign == 0 { 0 } else { want | sign },
                    "{storage:?} {mode:?} -{value:e}"
                );
            }
        }
    }
}

#[test]
fn the_fast_codec_is_the_slow_one() {
    for (storage, mode) in conversions() {
        for high in 0..1u32 << 12 {
            for low in 0..64 {
                let noise = random(1, u64::from(high) << 6 | low) as u32;
                for bits in
                    [high << 20 | noise >> 12, high << 20 | low as u32, (high << 20).wrapping_sub(low as u32)]
                {
                    let value = f32::from_bits(bits);
                    assert_eq!(
                        storage.encode(value, mode),
                        storage.encode_exact(exact(value), mode),
                        "{storage:?} {mode:?} {bits:#010x}"
                    );
                }
            }
        }
    }
}

#[test]
fn beyond_the_largest_number() {
    let cases = [
        (Storage::E4M3, 0x7E, 0x7F, 464.0f32),
        (Storage::E5M2, 0x7B, 0x7C, 61440.0),
        (Storage::UE4M3, 0x7E, 0x7F, 464.0),
    ];
    for (storage, largest, special, tie) in cases {
        for value in [tie.next_up(), 1e30, f32::MAX, f32::INFINITY] {
            assert_eq!(storage.encode(value, CastMode::Default), largest, "{storage:?} {value}");
            assert_eq!(storage.encode(value, CastMode::Nonsat), special, "{storage:?} {value}");
        }
        assert_eq!(storage.encode(tie.next_down(), CastMode::Nonsat), largest, "{storage:?}");
    }
    for storage in [Storage::E2M3, Storage::E3M2, Storage::E2M1] {
        let largest = storage.max_finite();
        let sign = storage.format().sign_mask() as u32;
        assert_eq!(storage.encode(f32::INFINITY, CastMode::Default), largest);
        assert_eq!(storage.encode(f32::NEG_INFINITY, CastMode::Default), largest | sign);
        assert_eq!(storage.encode(-f32::NAN, CastMode::Default), largest, "a NaN becomes the largest");
    }
    assert_eq!(tf32::from_f32(f32::MAX).to_f32(), f32::INFINITY);
    assert_eq!(tf32::from_f32_with(f32::MAX, CastMode::TowardZero).to_bits(), 0x7F7F_E000);
}

#[test]
fn values_named_by_the_contract() {
    assert_eq!(e5m2::from_f32(f16::from_f32(9.0).odd()).to_f32(), 8.0);
    assert_eq!(e4m3::from_f32(1.062_500_1).to_f32(), 1.125);
    assert_eq!(e4m3::from_f32(1.0625).to_f32(), 1.0);
    assert_eq!(e4m3::from_f32(-0.0).to_bits(), 0x80);
    assert_eq!(e8m0::from_f32_rz(0.0).to_bits(), 0);
    assert_eq!(e8m0::from_f32_rp(-5.0).to_bits(), 0);
    assert_eq!(e8m0::from_f32_rp(f32::NAN).to_bits(), 0xFF);
    assert_eq!(e8m0::from_f32_rz(f32::INFINITY).to_bits(), 0xFE);
    assert_eq!(e8m0::from_f32_rp(f32::MAX).to_bits(), 0xFE);
    assert_eq!((e8m0::from_f32_rz(3.0).to_f32(), e8m0::from_f32_rp(3.0).to_f32()), (2.0, 4.0));
    assert_eq!(ue4m3::from_f32(-1.0).to_bits(), 0);
    assert_eq!(ue4m3::from_f32(f32::NAN).to_bits(), 0x7F);
    assert_eq!(crate::numerics::bf16_from_f32(f32::from_bits(0x7F7F_FFFF)).to_bits(), 0x7F80);
}

#[test]
fn wide_sources_round_once() {
    for (storage, mode) in conversions() {
        for step in 0..1u64 << 14 {
            let noise = random(2, step);
            // All magnitudes, and numbers a little beside a short one: those are what a first rounding forgets.
            let short = (noise >> 52) << (step % 52);
            for wide in [noise >> (step % 64), short, short + 1, short.wrapping_sub(1)] {
                let of = |value: i128| storage.encode_exact(integer(value), mode);
                assert_eq!(storage.encode(wide.odd(), mode), of(i128::from(wide)), "{storage:?} u64 {wide}");
                let signed = wide as i64;
                assert_eq!(
                    storage.encode(signed.odd(), mode),
                    of(i128::from(signed)),
                    "{storage:?} i64 {signed}"
                );
                let word = (wide >> (step % 33)) as u32;
                assert_eq!(storage.encode(word.odd(), mode), of(i128::from(word)), "{storage:?} u32 {word}");
                let word = word as i32;
                assert_eq!(storage.encode(word.odd(), mode), of(i128::from(word)), "{storage:?} i32 {word}");
            }
            // f64 of f32's range and beyond, with low bits that an f32 loses.
            let exponent = (1023 - 200 + step % 400) << 52;
            for fraction in [noise >> 12, (noise >> 60) << 48, (noise >> 60) << 48 | 1] {
                let value = f64::from_bits(exponent | fraction & ((1 << 52) - 1) | noise << 63);
                let want = storage.encode_exact(decode(value.to_bits(), Format::F64), mode);
                assert_eq!(storage.encode(value.odd(), mode), want, "{storage:?} {mode:?} {value:e}");
            }
        }
        for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0, -0.0, f64::MAX, f64::MIN_POSITIVE] {
            let want = storage.encode_exact(decode(value.to_bits(), Format::F64), mode);
            assert_eq!(storage.encode(value.odd(), mode), want, "{storage:?} {mode:?} {value:e}");
        }
    }
}

#[test]
fn a_detour_through_a_rounded_f32_is_wrong_and_not_taken() {
    // Each is just beside a midpoint of the target that the nearest f32 is exactly.
    let above = f64::from_bits(1.0625f64.to_bits() + 1);
    assert_eq!(e4m3::from_f32(above as f32).to_f32(), 1.0);
    assert_eq!(e4m3::from_f64(above).to_f32(), 1.125);
    let above = f64::from_bits(9f64.to_bits() + 1);
    assert_eq!((e5m2::from_f32(above as f32).to_f32(), e5m2::from_f64(above).to_f32()), (8.0, 10.0));
    // Integers: 2^31 · (1 + 1/2048) is a midpoint of tf32.
    let midpoint = (1u32 << 31) + (1 << 20);
    let wide = u64::from(midpoint) << 20;
    assert_ne!(tf32::from_f32((midpoint + 1) as f32), tf32::from_f32((midpoint + 1).odd()));
    assert_ne!(tf32::from_f32((wide + 1) as f32), tf32::from_f32((wide + 1).odd()));
    let signed = 0i32.wrapping_sub((midpoint >> 1) as i32);
    assert_ne!(tf32::from_f32((signed - 1) as f32), tf32::from_f32((signed - 1).odd()));
    let signed = -(wide as i64 >> 1);
    assert_ne!(tf32::from_f32((signed - 1) as f32), tf32::from_f32((signed - 1).odd()));
}

/// For each format and mode an f64 on which the way through the nearest f32 is wrong: just beside a number that decides.
#[test]
fn every_format_has_a_witness_against_the_nearest_f32() {
    for (storage, mode) in conversions() {
        let found = codes(storage).any(|code| {
            let (here, next) =
                (storage.decode(code), storage.decode(code.wrapping_add(1 << storage.shift())));
            let middle = f64::from(here) + (f64::from(next) - f64::from(here)) / 2.0;
            [middle, f64::from(here)].into_iter().filter(|number| number.is_normal()).any(|number| {
                [-1i64, 1].into_iter().any(|step| {
                    let beside = f64::from_bits(number.to_bits().wrapping_add_signed(step));
                    let direct = storage.encode(beside.odd(), mode);
                    let exact = storage.encode_exact(
                        Exact::Finite {
                            negative: beside < 0.0,
                            significand: u128::from((beside.to_bits() & ((1 << 52) - 1)) | (1 << 52)),
                            exponent: ((beside.to_bits() >> 52) & 0x7ff) as i32 - 1075,
                        },
                        mode,
                    );
                    assert_eq!(direct, exact, "{storage:?} {mode:?} {beside:e}");
                    direct != storage.encode(beside as f32, mode)
                })
            })
        });
        assert!(found, "{storage:?} {mode:?}");
    }
    // Wide integers into e8m0, which goes up, or down, from the power of two that the nearest f32 is.
    let up = |value: f32| e8m0::from_bits(Storage::E8M0.encode(value, CastMode::Up) as u8);
    assert_ne!(up(((1u32 << 31) + 1).odd()), up(((1u32 << 31) + 1) as f32));
    let down = |value: f32| e8m0::from_bits(Storage::E8M0.encode(value, CastMode::TowardZero) as u8);
    assert_ne!(down(u32::MAX.odd()), down(u32::MAX as f32));
    assert_ne!(down(u64::MAX.odd()), down(u64::MAX as f32));
    assert_ne!(down(i64::MAX.odd()), down(i64::MAX as f32));
}

#[test]
fn small_integers_round_to_even_and_clamp() {
    assert_eq!(int_decode(int_encode(2.500_000_000_1f64, 4), 4), 3);
    for bits in 2..=8 {
        let (low, high) = (-(1i32 << (bits - 1)), (1i32 << (bits - 1)) - 1);
        for value in low..=high {
            let code = int_encode(value as f32, bits);
            assert!(u32::from(code) < 1 << bits);
            assert_eq!(i32::from(int_decode(code, bits)), value, "int{bits}");
        }
        for quarter in 4 * low - 8..=4 * high + 8 {
            let value = quarter as f32 / 4.0;
            let want = (f64::from(value).round_ties_even() as i32).clamp(low, high);
            assert_eq!(i32::from(int_decode(int_encode(value, bits), bits)), want, "int{bits} of {value}");
        }
        for (value, want) in [(f32::NAN, 0), (f32::INFINITY, high), (f32::NEG_INFINITY, low), (-0.0, 0)] {
            assert_eq!(i32::from(int_decode(int_encode(value, bits), bits)), want, "int{bits} of {value}");
        }
    }
}
