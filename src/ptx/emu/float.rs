//! Float arithmetic. Rounding to nearest runs on the host's own operations, lane by lane in vector code; every other
//! rounding, and the modifiers, go through [`half`](super::half) and [`soft`](crate::numerics::soft), exactly.
//!
//! Without a rounding `add`, `sub` and `mul` round to nearest: the assembler may fuse such a pair, which the emulator
//! does not, so that a missing `.rn` has no effect here.

use super::body::body;
use super::decode::Planner;
use super::half::{self, Bfloat, Half, Operation, canonical, keep_payload, packed, plain};
use super::micro::Flags;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::numerics::Format;
use crate::ptx::isa::modifier::{DivPrecision, Ftz, Precision, Rounding, Sat};
use crate::ptx::isa::types::{FloatType, WideFloat};
use crate::ptx::isa::{
    AbsFloat, AddFloat, CopySign, Def, DivFloat, Fma, MaxFloat, MinFloat, MulFloat, NegFloat, Rcp, Sqrt,
    SubFloat, Use,
};

fn flags(round: Option<Rounding>, ftz: Ftz, sat: Sat) -> Flags {
    Flags::rounded(round.unwrap_or(Rounding::Rn)).ftz(ftz.0).sat(sat.0)
}

/// `add`, `sub`, `mul` of one type; `$op` is the host's operator.
macro_rules! arith {
    ($ty:expr, $flags:expr, $operation:ident, $op:tt) => {
        match $ty {
            FloatType::F32 if plain($flags) => body!(|a: u32, b: u32| -> u32 {
                canonical(f32::from_bits(a) $op f32::from_bits(b))
            }),
            FloatType::F32 => body!(|a: u32, b: u32; flags| -> u32 {
                half::arith(Operation::$operation, Format::F32, a as u64, b as u64, flags) as u32
            }),
            FloatType::F64 if plain($flags) => body!(|a: u64, b: u64| -> u64 {
                keep_payload((f64::from_bits(a) $op f64::from_bits(b)).to_bits(), [a, b, b])
            }),
            FloatType::F64 => body!(|a: u64, b: u64; flags| -> u64 {
                half::arith(Operation::$operation, Format::F64, a, b, flags)
            }),
            FloatType::F16 => body!(|a: u16, b: u16; flags| -> u16 {
                half::half_arith::<Half>(Operation::$operation, a, b, flags)
            }),
            FloatType::BF16 => body!(|a: u16, b: u16; flags| -> u16 {
                half::half_arith::<Bfloat>(Operation::$operation, a, b, flags)
            }),
            FloatType::F16x2 => body!(|a: u32, b: u32; flags| -> u32 {
                packed(a, b, |a, b| half::half_arith::<Half>(Operation::$operation, a, b, flags))
            }),
            FloatType::BF16x2 => body!(|a: u32, b: u32; flags| -> u32 {
                packed(a, b, |a, b| half::half_arith::<Bfloat>(Operation::$operation, a, b, flags))
            }),
        }
    };
}

fn binary(
    planner: &mut Planner<'_>,
    bind: Bind,
    dst: Def,
    sources: [Use; 2],
    ty: FloatType,
    flags: Flags,
) -> Plan {
    planner.map_all(bind, dst.0, &sources, ty.scalar().class()).flags(flags)
}

impl Step for AddFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = flags(self.round, self.ftz, self.sat);
        let bind = arith!(self.ty, flags, Add, +);
        Ok(binary(planner, bind, self.dst, [self.a, self.b], self.ty, flags))
    }
}

impl Step for SubFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = flags(self.round, self.ftz, self.sat);
        let bind = arith!(self.ty, flags, Sub, -);
        Ok(binary(planner, bind, self.dst, [self.a, self.b], self.ty, flags))
    }
}

impl Step for MulFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = flags(self.round, self.ftz, self.sat);
        let bind = arith!(self.ty, flags, Mul, *);
        Ok(binary(planner, bind, self.dst, [self.a, self.b], self.ty, flags))
    }
}

fn packed_fma(a: u32, b: u32, c: u32, operation: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let low = operation(a as u16, b as u16, c as u16);
    let high = operation((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
    u32::from(high) << 16 | u32::from(low)
}

impl Step for Fma {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = flags(Some(self.round), self.ftz, self.sat).relu(self.relu.0);
        let bind = match self.ty {
            FloatType::F32 if plain(flags) => {
                body!(|a: u32, b: u32, c: u32| -> u32 { half::fma_f32::<FMA>(a, b, c) })
            }
            FloatType::F32 => body!(|a: u32, b: u32, c: u32; flags| -> u32 {
                half::fma(Format::F32, a as u64, b as u64, c as u64, flags) as u32
            }),
            FloatType::F64 if plain(flags) => {
                body!(|a: u64, b: u64, c: u64| -> u64 { half::fma_f64::<FMA>(a, b, c) })
            }
            FloatType::F64 => {
                body!(|a: u64, b: u64, c: u64; flags| -> u64 { half::fma(Format::F64, a, b, c, flags) })
            }
            FloatType::F16 => {
                body!(|a: u16, b: u16, c: u16; flags| -> u16 { half::half_fma::<Half>(a, b, c, flags) })
            }
            FloatType::BF16 => {
                body!(|a: u16, b: u16, c: u16; flags| -> u16 { half::half_fma::<Bfloat>(a, b, c, flags) })
            }
            FloatType::F16x2 => body!(|a: u32, b: u32, c: u32; flags| -> u32 {
                packed_fma(a, b, c, |a, b, c| half::half_fma::<Half>(a, b, c, flags))
            }),
            FloatType::BF16x2 => body!(|a: u32, b: u32, c: u32; flags| -> u32 {
                packed_fma(a, b, c, |a, b, c| half::half_fma::<Bfloat>(a, b, c, flags))
            }),
        };
        let class = self.ty.scalar().class();
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], class).flags(flags))
    }
}

/// `div.approx` of a divisor beyond 2^126 gives zero, as measured; elsewhere the rounded quotient stands for it.
fn div_approx(a: u32, b: u32, flags: Flags) -> u32 {
    const LARGE: u32 = 0x7e80_0000;
    let (dividend, divisor) = (a & 0x7fff_ffff, b & 0x7fff_ffff);
    let rounded = half::arith(Operation::Div, Format::F32, u64::from(a), u64::from(b), flags) as u32;
    let is_finite = dividend < 0x7f80_0000;
    if is_finite && divisor > LARGE && divisor < 0x7f80_0000 { (a ^ b) & 0x8000_0000 } else { rounded }
}

impl Step for DivFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (approximate, rounding) = match self.precision {
            DivPrecision::Approx => (true, Rounding::Rn),
            DivPrecision::Full | DivPrecision::Rn => (false, Rounding::Rn),
            DivPrecision::Rz => (false, Rounding::Rz),
            DivPrecision::Rm => (false, Rounding::Rm),
            DivPrecision::Rp => (false, Rounding::Rp),
        };
        let flags = Flags::rounded(rounding).ftz(self.ftz.0);
        let bind = match self.ty {
            WideFloat::F32 if approximate => {
                body!(|a: u32, b: u32; flags| -> u32 { div_approx(a, b, flags) })
            }
            WideFloat::F32 if plain(flags) => {
                body!(|a: u32, b: u32| -> u32 { canonical(f32::from_bits(a) / f32::from_bits(b)) })
            }
            WideFloat::F32 => body!(|a: u32, b: u32; flags| -> u32 {
                half::arith(Operation::Div, Format::F32, a as u64, b as u64, flags) as u32
            }),
            WideFloat::F64 if plain(flags) => body!(|a: u64, b: u64| -> u64 {
                keep_payload((f64::from_bits(a) / f64::from_bits(b)).to_bits(), [a, b, b])
            }),
            WideFloat::F64 => body!(|a: u64, b: u64; flags| -> u64 {
                half::arith(Operation::Div, Format::F64, a, b, flags)
            }),
        };
        let class = self.ty.scalar().class();
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], class).flags(flags))
    }
}

/// Operations on the value alone, for each format.
macro_rules! extremes {
    ($ty:expr, $least:literal) => {
        match $ty {
            FloatType::F32 => body!(|a: u32, b: u32; flags| -> u32 {
                half::extreme::<f32>($least, a as u64, b as u64, flags) as u32
            }),
            FloatType::F64 => {
                body!(|a: u64, b: u64; flags| -> u64 { half::extreme::<f64>($least, a, b, flags) })
            }
            FloatType::F16 => body!(|a: u16, b: u16; flags| -> u16 {
                half::extreme::<Half>($least, a as u64, b as u64, flags) as u16
            }),
            FloatType::BF16 => body!(|a: u16, b: u16; flags| -> u16 {
                half::extreme::<Bfloat>($least, a as u64, b as u64, flags) as u16
            }),
            FloatType::F16x2 => body!(|a: u32, b: u32; flags| -> u32 {
                packed(a, b, |a, b| half::extreme::<Half>($least, a as u64, b as u64, flags) as u16)
            }),
            FloatType::BF16x2 => body!(|a: u32, b: u32; flags| -> u32 {
                packed(a, b, |a, b| half::extreme::<Bfloat>($least, a as u64, b as u64, flags) as u16)
            }),
        }
    };
}

impl Step for MinFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = Flags::default().ftz(self.ftz.0).nan(self.nan.0).xorsign(self.xorsign.0);
        let bind = extremes!(self.ty, true);
        Ok(binary(planner, bind, self.dst, [self.a, self.b], self.ty, flags))
    }
}

impl Step for MaxFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = Flags::default().ftz(self.ftz.0).nan(self.nan.0).xorsign(self.xorsign.0);
        let bind = extremes!(self.ty, false);
        Ok(binary(planner, bind, self.dst, [self.a, self.b], self.ty, flags))
    }
}

macro_rules! sign_changes {
    ($ty:expr, $negate:literal) => {
        match $ty {
            FloatType::F32 => body!(|a: u32; flags| -> u32 {
                half::sign_change::<f32>($negate, a as u64, flags) as u32
            }),
            FloatType::F64 => body!(|a: u64| -> u64 { half::sign_change_f64($negate, a) }),
            FloatType::F16 => body!(|a: u16; flags| -> u16 {
                half::sign_change::<Half>($negate, a as u64, flags) as u16
            }),
            FloatType::BF16 => body!(|a: u16; flags| -> u16 {
                half::sign_change::<Bfloat>($negate, a as u64, flags) as u16
            }),
            FloatType::F16x2 => body!(|a: u32; flags| -> u32 {
                packed(a, a, |a, _| half::sign_change::<Half>($negate, a as u64, flags) as u16)
            }),
            FloatType::BF16x2 => body!(|a: u32; flags| -> u32 {
                packed(a, a, |a, _| half::sign_change::<Bfloat>($negate, a as u64, flags) as u16)
            }),
        }
    };
}

impl Step for AbsFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = sign_changes!(self.ty, false);
        let plan = planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class());
        Ok(plan.flags(Flags::default().ftz(self.ftz.0)))
    }
}

impl Step for NegFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = sign_changes!(self.ty, true);
        let plan = planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class());
        Ok(plan.flags(Flags::default().ftz(self.ftz.0)))
    }
}

impl Step for CopySign {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // The order surprises: the magnitude is that of `b`, the sign that of `a`.
        let bind = match self.ty {
            WideFloat::F32 => body!(|a: u32, b: u32| -> u32 { (b & 0x7fff_ffff) | (a & 0x8000_0000) }),
            WideFloat::F64 => body!(|a: u64, b: u64| -> u64 { (b & !(1 << 63)) | (a & 1 << 63) }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], self.ty.scalar().class()))
    }
}

fn rounding(precision: Precision) -> Rounding {
    match precision {
        // An approximation is computed rounded to nearest: within any tolerance that its cases state.
        Precision::Approx | Precision::Rn => Rounding::Rn,
        Precision::Rz => Rounding::Rz,
        Precision::Rm => Rounding::Rm,
        Precision::Rp => Rounding::Rp,
    }
}

impl Step for Sqrt {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = Flags::rounded(rounding(self.precision)).ftz(self.ftz.0);
        let bind = match self.ty {
            WideFloat::F32 if plain(flags) => {
                body!(|a: u32| -> u32 { canonical(f32::from_bits(a).sqrt()) })
            }
            WideFloat::F32 => body!(|a: u32; flags| -> u32 {
                half::root_or_reciprocal(true, Format::F32, a as u64, flags) as u32
            }),
            WideFloat::F64 if plain(flags) => {
                body!(|a: u64| -> u64 { keep_payload(f64::from_bits(a).sqrt().to_bits(), [a, a, a]) })
            }
            WideFloat::F64 => body!(|a: u64; flags| -> u64 {
                half::root_or_reciprocal(true, Format::F64, a, flags)
            }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()).flags(flags))
    }
}

impl Step for Rcp {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = Flags::rounded(rounding(self.precision)).ftz(self.ftz.0);
        let bind = match self.ty {
            WideFloat::F32 if plain(flags) => body!(|a: u32| -> u32 { canonical(1.0 / f32::from_bits(a)) }),
            WideFloat::F32 => body!(|a: u32; flags| -> u32 {
                half::root_or_reciprocal(false, Format::F32, a as u64, flags) as u32
            }),
            WideFloat::F64 if plain(flags) => {
                body!(|a: u64| -> u64 { keep_payload((1.0 / f64::from_bits(a)).to_bits(), [a, a, a]) })
            }
            WideFloat::F64 => body!(|a: u64; flags| -> u64 {
                half::root_or_reciprocal(false, Format::F64, a, flags)
            }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()).flags(flags))
    }
}
