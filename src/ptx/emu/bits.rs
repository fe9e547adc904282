//! Positions and masks of bits.
//!
//! `szext` and `bmsk` take their counts modulo 32 with `.wrap`; with `.clamp` counts from 32 on are 32, and a mask that
//! begins there is empty.

use super::body::body;
use super::decode::Planner;
use super::file::{File, LANES};
use super::micro::{Flags, Micro};
use super::simd::{Bind, Body, Exec};
use super::step::{Plan, Step, Unsupported, pred, pred_use};
use crate::ptx::isa::modifier::{BoolOp, ShiftBound};
use crate::ptx::isa::types::{BitType, FieldType, Signs32};
use crate::ptx::isa::{Bfind, Bmsk, Cnot, Lop3Pred, RegClass, Szext};

/// The leading one of the low `WIDTH` bits, or what `bfind` gives for it.
fn leading<const WIDTH: u32, const SHIFT: bool>(value: u64) -> u32 {
    match value.checked_ilog2() {
        None => u32::MAX,
        Some(position) if SHIFT => WIDTH - 1 - position,
        Some(position) => position,
    }
}

impl Step for Bfind {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // Of a negative number the leading bit that is not the sign is asked for.
        macro_rules! by_type {
            ($shift:literal) => {
                match self.ty {
                    FieldType::U32 => body!(|a: u32| -> u32 { leading::<32, $shift>(a as u64) }),
                    FieldType::S32 => {
                        body!(|a: u32| -> u32 { leading::<32, $shift>((a ^ (a as i32 >> 31) as u32) as u64) })
                    }
                    FieldType::U64 => body!(|a: u64| -> u32 { leading::<64, $shift>(a) }),
                    FieldType::S64 => {
                        body!(|a: u64| -> u32 { leading::<64, $shift>(a ^ (a as i64 >> 63) as u64) })
                    }
                }
            };
        }
        let bind: Bind = if self.shift.0 { by_type!(true) } else { by_type!(false) };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}

fn bounded(count: u32, wrap: bool) -> u32 {
    if wrap { count & 31 } else { count.min(32) }
}

/// The low bits as a number of 32 bits.
fn extend(value: u32, width: u32, signed: bool) -> u32 {
    let unused = 32 - width;
    if width == 0 {
        0
    } else if signed {
        ((value << unused).cast_signed() >> unused).cast_unsigned()
    } else {
        value << unused >> unused
    }
}

impl Step for Szext {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match (self.bound, self.ty) {
            (ShiftBound::Wrap, Signs32::U32) => {
                body!(|a: u32, n: u32| -> u32 { extend(a, bounded(n, true), false) })
            }
            (ShiftBound::Wrap, Signs32::S32) => {
                body!(|a: u32, n: u32| -> u32 { extend(a, bounded(n, true), true) })
            }
            (ShiftBound::Clamp, Signs32::U32) => {
                body!(|a: u32, n: u32| -> u32 { extend(a, bounded(n, false), false) })
            }
            (ShiftBound::Clamp, Signs32::S32) => {
                body!(|a: u32, n: u32| -> u32 { extend(a, bounded(n, false), true) })
            }
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.width], RegClass::B32))
    }
}

fn mask(pos: u32, width: u32) -> u32 {
    (((1_u64 << width) - 1) << pos) as u32
}

impl Step for Bmsk {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.bound {
            ShiftBound::Wrap => {
                body!(|pos: u32, width: u32| -> u32 { mask(bounded(pos, true), bounded(width, true)) })
            }
            ShiftBound::Clamp => {
                body!(|pos: u32, width: u32| -> u32 { mask(bounded(pos, false), bounded(width, false)) })
            }
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.pos, self.width], RegClass::B32))
    }
}

impl Step for Cnot {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.ty {
            BitType::B16 => body!(|a: u16| -> u16 { (a == 0) as u16 }),
            BitType::B32 => body!(|a: u32| -> u32 { (a == 0) as u32 }),
            BitType::B64 => body!(|a: u64| -> u64 { (a == 0) as u64 }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}

/// `lop3` with a predicate: the table and the operation are in the extra bits of the flags, and operand `e` holds the
/// positions of both predicates.
struct Table;

const JOIN_OR: u32 = 1 << 8;

/// Positions of two predicates in one operand: the destination above, the source with its negation below.
const PRED_BITS: u32 = 16;

impl Body for Table {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        let extra = Flags(micro.flags).extra_bits();
        let (a, b) = (file.read::<u32>(micro.a), file.read::<u32>(micro.b));
        let c = file.read::<u32>(micro.c);
        let mut out = [0_u32; LANES];
        let mut nonzero = 0_u32;
        for lane in 0..LANES {
            let (a, b, c) = (a[lane], b[lane], c[lane]);
            let minterm = |index: u32| {
                let pick = |bits: u32, bit: u32| if index >> bit & 1 == 1 { bits } else { !bits };
                let row = pick(a, 2) & pick(b, 1) & pick(c, 0);
                if extra >> index & 1 == 1 { row } else { 0 }
            };
            out[lane] = (0..8).fold(0, |bits, index| bits | minterm(index));
            nonzero |= u32::from(out[lane] != 0) << lane;
        }
        let q = file.pred_source(micro.e & ((1 << PRED_BITS) - 1));
        let joined = if extra & JOIN_OR != 0 { nonzero | q } else { nonzero & q };
        file.write::<u32>(micro.d, &out, mask);
        file.write_pred(micro.e >> PRED_BITS, joined, mask);
    }
}

impl Step for Lop3Pred {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (target, q) = (pred(self.nonzero.0.0), pred_use(self.q));
        if target >> PRED_BITS != 0 || q >> PRED_BITS != 0 {
            return Err(Unsupported("so many predicates beside `lop3`"));
        }
        let join = match self.op.bool_op() {
            BoolOp::Or => JOIN_OR,
            BoolOp::And | BoolOp::Xor => 0,
        };
        let source = |value, planner: &mut Planner<'_>| planner.value(value, RegClass::B32);
        let (a, b, c) = (source(self.a, planner), source(self.b, planner), source(self.c, planner));
        let d = self.dst.0.map_or_else(|| planner.sink(RegClass::B32), |reg| planner.reg(reg));
        let plan = Plan::lanes(Exec::of::<Table> as Bind, d, &[a, b, c, target << PRED_BITS | q]);
        Ok(plan.flags(Flags::default().extra((self.table.0 & 0xff) as u32 | join)))
    }
}
