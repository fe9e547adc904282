//! `mov` in all its forms, and `selp`. Bits move as they are: a NaN keeps its payload.

use super::body::body;
use super::decode::Planner;
use super::file::{FULL, File, LANES, Width};
use super::micro::{Kind, Micro};
use super::simd::{Bind, Body, Exec};
use super::step::{Plan, Step, Unsupported, pred, pred_use};
use super::variables::function_address;
use crate::ptx::isa::{
    Mov, MovAddress, MovPack, MovPred, MovSpecial, MovTruth, MovUnpack, RegClass, Selp, Symbol, Use, VecDef,
};

/// A copy of a register of this class.
pub(super) fn copy(class: RegClass) -> Bind {
    match class {
        RegClass::Pred | RegClass::B8 | RegClass::B16 => body!(|a: u16| -> u16 { a }),
        RegClass::B32 => body!(|a: u32| -> u32 { a }),
        RegClass::B64 | RegClass::B128 => body!(|a: u64| -> u64 { a }),
    }
}

impl Step for Mov {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let class = self.ty.scalar().class();
        Ok(planner.map_all(copy(class), self.dst.0, &[self.src], class))
    }
}

struct CopyPred;

impl Body for CopyPred {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        file.write_pred(micro.d, file.pred_source(micro.a), mask);
    }
}

impl Step for MovPred {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::lanes(Exec::of::<CopyPred>, pred(self.dst.0), &[pred_use(self.src)]))
    }
}

impl Step for MovSpecial {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // Operand `a` says how wide the destination is: the run loop writes through it.
        let width = self.dst.0.class().bits();
        Ok(Plan { d: planner.reg(self.dst.0), a: width, ..Plan::of(Kind::Special(self.src)) })
    }
}

struct SetPred;

impl Body for SetPred {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        file.write_pred(micro.d, micro.a, mask);
    }
}

impl Step for MovTruth {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let lanes = if self.src.0 { FULL } else { 0 };
        Ok(Plan::lanes(Exec::of::<SetPred>, pred(self.dst.0), &[lanes]))
    }
}

impl Step for MovAddress {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let class = self.ty.scalar().class();
        let address = match self.src.symbol {
            Symbol::Function(id) => function_address(id),
            symbol @ (Symbol::Param(_) | Symbol::Var(_) | Symbol::Global(_)) => planner.symbol(symbol)?.1,
        };
        let address = Use::Int(address.cast_signed().wrapping_add(self.src.offset));
        Ok(planner.map_all(copy(class), self.dst.0, &[address], class))
    }
}

impl Step for MovPack {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let class = self.ty.scalar().class();
        let parts = &self.src.0;
        let part = part_class(class, parts.len())?;
        let bind = match (class, parts.len()) {
            (RegClass::B16, _) => body!(|a: u16, b: u16| -> u16 { a & 0xff | b << 8 }),
            (RegClass::B32, 2) => body!(|a: u16, b: u16| -> u32 { a as u32 | (b as u32) << 16 }),
            (RegClass::B32, _) => body!(|a: u16, b: u16, c: u16, e: u16| -> u32 {
                a as u32 & 0xff | (b as u32 & 0xff) << 8 | (c as u32 & 0xff) << 16 | (e as u32) << 24
            }),
            (_, 2) => body!(|a: u32, b: u32| -> u64 { a as u64 | (b as u64) << 32 }),
            (_, _) => body!(|a: u16, b: u16, c: u16, e: u16| -> u64 {
                a as u64 | (b as u64) << 16 | (c as u64) << 32 | (e as u64) << 48
            }),
        };
        Ok(planner.map_all(bind, self.dst.0, parts, part))
    }
}

/// The class of each of the parts that share the width of a register.
fn part_class(class: RegClass, parts: usize) -> Result<RegClass, Unsupported> {
    match (class, parts) {
        (RegClass::B64, 2) => Ok(RegClass::B32),
        (RegClass::B64, 4) | (RegClass::B32, 2) => Ok(RegClass::B16),
        (RegClass::B32, 4) | (RegClass::B16, 2) => Ok(RegClass::B8),
        (_, _) => Err(Unsupported("a split into other than two or four parts")),
    }
}

/// Splits a register: part i goes to the i-th of the registers d, a, b, c, and the source is `e`.
struct Split<const WIDE: u32, const PARTS: u32>;

fn split<S: Width + Into<u64>, P: Width>(
    micro: &Micro,
    file: &mut File,
    mask: u32,
    parts: usize,
    take: impl Fn(u64, usize) -> P,
) {
    let source = *file.read::<S>(micro.e);
    for (index, target) in [micro.d, micro.a, micro.b, micro.c].into_iter().take(parts).enumerate() {
        let mut part = [P::default(); LANES];
        for lane in 0..LANES {
            part[lane] = take(source[lane].into(), index);
        }
        file.write(target, &part, mask);
    }
}

impl<const WIDE: u32, const PARTS: u32> Body for Split<WIDE, PARTS> {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        let parts = PARTS as usize;
        match (WIDE, PARTS) {
            (16, _) => {
                split::<u16, u16>(micro, file, mask, parts, |value, part| {
                    (value >> (8 * part)) as u16 & 0xff
                });
            }
            (32, 2) => {
                split::<u32, u16>(micro, file, mask, parts, |value, part| (value >> (16 * part)) as u16)
            }
            (32, _) => {
                split::<u32, u16>(micro, file, mask, parts, |value, part| {
                    (value >> (8 * part)) as u16 & 0xff
                });
            }
            (_, 2) => {
                split::<u64, u32>(micro, file, mask, parts, |value, part| (value >> (32 * part)) as u32)
            }
            (_, _) => {
                split::<u64, u16>(micro, file, mask, parts, |value, part| (value >> (16 * part)) as u16)
            }
        }
    }
}

impl Step for MovUnpack {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let class = self.ty.scalar().class();
        let VecDef(parts) = &self.dst;
        let part = part_class(class, parts.len())?;
        let bind = match (class, parts.len()) {
            (RegClass::B16, _) => Exec::of::<Split<16, 2>> as Bind,
            (RegClass::B32, 2) => Exec::of::<Split<32, 2>> as Bind,
            (RegClass::B32, _) => Exec::of::<Split<32, 4>> as Bind,
            (_, 2) => Exec::of::<Split<64, 2>> as Bind,
            (_, _) => Exec::of::<Split<64, 4>> as Bind,
        };
        let target = |index: usize| match parts.get(index) {
            Some(Some(reg)) => planner.reg(*reg),
            Some(None) | None => planner.sink(part),
        };
        let (d, a, b, c) = (target(0), target(1), target(2), target(3));
        let e = planner.value(self.src, class);
        Ok(Plan { bind, d, a, b, c, e, ..Plan::of(Kind::Lanes) })
    }
}

struct Select<T>(std::marker::PhantomData<T>);

impl<T: Width> Body for Select<T> {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        let cond = file.pred_source(micro.c);
        let (a, b) = (file.read::<T>(micro.a), file.read::<T>(micro.b));
        let mut out = *b;
        if cond == FULL {
            out = *a;
        } else {
            for lane in 0..LANES {
                out[lane] = if (cond >> lane) & 1 != 0 { a[lane] } else { b[lane] };
            }
        }
        file.write(micro.d, &out, mask);
    }
}

impl Step for Selp {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let class = self.ty.scalar().class();
        let bind = match class {
            RegClass::Pred | RegClass::B8 | RegClass::B16 => Exec::of::<Select<u16>> as Bind,
            RegClass::B32 => Exec::of::<Select<u32>> as Bind,
            RegClass::B64 | RegClass::B128 => Exec::of::<Select<u64>> as Bind,
        };
        let plan = planner.map_all(bind, self.dst.0, &[self.a, self.b], class);
        Ok(Plan { c: pred_use(self.cond), ..plan })
    }
}
