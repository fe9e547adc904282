//! Pairs of f32, mixed sums, extremes of three: each rounds as the operations of one f32 do.

use super::body::body;
use super::decode::Planner;
use super::half::{self, Operation};
use super::micro::Flags;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::numerics::{Float as _, Format, bf16, f16};
use crate::ptx::isa::modifier::{Ftz, Relu, Rounding, Sat};
use crate::ptx::isa::types::{FloatType, PairFloat, ShortFloat, WideFloat};
use crate::ptx::isa::{
    AddMixed, AddPair, Fma, FmaMixed, FmaPair, MadFloat, MaxThree, MinThree, MulPair, RegClass, SubMixed,
    SubPair,
};

fn flags(round: Option<Rounding>, ftz: Ftz, sat: Sat) -> Flags {
    Flags::rounded(round.unwrap_or(Rounding::Rn)).ftz(ftz.0).sat(sat.0)
}

/// An operation on f32 in both halves.
fn pair(operation: Operation, a: u64, b: u64, flags: Flags) -> u64 {
    let one = |shift: u32| {
        let (a, b) = (a >> shift & 0xffff_ffff, b >> shift & 0xffff_ffff);
        half::arith(operation, Format::F32, a, b, flags) & 0xffff_ffff
    };
    one(32) << 32 | one(0)
}

macro_rules! pairs {
    ($($row:ident: $operation:ident;)*) => {$(
        impl Step for $row {
            fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                let bind: Bind = match self.ty {
                    PairFloat::F32x2 => {
                        body!(|a: u64, b: u64; flags| -> u64 { pair(Operation::$operation, a, b, flags) })
                    }
                };
                let plan = planner.map_all(bind, self.dst.0, &[self.a, self.b], RegClass::B64);
                Ok(plan.flags(flags(self.round, self.ftz, Sat(false))))
            }
        }
    )*};
}

pairs! {
    AddPair: Add;
    SubPair: Sub;
    MulPair: Mul;
}

impl Step for FmaPair {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.ty {
            PairFloat::F32x2 => body!(|a: u64, b: u64, c: u64; flags| -> u64 {
                let one = |shift: u32| {
                    let [a, b, c] = [a, b, c].map(|bits| bits >> shift & 0xffff_ffff);
                    half::fma(Format::F32, a, b, c, flags) & 0xffff_ffff
                };
                one(32) << 32 | one(0)
            }),
        };
        let plan = planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], RegClass::B64);
        Ok(plan.flags(flags(Some(self.round), self.ftz, Sat(false))))
    }
}

/// The bits of a 16-bit float as an f32, exactly.
fn widened<const BF: bool>(bits: u16) -> u64 {
    let wide = if BF { bf16::from_bits(bits).widen_f32() } else { f16::from_bits(bits).widen_f32() };
    u64::from(wide.to_bits())
}

macro_rules! mixed {
    ($from:expr, $operation:ident) => {
        match $from {
            ShortFloat::F16 => body!(|a: u16, b: u32; flags| -> u32 {
                half::arith(Operation::$operation, Format::F32, widened::<false>(a), b as u64, flags) as u32
            }),
            ShortFloat::BF16 => body!(|a: u16, b: u32; flags| -> u32 {
                half::arith(Operation::$operation, Format::F32, widened::<true>(a), b as u64, flags) as u32
            }),
        }
    };
}

impl Step for AddMixed {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = mixed!(self.from, Add);
        let plan = planner.map(bind, self.dst.0, &[(self.a, RegClass::B16), (self.b, RegClass::B32)]);
        Ok(plan.flags(flags(self.round, Ftz(false), self.sat)))
    }
}

impl Step for SubMixed {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = mixed!(self.from, Sub);
        let plan = planner.map(bind, self.dst.0, &[(self.a, RegClass::B16), (self.b, RegClass::B32)]);
        Ok(plan.flags(flags(self.round, Ftz(false), self.sat)))
    }
}

impl Step for FmaMixed {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.from {
            ShortFloat::F16 => body!(|a: u16, b: u16, c: u32; flags| -> u32 {
                half::fma(Format::F32, widened::<false>(a), widened::<false>(b), c as u64, flags) as u32
            }),
            ShortFloat::BF16 => body!(|a: u16, b: u16, c: u32; flags| -> u32 {
                half::fma(Format::F32, widened::<true>(a), widened::<true>(b), c as u64, flags) as u32
            }),
        };
        let (half, word) = (RegClass::B16, RegClass::B32);
        let plan = planner.map(bind, self.dst.0, &[(self.a, half), (self.b, half), (self.c, word)]);
        Ok(plan.flags(flags(Some(self.round), Ftz(false), self.sat)))
    }
}

impl Step for MadFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let Self { round, ftz, sat, dst, a, b, c, .. } = *self;
        let ty = match self.ty {
            WideFloat::F32 => FloatType::F32,
            WideFloat::F64 => FloatType::F64,
        };
        Fma { round, ftz, sat, relu: Relu(false), ty, dst, a, b, c }.plan(planner)
    }
}

/// The least or greatest of three; magnitudes are asked for by the extra bits of the flags.
fn extreme_of_three(least: bool, operands: [u32; 3], flags: Flags) -> u32 {
    let kept = if flags.extra_bits() == 1 { 0x7fff_ffff } else { u32::MAX };
    let [a, b, c] = operands.map(|bits| u64::from(bits & kept));
    half::extreme::<f32>(least, half::extreme::<f32>(least, a, b, flags), c, flags) as u32
}

impl Step for MinThree {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind =
            body!(|a: u32, b: u32, c: u32; flags| -> u32 { extreme_of_three(true, [a, b, c], flags) });
        let flags = Flags::default().ftz(self.ftz.0).nan(self.nan.0).extra(u32::from(self.abs.0));
        let plan = planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], RegClass::B32);
        Ok(plan.flags(flags))
    }
}

impl Step for MaxThree {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind =
            body!(|a: u32, b: u32, c: u32; flags| -> u32 { extreme_of_three(false, [a, b, c], flags) });
        let flags = Flags::default().ftz(self.ftz.0).nan(self.nan.0).extra(u32::from(self.abs.0));
        let plan = planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], RegClass::B32);
        Ok(plan.flags(flags))
    }
}
