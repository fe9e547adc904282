//! `m8n8k4` of f16: four products, which no unit since Volta computes.
//!
//! The assembler puts a subroutine in the instruction's place, the same for every target: shuffles and f32 arithmetic,
//! rounded to nearest, subnormals kept. Read off the machine code that CUDA 13.0's assembler writes for sm_80, sm_90 and
//! sm_120; the results of an H200 agree. On exit: the bits of D, a NaN as the canonical one.

use super::compute::Problem;
use super::form::Accumulator;
use super::model::Operands;
use crate::numerics::{Float, f16, f16_from_f32, f16_to_f32};

/// D of the four products, the rows of the first before those of the others.
pub(super) fn products(problem: &Problem, operands: &Operands<'_>) -> Vec<u64> {
    let Problem { m, n, k, products, acc, .. } = *problem;
    let single = |bits: u64| f16_to_f32(f16::from_bits(bits as u16));
    let element = |at: usize| {
        let (row, column) = (at / n, at % n);
        let column_of_b = row / m * n + column;
        let factors = |depth: usize| {
            let (a, b) = (operands.a[row * k + depth], operands.b[depth * products * n + column_of_b]);
            (single(a), single(b))
        };
        match acc {
            Accumulator::F16 => u64::from(narrow_sum(single(operands.c[at]), factors).to_bits()),
            Accumulator::F32 | Accumulator::S32 | Accumulator::F64 => {
                u64::from(sum(f32::from_bits(operands.c[at] as u32), k, factors).to_bits())
            }
        }
    };
    (0..operands.c.len()).map(element).collect()
}

/// All products from +0 on, each added to the sum so far; then C. (A product of two f16 is exact in f32, so that a fused addition
/// and one of a product are the same.)
fn sum(c: f32, k: usize, factors: impl Fn(usize) -> (f32, f32)) -> f32 {
    let products = (0..k).fold(0.0_f32, |sum, depth| {
        let (a, b) = factors(depth);
        a.ffma(b, sum)
    });
    c.fadd(products)
}

/// C and two pairs of products, each pair summed by itself; rounded to f16 at the end alone.
fn narrow_sum(c: f32, factors: impl Fn(usize) -> (f32, f32)) -> f16 {
    let pair = |first: usize| {
        let ((a, b), (x, y)) = (factors(first), factors(first + 1));
        x.ffma(y, a.fmul(b))
    };
    f16_from_f32(c.fadd(pair(0)).fadd(pair(2)))
}
