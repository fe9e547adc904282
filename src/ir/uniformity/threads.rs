//! The exact value of each thread of one CTA, where geometry and constants alone decide it.
//!
//! On entry: a kernel whose structure is valid and a CTA shape. On exit: one literal a thread in linear order, or
//! nothing where memory, parameters, locals or loop counters have a say. It answers two questions that no lattice
//! does: that `thread_id.y == 0` is the same for a whole warp of a 32×8 CTA, and that `thread_id.x < 16` is not.

use std::collections::HashMap;
use std::rc::Rc;

use super::Level;
use crate::entity::SecondaryMap;
use crate::ir::constant::evaluate;
use crate::ir::kernel::{InstId, Kernel, ValueId};
use crate::ir::launch::Mode;
use crate::ir::op::{BinaryOp, GeomReg, Op, UnaryOp};
use crate::ir::types::Literal;

/// Chains of operations longer than this are given up, so that the recursion stays off the stack's end.
const DEPTH: u32 = 128;

type Known = Option<Rc<[Literal]>>;

/// Values of the threads of one CTA, computed on demand and kept.
#[derive(Debug)]
pub struct ThreadValues<'k> {
    kernel: &'k Kernel,
    mode: Option<Mode>,
    cta: [u32; 3],
    first_cta: bool,
    definitions: SecondaryMap<ValueId, Option<InstId>>,
    known: HashMap<ValueId, Known>,
}

impl<'k> ThreadValues<'k> {
    /// What holds in every CTA: the CTA's index is unknown.
    pub fn of_any_cta(kernel: &'k Kernel, mode: Option<Mode>, cta: [u32; 3]) -> Self {
        Self::new(kernel, mode, cta, false)
    }

    /// What holds in the first CTA, which every launch with work has.
    pub fn of_first_cta(kernel: &'k Kernel, mode: Option<Mode>, cta: [u32; 3]) -> Self {
        Self::new(kernel, mode, cta, true)
    }

    fn new(kernel: &'k Kernel, mode: Option<Mode>, cta: [u32; 3], first_cta: bool) -> Self {
        let mut definitions = SecondaryMap::with_len(None, kernel.values.len());
        for (id, inst) in kernel.insts.iter() {
            if let &[result] = &inst.results[..] {
                definitions[result] = Some(id);
            }
        }
        Self { kernel, mode, cta, first_cta, definitions, known: HashMap::new() }
    }

    /// Threads of the CTA.
    pub fn threads(&self) -> usize {
        self.cta.iter().map(|&axis| axis as usize).product()
    }

    /// Each thread's value, if all are known.
    pub fn values(&mut self, value: ValueId) -> Known {
        self.values_within(value, DEPTH)
    }

    /// The exact level of a value, if each thread's is known.
    pub fn uniformity(&mut self, value: ValueId) -> Option<Level> {
        let values = self.values(value)?;
        let same = |threads: &[Literal]| threads.windows(2).all(|pair| pair[0] == pair[1]);
        Some(if same(&values) {
            Level::Cta
        } else if values.chunks(32).all(same) {
            Level::Warp
        } else {
            Level::Varying
        })
    }

    /// Each thread's truth of a condition, where known; `and` and `or` need not know both sides.
    pub fn truth(&mut self, cond: ValueId) -> Vec<Option<bool>> {
        self.truth_within(cond, DEPTH)
    }

    fn truth_within(&mut self, cond: ValueId, depth: u32) -> Vec<Option<bool>> {
        if let Some(values) = self.values(cond) {
            return values.iter().map(|value| Some(!value.is_zero())).collect();
        }
        let kernel = self.kernel;
        let unknown = vec![None; self.threads()];
        let Some(depth) = depth.checked_sub(1) else { return unknown };
        let Some(id) = self.definitions[cond] else { return unknown };
        if let Op::Unary(unary) = &kernel.insts[id].op
            && unary.op == UnaryOp::Not
        {
            return self
                .truth_within(unary.a, depth)
                .into_iter()
                .map(|truth| truth.map(|holds| !holds))
                .collect();
        }
        let Op::Binary(binary) = &kernel.insts[id].op else { return unknown };
        let deciding = match binary.op {
            BinaryOp::And => Some(false),
            BinaryOp::Or => Some(true),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MinNan
            | BinaryOp::MaxNan
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHi
            | BinaryOp::Copysign => return unknown,
        };
        let (a, b) = (self.truth_within(binary.a, depth), self.truth_within(binary.b, depth));
        let either = |(a, b): (Option<bool>, Option<bool>)| match (a, b) {
            (a, b) if a == deciding || b == deciding => deciding,
            (Some(a), Some(_)) => Some(a),
            (_, _) => None,
        };
        a.into_iter().zip(b).map(either).collect()
    }

    fn values_within(&mut self, value: ValueId, depth: u32) -> Known {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let known = self.compute(value, depth);
        self.known.insert(value, known.clone());
        known
    }

    fn compute(&mut self, value: ValueId, depth: u32) -> Known {
        let depth = depth.checked_sub(1)?;
        let op = &self.kernel.insts[self.definitions[value]?].op;
        if let Op::Geometry(geometry) = op {
            return self.geometry(geometry.reg);
        }
        let mut operands: Vec<(ValueId, Rc<[Literal]>)> = Vec::new();
        let mut used = Vec::new();
        op.uses(&mut |value| used.push(value));
        for value in used {
            operands.push((value, self.values_within(value, depth)?));
        }
        let thread = |thread: usize| {
            evaluate(op, &mut |value| {
                operands.iter().find(|(operand, _)| *operand == value).map(|(_, values)| values[thread])
            })
        };
        (0..self.threads()).map(thread).collect::<Option<Vec<_>>>().map(Rc::from)
    }

    fn geometry(&self, reg: GeomReg) -> Known {
        let meant = match (self.mode, reg) {
            (Some(mode), reg) => reg.resolve(mode)?,
            // In the first CTA `tid` is the thread's index, whatever the mode.
            (None, GeomReg::Tid) if self.first_cta => Some(GeomReg::ThreadId(0)),
            (None, reg) => Some(reg),
        };
        let Some(meant) = meant else { return Some(vec![Literal::u32(0); self.threads()].into()) };
        let [x, y, _] = self.cta;
        let index = |linear: u32, axis: u8| [linear % x, linear / x % y, linear / (x * y)][usize::from(axis)];
        let threads = self.threads() as u32;
        let of = |linear: u32| {
            Some(match meant {
                GeomReg::ThreadId(axis) => index(linear, axis),
                GeomReg::GlobalId(axis) if self.first_cta => index(linear, axis),
                GeomReg::CtaId(_) if self.first_cta => 0,
                GeomReg::CtaDim(axis) => self.cta[usize::from(axis)],
                GeomReg::LaneId => linear % 32,
                GeomReg::WarpId => linear / 32,
                GeomReg::WarpsPerCta => threads.div_ceil(32),
                GeomReg::GlobalId(_)
                | GeomReg::CtaId(_)
                | GeomReg::GridDim(_)
                | GeomReg::ActiveWarps
                | GeomReg::ProgramId(_)
                | GeomReg::Tid => return None,
            })
        };
        (0..threads).map(|linear| of(linear).map(Literal::u32)).collect::<Option<Vec<_>>>().map(Rc::from)
    }

    /// How often each thread runs the body of a counted loop, if its bounds are known.
    pub fn trips(&mut self, [start, end, step]: [ValueId; 3]) -> Option<Vec<i128>> {
        let (start, end, step) = (self.values(start)?, self.values(end)?, self.values(step)?);
        let trips = |thread: usize| {
            let int = |values: &[Literal]| values[thread].as_int();
            let (start, end, step) = (int(&start)?, int(&end)?, int(&step)?);
            let distance = (end - start) * step.signum();
            (step != 0).then(|| (distance + step.abs() - 1).max(0) / step.abs())
        };
        (0..self.threads()).map(trips).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    #[test]
    fn trips_and_indices_of_a_two_axis_cta() {
        let kernel = parse(
            "kernel @k() { v0 = thread_id.x v1 = thread_id.y v2 = const 3u32 v3 = const 2u32 v4 = lt v1, v2
             for v5: u32 = v0 to v2 step v3 unroll 1 { } }",
        )
        .unwrap();
        let value = |index: usize| kernel.insts.values().nth(index).unwrap().results[0];
        let mut threads = ThreadValues::of_any_cta(&kernel, None, [32, 8, 1]);
        assert_eq!(threads.uniformity(value(0)), Some(Level::Varying));
        assert_eq!(threads.uniformity(value(4)), Some(Level::Warp));
        let trips = threads.trips([value(0), value(2), value(3)]).unwrap();
        assert_eq!(trips[..5], [2, 1, 1, 0, 0]);
    }
}
