//! Conversions between pairs of f32, f16 or bf16 and pairs of fp8, fp6, fp4 and ue8m0.
//!
//! Entry: bits of the registers. Exit: each number in the low bits of its byte, or of its nibble for fp4. What an
//! operand below zero becomes in ue8m0 the manual leaves open; lowering never sends one, and here it is 0.

use super::body::body;
use super::decode::Planner;
use super::micro::Flags;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::numerics::{CastMode, Storage, bf16_from_f32, f16_from_f32};
use crate::ptx::isa::modifier::Rounding;
use crate::ptx::isa::types::NarrowX2;
use crate::ptx::isa::{CvtNarrow, CvtScale, CvtWiden, CvtWidenScale, RegClass};

/// `.relu`: what is below zero becomes +0; a NaN stays one.
fn relu(bits: u32, flags: Flags) -> f32 {
    let value = f32::from_bits(bits);
    if flags.is_relu() && value <= 0.0 { 0.0 } else { value }
}

/// Two codes, `WIDTH` bits apart.
pub(super) fn pair<const WIDTH: u32>(storage: Storage, high: u32, low: u32, flags: Flags) -> u16 {
    let code = |bits| storage.encode(relu(bits, flags), CastMode::Default);
    (code(high) << WIDTH | code(low)) as u16
}

/// Two halves of one register.
fn halves(pair: u16, width: u32, half: impl Fn(u32) -> u16) -> u32 {
    let (high, low) = (u32::from(pair) >> width, u32::from(pair) & ((1 << width) - 1));
    u32::from(half(high)) << 16 | u32::from(half(low))
}

fn widen(storage: Storage, pair: u16, width: u32, flags: Flags) -> u32 {
    halves(pair, width, |code| f16_from_f32(relu(storage.decode(code).to_bits(), flags)).to_bits())
}

impl Step for CvtNarrow {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.to {
            NarrowX2::E4M3x2 => {
                body!(|high: u32, low: u32; flags| -> u16 { pair::<8>(Storage::E4M3, high, low, flags) })
            }
            NarrowX2::E5M2x2 => {
                body!(|high: u32, low: u32; flags| -> u16 { pair::<8>(Storage::E5M2, high, low, flags) })
            }
            NarrowX2::E2M3x2 => {
                body!(|high: u32, low: u32; flags| -> u16 { pair::<8>(Storage::E2M3, high, low, flags) })
            }
            NarrowX2::E3M2x2 => {
                body!(|high: u32, low: u32; flags| -> u16 { pair::<8>(Storage::E3M2, high, low, flags) })
            }
            NarrowX2::E2M1x2 => {
                body!(|high: u32, low: u32; flags| -> u16 { pair::<4>(Storage::E2M1, high, low, flags) })
            }
        };
        let flags = Flags::rounded(self.round).relu(self.relu.0);
        Ok(planner.map_all(bind, self.dst.0, &[self.high, self.low], RegClass::B32).flags(flags))
    }
}

impl Step for CvtWiden {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.from {
            NarrowX2::E4M3x2 => body!(|a: u16; flags| -> u32 { widen(Storage::E4M3, a, 8, flags) }),
            NarrowX2::E5M2x2 => body!(|a: u16; flags| -> u32 { widen(Storage::E5M2, a, 8, flags) }),
            NarrowX2::E2M3x2 => body!(|a: u16; flags| -> u32 { widen(Storage::E2M3, a, 8, flags) }),
            NarrowX2::E3M2x2 => body!(|a: u16; flags| -> u32 { widen(Storage::E3M2, a, 8, flags) }),
            NarrowX2::E2M1x2 => body!(|a: u16; flags| -> u32 { widen(Storage::E2M1, a, 4, flags) }),
        };
        let flags = Flags::rounded(self.round).relu(self.relu.0);
        let class = self.from.scalar().class();
        Ok(planner.map_all(bind, self.dst.0, &[self.src], class).flags(flags))
    }
}

/// A power of two; without `.satfinite` what is beyond the largest, infinity too, is NaN.
pub(super) fn scale(bits: u32, mode: CastMode, flags: Flags) -> u16 {
    let value = f32::from_bits(bits);
    let largest = Storage::E8M0.decode(Storage::E8M0.max_finite());
    let is_beyond = value == f32::INFINITY || (value > largest && mode == CastMode::Up);
    if is_beyond && !flags.is_satfinite() { 0xFF } else { Storage::E8M0.encode(value, mode) as u16 }
}

impl Step for CvtScale {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.round {
            Rounding::Rp => body!(|high: u32, low: u32; flags| -> u16 {
                scale(high, CastMode::Up, flags) << 8 | scale(low, CastMode::Up, flags)
            }),
            Rounding::Rz => body!(|high: u32, low: u32; flags| -> u16 {
                scale(high, CastMode::TowardZero, flags) << 8 | scale(low, CastMode::TowardZero, flags)
            }),
            Rounding::Rn | Rounding::Rm => return Err(Unsupported("this rounding to ue8m0")),
        };
        let flags = Flags::rounded(self.round).satfinite(self.satfinite.0);
        Ok(planner.map_all(bind, self.dst.0, &[self.high, self.low], RegClass::B32).flags(flags))
    }
}

impl Step for CvtWidenScale {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = body!(|a: u16| -> u32 {
            halves(a, 8, |code| bf16_from_f32(Storage::E8M0.decode(code)).to_bits())
        });
        Ok(planner.map_all(bind, self.dst.0, &[self.src], RegClass::B16))
    }
}
