//! What the matrices of the cases hold, how results are judged, and which kernel a name means.
//!
//! On entry: the rest of a kernel's name, its dtypes, a size. On exit: a case. Deliberately not here: the products
//! themselves, which `reference` computes.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::{DType, Form};
use warpsmith::ir::Kernel;
use warpsmith::numerics::soft::Direction;
use warpsmith::numerics::tensor::{Accumulator, Element, Kind};

use super::super::rounding::wrapped;
use super::reference::Product;

/// What building a kernel gives.
pub(super) type Built = Result<Kernel, warpsmith::dsl::BuildErrors>;

/// What matrices hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Inputs {
    /// Small integers of both signs; for integer forms any, with sums that leave i32.
    Exact,
    /// The same for floats, scaled so that factors and results are subnormal where the formats allow it.
    Tiny,
    /// Positive numbers of many magnitudes; integers as before.
    Positive,
    /// Two pairs of dominant terms that cancel, one of neighbours and one far apart, among smaller ones.
    Cancelling,
    /// A tile of tiny numbers, then what breaks kernels: any bits, NaN and infinities.
    Hard,
}

/// The matrices of a case.
pub(super) struct Matrices {
    pub(super) a: TestBuffer,
    pub(super) b: TestBuffer,
    pub(super) c: TestBuffer,
}

impl Matrices {
    /// `tiles` row-major tiles of `shape`.
    pub(super) fn new(
        form: &Form,
        dtypes: [DType; 3],
        tiles: usize,
        shape: [usize; 3],
        inputs: Inputs,
    ) -> Self {
        let [m, n, k] = shape;
        let of = |inputs: Inputs, tiles: usize| {
            let [x, y] = scales(form, inputs);
            let a = Matrix { name: "a", shape: [tiles * m, k], kind: Held::Factor(form.a), exponent: x };
            let b = Matrix { name: "b", shape: [tiles * k, n], kind: Held::Factor(form.b), exponent: y };
            let c = Matrix { name: "c", shape: [tiles * m, n], kind: Held::Sum, exponent: x + y };
            [a, b, c]
                .into_iter()
                .zip(dtypes)
                .map(|(matrix, dt)| matrix.fill(form, inputs, dt))
                .collect::<Vec<_>>()
        };
        let mut all = match inputs {
            Inputs::Hard if tiles > 1 => {
                let (first, rest) = (of(Inputs::Tiny, 1), of(Inputs::Hard, tiles - 1));
                first.into_iter().zip(rest).map(|(first, rest)| joined(&first, &rest)).collect()
            }
            Inputs::Exact | Inputs::Tiny | Inputs::Positive | Inputs::Cancelling | Inputs::Hard => {
                of(inputs, tiles)
            }
        };
        if inputs == Inputs::Cancelling {
            [all[0], all[1]] = dominated(&all[0], &all[1], shape);
        }
        let [a, b, c] = <[TestBuffer; 3]>::try_from(all).expect("three matrices were made");
        Self { a, b, c }
    }

    /// What the reference is computed from.
    pub(super) fn product(&self, shape: [usize; 3]) -> Product {
        Product { shape, a: numbers(&self.a), b: numbers(&self.b), c: numbers(&self.c) }
    }
}

/// The rows of one buffer and then those of another.
fn joined(first: &TestBuffer, rest: &TestBuffer) -> TestBuffer {
    let bytes = [first, rest].iter().flat_map(|buffer| buffer.bytes().unwrap_or_default().to_vec()).collect();
    let rows = (first.shape()[0] + rest.shape()[0]) as usize;
    TestBuffer::from_vec(first.name(), bytes, first.dtype()).shaped([rows, first.shape()[1] as usize])
}

/// Elements as numbers; the matrix unit never looks at the low 13 bits of a tf32.
pub(super) fn numbers(buffer: &TestBuffer) -> Vec<f64> {
    if buffer.dtype() == DType::Storage(warpsmith::numerics::Storage::TF32) {
        let kept = |bits: u64| f64::from(f32::from_bits(bits as u32 & !0x1fff));
        return buffer.literals().iter().map(|literal| kept(literal.bits)).collect();
    }
    buffer.as_f64()
}

enum Held {
    Factor(Element),
    Sum,
}

struct Matrix {
    name: &'static str,
    shape: [usize; 2],
    kind: Held,
    /// Of what tiny numbers are multiplied by.
    exponent: i32,
}

impl Matrix {
    fn fill(&self, form: &Form, contents: Inputs, dt: DType) -> TestBuffer {
        let Self { name, shape, .. } = *self;
        let make = |generator| inputs(name, shape, dt, generator);
        if dt.is_int() {
            return make(match self.kind {
                Held::Factor(Element::S4) => Ints(-8, 7),
                Held::Factor(Element::U4) => Ints(0, 15),
                Held::Factor(_) => Ints(i64::MIN, i64::MAX),
                Held::Sum => FromSlice(ENDS),
            });
        }
        let most = match self.kind {
            Held::Factor(_) => 4,
            Held::Sum => 9,
        };
        match contents {
            Inputs::Exact => make(Ints(-most, most)),
            Inputs::Tiny => {
                let integers = inputs(name, shape, DType::F64, Ints(-most, most)).as_f64();
                let values: Vec<_> = integers.iter().map(|x| scaled(*x, self.exponent)).collect();
                TestBuffer::from_f64(name, &values, dt).shaped(shape)
            }
            Inputs::Positive => {
                let (low, high) = magnitudes(form, &self.kind);
                let exponents =
                    inputs(format!("{name} exponent"), shape, DType::F64, Ints(low, high)).as_f64();
                let parts = inputs(name, shape, DType::F64, Range(1.0, 2.0)).as_f64();
                let values: Vec<_> = parts
                    .iter()
                    .zip(exponents)
                    .map(|(part, exponent)| scaled(*part, exponent as i32))
                    .collect();
                TestBuffer::from_f64(name, &values, dt).shaped(shape)
            }
            Inputs::Cancelling => make(Range(-1.0, 1.0)),
            Inputs::Hard => make(Hard),
        }
    }
}

/// What integer sums start from: near both ends of i32, where products make them leave it, and far from them.
const ENDS: &[f64] =
    &[0.0, 2147483647.0, -2147483648.0, -5.0, 2147480000.0, -2147481111.0, 1e9, 77.0, -1.5e9];

/// x · 2^exponent, exactly; two factors because the least power of two is no normal number's inverse.
fn scaled(x: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    x * 2f64.powi(half) * 2f64.powi(exponent - half)
}

/// Exponents that make small integers subnormal as A and B, as far as the product still is a number of the sum's type.
fn scales(form: &Form, inputs: Inputs) -> [i32; 2] {
    if !matches!(inputs, Inputs::Tiny) {
        return [0, 0];
    }
    let least = |element: Element| match element {
        Element::F16 => -24,
        Element::BF16 => -133,
        Element::TF32 => -136,
        Element::F64 => -1074,
        Element::E4M3 => -9,
        Element::E5M2 => -16,
        Element::E3M2 => -4,
        Element::E2M3 => -3,
        Element::E2M1 => -1,
        Element::S8 | Element::U8 | Element::S4 | Element::U4 => 0,
    };
    let least_sum = match form.acc {
        Accumulator::F16 => -24,
        Accumulator::F32 => -149,
        Accumulator::F64 => -1074,
        Accumulator::S32 => 0,
    };
    let x = least(form.a).max(least_sum);
    [x, least(form.b).max(least_sum - x)]
}

/// Exponents of positive numbers: normal ones of their type, whose sums of products are finite.
fn magnitudes(form: &Form, kind: &Held) -> (i64, i64) {
    let narrow_sum = form.acc == Accumulator::F16;
    match kind {
        Held::Factor(Element::E3M2) => (-2, 3),
        Held::Factor(Element::E2M3 | Element::E2M1) => (0, 2),
        Held::Factor(_) | Held::Sum if narrow_sum => (-3, 1),
        Held::Factor(Element::E4M3 | Element::E5M2) => (-4, 4),
        Held::Factor(
            Element::F16
            | Element::BF16
            | Element::TF32
            | Element::F64
            | Element::S8
            | Element::U8
            | Element::S4
            | Element::U4,
        )
        | Held::Sum => (-8, 8),
    }
}

/// Terms of ±2⁸ · [1, 2) at depths 1 and K − 3, and 5 and 6, which cancel but for what the unit cut meanwhile.
fn dominated(a: &TestBuffer, b: &TestBuffer, [_, n, k]: [usize; 3]) -> [TestBuffer; 2] {
    let (mut left, mut right) = (a.as_f64(), b.as_f64());
    for (high, low) in [(1, k - 3), (5, 6)] {
        for row in left.chunks_mut(k) {
            (row[high], row[low]) = (256.0, -256.0);
        }
        for column in 0..n {
            let factor = 1.0 + right[high * n + column].abs() / 2.0;
            // Few digits, so that every format holds it.
            let factor = (factor * 16.0).floor() / 16.0;
            (right[high * n + column], right[low * n + column]) = (factor, factor);
        }
    }
    [(a, left), (b, right)].map(|(buffer, values)| {
        let shape: Vec<usize> = buffer.shape().iter().map(|&axis| axis as usize).collect();
        TestBuffer::from_f64(buffer.name(), &values, buffer.dtype()).shaped(&shape)
    })
}

/// Adds what has to come out of one tile's product, or of several.
pub(super) fn judged(setup: TestSetup, form: &Form, product: &Product, inputs: Inputs) -> TestSetup {
    match form.acc {
        Accumulator::S32 => setup.expect_bits(wrapped("d", &product.integers(form.saturates), DType::I32)),
        // Numbers at the ends of the range, where the reference's differences are not exact.
        Accumulator::F64 if form.rounding != Direction::Rn && inputs == Inputs::Hard => {
            where_decided(setup, form, product)
        }
        Accumulator::F64 => setup.tol(Tolerance::EXACT).expect("d", product.chains(form.rounding)),
        Accumulator::F32 | Accumulator::F16 => match inputs {
            Inputs::Exact | Inputs::Tiny => setup.tol(Tolerance::EXACT).expect("d", product.sums()),
            Inputs::Positive => setup.tol(positive_tolerance(form)).expect("d", product.sums()),
            Inputs::Cancelling => {
                let depth = product.shape[2] as f64;
                setup.tol(Tolerance::Abs(depth * 2f64.powi(-13))).expect("d", product.sums())
            }
            Inputs::Hard => where_decided(setup, form, product),
        },
    }
}

/// The family's table has the reasons.
fn positive_tolerance(form: &Form) -> Tolerance {
    let is_fp8 = form.kind == Kind::Plain && matches!(form.a, Element::E4M3 | Element::E5M2);
    match (form.acc, is_fp8) {
        (Accumulator::F16, false) => rel(2e-3),
        (Accumulator::F16, true) => rel(7e-3),
        (Accumulator::F32 | Accumulator::F64 | Accumulator::S32, false) => rel(2e-6),
        (Accumulator::F32 | Accumulator::F64 | Accumulator::S32, true) => rel(5e-3),
    }
}

/// Expects the sums of the first of several tiles, and of the others what the operands decide.
fn where_decided(setup: TestSetup, form: &Form, product: &Product) -> TestSetup {
    let limit = if form.acc == Accumulator::F16 { 2f64.powi(15) } else { 2f64.powi(120) };
    let [m, n, k] = product.shape;
    let first = if product.a.len() > m * k { m * n } else { 0 };
    let sums = product.sums();
    let known = product.decided(limit);
    let known = known.iter().enumerate().map(|(at, value)| if at < first { Some(sums[at]) } else { *value });
    let mut runs: Vec<(u64, Vec<f64>)> = Vec::new();
    for (at, value) in known.enumerate() {
        let Some(value) = value else { continue };
        match runs.last_mut() {
            Some((start, values)) if *start + values.len() as u64 == at as u64 => values.push(value),
            Some(_) | None => runs.push((at as u64, vec![value])),
        }
    }
    let setup = setup.tol(Tolerance::EXACT);
    runs.into_iter().fold(setup, |setup, (start, values)| setup.expect_at("d", start, values))
}
