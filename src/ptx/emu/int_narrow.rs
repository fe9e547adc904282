//! Integer arithmetic on less than a register: products of 24 bits, dot products, pairs of 16 bits.
//!
//! A dot product multiplies bytes by their own signs and adds everything modulo 2³².

use super::body::body;
use super::decode::Planner;
use super::half::packed;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::arith_modifier::{DotHalf, WideHalf};
use crate::ptx::isa::types::{IntType, PackedInt, ReluInt, Signs32};
use crate::ptx::isa::{
    AddPacked, Dp2a, Dp4a, Mad24, MaxPacked, MaxRelu, MinPacked, MinRelu, Mul24, RegClass, Sad,
};

const WORD: RegClass = RegClass::B32;

/// The low 24 bits as a number.
fn low24(value: u32, ty: Signs32) -> i64 {
    match ty {
        Signs32::U32 => i64::from(value & 0xff_ffff),
        Signs32::S32 => i64::from((value << 8).cast_signed() >> 8),
    }
}

/// A half of the 48 bits of a product of 24-bit numbers: bits 31 … 0, or bits 47 … 16.
fn product24(a: u32, b: u32, half: WideHalf, ty: Signs32) -> u32 {
    let product = low24(a, ty) * low24(b, ty);
    match half {
        WideHalf::Lo => product as u32,
        WideHalf::Hi => (product >> 16) as u32,
    }
}

impl Step for Mul24 {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match (self.half, self.ty) {
            (WideHalf::Lo, Signs32::U32) => {
                body!(|a: u32, b: u32| -> u32 { product24(a, b, WideHalf::Lo, Signs32::U32) })
            }
            (WideHalf::Lo, Signs32::S32) => {
                body!(|a: u32, b: u32| -> u32 { product24(a, b, WideHalf::Lo, Signs32::S32) })
            }
            (WideHalf::Hi, Signs32::U32) => {
                body!(|a: u32, b: u32| -> u32 { product24(a, b, WideHalf::Hi, Signs32::U32) })
            }
            (WideHalf::Hi, Signs32::S32) => {
                body!(|a: u32, b: u32| -> u32 { product24(a, b, WideHalf::Hi, Signs32::S32) })
            }
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], WORD))
    }
}

impl Step for Mad24 {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match (self.half, self.ty) {
            (WideHalf::Lo, Signs32::U32) => body!(|a: u32, b: u32, c: u32| -> u32 {
                product24(a, b, WideHalf::Lo, Signs32::U32).wrapping_add(c)
            }),
            (WideHalf::Lo, Signs32::S32) => body!(|a: u32, b: u32, c: u32| -> u32 {
                product24(a, b, WideHalf::Lo, Signs32::S32).wrapping_add(c)
            }),
            (WideHalf::Hi, Signs32::U32) => body!(|a: u32, b: u32, c: u32| -> u32 {
                product24(a, b, WideHalf::Hi, Signs32::U32).wrapping_add(c)
            }),
            (WideHalf::Hi, Signs32::S32) if self.sat.0 => body!(|a: u32, b: u32, c: u32| -> u32 {
                let high = product24(a, b, WideHalf::Hi, Signs32::S32).cast_signed();
                high.saturating_add(c.cast_signed()).cast_unsigned()
            }),
            (WideHalf::Hi, Signs32::S32) => body!(|a: u32, b: u32, c: u32| -> u32 {
                product24(a, b, WideHalf::Hi, Signs32::S32).wrapping_add(c)
            }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], WORD))
    }
}

impl Step for Sad {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        /// The distance of two integers fits the unsigned type of their width.
        macro_rules! distance {
            ($bits:ty, $int:ty) => {
                body!(|a: $bits, b: $bits, c: $bits| -> $bits {
                    c.wrapping_add((a as $int).abs_diff(b as $int))
                })
            };
        }
        let bind: Bind = match self.ty {
            IntType::U16 => distance!(u16, u16),
            IntType::S16 => distance!(u16, i16),
            IntType::U32 => distance!(u32, u32),
            IntType::S32 => distance!(u32, i32),
            IntType::U64 => distance!(u64, u64),
            IntType::S64 => distance!(u64, i64),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], self.ty.scalar().class()))
    }
}

/// The fields of a word, `WIDTH` bits each, as numbers modulo 2³².
fn field<const WIDTH: u32, const SIGNED: bool>(word: u32, index: u32) -> u32 {
    let top = word << (32 - WIDTH * (index + 1));
    if SIGNED { (top.cast_signed() >> (32 - WIDTH)).cast_unsigned() } else { top >> (32 - WIDTH) }
}

fn dot4<const LEFT: bool, const RIGHT: bool>(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, index| {
        sum.wrapping_add(field::<8, LEFT>(a, index).wrapping_mul(field::<8, RIGHT>(b, index)))
    })
}

/// Halves of `a` with the bytes of `b` from `FIRST` on.
fn dot2<const LEFT: bool, const RIGHT: bool, const FIRST: u32>(a: u32, b: u32, c: u32) -> u32 {
    (0..2).fold(c, |sum, index| {
        sum.wrapping_add(field::<16, LEFT>(a, index).wrapping_mul(field::<8, RIGHT>(b, FIRST + index)))
    })
}

impl Step for Dp4a {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match (self.left, self.right) {
            (Signs32::U32, Signs32::U32) => {
                body!(|a: u32, b: u32, c: u32| -> u32 { dot4::<false, false>(a, b, c) })
            }
            (Signs32::U32, Signs32::S32) => {
                body!(|a: u32, b: u32, c: u32| -> u32 { dot4::<false, true>(a, b, c) })
            }
            (Signs32::S32, Signs32::U32) => {
                body!(|a: u32, b: u32, c: u32| -> u32 { dot4::<true, false>(a, b, c) })
            }
            (Signs32::S32, Signs32::S32) => {
                body!(|a: u32, b: u32, c: u32| -> u32 { dot4::<true, true>(a, b, c) })
            }
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], WORD))
    }
}

impl Step for Dp2a {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        macro_rules! by_half {
            ($left:literal, $right:literal) => {
                match self.half {
                    DotHalf::Lo => {
                        body!(|a: u32, b: u32, c: u32| -> u32 { dot2::<$left, $right, 0>(a, b, c) })
                    }
                    DotHalf::Hi => {
                        body!(|a: u32, b: u32, c: u32| -> u32 { dot2::<$left, $right, 2>(a, b, c) })
                    }
                }
            };
        }
        let bind: Bind = match (self.left, self.right) {
            (Signs32::U32, Signs32::U32) => by_half!(false, false),
            (Signs32::U32, Signs32::S32) => by_half!(false, true),
            (Signs32::S32, Signs32::U32) => by_half!(true, false),
            (Signs32::S32, Signs32::S32) => by_half!(true, true),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], WORD))
    }
}

impl Step for AddPacked {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.ty {
            PackedInt::S16x2 | PackedInt::U16x2 => {
                body!(|a: u32, b: u32| -> u32 { packed(a, b, |a, b| a.wrapping_add(b)) })
            }
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], WORD))
    }
}

/// The lesser or greater of signed halves.
fn signed_halves(a: u32, b: u32, pick: impl Fn(i16, i16) -> i16) -> u32 {
    packed(a, b, |a, b| pick(a.cast_signed(), b.cast_signed()).cast_unsigned())
}

impl Step for MinPacked {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.ty {
            PackedInt::S16x2 => body!(|a: u32, b: u32| -> u32 { signed_halves(a, b, |a, b| a.min(b)) }),
            PackedInt::U16x2 => body!(|a: u32, b: u32| -> u32 { packed(a, b, |a, b| a.min(b)) }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], WORD))
    }
}

impl Step for MaxPacked {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.ty {
            PackedInt::S16x2 => body!(|a: u32, b: u32| -> u32 { signed_halves(a, b, |a, b| a.max(b)) }),
            PackedInt::U16x2 => body!(|a: u32, b: u32| -> u32 { packed(a, b, |a, b| a.max(b)) }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], WORD))
    }
}

impl Step for MinRelu {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.ty {
            ReluInt::S16x2 => {
                body!(|a: u32, b: u32| -> u32 { signed_halves(a, b, |a, b| a.min(b).max(0)) })
            }
            ReluInt::S32 => body!(|a: u32, b: u32| -> u32 { (a as i32).min(b as i32).max(0) as u32 }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], WORD))
    }
}

impl Step for MaxRelu {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.ty {
            ReluInt::S16x2 => {
                body!(|a: u32, b: u32| -> u32 { signed_halves(a, b, |a, b| a.max(b).max(0)) })
            }
            ReluInt::S32 => body!(|a: u32, b: u32| -> u32 { (a as i32).max(b as i32).max(0) as u32 }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], WORD))
    }
}
