//! Logic, shifts, bit fields and byte permutation.
//!
//! A shift count is an unsigned 32-bit number for every width; from the width on the result is 0, or the sign.

use super::body::body;
use super::decode::Planner;
use super::file::File;
use super::micro::{Flags, Micro};
use super::simd::{Bind, Body, Exec};
use super::step::{Plan, Step, Unsupported, pred, pred_use};
use crate::ptx::isa::modifier::{PrmtMode, ShiftBound, ShiftDir};
use crate::ptx::isa::types::{BitType, FieldType, ShrType, WordType};
use crate::ptx::isa::{
    And, AndPred, Bfe, Bfi, Brev, Fns, Lop3, Not, NotPred, Or, OrPred, Prmt, RegClass, Shf, Shl, Shr, Xor,
    XorPred,
};

/// One operation for every width.
macro_rules! by_bits {
    ($ty:expr, |$($arg:ident),+| $value:expr) => {
        match $ty {
            BitType::B16 => body!(|$($arg: u16),+| -> u16 { $value }),
            BitType::B32 => body!(|$($arg: u32),+| -> u32 { $value }),
            BitType::B64 => body!(|$($arg: u64),+| -> u64 { $value }),
        }
    };
}

impl Step for And {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = by_bits!(self.ty, |a, b| a & b);
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], self.ty.scalar().class()))
    }
}

impl Step for Or {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = by_bits!(self.ty, |a, b| a | b);
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], self.ty.scalar().class()))
    }
}

impl Step for Xor {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = by_bits!(self.ty, |a, b| a ^ b);
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b], self.ty.scalar().class()))
    }
}

impl Step for Not {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = by_bits!(self.ty, |a| !a);
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}

/// An operation on whole predicates.
macro_rules! pred_body {
    (|$a:ident, $b:ident| $value:expr) => {{
        struct Local;

        impl Body for Local {
            #[inline(always)]
            fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
                let ($a, $b) = (file.pred_source(micro.a), file.pred_source(micro.b));
                file.write_pred(micro.d, $value, mask);
            }
        }

        Exec::of::<Local> as Bind
    }};
}

impl Step for AndPred {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let sources = [pred_use(self.a), pred_use(self.b)];
        Ok(Plan::lanes(pred_body!(|a, b| a & b), pred(self.dst.0), &sources))
    }
}

impl Step for OrPred {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let sources = [pred_use(self.a), pred_use(self.b)];
        Ok(Plan::lanes(pred_body!(|a, b| a | b), pred(self.dst.0), &sources))
    }
}

impl Step for XorPred {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let sources = [pred_use(self.a), pred_use(self.b)];
        Ok(Plan::lanes(pred_body!(|a, b| a ^ b), pred(self.dst.0), &sources))
    }
}

impl Step for NotPred {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let source = pred_use(self.a);
        Ok(Plan::lanes(pred_body!(|a, _b| !a), pred(self.dst.0), &[source, source]))
    }
}

impl Step for Shl {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // The masked shift and the select compile to vector code; a branch per lane would not.
        let bind = match self.ty {
            BitType::B16 => {
                body!(|a: u16, n: u32| -> u16 { if n < 16 { ((a as u32) << (n & 15)) as u16 } else { 0 } })
            }
            BitType::B32 => body!(|a: u32, n: u32| -> u32 { if n < 32 { a << (n & 31) } else { 0 } }),
            BitType::B64 => body!(|a: u64, n: u32| -> u64 { if n < 64 { a << (n & 63) } else { 0 } }),
        };
        let class = self.ty.scalar().class();
        Ok(planner.map(bind, self.dst.0, &[(self.a, class), (self.count, RegClass::B32)]))
    }
}

impl Step for Shr {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            ShrType::B16 | ShrType::U16 => {
                body!(|a: u16, n: u32| -> u16 { if n < 16 { (a as u32 >> (n & 15)) as u16 } else { 0 } })
            }
            ShrType::B32 | ShrType::U32 => {
                body!(|a: u32, n: u32| -> u32 { if n < 32 { a >> (n & 31) } else { 0 } })
            }
            ShrType::B64 | ShrType::U64 => {
                body!(|a: u64, n: u32| -> u64 { if n < 64 { a >> (n & 63) } else { 0 } })
            }
            ShrType::S16 => body!(|a: u16, n: u32| -> u16 { (a as i16 as i32 >> n.min(15)) as u16 }),
            ShrType::S32 => body!(|a: u32, n: u32| -> u32 { (a as i32 >> n.min(31)) as u32 }),
            ShrType::S64 => body!(|a: u64, n: u32| -> u64 { (a as i64 >> n.min(63)) as u64 }),
        };
        let class = self.ty.scalar().class();
        Ok(planner.map(bind, self.dst.0, &[(self.a, class), (self.count, RegClass::B32)]))
    }
}

impl Step for Shf {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match (self.dir, self.bound) {
            (ShiftDir::L, ShiftBound::Wrap) => body!(|lo: u32, hi: u32, n: u32| -> u32 {
                ((((hi as u64) << 32 | lo as u64) << (n & 31)) >> 32) as u32
            }),
            (ShiftDir::L, ShiftBound::Clamp) => body!(|lo: u32, hi: u32, n: u32| -> u32 {
                ((((hi as u64) << 32 | lo as u64) << n.min(32)) >> 32) as u32
            }),
            (ShiftDir::R, ShiftBound::Wrap) => body!(|lo: u32, hi: u32, n: u32| -> u32 {
                (((hi as u64) << 32 | lo as u64) >> (n & 31)) as u32
            }),
            (ShiftDir::R, ShiftBound::Clamp) => body!(|lo: u32, hi: u32, n: u32| -> u32 {
                (((hi as u64) << 32 | lo as u64) >> n.min(32)) as u32
            }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.lo, self.hi, self.count], RegClass::B32))
    }
}

fn lop3(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let bit = |index: u32| 0_u32.wrapping_sub((table >> index) & 1);
    (bit(0) & !a & !b & !c)
        | (bit(1) & !a & !b & c)
        | (bit(2) & !a & b & !c)
        | (bit(3) & !a & b & c)
        | (bit(4) & a & !b & !c)
        | (bit(5) & a & !b & c)
        | (bit(6) & a & b & !c)
        | (bit(7) & a & b & c)
}

impl Step for Lop3 {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = body!(|a: u32, b: u32, c: u32; flags| -> u32 { lop3(a, b, c, flags.extra_bits()) });
        let plan = planner.map_all(bind, self.dst.0, &[self.a, self.b, self.c], RegClass::B32);
        Ok(plan.flags(Flags::default().extra(self.table.0 as u32 & 0xff)))
    }
}

/// The field of `len` bits from `pos` on. Position and length have 8 bits; bits beyond the width are copies of the
/// sign, which is the top bit of the field, or of the whole value where the field reaches past it.
fn field(value: u64, width: u32, pos: u32, len: u32, signed: bool) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let top = (pos + len).wrapping_sub(1).min(width - 1);
    let sign = signed && len != 0 && (value >> top) & 1 != 0;
    let below = if pos < width { value >> pos } else { 0 };
    let kept = len.min(width.saturating_sub(pos));
    let mask = if kept >= 64 { u64::MAX } else { (1 << kept) - 1 };
    (below & mask) | if sign { !mask } else { 0 }
}

impl Step for Bfe {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            FieldType::U32 => {
                body!(|a: u32, pos: u32, len: u32| -> u32 { field(a as u64, 32, pos, len, false) as u32 })
            }
            FieldType::S32 => {
                body!(|a: u32, pos: u32, len: u32| -> u32 { field(a as u64, 32, pos, len, true) as u32 })
            }
            FieldType::U64 => body!(|a: u64, pos: u32, len: u32| -> u64 { field(a, 64, pos, len, false) }),
            FieldType::S64 => body!(|a: u64, pos: u32, len: u32| -> u64 { field(a, 64, pos, len, true) }),
        };
        let class = self.ty.scalar().class();
        let word = RegClass::B32;
        Ok(planner.map(bind, self.dst.0, &[(self.a, class), (self.pos, word), (self.len, word)]))
    }
}

fn insert(insert: u64, base: u64, width: u32, pos: u32, len: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    if pos >= width {
        return base;
    }
    let mask = if len >= 64 { u64::MAX } else { (1 << len) - 1 };
    (base & !(mask << pos)) | ((insert & mask) << pos)
}

impl Step for Bfi {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            WordType::B32 => body!(|new: u32, base: u32, pos: u32, len: u32| -> u32 {
                insert(new as u64, base as u64, 32, pos, len) as u32
            }),
            WordType::B64 => {
                body!(|new: u64, base: u64, pos: u32, len: u32| -> u64 { insert(new, base, 64, pos, len) })
            }
        };
        let class = self.ty.scalar().class();
        let word = RegClass::B32;
        let sources = [(self.insert, class), (self.base, class), (self.pos, word), (self.len, word)];
        Ok(planner.map(bind, self.dst.0, &sources))
    }
}

impl Step for Brev {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = match self.ty {
            WordType::B32 => body!(|a: u32| -> u32 { a.reverse_bits() }),
            WordType::B64 => body!(|a: u64| -> u64 { a.reverse_bits() }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], self.ty.scalar().class()))
    }
}

impl Step for Fns {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind = body!(|a: u32, b: u32, c: u32| -> u32 { nth_set(a, b, c.cast_signed()) });
        Ok(planner.map_all(bind, self.dst.0, &[self.mask, self.base, self.offset], RegClass::B32))
    }
}

/// Position of the `offset`-th set bit from `base` on, upwards or downwards; of `base` itself for offset 0.
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let upward = offset > 0;
    let mut rest = match offset {
        _ if base > 31 => 0,
        0 => mask & 1 << base,
        1.. => mask & u32::MAX << base,
        ..0 => mask & u32::MAX >> (31 - base),
    };
    for _ in 1..offset.unsigned_abs().min(33) {
        let gone = if upward { rest.trailing_zeros() } else { 31_u32.wrapping_sub(rest.leading_zeros()) };
        rest &= !1_u32.checked_shl(gone).unwrap_or(0);
    }
    match rest {
        0 => u32::MAX,
        _ if upward => rest.trailing_zeros(),
        _ => 31 - rest.leading_zeros(),
    }
}

/// Four bytes of the eight; nibble i of the selector names byte i, and its top bit asks for copies of the sign.
fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, index| {
        let nibble = (selector >> (4 * index)) & 15;
        let byte = (bytes >> (8 * (nibble & 7))) as u8;
        let byte = if nibble & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte };
        result | u32::from(byte) << (8 * index)
    })
}

/// The selector that a fixed mode stands for, by the low two bits of the operand; from the manual's table.
fn mode_selector(mode: PrmtMode, select: u32) -> u32 {
    let row = (select & 3) as usize;
    match mode {
        PrmtMode::F4e => [0x3210, 0x4321, 0x5432, 0x6543][row],
        PrmtMode::B4e => [0x5670, 0x6701, 0x7012, 0x0123][row],
        PrmtMode::Rc8 => [0x0000, 0x1111, 0x2222, 0x3333][row],
        PrmtMode::Ecl => [0x3210, 0x3211, 0x3222, 0x3333][row],
        PrmtMode::Ecr => [0x0000, 0x1110, 0x2210, 0x3210][row],
        PrmtMode::Rc16 => [0x1010, 0x3232, 0x1010, 0x3232][row],
    }
}

impl Step for Prmt {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        /// One body for each mode, since a mode is no operand.
        macro_rules! by_mode {
            ($mode:path) => {
                body!(|a: u32, b: u32, s: u32| -> u32 { permute(a, b, mode_selector($mode, s)) })
            };
        }
        let bind = match self.mode {
            None => body!(|a: u32, b: u32, s: u32| -> u32 { permute(a, b, s) }),
            Some(PrmtMode::F4e) => by_mode!(PrmtMode::F4e),
            Some(PrmtMode::B4e) => by_mode!(PrmtMode::B4e),
            Some(PrmtMode::Rc8) => by_mode!(PrmtMode::Rc8),
            Some(PrmtMode::Ecl) => by_mode!(PrmtMode::Ecl),
            Some(PrmtMode::Ecr) => by_mode!(PrmtMode::Ecr),
            Some(PrmtMode::Rc16) => by_mode!(PrmtMode::Rc16),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a, self.b, self.selector], RegClass::B32))
    }
}
