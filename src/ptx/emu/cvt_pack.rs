//! Conversions of integers into fields of a word, and of packed 16-bit floats into narrower ones.

use super::body::body;
use super::cvt_narrow::{pair, scale};
use super::decode::Planner;
use super::micro::Flags;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::numerics::{CastMode, Float as _, Storage, bf16, f16};
use crate::ptx::isa::arith_modifier::{PackField, PackHalf};
use crate::ptx::isa::modifier::Rounding;
use crate::ptx::isa::types::Fp8X2;
use crate::ptx::isa::{CvtNarrowHalves, CvtPackFields, CvtPackHalves, CvtScaleHalves, RegClass};

/// A signed integer clamped to a field, in its low bits.
fn clamped(value: u32, bits: u32, signed: bool) -> u32 {
    let value = i64::from(value.cast_signed());
    let (least, greatest) =
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    value.clamp(least, greatest) as u32 & ((1 << bits) - 1)
}

impl Step for CvtPackHalves {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.to {
            PackHalf::U16 => {
                body!(|a: u32, b: u32| -> u32 { clamped(a, 16, false) << 16 | clamped(b, 16, false) })
            }
            PackHalf::S16 => {
                body!(|a: u32, b: u32| -> u32 { clamped(a, 16, true) << 16 | clamped(b, 16, true) })
            }
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], RegClass::B32))
    }
}

/// The field is in the extra bits of the flags.
fn packed(a: u32, b: u32, c: u32, flags: Flags) -> u32 {
    let (bits, signed) = PackField::ALL[flags.extra_bits() as usize].layout();
    c << (2 * bits) | clamped(a, bits, signed) << bits | clamped(b, bits, signed)
}

impl Step for CvtPackFields {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = body!(|a: u32, b: u32, c: u32; flags| -> u32 { packed(a, b, c, flags) });
        let plan = planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], RegClass::B32);
        Ok(plan.flags(Flags::default().extra(self.to as u32)))
    }
}

/// The two f16 of a register as f32.
fn wide(halves: u32) -> (u32, u32) {
    let one = |bits: u32| f16::from_bits(bits as u16).widen_f32().to_bits();
    (one(halves >> 16), one(halves))
}

impl Step for CvtNarrowHalves {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.to {
            Fp8X2::E4M3x2 => body!(|a: u32; flags| -> u16 {
                let (high, low) = wide(a);
                pair::<8>(Storage::E4M3, high, low, flags)
            }),
            Fp8X2::E5M2x2 => body!(|a: u32; flags| -> u16 {
                let (high, low) = wide(a);
                pair::<8>(Storage::E5M2, high, low, flags)
            }),
        };
        let flags = Flags::rounded(self.round).relu(self.relu.0);
        Ok(planner.map_all(bind, self.dst.0, &[self.src], RegClass::B32).flags(flags))
    }
}

/// Powers of two for the two bf16 of a register.
fn scales(halves: u32, mode: CastMode, flags: Flags) -> u16 {
    let one = |bits: u32| scale(bf16::from_bits(bits as u16).widen_f32().to_bits(), mode, flags);
    one(halves >> 16) << 8 | one(halves)
}

impl Step for CvtScaleHalves {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.round {
            Rounding::Rp => body!(|a: u32; flags| -> u16 { scales(a, CastMode::Up, flags) }),
            Rounding::Rz => body!(|a: u32; flags| -> u16 { scales(a, CastMode::TowardZero, flags) }),
            Rounding::Rn | Rounding::Rm => return Err(Unsupported("this rounding to ue8m0")),
        };
        let flags = Flags::rounded(self.round).satfinite(self.satfinite.0);
        Ok(planner.map_all(bind, self.dst.0, &[self.src], RegClass::B32).flags(flags))
    }
}
