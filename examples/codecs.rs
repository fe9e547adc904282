//! Every f32 into every narrower format, against integer steps that share nothing with the library.
//!
//! `cargo run --release --example codecs` takes all 2³² inputs, minutes on a few cores; `-- --stratified` takes 2²⁰ of
//! them, with every exponent and the edges of each. Prints a line for each format with its first mistake, and a last line
//! `N formats, M mistakes`; exit code 1 where there is one.
//!
//! The reference rounds a 24-bit significand by division: quotient, remainder, and the comparison of twice the remainder
//! with the divisor. It knows a format by its number of mantissa bits, its least exponent and its largest code alone.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use warpsmith::numerics::{CastMode, Storage, bf16_from_f32, f16_from_f32};

/// A format as the reference knows it.
#[derive(Clone, Copy)]
struct Reference {
    mantissa: u32,
    /// The exponent of the least normal number.
    least: i32,
    /// The largest code of a finite number.
    largest: u64,
    /// What stands for anything beyond, without its sign.
    beyond: u64,
    nan: u64,
    /// Where the sign stands, if there is one.
    sign: Option<u32>,
    truncates: bool,
}

impl Reference {
    fn code(self, bits: u32) -> u64 {
        let (field, fraction) = (bits >> 23 & 0xff, u64::from(bits & 0x7f_ffff));
        let negative = bits >> 31 == 1;
        if field == 0xff && fraction != 0 {
            return self.nan;
        }
        let sign = match self.sign {
            Some(place) => u64::from(negative) << place,
            None if negative => return 0,
            None => 0,
        };
        if field == 0xff {
            return sign | self.beyond;
        }
        // significand · 2^(exponent − 23)
        let (significand, exponent) =
            if field == 0 { (fraction, -126) } else { (fraction | 1 << 23, field as i32 - 127) };
        // Normalised, so that the exponent is that of the number.
        let shift = if significand == 0 { 0 } else { significand.leading_zeros() - 40 };
        let (significand, exponent) = (significand << shift, exponent - shift as i32);
        let place = exponent.max(self.least);
        let dropped = 23 - self.mantissa as i32 + (place - exponent);
        let code = if dropped > 40 { 0 } else { divided(significand, 1 << dropped, self.truncates) };
        let offset = (place - self.least) as u64;
        // A normal number's leading 1 counts up the exponent field, and so does a carry.
        let code = (offset << self.mantissa) + code;
        let limit =
            if code > self.largest { if self.truncates { self.largest } else { self.beyond } } else { code };
        sign | limit
    }
}

/// The nearest quotient, ties to even; or the one not above.
fn divided(number: u64, by: u64, truncates: bool) -> u64 {
    let (quotient, rest) = (number / by, number % by);
    if truncates || 2 * rest < by {
        return quotient;
    }
    if 2 * rest > by || quotient % 2 == 1 { quotient + 1 } else { quotient }
}

/// The power of two not above or not below a positive number, as e8m0.
fn power(bits: u32, up: bool) -> u64 {
    let value = f64::from(f32::from_bits(bits));
    if value.is_nan() {
        return 0xff;
    }
    if value <= 0.0 {
        return 0;
    }
    let field = (value.to_bits() >> 52) as i64 - 1023 + 127;
    let is_power = value.to_bits() & ((1 << 52) - 1) == 0;
    if value.is_infinite() { 0xfe } else { (field + i64::from(up && !is_power)).clamp(0, 0xfe) as u64 }
}

type Codec = Box<dyn Fn(u32) -> u64 + Sync>;

/// A name, the library's code of an f32, and the reference's.
fn codecs() -> Vec<(String, Codec, Codec)> {
    let mut all: Vec<(String, Codec, Codec)> = Vec::new();
    let f16 = Reference {
        mantissa: 10,
        least: -14,
        largest: 0x7bff,
        beyond: 0x7c00,
        nan: 0x7fff,
        sign: Some(15),
        truncates: false,
    };
    let bf16 = Reference { mantissa: 7, least: -126, largest: 0x7f7f, beyond: 0x7f80, ..f16 };
    all.push((
        "f16".into(),
        Box::new(|bits| u64::from(f16_from_f32(f32::from_bits(bits)).to_bits())),
        Box::new(move |bits| f16.code(bits)),
    ));
    all.push((
        "bf16".into(),
        Box::new(|bits| u64::from(bf16_from_f32(f32::from_bits(bits)).to_bits())),
        Box::new(move |bits| bf16.code(bits)),
    ));
    let small = |mantissa, least, largest, nan, sign| Reference {
        mantissa,
        least,
        largest,
        beyond: largest,
        nan,
        sign: Some(sign),
        truncates: false,
    };
    let e4m3 = small(3, -6, 0x7e, 0x7f, 7);
    let e5m2 = small(2, -14, 0x7b, 0x7f, 7);
    let ue4m3 = Reference { sign: None, ..e4m3 };
    let tf32 = Reference {
        mantissa: 10,
        least: -126,
        largest: 0x3_fbff,
        beyond: 0x3_fc00,
        nan: 0x3_ffff,
        sign: Some(18),
        truncates: false,
    };
    let formats = [
        (Storage::E4M3, CastMode::Default, e4m3),
        (Storage::E4M3, CastMode::Nonsat, Reference { beyond: 0x7f, ..e4m3 }),
        (Storage::E5M2, CastMode::Default, e5m2),
        (Storage::E5M2, CastMode::Nonsat, Reference { beyond: 0x7c, ..e5m2 }),
        (Storage::UE4M3, CastMode::Default, ue4m3),
        (Storage::UE4M3, CastMode::Nonsat, Reference { beyond: 0x7f, ..ue4m3 }),
        (Storage::E2M3, CastMode::Default, small(3, 0, 0x1f, 0x1f, 5)),
        (Storage::E3M2, CastMode::Default, small(2, -2, 0x1f, 0x1f, 5)),
        (Storage::E2M1, CastMode::Default, small(1, 0, 0x7, 0x7, 3)),
        (Storage::TF32, CastMode::Default, tf32),
        (Storage::TF32, CastMode::TowardZero, Reference { truncates: true, ..tf32 }),
    ];
    for (storage, mode, reference) in formats {
        let own = move |bits| u64::from(storage.encode(f32::from_bits(bits), mode) >> storage.shift());
        let name = format!("{}{}", storage.name(), mode.suffix());
        all.push((name, Box::new(own), Box::new(move |bits| reference.code(bits))));
    }
    for (mode, up) in [(CastMode::TowardZero, false), (CastMode::Up, true)] {
        let own = move |bits| u64::from(Storage::E8M0.encode(f32::from_bits(bits), mode));
        all.push((format!("e8m0{}", mode.suffix()), Box::new(own), Box::new(move |bits| power(bits, up))));
    }
    all
}

/// The `index`-th input of a stratum: a sign and an exponent, its first and last numbers, and others between.
fn stratified(stratum: u32, index: u32) -> u32 {
    let fraction = match index {
        0..=63 => index,
        64..=127 => 0x7f_ffff - (index - 64),
        // Few bits: midpoints of each format, and their neighbours.
        128..=1151 => {
            let (short, side) = ((index - 128) / 4, (index - 128) % 4);
            (short << 15).wrapping_add(side).wrapping_sub(1)
        }
        _ => index.wrapping_mul(0x9e37_79b9) >> 9,
    };
    stratum << 23 | fraction & 0x7f_ffff
}

/// Prints a line a format; gives the number of mistakes.
fn compare(is_stratified: bool) -> u64 {
    let codecs = codecs();
    let mut mistakes = 0;
    for (name, own, reference) in &codecs {
        let (count, first) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
        (0..512u32).into_par_iter().for_each(|stratum| {
            let look = |bits: u32| {
                if own(bits) != reference(bits) {
                    count.fetch_add(1, Ordering::Relaxed);
                    first.fetch_min(u64::from(bits), Ordering::Relaxed);
                }
            };
            if is_stratified {
                (0..2048).for_each(|index| look(stratified(stratum, index)));
            } else {
                (0..1 << 23).for_each(|fraction| look(stratum << 23 | fraction));
            }
        });
        let wrong = count.into_inner();
        mistakes += wrong;
        if wrong == 0 {
            println!("{name:12} as the reference");
        } else {
            let bits = first.into_inner() as u32;
            let (found, wanted) = (own(bits), reference(bits));
            println!("{name:12} {wrong} mistakes; the first: {bits:#010x} gives {found:#x}, not {wanted:#x}");
        }
    }
    println!("{} formats, {mistakes} mistakes", codecs.len());
    mistakes
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_stratified = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--stratified"] => true,
        _ => {
            eprintln!("usage: codecs [--stratified]");
            return ExitCode::from(2);
        }
    };
    ExitCode::from(u8::from(compare(is_stratified) > 0))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_strata_hold_no_mistake() {
        assert_eq!(super::compare(true), 0);
    }
}
