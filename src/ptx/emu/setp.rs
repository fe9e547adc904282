//! Comparisons. Those of floats are false on NaN (`ne` too), except `equ` … `geu`, which are true, and `nan`.
#![expect(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::double_comparisons,
    reason = "an unordered comparison is the negation of the opposite ordered one, and `ne` is false on NaN"
)]

use super::body::compare;
use super::decode::Planner;
use super::file::File;
use super::half::{self, flush_f32};
use super::micro::{Flags, Micro};
use super::simd::{Bind, Body, Exec};
use super::step::{Plan, Step, Unsupported, paired, pred, pred_use};
use crate::numerics::{Float as _, bf16, f16};
use crate::ptx::isa::modifier::{BoolOp, CmpOp, Ftz};
use crate::ptx::isa::types::SetpType;
use crate::ptx::isa::{PairedDef, Reg, Setp, SetpBool, Use};

/// How the result of the comparison is joined with predicate `c`; in the extra bits of the flags.
const JOIN_NONE: u32 = 0;
const JOIN_AND: u32 = 1;
const JOIN_OR: u32 = 2;
const JOIN_XOR: u32 = 3;

/// Writes a comparison's result and its counterpart.
#[inline(always)]
pub(super) fn finish(micro: &Micro, file: &mut File, result: u32, mask: u32) {
    let c = file.pred_source(micro.c);
    let join = |value: u32| match Flags(micro.flags).extra_bits() {
        JOIN_AND => value & c,
        JOIN_OR => value | c,
        JOIN_XOR => value ^ c,
        _ => value,
    };
    file.write_pred(micro.d, join(result), mask);
    file.write_pred(micro.e, join(!result), mask);
}

/// Comparisons of integers of one type.
macro_rules! ints {
    ($cmp:expr, $bits:ty, $ty:ty) => {
        match $cmp {
            CmpOp::Eq | CmpOp::Equ => compare!(|a, b: $bits| { a == b }),
            CmpOp::Ne | CmpOp::Neu => compare!(|a, b: $bits| { a != b }),
            CmpOp::Lt | CmpOp::Ltu => compare!(|a, b: $bits| { (a as $ty) < (b as $ty) }),
            CmpOp::Le | CmpOp::Leu => compare!(|a, b: $bits| { (a as $ty) <= (b as $ty) }),
            CmpOp::Gt | CmpOp::Gtu => compare!(|a, b: $bits| { (a as $ty) > (b as $ty) }),
            CmpOp::Ge | CmpOp::Geu => compare!(|a, b: $bits| { (a as $ty) >= (b as $ty) }),
            CmpOp::Lo => compare!(|a, b: $bits| { a < b }),
            CmpOp::Ls => compare!(|a, b: $bits| { a <= b }),
            CmpOp::Hi => compare!(|a, b: $bits| { a > b }),
            CmpOp::Hs => compare!(|a, b: $bits| { a >= b }),
            CmpOp::Num | CmpOp::Nan => return Err(Unsupported("an unordered comparison of integers")),
        }
    };
}

/// Comparisons of floats, read from their bits.
macro_rules! floats {
    ($cmp:expr, $bits:ty, $read:expr) => {
        match $cmp {
            CmpOp::Eq => compare!(|a, b: $bits| { $read(a) == $read(b) }),
            CmpOp::Lt => compare!(|a, b: $bits| { $read(a) < $read(b) }),
            CmpOp::Le => compare!(|a, b: $bits| { $read(a) <= $read(b) }),
            CmpOp::Gt => compare!(|a, b: $bits| { $read(a) > $read(b) }),
            CmpOp::Ge => compare!(|a, b: $bits| { $read(a) >= $read(b) }),
            CmpOp::Ne => compare!(|a, b: $bits| {
                let (a, b) = ($read(a), $read(b));
                (a < b) | (a > b)
            }),
            CmpOp::Neu => compare!(|a, b: $bits| { $read(a) != $read(b) }),
            CmpOp::Equ => compare!(|a, b: $bits| {
                let (a, b) = ($read(a), $read(b));
                !((a < b) | (a > b))
            }),
            CmpOp::Ltu => compare!(|a, b: $bits| { !($read(a) >= $read(b)) }),
            CmpOp::Leu => compare!(|a, b: $bits| { !($read(a) > $read(b)) }),
            CmpOp::Gtu => compare!(|a, b: $bits| { !($read(a) <= $read(b)) }),
            CmpOp::Geu => compare!(|a, b: $bits| { !($read(a) < $read(b)) }),
            CmpOp::Num => compare!(|a, b: $bits| {
                let (a, b) = ($read(a), $read(b));
                (a == a) & (b == b)
            }),
            CmpOp::Nan => compare!(|a, b: $bits| {
                let (a, b) = ($read(a), $read(b));
                (a != a) | (b != b)
            }),
            CmpOp::Lo | CmpOp::Ls | CmpOp::Hi | CmpOp::Hs => {
                return Err(Unsupported("an unsigned comparison of floats"));
            }
        }
    };
}

/// Compares by name; for packed types, which are rare enough that a branch per lane is no loss.
pub(super) fn compare_f64(cmp: CmpOp, a: f64, b: f64) -> bool {
    match cmp {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a < b || a > b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
        CmpOp::Equ => a == b || a.is_nan() || b.is_nan(),
        CmpOp::Neu => a != b,
        CmpOp::Ltu => a < b || a.is_nan() || b.is_nan(),
        CmpOp::Leu => a <= b || a.is_nan() || b.is_nan(),
        CmpOp::Gtu => a > b || a.is_nan() || b.is_nan(),
        CmpOp::Geu => a >= b || a.is_nan() || b.is_nan(),
        CmpOp::Num => !a.is_nan() && !b.is_nan(),
        CmpOp::Nan => a.is_nan() || b.is_nan(),
        CmpOp::Lo | CmpOp::Ls | CmpOp::Hi | CmpOp::Hs => false,
    }
}

/// Comparisons by number, since a body can't hold its row's field.
struct Packed<const CMP: usize, const BF: bool>;

fn read_half(bits: u16, bf: bool, ftz: bool) -> f32 {
    if bf {
        bf16::from_bits(bits).widen_f32()
    } else {
        f16::from_bits(half::flush_f16(bits, ftz)).widen_f32()
    }
}

impl<const CMP: usize, const BF: bool> Body for Packed<CMP, BF> {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        let cmp = CmpOp::ALL[CMP];
        let ftz = Flags(micro.flags).is_ftz();
        let (a, b) = (file.read::<u32>(micro.a), file.read::<u32>(micro.b));
        let half = |shift: u32| {
            (0..super::file::LANES).fold(0, |bits, lane| {
                let x = read_half((a[lane] >> shift) as u16, BF, ftz);
                let y = read_half((b[lane] >> shift) as u16, BF, ftz);
                bits | u32::from(compare_f64(cmp, f64::from(x), f64::from(y))) << lane
            })
        };
        let (low, high) = (half(0), half(16));
        let c = file.pred_source(micro.c);
        let join = |value: u32| match Flags(micro.flags).extra_bits() {
            JOIN_AND => value & c,
            JOIN_OR => value | c,
            JOIN_XOR => value ^ c,
            _ => value,
        };
        file.write_pred(micro.d, join(low), mask);
        file.write_pred(micro.e, join(high), mask);
    }
}

fn packed<const BF: bool>(cmp: CmpOp) -> Bind {
    macro_rules! pick {
        ($($name:ident)*) => {
            match cmp { $(CmpOp::$name => Exec::of::<Packed<{ CmpOp::$name as usize }, BF>> as Bind,)* }
        };
    }
    pick!(Eq Ne Lt Le Gt Ge Lo Ls Hi Hs Equ Neu Ltu Leu Gtu Geu Num Nan)
}

fn read_bf16(bits: u16) -> f32 {
    bf16::from_bits(bits).widen_f32()
}

fn read_f16(bits: u16) -> f32 {
    f16::from_bits(bits).widen_f32()
}

fn read_f16_ftz(bits: u16) -> f32 {
    f16::from_bits(half::flush_f16(bits, true)).widen_f32()
}

#[inline(always)]
fn read_f32_ftz(bits: u32) -> f32 {
    f32::from_bits(flush_f32(bits))
}

fn bind(cmp: CmpOp, ftz: Ftz, ty: SetpType) -> Result<Bind, Unsupported> {
    Ok(match ty {
        SetpType::B16 | SetpType::U16 => ints!(cmp, u16, u16),
        SetpType::B32 | SetpType::U32 => ints!(cmp, u32, u32),
        SetpType::B64 | SetpType::U64 => ints!(cmp, u64, u64),
        SetpType::S16 => ints!(cmp, u16, i16),
        SetpType::S32 => ints!(cmp, u32, i32),
        SetpType::S64 => ints!(cmp, u64, i64),
        SetpType::F16 if ftz.0 => floats!(cmp, u16, read_f16_ftz),
        SetpType::F16 => floats!(cmp, u16, read_f16),
        SetpType::BF16 => floats!(cmp, u16, read_bf16),
        SetpType::F32 if ftz.0 => floats!(cmp, u32, read_f32_ftz),
        SetpType::F32 => floats!(cmp, u32, f32::from_bits),
        SetpType::F64 => floats!(cmp, u64, f64::from_bits),
        SetpType::F16x2 => packed::<false>(cmp),
        SetpType::BF16x2 => packed::<true>(cmp),
    })
}

struct Row {
    cmp: CmpOp,
    ftz: Ftz,
    ty: SetpType,
    dst: Reg,
    complement: PairedDef,
    operands: [Use; 2],
}

fn plan(row: &Row, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
    let bind = bind(row.cmp, row.ftz, row.ty)?;
    let class = row.ty.scalar().class();
    let sources = row.operands.map(|operand| planner.value(operand, class));
    let plan = Plan::lanes(bind, pred(row.dst), &sources);
    Ok(Plan { e: paired(row.complement), ..plan.flags(Flags::default().ftz(row.ftz.0).extra(JOIN_NONE)) })
}

impl Step for Setp {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let &Self { cmp, ftz, ty, dst, complement, a, b } = self;
        plan(&Row { cmp, ftz, ty, dst: dst.0, complement, operands: [a, b] }, planner)
    }
}

impl Step for SetpBool {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let &Self { cmp, op, ftz, ty, dst, complement, a, b, c } = self;
        let plan = plan(&Row { cmp, ftz, ty, dst: dst.0, complement, operands: [a, b] }, planner)?;
        let join = match op {
            BoolOp::And => JOIN_AND,
            BoolOp::Or => JOIN_OR,
            BoolOp::Xor => JOIN_XOR,
        };
        Ok(Plan { c: pred_use(c), flags: plan.flags.extra(join), ..plan })
    }
}
