//! Approximations of functions: `rsqrt`, `ex2`, `lg2`, `sin`, `cos`, `tanh`.
//!
//! Hardware gives some value within a stated error; the emulator gives the value of `numerics::approx`, computed in f64
//! and rounded once. A case that uses one compares with a tolerance, never bits.
//! Not here: `div`, `sqrt` and `rcp`, whose approximations are the rounded results (see [`float`](super::float)).

use super::body::body;
use super::decode::Planner;
use super::half::{
    Bfloat, Half, MADE_NAN, keep_payload, nearest_f32, nearest_half, packed, read_f32, read_half,
};
use super::micro::Flags;
use super::step::{Plan, Step, Unsupported};
use crate::numerics::approx;
use crate::ptx::isa::types::{ApproxFloat, SingleFloat, WideFloat};
use crate::ptx::isa::{Cos, Ex2, Lg2, Rsqrt, Sin, Tanh};

impl Step for Rsqrt {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            WideFloat::F32 => {
                body!(|a: u32; flags| -> u32 { nearest_f32(approx::RSQRT(read_f32(a, flags)), flags) })
            }
            WideFloat::F64 => body!(|a: u64| -> u64 {
                let root = approx::RSQRT(f64::from_bits(a));
                keep_payload(if root.is_nan() { MADE_NAN } else { root.to_bits() }, [a, a, a])
            }),
        };
        let plan = planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class());
        Ok(plan.flags(Flags::default().ftz(self.ftz.0)))
    }
}

/// An approximation that five formats have.
macro_rules! approximate {
    ($ty:expr, $function:path) => {
        match $ty {
            ApproxFloat::F32 => {
                body!(|a: u32; flags| -> u32 { nearest_f32($function(read_f32(a, flags)), flags) })
            }
            ApproxFloat::F16 => body!(|a: u16; flags| -> u16 {
                nearest_half::<Half>($function(read_half::<Half>(a, flags)), flags)
            }),
            ApproxFloat::BF16 => body!(|a: u16; flags| -> u16 {
                nearest_half::<Bfloat>($function(read_half::<Bfloat>(a, flags)), flags)
            }),
            ApproxFloat::F16x2 => body!(|a: u32; flags| -> u32 {
                packed(a, a, |a, _| nearest_half::<Half>($function(read_half::<Half>(a, flags)), flags))
            }),
            ApproxFloat::BF16x2 => body!(|a: u32; flags| -> u32 {
                packed(a, a, |a, _| nearest_half::<Bfloat>($function(read_half::<Bfloat>(a, flags)), flags))
            }),
        }
    };
}

impl Step for Ex2 {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = approximate!(self.ty, approx::EXP2);
        let plan = planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class());
        Ok(plan.flags(Flags::default().ftz(self.ftz.0)))
    }
}

impl Step for Tanh {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = approximate!(self.ty, approx::TANH);
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}

/// An approximation that f32 alone has.
macro_rules! single {
    ($($row:ident: $function:path;)*) => {$(
        impl Step for $row {
            fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                let bind = match self.ty {
                    SingleFloat::F32 => body!(|a: u32; flags| -> u32 {
                        nearest_f32($function(read_f32(a, flags)), flags)
                    }),
                };
                let plan = planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class());
                Ok(plan.flags(Flags::default().ftz(self.ftz.0)))
            }
        }
    )*};
}

single! {
    Lg2: approx::LOG2;
    Sin: approx::SIN;
    Cos: approx::COS;
}
