//! Conversions. A float out of an integer's range clamps, with `.sat` or without; NaN gives 0 where neither side has
//! 64 bits, else the top bit alone (the manual's rule; 0 and `8000000000000000` are measured).
//!
//! The conversions that kernels run per element have bodies of their own; all others share one that decides by type
//! in every lane, exact and slow.

use super::body::body;
use super::decode::Planner;
use super::half::{self, canonical};
use super::micro::Flags;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::numerics::soft;
use crate::numerics::{Exact, Format, decode, f16_from_f32, f16_to_f32};
use crate::ptx::isa::modifier::{IntRounding, Rounding};
use crate::ptx::isa::types::{CvtType, PackedHalf};
use crate::ptx::isa::{Cvt, CvtPack, CvtTf32, CvtTf32Away, RegClass};

const fn format(ty: CvtType) -> Option<Format> {
    match ty {
        CvtType::F16 => Some(Format::F16),
        CvtType::BF16 => Some(Format::BF16),
        CvtType::F32 => Some(Format::F32),
        CvtType::F64 => Some(Format::F64),
        CvtType::U8
        | CvtType::U16
        | CvtType::U32
        | CvtType::U64
        | CvtType::S8
        | CvtType::S16
        | CvtType::S32
        | CvtType::S64 => None,
    }
}

const fn is_signed(ty: CvtType) -> bool {
    matches!(ty, CvtType::S8 | CvtType::S16 | CvtType::S32 | CvtType::S64)
}

/// Least and greatest value of an integer type.
const fn range(ty: CvtType) -> (i128, i128) {
    let bits = ty.scalar().bits();
    if is_signed(ty) { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The integer of the low bits.
fn read_int(bits: u64, ty: CvtType) -> i128 {
    let unused = 64 - ty.scalar().bits();
    if is_signed(ty) {
        i128::from((bits << unused).cast_signed() >> unused)
    } else {
        i128::from(bits << unused >> unused)
    }
}

/// An exact value as an integer, rounded and clamped.
fn to_int(value: Exact, to: CvtType, from: CvtType, rounding: Rounding) -> i128 {
    let (least, greatest) = range(to);
    match value {
        Exact::Nan if from == CvtType::F64 || to.scalar().bits() == 64 => {
            let top = 1_i128 << (to.scalar().bits() - 1);
            if is_signed(to) { -top } else { top }
        }
        Exact::Nan => 0,
        Exact::Infinite { negative } => {
            if negative {
                least
            } else {
                greatest
            }
        }
        Exact::Finite { negative, significand, exponent } => {
            let magnitude = if exponent >= 0 {
                // Significands have 53 bits; anything beyond 2^64 clamps.
                if exponent > 64 { i128::MAX } else { (significand as i128) << exponent }
            } else {
                rounded(significand, exponent.unsigned_abs(), negative, rounding) as i128
            };
            let zero = significand == 0;
            (if zero {
                0
            } else if negative {
                -magnitude
            } else {
                magnitude
            })
            .clamp(least, greatest)
        }
    }
}

fn rounded(significand: u128, places: u32, negative: bool, rounding: Rounding) -> u128 {
    let (kept, lost, half) = if places > 120 {
        (0, u128::from(significand != 0), 2)
    } else {
        (significand >> places, significand & ((1 << places) - 1), 1 << (places - 1))
    };
    let up = match rounding {
        Rounding::Rn => lost > half || (lost == half && kept & 1 == 1),
        Rounding::Rz => false,
        Rounding::Rm => negative && lost != 0,
        Rounding::Rp => !negative && lost != 0,
    };
    kept + u128::from(up)
}

/// A float rounded to an integral value of its own format.
fn to_integral(bits: u64, format: Format, rounding: Rounding) -> u64 {
    match decode(bits, format) {
        Exact::Finite { negative, significand, exponent } if exponent < 0 => {
            let significand = rounded(significand, exponent.unsigned_abs(), negative, rounding);
            soft::round(Exact::Finite { negative, significand, exponent: 0 }, format, Rounding::Rn)
        }
        value @ (Exact::Finite { .. } | Exact::Infinite { .. } | Exact::Nan) => {
            soft::round(value, format, Rounding::Rn)
        }
    }
}

/// What a conversion is, in the extra bits of the flags.
#[derive(Clone, Copy)]
struct Spec {
    to: CvtType,
    from: CvtType,
    /// Whether the rounding is one to integers.
    integral: bool,
}

const INTEGRAL: u32 = 1 << 8;

fn index(ty: CvtType) -> u32 {
    ty as u32
}

impl Spec {
    fn pack(self) -> u32 {
        index(self.to) | index(self.from) << 4 | if self.integral { INTEGRAL } else { 0 }
    }

    fn unpack(bits: u32) -> Self {
        let ty = |index: u32| CvtType::ALL[(index & 15) as usize];
        Self { to: ty(bits), from: ty(bits >> 4), integral: bits & INTEGRAL != 0 }
    }
}

/// One lane of any conversion. The result fills 64 bits: an integer is extended by its sign.
fn convert(bits: u64, flags: Flags) -> u64 {
    let Spec { to, from, integral } = Spec::unpack(flags.extra_bits());
    let rounding = flags.rounding();
    match (format(from), format(to)) {
        (None, None) => {
            let value = read_int(bits, from);
            let (least, greatest) = range(to);
            let value = if flags.is_sat() { value.clamp(least, greatest) } else { value };
            read_int(value as u64, to) as u64
        }
        (None, Some(target)) => {
            let value = read_int(bits, from);
            let magnitude = value.unsigned_abs() as u64;
            finish(soft::of_int(value < 0, magnitude, target, rounding), target, flags)
        }
        (Some(source), None) => {
            let bits = flush(bits, source, flags);
            to_int(decode(bits, source), to, from, rounding) as u64
        }
        (Some(source), Some(target)) => {
            let bits = flush(bits, source, flags);
            let converted = if integral && source == target {
                to_integral(bits, source, rounding)
            } else {
                soft::convert(source, target, bits, rounding)
            };
            let converted = finish(converted, target, flags);
            let keeps = source == Format::F64 && target == Format::F64;
            if keeps { half::keep_payload(converted, [bits; 3]) } else { converted }
        }
    }
}

/// `.ftz` on the f32 side that is read.
fn flush(bits: u64, source: Format, flags: Flags) -> u64 {
    if flags.is_ftz() && source == Format::F32 {
        u64::from(half::flush_f32(bits as u32))
    } else {
        bits & (source.sign_mask() | source.magnitude_mask())
    }
}

/// `.ftz` on the f32 side that is written, `.sat`, `.relu` and `.satfinite`.
fn finish(bits: u64, target: Format, flags: Flags) -> u64 {
    let bits =
        if flags.is_ftz() && target == Format::F32 { u64::from(half::flush_f32(bits as u32)) } else { bits };
    let magnitude = bits & target.magnitude_mask();
    let negative = bits & target.sign_mask() != 0;
    let infinity = target.max_finite() + 1;
    let is_nan = magnitude > infinity;
    if flags.is_sat() {
        let one = (target.bias as u64) << target.mantissa_bits;
        return if is_nan || negative { 0 } else { bits.min(one) };
    }
    if flags.is_relu() && negative && !is_nan {
        return 0;
    }
    if flags.is_satfinite() && magnitude == infinity { bits - 1 } else { bits }
}

/// The shared body for each pair of register widths.
fn general(to: RegClass, from: RegClass) -> Bind {
    macro_rules! widths {
        ($from:ty, $to:ty) => {
            body!(|a: $from; flags| -> $to { convert(a as u64, flags) as $to })
        };
    }
    match (from, to) {
        (RegClass::B64, RegClass::B64) => widths!(u64, u64),
        (RegClass::B64, RegClass::B32) => widths!(u64, u32),
        (RegClass::B64, _) => widths!(u64, u16),
        (RegClass::B32, RegClass::B64) => widths!(u32, u64),
        (RegClass::B32, RegClass::B32) => widths!(u32, u32),
        (RegClass::B32, _) => widths!(u32, u16),
        (_, RegClass::B64) => widths!(u16, u64),
        (_, RegClass::B32) => widths!(u16, u32),
        (_, _) => widths!(u16, u16),
    }
}

/// Conversions that run often, without modifiers and in registers of their own width.
fn fast(to: CvtType, from: CvtType, rounding: Option<Rounding>, int: Option<IntRounding>) -> Option<Bind> {
    use CvtType as T;
    let nearest = matches!(rounding, None | Some(Rounding::Rn));
    let bind = match (to, from) {
        (T::U64 | T::S64, T::U32) => body!(|a: u32| -> u64 { a as u64 }),
        (T::U64 | T::S64, T::S32) => body!(|a: u32| -> u64 { a as i32 as i64 as u64 }),
        (T::U32 | T::S32, T::U64 | T::S64) => body!(|a: u64| -> u32 { a as u32 }),
        (T::F32, T::U32) if nearest => body!(|a: u32| -> u32 { (a as f32).to_bits() }),
        (T::F32, T::S32) if nearest => body!(|a: u32| -> u32 { (a as i32 as f32).to_bits() }),
        (T::F32, T::F16) if nearest => {
            body!(|a: u16| -> u32 { f16_to_f32(crate::numerics::f16::from_bits(a)).to_bits() })
        }
        (T::F16, T::F32) if nearest => body!(|a: u32| -> u16 { f16_from_f32(f32::from_bits(a)).to_bits() }),
        (T::F32, T::BF16) if nearest => {
            body!(|a: u16| -> u32 { canonical(f32::from_bits((a as u32) << 16)) })
        }
        (T::BF16, T::F32) if nearest => {
            body!(|a: u32| -> u16 { crate::numerics::bf16_from_f32(f32::from_bits(a)).to_bits() })
        }
        (T::F64, T::F32) if nearest && int.is_none() => body!(|a: u32| -> u64 {
            let wide = f64::from(f32::from_bits(a));
            if wide.is_nan() { 0x7fff_ffff_ffff_ffff } else { wide.to_bits() }
        }),
        (T::F32, T::F64) if nearest => body!(|a: u64| -> u32 { canonical(f64::from_bits(a) as f32) }),
        (T::S32, T::F32) if int == Some(IntRounding::Rzi) => {
            body!(|a: u32| -> u32 { f32::from_bits(a) as i32 as u32 })
        }
        (T::U32, T::F32) if int == Some(IntRounding::Rzi) => {
            body!(|a: u32| -> u32 { f32::from_bits(a) as u32 })
        }
        (_, _) => return None,
    };
    Some(bind)
}

impl Step for Cvt {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let rounding = match (self.round, self.int_round) {
            (Some(rounding), _) => rounding,
            (None, None | Some(IntRounding::Rni)) => Rounding::Rn,
            (None, Some(IntRounding::Rzi)) => Rounding::Rz,
            (None, Some(IntRounding::Rmi)) => Rounding::Rm,
            (None, Some(IntRounding::Rpi)) => Rounding::Rp,
        };
        let spec = Spec { to: self.to, from: self.from, integral: self.int_round.is_some() };
        let modified = self.ftz.0 || self.relu.0 || self.sat.0 || self.satfinite.0;
        let flags = Flags::rounded(rounding)
            .ftz(self.ftz.0)
            .relu(self.relu.0)
            .sat(self.sat.0)
            .satfinite(self.satfinite.0)
            .extra(spec.pack());
        let source_class = self.src.reg().map_or_else(|| self.from.scalar().class(), |reg| reg.class());
        let target_class = self.dst.0.class();
        let own_widths =
            source_class == self.from.scalar().class() && target_class == self.to.scalar().class();
        let fast =
            if modified || !own_widths { None } else { fast(self.to, self.from, self.round, self.int_round) };
        let bind = match target_class {
            RegClass::B8 => byte(source_class),
            RegClass::Pred | RegClass::B16 | RegClass::B32 | RegClass::B64 | RegClass::B128 => {
                fast.unwrap_or_else(|| general(target_class, source_class))
            }
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.src], source_class).flags(flags))
    }
}

/// The shared body for an 8-bit result, whose register has zeros above its 8 bits.
fn byte(source: RegClass) -> Bind {
    match source {
        RegClass::B64 | RegClass::B128 => {
            body!(|a: u64; flags| -> u16 { convert(a, flags) as u16 & 0xff })
        }
        RegClass::B32 => body!(|a: u32; flags| -> u16 { convert(a as u64, flags) as u16 & 0xff }),
        RegClass::Pred | RegClass::B8 | RegClass::B16 => {
            body!(|a: u16; flags| -> u16 { convert(a as u64, flags) as u16 & 0xff })
        }
    }
}

fn half_of(bits: u32, target: Format, flags: Flags) -> u32 {
    finish(soft::convert(Format::F32, target, u64::from(bits), flags.rounding()), target, flags) as u32
}

impl Step for CvtPack {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = Flags::rounded(self.round).relu(self.relu.0).satfinite(self.satfinite.0);
        // The first source goes to the high half.
        let bind = match self.to {
            PackedHalf::F16x2 => body!(|high: u32, low: u32; flags| -> u32 {
                half_of(high, Format::F16, flags) << 16 | half_of(low, Format::F16, flags)
            }),
            PackedHalf::BF16x2 => body!(|high: u32, low: u32; flags| -> u32 {
                half_of(high, Format::BF16, flags) << 16 | half_of(low, Format::BF16, flags)
            }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.high, self.low], RegClass::B32).flags(flags))
    }
}

/// tf32 keeps ten mantissa bits of an f32 in their place.
const TF32_DROPPED: u32 = 13;

fn tf32(bits: u32, round_up: impl Fn(u32, u32) -> bool, flags: Flags) -> u32 {
    let magnitude = bits & 0x7fff_ffff;
    let sign = bits & 0x8000_0000;
    if magnitude > 0x7f80_0000 {
        return 0x7fff_ffff;
    }
    if flags.is_relu() && sign != 0 {
        return 0;
    }
    let lost = magnitude & ((1 << TF32_DROPPED) - 1);
    let kept = magnitude >> TF32_DROPPED;
    let rounded = (kept + u32::from(round_up(kept, lost))) << TF32_DROPPED;
    let largest = 0x7f80_0000 - (1 << TF32_DROPPED);
    sign | if flags.is_satfinite() { rounded.min(largest) } else { rounded }
}

const HALF: u32 = 1 << (TF32_DROPPED - 1);

impl Step for CvtTf32Away {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = body!(|a: u32; flags| -> u32 { tf32(a, |_, lost| lost >= HALF, flags) });
        let flags = Flags::default().satfinite(self.satfinite.0);
        Ok(planner.map_all(bind, self.dst.0, &[self.src], RegClass::B32).flags(flags))
    }
}

impl Step for CvtTf32 {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.round {
            Rounding::Rn => body!(|a: u32; flags| -> u32 {
                tf32(a, |kept, lost| lost > HALF || (lost == HALF && kept & 1 == 1), flags)
            }),
            Rounding::Rz => body!(|a: u32; flags| -> u32 { tf32(a, |_, _| false, flags) }),
            Rounding::Rm | Rounding::Rp => return Err(Unsupported("this rounding to tf32")),
        };
        let flags = Flags::default().relu(self.relu.0).satfinite(self.satfinite.0);
        Ok(planner.map_all(bind, self.dst.0, &[self.src], RegClass::B32).flags(flags))
    }
}
