//! Arithmetic with a carry: the flag of each lane is a predicate of the register file that no register names.
//!
//! Exit: the carry is that of the whole sum, of three terms for `addc`, `subc` and `madc`. A difference is the sum of `a`,
//! the complement of `b` and one, as hardware has it, so that its carry is the absence of a borrow: `addc` behind `sub.cc`
//! adds one where nothing was borrowed, which CUDA's division of 128-bit integers depends on. A form without `.cc` leaves
//! the carry as it was. A program that reads it before anything set it finds 0.

use super::decode::Planner;
use super::file::{CARRY, File, LANES};
use super::micro::{Flags, Micro};
use super::simd::{Bind, Body, Exec};
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::arith_modifier::WideHalf;
use crate::ptx::isa::types::FieldType;
use crate::ptx::isa::{AddCarry, AddCarryOut, Def, MadCarry, MadCarryOut, SubCarry, SubCarryOut, Use};

/// Takes the carry in; in the extra bits of the flags.
const TAKES: u32 = 1;

/// Sets the carry; in the extra bits of the flags.
const SETS: u32 = 2;

/// Starts with a carry: a difference that takes none in. In the extra bits of the flags.
const STARTS: u32 = 4;

/// The sum of the terms that `$terms` makes of the operands.
macro_rules! chain {
    ($ty:ty, |$a:ident, $b:ident, $c:ident| $terms:expr) => {{
        struct Local;

        impl Body for Local {
            #[inline(always)]
            #[allow(unused_variables, reason = "a sum of two terms has no third operand")]
            fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
                let form = Flags(micro.flags).extra_bits();
                let taken = if form & TAKES != 0 {
                    file.pred(CARRY)
                } else if form & STARTS != 0 {
                    u32::MAX
                } else {
                    0
                };
                let mut out = [<$ty>::default(); LANES];
                let mut carries = 0_u32;
                let ($a, $b) = (file.read::<$ty>(micro.a), file.read::<$ty>(micro.b));
                let $c = file.read::<$ty>(micro.c);
                for lane in 0..LANES {
                    let ($a, $b, $c): ($ty, $ty, $ty) = ($a[lane], $b[lane], $c[lane]);
                    let (first, second): ($ty, $ty) = $terms;
                    let (sum, over) = first.overflowing_add(second);
                    let (sum, again) = sum.overflowing_add((taken >> lane & 1) as $ty);
                    out[lane] = sum;
                    carries |= u32::from(over | again) << lane;
                }
                file.write::<$ty>(micro.d, &out, mask);
                if form & SETS != 0 {
                    file.write_pred(CARRY, carries, mask);
                }
            }
        }

        Exec::of::<Local> as Bind
    }};
}

/// Forms with or without the carry on either side.
fn form(takes: bool, sets: bool) -> Flags {
    Flags::default().extra(if takes { TAKES } else { 0 } | if sets { SETS } else { 0 })
}

fn sum(ty: FieldType) -> Bind {
    match ty {
        FieldType::U32 | FieldType::S32 => chain!(u32, |a, b, c| (a, b)),
        FieldType::U64 | FieldType::S64 => chain!(u64, |a, b, c| (a, b)),
    }
}

fn difference(ty: FieldType) -> Bind {
    match ty {
        FieldType::U32 | FieldType::S32 => chain!(u32, |a, b, c| (a, !b)),
        FieldType::U64 | FieldType::S64 => chain!(u64, |a, b, c| (a, !b)),
    }
}

fn product(half: WideHalf, ty: FieldType) -> Bind {
    match (half, ty) {
        (WideHalf::Lo, FieldType::U32 | FieldType::S32) => {
            chain!(u32, |a, b, c| (a.wrapping_mul(b), c))
        }
        (WideHalf::Lo, FieldType::U64 | FieldType::S64) => {
            chain!(u64, |a, b, c| (a.wrapping_mul(b), c))
        }
        (WideHalf::Hi, FieldType::U32) => {
            chain!(u32, |a, b, c| (((a as u64 * b as u64) >> 32) as u32, c))
        }
        (WideHalf::Hi, FieldType::S32) => {
            chain!(u32, |a, b, c| { (((a as i32 as i64 * b as i32 as i64) >> 32) as u32, c) })
        }
        (WideHalf::Hi, FieldType::U64) => {
            chain!(u64, |a, b, c| (((a as u128 * b as u128) >> 64) as u64, c))
        }
        (WideHalf::Hi, FieldType::S64) => {
            chain!(u64, |a, b, c| { (((a as i64 as i128 * b as i64 as i128) >> 64) as u64, c) })
        }
    }
}

fn plan(planner: &mut Planner<'_>, bind: Bind, dst: Def, sources: &[Use], ty: FieldType) -> Plan {
    planner.map_all(bind, dst.0, sources, ty.scalar().class())
}

impl Step for AddCarryOut {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, sum(self.ty), self.dst, &[self.a, self.b], self.ty).flags(form(false, true)))
    }
}

impl Step for AddCarry {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(plan(planner, sum(self.ty), self.dst, &[self.a, self.b], self.ty).flags(form(true, self.cc.0)))
    }
}

impl Step for SubCarryOut {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = form(false, true).extra(STARTS);
        Ok(plan(planner, difference(self.ty), self.dst, &[self.a, self.b], self.ty).flags(flags))
    }
}

impl Step for SubCarry {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let flags = form(true, self.cc.0);
        Ok(plan(planner, difference(self.ty), self.dst, &[self.a, self.b], self.ty).flags(flags))
    }
}

impl Step for MadCarryOut {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (bind, sources) = (product(self.half, self.ty), [self.a, self.b, self.c]);
        Ok(plan(planner, bind, self.dst, &sources, self.ty).flags(form(false, true)))
    }
}

impl Step for MadCarry {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (bind, sources) = (product(self.half, self.ty), [self.a, self.b, self.c]);
        Ok(plan(planner, bind, self.dst, &sources, self.ty).flags(form(true, self.cc.0)))
    }
}
