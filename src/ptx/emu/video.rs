//! Video instructions on two or four lanes of a word.
//!
//! The operation, the types and the number of lanes are in the extra bits of the flags: what compilers write of these
//! is rare enough that deciding in every lane is no loss.

use super::body::body;
use super::decode::Planner;
use super::micro::Flags;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::modifier::CmpOp;
use crate::ptx::isa::types::Signs32;
use crate::ptx::isa::{
    RegClass, VAbsDiff2, VAbsDiff4, VAdd2, VAdd4, VAvrg2, VAvrg4, VMax2, VMax4, VMin2, VMin4, VSet2, VSet4,
    VSub2, VSub4,
};

/// What is done in each lane.
#[derive(Clone, Copy)]
enum Work {
    Add,
    Sub,
    Average,
    Distance,
    Min,
    Max,
    Compare,
}

const WORKS: [Work; 7] =
    [Work::Add, Work::Sub, Work::Average, Work::Distance, Work::Min, Work::Max, Work::Compare];

#[derive(Clone, Copy)]
struct Spec {
    work: Work,
    lanes: u32,
    to: Signs32,
    left: Signs32,
    right: Signs32,
    sat: bool,
    add: bool,
    cmp: CmpOp,
}

fn is_signed(ty: Signs32) -> bool {
    match ty {
        Signs32::S32 => true,
        Signs32::U32 => false,
    }
}

fn sign(signed: bool) -> Signs32 {
    if signed { Signs32::S32 } else { Signs32::U32 }
}

impl Spec {
    fn pack(self) -> u32 {
        let bits = [
            self.lanes == 4,
            is_signed(self.to),
            is_signed(self.left),
            is_signed(self.right),
            self.sat,
            self.add,
        ];
        let bits = (3..).zip(bits).fold(0, |all, (at, bit)| all | u32::from(bit) << at);
        self.work as u32 | bits | (self.cmp as u32) << 9
    }

    fn unpack(bits: u32) -> Self {
        let bit = |at: u32| bits >> at & 1 == 1;
        Self {
            work: WORKS[(bits & 7) as usize % WORKS.len()],
            lanes: if bit(3) { 4 } else { 2 },
            to: sign(bit(4)),
            left: sign(bit(5)),
            right: sign(bit(6)),
            sat: bit(7),
            add: bit(8),
            cmp: CmpOp::ALL[(bits >> 9 & 31) as usize % CmpOp::ALL.len()],
        }
    }

    fn width(self) -> u32 {
        32 / self.lanes
    }

    /// A lane of a word as a number.
    fn lane(self, word: u32, index: u32, ty: Signs32) -> i32 {
        let top = word << (32 - self.width() * (index + 1));
        let unused = 32 - self.width();
        if is_signed(ty) { top.cast_signed() >> unused } else { (top >> unused).cast_signed() }
    }

    fn one(self, a: i32, b: i32) -> i32 {
        let result = match self.work {
            Work::Add => a + b,
            Work::Sub => a - b,
            Work::Average if a + b >= 0 => (a + b + 1) >> 1,
            Work::Average => (a + b) >> 1,
            Work::Distance => (a - b).abs(),
            Work::Min => a.min(b),
            Work::Max => a.max(b),
            Work::Compare => i32::from(match self.cmp {
                CmpOp::Eq | CmpOp::Equ => a == b,
                CmpOp::Ne | CmpOp::Neu => a != b,
                CmpOp::Lt | CmpOp::Ltu | CmpOp::Lo => a < b,
                CmpOp::Le | CmpOp::Leu | CmpOp::Ls => a <= b,
                CmpOp::Gt | CmpOp::Gtu | CmpOp::Hi => a > b,
                CmpOp::Ge | CmpOp::Geu | CmpOp::Hs => a >= b,
                CmpOp::Num => true,
                CmpOp::Nan => false,
            }),
        };
        match (self.sat, is_signed(self.to)) {
            (false, _) => result,
            (true, true) => result.clamp(-(1 << (self.width() - 1)), (1 << (self.width() - 1)) - 1),
            (true, false) => result.clamp(0, (1 << self.width()) - 1),
        }
    }

    fn run(self, a: u32, b: u32, c: u32) -> u32 {
        let results = (0..self.lanes)
            .map(|index| (index, self.one(self.lane(a, index, self.left), self.lane(b, index, self.right))));
        if self.add {
            return results.fold(c, |sum, (_, result)| sum.wrapping_add(result.cast_unsigned()));
        }
        let mask = (1 << self.width()) - 1;
        results
            .fold(0, |word, (index, result)| word | (result.cast_unsigned() & mask) << (self.width() * index))
    }
}

fn plan(
    planner: &mut Planner<'_>,
    spec: Spec,
    dst: crate::ptx::isa::Def,
    uses: [crate::ptx::isa::Use; 3],
) -> Plan {
    let bind: Bind = body!(|a: u32, b: u32, c: u32; flags| -> u32 {
        Spec::unpack(flags.extra_bits()).run(a, b, c)
    });
    planner.map_all(bind, dst.0, &uses, RegClass::B32).flags(Flags::default().extra(spec.pack()))
}

macro_rules! steps {
    ($($row:ident: $work:ident $lanes:literal;)*) => {$(
        impl Step for $row {
            fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                let Self { to, left, right, sat, add, .. } = *self;
                let (work, cmp) = (Work::$work, CmpOp::Eq);
                let spec = Spec { work, lanes: $lanes, to, left, right, sat: sat.0, add: add.0, cmp };
                Ok(plan(planner, spec, self.dst, [self.a, self.b, self.c]))
            }
        }
    )*};
}

steps! {
    VAdd2: Add 2;
    VSub2: Sub 2;
    VAvrg2: Average 2;
    VAbsDiff2: Distance 2;
    VMin2: Min 2;
    VMax2: Max 2;
    VAdd4: Add 4;
    VSub4: Sub 4;
    VAvrg4: Average 4;
    VAbsDiff4: Distance 4;
    VMin4: Min 4;
    VMax4: Max 4;
}

macro_rules! compares {
    ($($row:ident: $lanes:literal;)*) => {$(
        impl Step for $row {
            fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                let Self { left, right, cmp, add, .. } = *self;
                let (work, to) = (Work::Compare, Signs32::U32);
                let spec = Spec { work, lanes: $lanes, to, left, right, sat: false, add: add.0, cmp };
                Ok(plan(planner, spec, self.dst, [self.a, self.b, self.c]))
            }
        }
    )*};
}

compares! {
    VSet2: 2;
    VSet4: 4;
}
