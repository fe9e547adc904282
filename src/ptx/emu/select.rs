//! `set`, `slct` and `testp`.
//!
//! `set` decides by type in every lane: what compilers write of it are the masks of packed halves.

use super::body::body;
use super::decode::Planner;
use super::file::{File, LANES, Width};
use super::half::{flush_f16, flush_f32};
use super::micro::{Flags, Micro};
use super::setp::compare_f64;
use super::simd::{Bind, Body, Exec};
use super::step::{Plan, Step, Unsupported, pred, pred_use};
use crate::numerics::{Float as _, bf16, f16};
use crate::ptx::isa::arith_modifier::FloatTest;
use crate::ptx::isa::modifier::{BoolOp, CmpOp, Ftz};
use crate::ptx::isa::types::{SelpType, SetType, SetpType, WideFloat};
use crate::ptx::isa::{PredUse, RegClass, Set, SetBool, Slct, SlctFloat, Testp, Use};

/// What a comparison is, in the extra bits of the flags.
#[derive(Clone, Copy)]
struct Spec {
    cmp: CmpOp,
    from: SetpType,
    to: SetType,
    join: Option<BoolOp>,
}

impl Spec {
    fn pack(self) -> u32 {
        let join = match self.join {
            None => 0,
            Some(BoolOp::And) => 1,
            Some(BoolOp::Or) => 2,
            Some(BoolOp::Xor) => 3,
        };
        self.cmp as u32 | (self.from as u32) << 5 | (self.to as u32) << 9 | join << 13
    }

    fn unpack(bits: u32) -> Self {
        let join = match bits >> 13 & 3 {
            0 => None,
            1 => Some(BoolOp::And),
            2 => Some(BoolOp::Or),
            _ => Some(BoolOp::Xor),
        };
        Self {
            cmp: CmpOp::ALL[(bits & 31) as usize],
            from: SetpType::ALL[(bits >> 5 & 15) as usize],
            to: SetType::ALL[(bits >> 9 & 15) as usize],
            join,
        }
    }

    fn joined(self, holds: bool, c: bool) -> bool {
        match self.join {
            None => holds,
            Some(BoolOp::And) => holds & c,
            Some(BoolOp::Or) => holds | c,
            Some(BoolOp::Xor) => holds ^ c,
        }
    }
}

fn half(bits: u64, from: SetpType, ftz: bool) -> f64 {
    let bits = bits as u16;
    f64::from(match from {
        SetpType::BF16 | SetpType::BF16x2 => bf16::from_bits(bits).widen_f32(),
        _ => f16::from_bits(flush_f16(bits, ftz)).widen_f32(),
    })
}

fn compare_ints<T: Ord>(cmp: CmpOp, a: T, b: T) -> bool {
    match cmp {
        CmpOp::Eq | CmpOp::Equ => a == b,
        CmpOp::Ne | CmpOp::Neu => a != b,
        CmpOp::Lt | CmpOp::Ltu | CmpOp::Lo => a < b,
        CmpOp::Le | CmpOp::Leu | CmpOp::Ls => a <= b,
        CmpOp::Gt | CmpOp::Gtu | CmpOp::Hi => a > b,
        CmpOp::Ge | CmpOp::Geu | CmpOp::Hs => a >= b,
        CmpOp::Num => true,
        CmpOp::Nan => false,
    }
}

/// One comparison; of a packed type that of the low halves.
fn holds(cmp: CmpOp, from: SetpType, ftz: bool, a: u64, b: u64) -> bool {
    let single = |bits: u64| {
        let bits = bits as u32;
        f64::from(f32::from_bits(if ftz { flush_f32(bits) } else { bits }))
    };
    match from {
        SetpType::B16 | SetpType::U16 => compare_ints(cmp, a as u16, b as u16),
        SetpType::B32 | SetpType::U32 => compare_ints(cmp, a as u32, b as u32),
        SetpType::B64 | SetpType::U64 => compare_ints(cmp, a, b),
        SetpType::S16 => compare_ints(cmp, a as i16, b as i16),
        SetpType::S32 => compare_ints(cmp, a as i32, b as i32),
        SetpType::S64 => compare_ints(cmp, a as i64, b as i64),
        SetpType::F16 | SetpType::F16x2 | SetpType::BF16 | SetpType::BF16x2 => {
            compare_f64(cmp, half(a, from, ftz), half(b, from, ftz))
        }
        SetpType::F32 => compare_f64(cmp, single(a), single(b)),
        SetpType::F64 => compare_f64(cmp, f64::from_bits(a), f64::from_bits(b)),
    }
}

/// What a comparison that holds gives.
fn truth(to: SetType) -> u64 {
    match to {
        SetType::U16 | SetType::S16 => 0xffff,
        SetType::U32 | SetType::S32 => 0xffff_ffff,
        SetType::F16 | SetType::F16x2 => 0x3c00,
        SetType::BF16 | SetType::BF16x2 => 0x3f80,
        SetType::F32 => 0x3f80_0000,
    }
}

fn lane(spec: Spec, ftz: bool, a: u64, b: u64, c: bool) -> u64 {
    let one = |shift: u32| {
        let met = holds(spec.cmp, spec.from, ftz, a >> shift, b >> shift);
        spec.joined(met, c)
    };
    if matches!(spec.from, SetpType::F16x2 | SetpType::BF16x2) {
        // An integer result is a mask of each half.
        let truth = truth(spec.to) & 0xffff;
        return if one(16) { truth << 16 } else { 0 } | if one(0) { truth } else { 0 };
    }
    if one(0) { truth(spec.to) } else { 0 }
}

struct Compare<A, D>(std::marker::PhantomData<(A, D)>);

impl<A: Width + Into<u64>, D: Width + TryFrom<u64>> Body for Compare<A, D> {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        let flags = Flags(micro.flags);
        let spec = Spec::unpack(flags.extra_bits());
        let c = file.pred_source(micro.c);
        let (a, b) = (file.read::<A>(micro.a), file.read::<A>(micro.b));
        let out: [D; LANES] = std::array::from_fn(|index| {
            let (a, b) = (a[index].into(), b[index].into());
            D::try_from(lane(spec, flags.is_ftz(), a, b, c >> index & 1 == 1)).unwrap_or_default()
        });
        file.write(micro.d, &out, mask);
    }
}

fn plan_set(
    planner: &mut Planner<'_>,
    spec: Spec,
    ftz: Ftz,
    dst: crate::ptx::isa::Def,
    sources: [Use; 2],
    c: Option<PredUse>,
) -> Plan {
    let class = spec.from.scalar().class();
    let bind: Bind = match (class, spec.to.scalar().class()) {
        (RegClass::B16, RegClass::B16) => Exec::of::<Compare<u16, u16>>,
        (RegClass::B16, _) => Exec::of::<Compare<u16, u32>>,
        (RegClass::B32, RegClass::B16) => Exec::of::<Compare<u32, u16>>,
        (RegClass::B32, _) => Exec::of::<Compare<u32, u32>>,
        (_, RegClass::B16) => Exec::of::<Compare<u64, u16>>,
        (_, _) => Exec::of::<Compare<u64, u32>>,
    };
    let plan = planner.map_all(bind, dst.0, &sources, class);
    let flags = Flags::default().ftz(ftz.0).extra(spec.pack());
    Plan { c: c.map_or(0, pred_use), ..plan.flags(flags) }
}

impl Step for Set {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let spec = Spec { cmp: self.cmp, from: self.from, to: self.to, join: None };
        Ok(plan_set(planner, spec, self.ftz, self.dst, [self.a, self.b], None))
    }
}

impl Step for SetBool {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let spec = Spec { cmp: self.cmp, from: self.from, to: self.to, join: Some(self.op) };
        Ok(plan_set(planner, spec, self.ftz, self.dst, [self.a, self.b], Some(self.c)))
    }
}

/// One operation for the widths that a selection has.
macro_rules! by_width {
    ($ty:expr, |$a:ident, $b:ident, $c:ident $(; $flags:ident)?| $value:expr) => {
        match $ty.scalar().class() {
            RegClass::Pred | RegClass::B8 | RegClass::B16 => {
                body!(|$a: u16, $b: u16, $c: u32 $(; $flags)?| -> u16 { $value })
            }
            RegClass::B32 => body!(|$a: u32, $b: u32, $c: u32 $(; $flags)?| -> u32 { $value }),
            RegClass::B64 | RegClass::B128 => {
                body!(|$a: u64, $b: u64, $c: u32 $(; $flags)?| -> u64 { $value })
            }
        }
    };
}

fn plan_slct(
    planner: &mut Planner<'_>,
    bind: Bind,
    dst: crate::ptx::isa::Def,
    ty: SelpType,
    uses: [Use; 3],
) -> Plan {
    let class = ty.scalar().class();
    let [a, b, c] = uses;
    planner.map(bind, dst.0, &[(a, class), (b, class), (c, RegClass::B32)])
}

impl Step for Slct {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = by_width!(self.ty, |a, b, c| if (c as i32) >= 0 { a } else { b });
        Ok(plan_slct(planner, bind, self.dst, self.ty, [self.a, self.b, self.c]))
    }
}

impl Step for SlctFloat {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        // A comparison with NaN is false, and −0, also of a subnormal that is flushed, is not less than 0.
        let bind: Bind = by_width!(self.ty, |a, b, c; flags| {
            let c = if flags.is_ftz() { flush_f32(c) } else { c };
            if f32::from_bits(c) >= 0.0 { a } else { b }
        });
        let plan = plan_slct(planner, bind, self.dst, self.ty, [self.a, self.b, self.c]);
        Ok(plan.flags(Flags::default().ftz(self.ftz.0)))
    }
}

/// Whether magnitude bits are of a kind of float whose infinity and least normal number are given.
fn is_kind(test: FloatTest, magnitude: u64, infinity: u64, normal: u64) -> bool {
    match test {
        FloatTest::Finite => magnitude < infinity,
        FloatTest::Infinite => magnitude == infinity,
        FloatTest::Number => magnitude <= infinity,
        FloatTest::NotANumber => magnitude > infinity,
        FloatTest::Normal => magnitude == 0 || (normal..infinity).contains(&magnitude),
        FloatTest::Subnormal => (1..normal).contains(&magnitude),
    }
}

/// The test is in the extra bits of the flags.
struct Kind<T>(std::marker::PhantomData<T>);

impl<T: Width + Into<u64>> Body for Kind<T> {
    #[inline(always)]
    fn run<const FMA: bool>(micro: &Micro, file: &mut File, mask: u32) {
        let test = FloatTest::ALL[Flags(micro.flags).extra_bits() as usize];
        let wide = size_of::<T>() == 8;
        let (mantissa, infinity) = if wide { (52, 0x7ff_u64 << 52) } else { (23, 0xff_u64 << 23) };
        let sign = if wide { 1_u64 << 63 } else { 1_u64 << 31 };
        let values = file.read::<T>(micro.a);
        let met = (0..LANES).fold(0, |bits, lane| {
            let met = is_kind(test, values[lane].into() & !sign, infinity, 1 << mantissa);
            bits | u32::from(met) << lane
        });
        file.write_pred(micro.d, met, mask);
    }
}

impl Step for Testp {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let bind: Bind = match self.ty {
            WideFloat::F32 => Exec::of::<Kind<u32>>,
            WideFloat::F64 => Exec::of::<Kind<u64>>,
        };
        let source = planner.value(self.a, self.ty.scalar().class());
        let plan = Plan::lanes(bind, pred(self.dst.0), &[source]);
        Ok(plan.flags(Flags::default().extra(self.test as u32)))
    }
}
