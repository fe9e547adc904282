//! Integer arithmetic: everything wraps, nothing traps; a zero divisor gives all ones in quotient and remainder.

use super::body::body;
use super::decode::Planner;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::modifier::MulHalf;
use crate::ptx::isa::types::{IntType, SignedType, WordType};
use crate::ptx::isa::{Abs, Add, Clz, Div, Mad, Max, Min, Mul, Neg, Popc, RegClass, Rem, Sub};

/// One operation for every integer type: the arguments and the value have the type itself.
macro_rules! by_int {
    ($ty:expr, |$($arg:ident),+| $value:expr) => {
        match $ty {
            IntType::U16 => by_int!(u16, u16, |$($arg),+| $value),
            IntType::S16 => by_int!(u16, i16, |$($arg),+| $value),
            IntType::U32 => by_int!(u32, u32, |$($arg),+| $value),
            IntType::S32 => by_int!(u32, i32, |$($arg),+| $value),
            IntType::U64 => by_int!(u64, u64, |$($arg),+| $value),
            IntType::S64 => by_int!(u64, i64, |$($arg),+| $value),
        }
    };
    ($bits:ty, $int:ident, |$($arg:ident),+| $value:expr) => {
        body!(|$($arg: $bits),+| -> $bits {
            #[allow(dead_code, reason = "not every operation names its type")]
            type Int = $int;
            $(let $arg = $arg as Int;)+
            ($value) as $bits
        })
    };
}

fn binary(
    planner: &mut Planner<'_>,
    bind: Bind,
    row: (crate::ptx::isa::Def, [crate::ptx::isa::Use; 2]),
    ty: IntType,
) -> Plan {
    planner.map_all(bind, row.0.0, &row.1, ty.scalar().class())
}

impl Step for Add {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = if self.sat.0 {
            body!(|a: u32, b: u32| -> u32 { (a as i32).saturating_add(b as i32) as u32 })
        } else {
            by_int!(self.ty, |a, b| a.wrapping_add(b))
        };
        Ok(binary(planner, bind, (self.dst, [self.a, self.b]), self.ty))
    }
}

impl Step for Sub {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = if self.sat.0 {
            body!(|a: u32, b: u32| -> u32 { (a as i32).saturating_sub(b as i32) as u32 })
        } else {
            by_int!(self.ty, |a, b| a.wrapping_sub(b))
        };
        Ok(binary(planner, bind, (self.dst, [self.a, self.b]), self.ty))
    }
}

fn high(ty: IntType) -> Bind {
    match ty {
        IntType::U16 => body!(|a: u16, b: u16| -> u16 { ((a as u32 * b as u32) >> 16) as u16 }),
        IntType::S16 => {
            body!(|a: u16, b: u16| -> u16 { ((a as i16 as i32 * b as i16 as i32) >> 16) as u16 })
        }
        IntType::U32 => body!(|a: u32, b: u32| -> u32 { ((a as u64 * b as u64) >> 32) as u32 }),
        IntType::S32 => {
            body!(|a: u32, b: u32| -> u32 { ((a as i32 as i64 * b as i32 as i64) >> 32) as u32 })
        }
        IntType::U64 => body!(|a: u64, b: u64| -> u64 { ((a as u128 * b as u128) >> 64) as u64 }),
        IntType::S64 => {
            body!(|a: u64, b: u64| -> u64 { ((a as i64 as i128 * b as i64 as i128) >> 64) as u64 })
        }
    }
}

fn wide(ty: IntType) -> Result<Bind, Unsupported> {
    Ok(match ty {
        IntType::U16 => body!(|a: u16, b: u16| -> u32 { a as u32 * b as u32 }),
        IntType::S16 => body!(|a: u16, b: u16| -> u32 { (a as i16 as i32 * b as i16 as i32) as u32 }),
        IntType::U32 => body!(|a: u32, b: u32| -> u64 { a as u64 * b as u64 }),
        IntType::S32 => body!(|a: u32, b: u32| -> u64 { (a as i32 as i64 * b as i32 as i64) as u64 }),
        IntType::U64 | IntType::S64 => return Err(Unsupported("a product of 128 bits")),
    })
}

impl Step for Mul {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.half {
            MulHalf::Lo => by_int!(self.ty, |a, b| a.wrapping_mul(b)),
            MulHalf::Hi => high(self.ty),
            MulHalf::Wide => wide(self.ty)?,
        };
        Ok(binary(planner, bind, (self.dst, [self.a, self.b]), self.ty))
    }
}

fn mad_high(ty: IntType) -> Bind {
    match ty {
        IntType::U16 => {
            body!(|a: u16, b: u16, c: u16| -> u16 { (((a as u32 * b as u32) >> 16) as u16).wrapping_add(c) })
        }
        IntType::S16 => body!(|a: u16, b: u16, c: u16| -> u16 {
            (((a as i16 as i32 * b as i16 as i32) >> 16) as u16).wrapping_add(c)
        }),
        IntType::U32 => {
            body!(|a: u32, b: u32, c: u32| -> u32 { (((a as u64 * b as u64) >> 32) as u32).wrapping_add(c) })
        }
        IntType::S32 => body!(|a: u32, b: u32, c: u32| -> u32 {
            (((a as i32 as i64 * b as i32 as i64) >> 32) as u32).wrapping_add(c)
        }),
        IntType::U64 => body!(|a: u64, b: u64, c: u64| -> u64 {
            (((a as u128 * b as u128) >> 64) as u64).wrapping_add(c)
        }),
        IntType::S64 => body!(|a: u64, b: u64, c: u64| -> u64 {
            (((a as i64 as i128 * b as i64 as i128) >> 64) as u64).wrapping_add(c)
        }),
    }
}

fn mad_wide(ty: IntType) -> Result<Bind, Unsupported> {
    Ok(match ty {
        IntType::U16 => body!(|a: u16, b: u16, c: u32| -> u32 { (a as u32 * b as u32).wrapping_add(c) }),
        IntType::S16 => body!(|a: u16, b: u16, c: u32| -> u32 {
            ((a as i16 as i32 * b as i16 as i32) as u32).wrapping_add(c)
        }),
        IntType::U32 => body!(|a: u32, b: u32, c: u64| -> u64 { (a as u64 * b as u64).wrapping_add(c) }),
        IntType::S32 => body!(|a: u32, b: u32, c: u64| -> u64 {
            ((a as i32 as i64 * b as i32 as i64) as u64).wrapping_add(c)
        }),
        IntType::U64 | IntType::S64 => return Err(Unsupported("a product of 128 bits")),
    })
}

impl Step for Mad {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let class = self.ty.scalar().class();
        let sum = match (self.half, class) {
            (MulHalf::Wide, RegClass::B16) => RegClass::B32,
            (MulHalf::Wide, _) => RegClass::B64,
            (MulHalf::Lo | MulHalf::Hi, class) => class,
        };
        let bind = match self.half {
            MulHalf::Lo => by_int!(self.ty, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
            MulHalf::Hi if self.sat.0 => body!(|a: u32, b: u32, c: u32| -> u32 {
                (((a as i32 as i64 * b as i32 as i64) >> 32) as i32).saturating_add(c as i32) as u32
            }),
            MulHalf::Hi => mad_high(self.ty),
            MulHalf::Wide => mad_wide(self.ty)?,
        };
        Ok(planner.map(bind, self.dst.0, &[(self.a, class), (self.b, class), (self.c, sum)]))
    }
}

impl Step for Div {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = by_int!(self.ty, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) });
        Ok(binary(planner, bind, (self.dst, [self.a, self.b]), self.ty))
    }
}

impl Step for Rem {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = by_int!(self.ty, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) });
        Ok(binary(planner, bind, (self.dst, [self.a, self.b]), self.ty))
    }
}

impl Step for Min {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = by_int!(self.ty, |a, b| if a < b { a } else { b });
        Ok(binary(planner, bind, (self.dst, [self.a, self.b]), self.ty))
    }
}

impl Step for Max {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = by_int!(self.ty, |a, b| if a > b { a } else { b });
        Ok(binary(planner, bind, (self.dst, [self.a, self.b]), self.ty))
    }
}

impl Step for Abs {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            SignedType::S16 => body!(|a: u16| -> u16 { (a as i16).wrapping_abs() as u16 }),
            SignedType::S32 => body!(|a: u32| -> u32 { (a as i32).wrapping_abs() as u32 }),
            SignedType::S64 => body!(|a: u64| -> u64 { (a as i64).wrapping_abs() as u64 }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}

impl Step for Neg {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            SignedType::S16 => body!(|a: u16| -> u16 { a.wrapping_neg() }),
            SignedType::S32 => body!(|a: u32| -> u32 { a.wrapping_neg() }),
            SignedType::S64 => body!(|a: u64| -> u64 { a.wrapping_neg() }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}

impl Step for Popc {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            WordType::B32 => body!(|a: u32| -> u32 { a.count_ones() }),
            WordType::B64 => body!(|a: u64| -> u32 { a.count_ones() }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}

impl Step for Clz {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            WordType::B32 => body!(|a: u32| -> u32 { a.leading_zeros() }),
            WordType::B64 => body!(|a: u64| -> u32 { a.leading_zeros() }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}
