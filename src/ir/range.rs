//! The least and greatest value of each integer, as far as geometry, constants and loop bounds tell.
//!
//! On entry: a kernel whose structure is valid and a launch class. On exit: for each integer value an interval that
//! holds whatever it can be; where nothing is known that is its type's. [`Ranges::cannot_wrap`] says of a sum,
//! difference, product or left shift that its exact result always fits: lowering then moves constants of an index out
//! of 32-bit arithmetic. Locals join what is written to them and widen to their type when that goes on growing.
//! Deliberately not here: what a branch's condition says inside the branch; floats.

use crate::entity::SecondaryMap;
use crate::ir::kernel::{Kernel, LocalId, RegionId, ValueId};
use crate::ir::launch::LaunchClass;
use crate::ir::op::{Binary, BinaryOp, For, GeomReg, Op, UnaryOp};
use crate::ir::types::{DType, int_range};

/// The values from `low` to `high`, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least.
    pub low: i128,
    /// The greatest.
    pub high: i128,
}

impl Interval {
    /// From `low` to `high`, both included.
    pub fn new(low: i128, high: i128) -> Self {
        Self { low, high }
    }

    fn of(dtype: DType) -> Self {
        // A bool counts as 0 or 1; a float is never asked about, and has the widest.
        let (low, high) = match dtype {
            DType::Bool => (0, 1),
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 | DType::Storage(_) => {
                (i128::from(i64::MIN), i128::from(u64::MAX))
            }
            DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64 => int_range(dtype).unwrap_or((0, 0)),
        };
        Self { low, high }
    }

    fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether every value of this one is in the other.
    pub fn is_within(self, other: Self) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// Of all pairs of ends, the least and greatest result: exact for operations monotone in each operand.
    fn corners(self, other: Self, op: impl Fn(i128, i128) -> i128) -> Self {
        let ends = [
            op(self.low, other.low),
            op(self.low, other.high),
            op(self.high, other.low),
            op(self.high, other.high),
        ];
        let low = ends.into_iter().fold(ends[0], i128::min);
        let high = ends.into_iter().fold(ends[0], i128::max);
        Self { low, high }
    }
}

/// Intervals of a kernel's values.
#[derive(Clone, Debug)]
pub struct Ranges {
    values: SecondaryMap<ValueId, Option<Interval>>,
    fits: SecondaryMap<ValueId, bool>,
    types: Vec<DType>,
}

/// After so many rounds, a local that still grows has its type's whole range.
const ROUNDS: u32 = 3;

impl Ranges {
    /// Of a kernel in launches of `class`.
    pub fn of(kernel: &Kernel, class: &LaunchClass) -> Self {
        let mut analysis = Analysis {
            kernel,
            class: LaunchClass { cta: class.cta.or(kernel.cta), ..*class },
            ranges: Self {
                values: SecondaryMap::with_len(None, kernel.values.len()),
                fits: SecondaryMap::with_len(false, kernel.values.len()),
                types: kernel.values.values().map(|value| value.dtype).collect(),
            },
            locals: SecondaryMap::with_len(None, kernel.locals.len()),
            changed: true,
            round: 0,
        };
        while std::mem::take(&mut analysis.changed) {
            analysis.round += 1;
            analysis.region(kernel.body);
        }
        analysis.ranges
    }

    /// What the value lies in; its type's range where nothing better is known.
    pub fn interval(&self, value: ValueId) -> Interval {
        use crate::entity::EntityId;
        let dtype = self.types.get(value.index()).copied().unwrap_or(DType::I64);
        self.values[value].unwrap_or(Interval::of(dtype))
    }

    /// Whether the value is a sum, difference, product or left shift whose exact result always fits its type.
    pub fn cannot_wrap(&self, value: ValueId) -> bool {
        self.fits[value]
    }
}

struct Analysis<'k> {
    kernel: &'k Kernel,
    class: LaunchClass,
    ranges: Ranges,
    /// What was written to a local so far; `None` before the first write.
    locals: SecondaryMap<LocalId, Option<Interval>>,
    changed: bool,
    round: u32,
}

impl Analysis<'_> {
    fn region(&mut self, region: RegionId) {
        let kernel = self.kernel;
        for &id in &kernel.regions[region].insts {
            let inst = &kernel.insts[id];
            if let Op::For(counted) = &inst.op {
                self.ranges.values[counted.counter.0] = Some(self.counter(counted));
            } else if let Op::LocalSet(set) = &inst.op {
                self.write(set.local, self.ranges.interval(set.value));
            } else if let &[result] = &inst.results[..] {
                let dtype = kernel.dtype(result);
                if dtype.is_int() {
                    self.result(result, dtype, &inst.op);
                }
            }
            inst.op.regions(&mut |inner| self.region(inner));
        }
    }

    fn write(&mut self, local: LocalId, value: Interval) {
        let before = self.locals[local];
        let mut after = before.map_or(value, |before| before.join(value));
        if before != Some(after) {
            if self.round > ROUNDS {
                after = Interval::of(self.kernel.locals[local].dtype);
            }
            self.changed |= before != Some(after);
            self.locals[local] = Some(after);
        }
    }

    /// The counter only has values for which the body runs, so it stays short of the end and never wraps.
    fn counter(&self, counted: &For) -> Interval {
        let [start, end, step] =
            [counted.start, counted.end, counted.step].map(|bound| self.ranges.interval(bound));
        let up = Interval::new(start.low, start.high.max(end.high - 1));
        let down = Interval::new(start.low.min(end.low + 1), start.high);
        if step.low > 0 {
            up
        } else if step.high < 0 {
            down
        } else {
            up.join(down)
        }
    }

    fn result(&mut self, result: ValueId, dtype: DType, op: &Op) {
        let whole = Interval::of(dtype);
        let exact = self.exact(op, dtype);
        let fits = exact.is_some_and(|exact| exact.is_within(whole));
        let may_wrap =
            |op: BinaryOp| matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
        self.ranges.fits[result] = fits && matches!(op, Op::Binary(binary) if may_wrap(binary.op));
        self.ranges.values[result] = exact.filter(|_| fits);
    }

    /// The interval of the result before wrapping, where there is one.
    fn exact(&self, op: &Op, dtype: DType) -> Option<Interval> {
        let of = |value: ValueId| self.ranges.interval(value);
        match op {
            Op::Const(constant) => constant.value.as_int().map(|value| Interval::new(value, value)),
            Op::Geometry(geometry) => Some(self.geometry(geometry.reg)),
            Op::Unary(unary) if unary.op.counts_bits() => {
                Some(Interval::new(0, i128::from(self.kernel.dtype(unary.a).bits())))
            }
            Op::Unary(unary) if unary.op == UnaryOp::Neg && dtype.is_signed() => {
                Some(Interval::new(-of(unary.a).high, -of(unary.a).low))
            }
            Op::Unary(_) => None,
            Op::Binary(binary) => self.binary(binary, dtype),
            Op::Select(select) => Some(of(select.a).join(of(select.b))),
            Op::Convert(convert) if !self.kernel.dtype(convert.a).is_real() => Some(of(convert.a)),
            Op::LocalGet(get) => self.locals[get.local],
            Op::Shuffle(shuffle) => Some(of(shuffle.value)),
            Op::Convert(_)
            | Op::Scalar(_)
            | Op::Shape(_)
            | Op::Stride(_)
            | Op::Fma(_)
            | Op::Compare(_)
            | Op::Bitcast(_)
            | Op::Approx(_)
            | Op::LocalSet(_)
            | Op::Load(_)
            | Op::Store(_)
            | Op::Atomic(_)
            | Op::AtomicCas(_)
            | Op::AtomicLoad(_)
            | Op::AtomicStore(_)
            | Op::Fence(_)
            | Op::WarpReduce(_)
            | Op::WarpScan(_)
            | Op::Vote(_)
            | Op::Ballot(_)
            | Op::Match(_)
            | Op::WarpBarrier(_)
            | Op::CtaBarrier(_)
            | Op::NamedBarrier(_)
            | Op::Mma(_)
            | Op::LdMatrix(_)
            | Op::CpAsync(_)
            | Op::CpAsyncCommit(_)
            | Op::CpAsyncWait(_)
            | Op::Inline(_)
            | Op::Yield(_)
            | Op::If(_)
            | Op::For(_)
            | Op::Loop(_)
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Comment(_) => None,
        }
    }

    fn geometry(&self, reg: GeomReg) -> Interval {
        let threads = self.class.cta.map_or(1024, |cta| cta.iter().map(|&axis| i128::from(axis)).product());
        let dim = |axis: u8| self.class.cta.map(|cta| i128::from(cta[usize::from(axis)]));
        let any = Interval::of(DType::U32);
        let Some(meant) = reg.resolve(self.class.mode) else { return any };
        match meant {
            None => Interval::new(0, 0),
            Some(GeomReg::ThreadId(axis)) => Interval::new(0, dim(axis).unwrap_or(1024) - 1),
            Some(GeomReg::CtaDim(axis)) => {
                dim(axis).map_or(Interval::new(1, 1024), |dim| Interval::new(dim, dim))
            }
            Some(GeomReg::LaneId) => Interval::new(0, threads.min(32) - 1),
            Some(GeomReg::WarpId) => Interval::new(0, (threads + 31) / 32 - 1),
            Some(GeomReg::WarpsPerCta) => {
                let most = (threads + 31) / 32;
                Interval::new(if self.class.cta.is_some() { most } else { 1 }, most)
            }
            Some(GeomReg::ActiveWarps) => Interval::new(0, (threads + 31) / 32),
            Some(
                GeomReg::CtaId(_)
                | GeomReg::GridDim(_)
                | GeomReg::GlobalId(_)
                | GeomReg::ProgramId(_)
                | GeomReg::Tid,
            ) => any,
        }
    }

    fn binary(&self, binary: &Binary, dtype: DType) -> Option<Interval> {
        let (a, b) = (self.ranges.interval(binary.a), self.ranges.interval(binary.b));
        let natural = a.low >= 0 && b.low >= 0;
        match binary.op {
            BinaryOp::Add => Some(Interval::new(a.low + b.low, a.high + b.high)),
            BinaryOp::Sub => Some(Interval::new(a.low - b.high, a.high - b.low)),
            // Two 64-bit ranges multiply to less than 2^128, but not always less than 2^127.
            BinaryOp::Mul => {
                let small = |range: Interval| range.low.abs().max(range.high.abs()) <= i128::from(u32::MAX);
                (small(a) && small(b)).then(|| a.corners(b, |a, b| a * b))
            }
            BinaryOp::Min => Some(Interval::new(a.low.min(b.low), a.high.min(b.high))),
            BinaryOp::Max => Some(Interval::new(a.low.max(b.low), a.high.max(b.high))),
            BinaryOp::Div if natural && b.low > 0 => Some(a.corners(b, |a, b| a / b)),
            // x % 0 is x, so a divisor that may be 0 bounds nothing.
            BinaryOp::Rem if natural && b.low > 0 => Some(Interval::new(0, a.high.min(b.high - 1))),
            BinaryOp::Rem if natural => Some(Interval::new(0, a.high)),
            BinaryOp::And if a.low >= 0 || b.low >= 0 => {
                let most = |range: Interval| if range.low >= 0 { range.high } else { i128::MAX };
                Some(Interval::new(0, most(a).min(most(b))))
            }
            // No bit above the highest of either appears.
            BinaryOp::Or | BinaryOp::Xor if natural => {
                let bits = 128 - a.high.max(b.high).leading_zeros();
                Some(Interval::new(0, (1i128 << bits) - 1))
            }
            BinaryOp::Shl if natural && b.high < 64 && a.high < 1 << 62 => {
                let within = b.high < i128::from(dtype.bits());
                within.then(|| a.corners(b, |a, b| a << b))
            }
            BinaryOp::Shr if natural => {
                let last = i128::from(dtype.bits() - 1);
                Some(Interval::new(a.low >> b.high.min(last + 1), a.high >> b.low.min(last + 1)))
            }
            BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::MinNan
            | BinaryOp::MaxNan
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHi
            | BinaryOp::Copysign => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::launch::Mode;
    use crate::ir::parse::parse;

    fn ranges(body: &str) -> (Kernel, Ranges) {
        let kernel = parse(&format!("kernel @k(n: u32) {{ {body} }}")).unwrap();
        let class = LaunchClass::new(Mode::Reduction, Some([256, 1, 1]));
        let ranges = Ranges::of(&kernel, &class);
        (kernel, ranges)
    }

    fn named(kernel: &Kernel, name: &str) -> ValueId {
        kernel.values.iter().find(|(_, value)| value.name.as_deref() == Some(name)).unwrap().0
    }

    #[test]
    fn indices_of_a_cta_are_bounded_and_do_not_wrap() {
        let (kernel, ranges) = ranges(
            "v0 = thread_id.x v1 = mul v0, 4 v2:at = add v1, 3 v3 = scalar n v4:far = add v3, 1
             v5 = and v3, 31 v6:small = shl v5, 2 v7:huge = shl v0, 30 v8:rest = rem v3, 7",
        );
        let interval = |name: &str| ranges.interval(named(&kernel, name));
        assert_eq!(interval("at"), Interval::new(3, 255 * 4 + 3));
        assert!(ranges.cannot_wrap(named(&kernel, "at")));
        assert!(!ranges.cannot_wrap(named(&kernel, "far")));
        assert_eq!(interval("far"), Interval::of(DType::U32));
        assert_eq!(interval("small"), Interval::new(0, 124));
        assert!(!ranges.cannot_wrap(named(&kernel, "huge")));
        assert_eq!(interval("rest"), Interval::new(0, 6));
    }

    #[test]
    fn counters_stay_short_of_their_end_and_locals_widen() {
        let (kernel, ranges) = ranges(
            "local l0: u32 v0 = thread_id.x v1 = const 100u32 v2 = const 7u32 set l0, v1
             for v3:i: u32 = v0 to v1 step v2 unroll 1 { v4:acc = get l0 v5:sum = add v4, v3 set l0, v5 }",
        );
        assert_eq!(ranges.interval(named(&kernel, "i")), Interval::new(0, 255));
        assert_eq!(ranges.interval(named(&kernel, "acc")), Interval::of(DType::U32));
        assert!(!ranges.cannot_wrap(named(&kernel, "sum")));
    }

    #[test]
    fn a_counter_that_goes_down_is_above_its_end() {
        let (kernel, ranges) =
            ranges("v0 = const 10i32 v1 = const -1i32 for v2:i: i32 = v0 to v1 step v1 unroll 1 { }");
        assert_eq!(ranges.interval(named(&kernel, "i")), Interval::new(0, 10));
    }
}
