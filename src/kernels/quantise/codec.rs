//! Narrow formats for the references: every number of a format listed from its definition, and the nearest one looked up.
//!
//! On entry: reals. On exit: codes and their numbers. It shares nothing with `numerics`, whose integer steps it judges.

use crate::ir::DType;

/// What the format of a dtype is: exponent bits, mantissa bits, bias, the largest finite code, and the code of NaN.
#[derive(Clone, Copy)]
struct Fields {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    largest: u32,
    nan: Option<u32>,
    signed: bool,
}

fn fields(dtype: DType) -> Fields {
    let of = |exponent, mantissa, bias, largest, nan| Fields {
        exponent,
        mantissa,
        bias,
        largest,
        nan,
        signed: true,
    };
    match dtype {
        DType::E5M2 => of(5, 2, 15, 0x7b, Some(0x7f)),
        DType::E2M3 => of(2, 3, 1, 0x1f, None),
        DType::E3M2 => of(3, 2, 3, 0x1f, None),
        DType::E2M1 => of(2, 1, 1, 0x7, None),
        DType::UE4M3 => Fields { signed: false, ..of(4, 3, 7, 0x7e, Some(0x7f)) },
        _ => of(4, 3, 7, 0x7e, Some(0x7f)),
    }
}

/// The number of a finite magnitude.
fn magnitude(code: u32, fields: Fields) -> f64 {
    let (exponent, mantissa) = (code >> fields.mantissa, code & ((1 << fields.mantissa) - 1));
    let unit = 2f64.powi(-(fields.mantissa as i32));
    match exponent {
        0 => f64::from(mantissa) * unit * 2f64.powi(1 - fields.bias),
        _ => (1.0 + f64::from(mantissa) * unit) * 2f64.powi(exponent as i32 - fields.bias),
    }
}

/// The code of a real: nearest even; beyond the largest number that number, or with `nonsat` the code behind it.
pub(super) fn encode(x: f64, dtype: DType, nonsat: bool) -> u32 {
    if dtype == DType::TF32 {
        return tf32(x, false);
    }
    let fields = fields(dtype);
    if x.is_nan() {
        return fields.nan.unwrap_or(fields.largest);
    }
    let sign = if x.is_sign_negative() { 1 << (fields.exponent + fields.mantissa) } else { 0 };
    if sign != 0 && !fields.signed {
        return 0;
    }
    let x = x.abs();
    let mut best = 0;
    // One code beyond the largest stands for what would be the next number, as rounding sees it.
    for code in 1..=fields.largest + 1 {
        let (low, high) = (magnitude(best, fields), magnitude(code, fields));
        let middle = low + (high - low) / 2.0;
        if x > middle || (x == middle && code % 2 == 0) {
            best = code;
        }
    }
    let limit = fields.largest + u32::from(nonsat);
    best.min(limit) | sign
}

/// The real of a code.
pub(super) fn decode(code: u32, dtype: DType) -> f64 {
    match dtype {
        DType::TF32 => return f64::from(f32::from_bits(code)),
        DType::E8M0 if code == 0xff => return f64::NAN,
        DType::E8M0 => return 2f64.powi(code as i32 - 127),
        _ => {}
    }
    let fields = fields(dtype);
    let bits = fields.exponent + fields.mantissa;
    let positive = code & ((1 << bits) - 1);
    let sign = if fields.signed && code >> bits & 1 == 1 { -1.0 } else { 1.0 };
    if positive <= fields.largest {
        return sign * magnitude(positive, fields);
    }
    if dtype == DType::E5M2 && positive == 0x7c { sign * f64::INFINITY } else { f64::NAN }
}

/// The code of the power of two not above, or with `up` not below.
pub(super) fn power(x: f64, up: bool) -> u32 {
    if x.is_nan() {
        return 0xff;
    }
    let mut powers = (0..=0xfeu32).map(|code| (code, 2f64.powi(code as i32 - 127)));
    if up {
        powers.find(|&(_, power)| power >= x).map_or(0xfe, |(code, _)| code)
    } else {
        powers.rfind(|&(_, power)| power <= x).map_or(0, |(code, _)| code)
    }
}

/// A real as tf32, nearest even or toward zero: eleven digits, and the exponents of f32.
pub(super) fn tf32(x: f64, truncates: bool) -> u32 {
    if x.is_nan() {
        return 0x7fff_e000;
    }
    if x == 0.0 || x.is_infinite() {
        return (x as f32).to_bits();
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let place = 2f64.powi(exponent.max(-126) - 10);
    let places = x.abs() / place;
    let rounded = if truncates {
        // What is finite stays so.
        (places.trunc() * place).min(f64::from(f32::from_bits(0x7f7f_e000)))
    } else {
        places.round_ties_even() * place
    };
    // The cast is exact: eleven digits, or infinity.
    (rounded.copysign(x) as f32).to_bits()
}

/// The exponent of the largest number.
pub(super) fn emax(dtype: DType) -> i32 {
    let fields = fields(dtype);
    (fields.largest >> fields.mantissa) as i32 - fields.bias
}
