//! One instruction: the way that the table gives, applied to whole matrices.
//!
//! On entry: a way that fits the problem's types. On exit: D. Nothing is allocated per element.

use super::form::{Accumulator, Element, Form, Scale};
use super::model::Operands;
use super::operand::{Lines, NAN, Number, Reading};
use super::quads;
use super::rows::{Steps, Way};
use super::scaled;
use super::step::{Corners, Output, Products, Rules, Source, step};
use super::wgmma::Wgmma;
use crate::numerics::soft::{self, Direction};
use crate::numerics::{Float, Format, f16};

/// What a form says that arithmetic depends on. Where it has several products, each has the shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) products: usize,
    pub(super) a: Element,
    pub(super) b: Element,
    pub(super) acc: Accumulator,
    pub(super) saturates: bool,
    pub(super) rounding: Direction,
    pub(super) scale: Option<Scale>,
    /// Scales of a row of A, and of a column of B.
    pub(super) scales: usize,
}

impl Problem {
    pub(super) fn of(form: &Form) -> Self {
        let (m, n, k) = (form.shape.m as usize, form.shape.n as usize, form.shape.k as usize);
        let (scale, scales) = (form.kind.scale(), form.kind.scales());
        let (products, saturates, rounding) = (form.kind.products(), form.saturates, form.rounding);
        Self { m, n, k, products, a: form.a, b: form.b, acc: form.acc, saturates, rounding, scale, scales }
    }

    pub(super) fn of_wgmma(form: &Wgmma) -> Self {
        let (m, n, k) = (Wgmma::ROWS, form.columns as usize, form.depth());
        let (products, saturates, rounding) = (1, false, Direction::Rn);
        let (scale, scales) = (None, 0);
        Self { m, n, k, products, a: form.a, b: form.b, acc: form.acc, saturates, rounding, scale, scales }
    }

    fn check(&self, operands: &Operands<'_>) {
        let sizes = [
            (operands.a.len(), self.products * self.m * self.k, "A"),
            (operands.b.len(), self.products * self.k * self.n, "B"),
            (operands.c.len(), self.products * self.m * self.n, "C"),
            (operands.scale_a.len(), self.m * self.scales, "scales of A"),
            (operands.scale_b.len(), self.n * self.scales, "scales of B"),
        ];
        for (given, wanted, what) in sizes {
            assert_eq!(given, wanted, "elements of {what}, given and wanted");
        }
    }
}

/// D of one instruction.
pub(super) fn compute<R: Rules>(problem: &Problem, way: Way, rules: R, operands: &Operands<'_>) -> Vec<u64> {
    problem.check(operands);
    match way {
        Way::Steps(steps) => {
            let tile = Tile::read(problem, operands, u64::MAX, false, rules);
            tile.sum(steps, operands.c, rules.corners().adds_c_last)
        }
        Way::Converted { first, fraction } => {
            let tile = Tile::read(problem, operands, first, true, rules);
            let steps = Steps { group: problem.k / 2, fraction, keep: 23 };
            tile.sum(steps, operands.c, !rules.corners().converted_starts_from_c)
        }
        Way::Integers => integers(problem, rules, operands),
        Way::Chain => chain(problem, rules, operands),
        Way::QuadPairs => quads::products(problem, operands),
        Way::Scaled(steps) => {
            let tile = Tile::read(problem, operands, u64::MAX, false, rules);
            scaled::step_of_scaled(problem, &tile, steps, operands)
        }
        Way::ScaledGroups { products, fraction, zero_has_exponent } => {
            let tile = Tile::read(problem, operands, u64::MAX, false, rules);
            scaled::groups(problem, &tile, products, fraction, zero_has_exponent, operands)
        }
    }
}

/// The decoded operands of one instruction.
pub(super) struct Tile<'a, R> {
    problem: &'a Problem,
    pub(super) rules: R,
    pub(super) rows: Lines,
    pub(super) columns: Lines,
    pub(super) places: i32,
}

impl<'a, R: Rules> Tile<'a, R> {
    /// Decodes both, the k that `first` has a bit for before the others.
    fn read(problem: &'a Problem, operands: &Operands<'_>, first: u64, converts: bool, rules: R) -> Self {
        let corners = rules.corners();
        let reading = |element| {
            Reading::of(element, converts, &corners)
                .expect("the table gives steps to floats below 64 bits only")
        };
        let (a, b) = (reading(problem.a), reading(problem.b));
        let is_first = |k: &usize| first >> k & 1 == 1;
        let (k, n) = (problem.k, problem.n);
        let mut depths = [0; 64];
        let order = (0..k).filter(is_first).chain((0..k).filter(|k| !is_first(k)));
        depths.iter_mut().zip(order).for_each(|(depth, k)| *depth = k);
        let depths = &depths[..k];

        Self {
            problem,
            rules,
            rows: Lines::read(operands.a, a, problem.m, depths, &corners, |row, depth| row * k + depth),
            columns: Lines::read(operands.b, b, n, depths, &corners, |column, depth| depth * n + column),
            places: a.places() + b.places(),
        }
    }

    /// The products of a part of k.
    #[inline(always)]
    pub(super) fn products(&self, row: usize, column: usize, start: usize, end: usize) -> Products<'_> {
        let (a, b) = (self.rows.part(row, start, end), self.columns.part(column, start, end));
        Products { a, b, scale: 0, places: self.places }
    }

    #[inline(always)]
    pub(super) fn is_special(&self, row: usize, column: usize) -> bool {
        self.rows.is_special(row) || self.columns.is_special(column)
    }

    /// Steps that begin with C, or with +0, and then C is added.
    fn sum(&self, steps: Steps, c: &[u64], adds_c_last: bool) -> Vec<u64> {
        if !adds_c_last {
            return self.steps(steps, c);
        }
        let sums = self.steps(steps, &vec![0; c.len()]);
        sums.iter().zip(c).map(|(&sum, &c)| add(self.problem.acc, sum, c)).collect()
    }

    fn steps(&self, steps: Steps, c: &[u64]) -> Vec<u64> {
        let Problem { m, n, k, acc, .. } = *self.problem;
        let output = Output::of(acc, steps.keep);
        let group = steps.group.min(k);
        let mut d = c.to_vec();
        for row in 0..m {
            for column in 0..n {
                let is_special = self.is_special(row, column);
                let d = &mut d[row * n + column];
                for start in (0..k).step_by(group) {
                    let products = self.products(row, column, start, start + group);
                    *d = step(self.rules, steps, output, products, is_special, *d);
                }
            }
        }
        d
    }
}

/// IEEE addition, to nearest even, with the canonical NaN.
fn add(acc: Accumulator, sum: u64, c: u64) -> u64 {
    match acc {
        Accumulator::F16 => f16::of_bits(sum).fadd(f16::of_bits(c)).bits(),
        Accumulator::F32 => f32::of_bits(sum).fadd(f32::of_bits(c)).bits(),
        Accumulator::F64 => f64::of_bits(sum).fadd(f64::of_bits(c)).bits(),
        Accumulator::S32 => (sum as u32).wrapping_add(c as u32) as u64,
    }
}

/// The exact sum, which 64 products of bytes and a C keep far within 64 bits, wrapped or clamped at the end.
fn integers<R: Rules>(problem: &Problem, rules: R, operands: &Operands<'_>) -> Vec<u64> {
    let Problem { m, n, k, .. } = *problem;
    let value = |element: Element, bits: u64| match element {
        Element::S8 => bits as i8 as i64,
        Element::S4 => (bits << 60) as i64 >> 60,
        Element::U4 => (bits & 0xF) as i64,
        Element::U8
        | Element::F16
        | Element::BF16
        | Element::TF32
        | Element::F64
        | Element::E4M3
        | Element::E5M2
        | Element::E3M2
        | Element::E2M3
        | Element::E2M1 => (bits & 0xFF) as i64,
    };
    let a: Vec<i64> = operands.a.iter().map(|&bits| value(problem.a, bits)).collect();
    let b: Vec<i64> = operands.b.iter().map(|&bits| value(problem.b, bits)).collect();
    let clamp = |sum: i64| sum.clamp(i32::MIN as i64, i32::MAX as i64);
    let clamps_each = problem.saturates && rules.corners().clamps_each;
    let mut d = Vec::with_capacity(m * n);
    for row in 0..m {
        for column in 0..n {
            let mut sum = operands.c[row * n + column] as i32 as i64;
            for depth in 0..k {
                sum += a[row * k + depth] * b[depth * n + column];
                sum = if clamps_each { clamp(sum) } else { sum };
            }
            let sum = if problem.saturates { clamp(sum) } else { sum };
            d.push(sum as u32 as u64);
        }
    }
    d
}

/// Fused multiply-adds of f64, k ascending.
fn chain<R: Rules>(problem: &Problem, rules: R, operands: &Operands<'_>) -> Vec<u64> {
    let Problem { m, n, k, .. } = *problem;
    let corners = rules.corners();
    let mut d = operands.c.to_vec();
    for row in 0..m {
        for column in 0..n {
            let d = &mut d[row * n + column];
            for depth in 0..k {
                let (a, b) = (operands.a[row * k + depth], operands.b[depth * n + column]);
                *d = fma(&corners, a, b, *d, problem.rounding);
            }
        }
    }
    d
}

/// One of them. A NaN among the operands comes out made quiet and otherwise as it is; one that is born here has a sign.
#[inline]
fn fma(corners: &Corners, a: u64, b: u64, sum: u64, rounding: Direction) -> u64 {
    const QUIET: u64 = 1 << 51;
    const BORN: u64 = 0xFFF8_0000_0000_0000;
    let [a, b, sum] = [a, b, sum].map(f64::from_bits);
    let result = match rounding {
        Direction::Rn => a.mul_add(b, sum),
        Direction::Rz | Direction::Rm | Direction::Rp => {
            f64::from_bits(soft::fma(Format::F64, a.to_bits(), b.to_bits(), sum.to_bits(), rounding))
        }
    };
    if !result.is_nan() {
        return result.to_bits();
    }
    let source = |source: &Source| match source {
        Source::A => a,
        Source::B => b,
        Source::Sum => sum,
    };
    let operand = corners.f64_nan.iter().map(source).find(|value| value.is_nan());
    operand.map_or(BORN, |value| value.to_bits() | QUIET)
}

/// Scales are decoded beside their tile.
pub(super) fn scale_of(scale: Option<Scale>, code: u8, corners: &Corners) -> Number {
    match scale {
        Some(Scale::UE4M3) => Number::decode(code as u64, crate::numerics::Storage::UE4M3.format(), corners),
        Some(Scale::UE8M0) if code == u8::MAX => Number { significand: 1, exponent: NAN },
        Some(Scale::UE8M0) => Number { significand: 1, exponent: code as i32 - 127 },
        None => Number { significand: 1, exponent: 0 },
    }
}
