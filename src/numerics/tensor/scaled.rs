//! Block-scaled forms of sm_120 and sm_121: nothing here is measured.
//!
//! On entry: decoded operands and the bytes of their scales. On exit: D in f32. The rules for special values and the
//! floor of T are those of the plain step, taken over; a NaN scale gives NaN.

use super::compute::{Problem, Tile, scale_of};
use super::form::{Accumulator, Scale};
use super::model::Operands;
use super::operand::{INFINITE, NAN, Number, ZERO};
use super::rows::Steps;
use super::step::{Grid, Output, Rules, step};

/// The most groups that an instruction has: K = 64 in sixteens.
const GROUPS: usize = 4;

/// `kind::mxf8f6f4`: one scale a row and a column, which only adds to the products' exponents.
pub(super) fn step_of_scaled<R: Rules>(
    problem: &Problem,
    tile: &Tile<'_, R>,
    steps: Steps,
    operands: &Operands<'_>,
) -> Vec<u64> {
    let corners = tile.rules.corners();
    let output = Output::of(Accumulator::F32, steps.keep);
    let scale = |code: u8| scale_of(problem.scale, code, &corners).exponent;
    let mut d = operands.c.to_vec();
    for row in 0..problem.m {
        for column in 0..problem.n {
            let d = &mut d[row * problem.n + column];
            let scales = [scale(operands.scale_a[row]), scale(operands.scale_b[column])];
            if scales.contains(&NAN) {
                *d = output.nan(tile.rules);
                continue;
            }
            let mut products = tile.products(row, column, 0, problem.k);
            products.scale = scales[0] + scales[1];
            *d = step(tile.rules, steps, output, products, tile.is_special(row, column), *d);
        }
    }
    d
}

/// `kind::mxf4` and `kind::mxf4nvf4`: exact sums of neighbours along k, scaled, are the terms of one step. A term's exponent
/// is that of its scales alone, however large its significand is.
pub(super) fn groups<R: Rules>(
    problem: &Problem,
    tile: &Tile<'_, R>,
    products: usize,
    fraction: i32,
    zero_has_exponent: bool,
    operands: &Operands<'_>,
) -> Vec<u64> {
    let Problem { n, k, scales, .. } = *problem;
    let corners = tile.rules.corners();
    let output = Output::of(Accumulator::F32, 23);
    let decoded = |codes: &[u8]| -> Vec<Number> {
        codes.iter().map(|&code| scale_of(problem.scale, code, &corners)).collect()
    };
    let (rows, columns) = (decoded(operands.scale_a), decoded(operands.scale_b));
    let scale_places = match problem.scale {
        Some(Scale::UE4M3) => 3,
        Some(Scale::UE8M0) | None => 0,
    };
    // Sums of products of e2m1 are multiples of 1/4, as e2m1's are of 1/2.
    let places = tile.places + 2 * scale_places;

    let mut d = operands.c.to_vec();
    for row in 0..problem.m {
        for column in 0..n {
            let mut terms = [Number { significand: 0, exponent: ZERO }; GROUPS];
            let mut is_nan = false;
            for (group, term) in terms.iter_mut().enumerate().take(k / products) {
                let scale = group * products * scales / k;
                let (x, y) = (rows[row * scales + scale], columns[column * scales + scale]);
                is_nan |= x.exponent == NAN || y.exponent == NAN;
                let sum = exact(tile, row, column, group * products, products);
                let significand = sum * x.significand * y.significand;
                if significand != 0 || zero_has_exponent {
                    *term = Number { significand, exponent: x.exponent + y.exponent };
                }
            }
            let d = &mut d[row * n + column];
            *d = if is_nan { output.nan(tile.rules) } else { finish(tile, output, &terms, places, fraction, *d) };
        }
    }
    d
}

/// The sum of the products of neighbours, in units of the product of two units. e2m1 has exponents 0 to 2.
#[inline]
fn exact<R: Rules>(tile: &Tile<'_, R>, row: usize, column: usize, start: usize, count: usize) -> i32 {
    let products = tile.products(row, column, start, start + count);
    let mut sum = 0;
    for at in 0..count {
        let (a, b) = (products.a.number(at), products.b.number(at));
        let significand = a.significand * b.significand;
        if significand != 0 {
            sum += significand << (a.exponent + b.exponent);
        }
    }
    sum
}

/// The step over the groups and C.
fn finish<R: Rules>(
    tile: &Tile<'_, R>,
    output: Output,
    terms: &[Number; GROUPS],
    places: i32,
    fraction: i32,
    c_bits: u64,
) -> u64 {
    let rules = tile.rules;
    let c = output.decode(c_bits);
    match c.exponent {
        NAN => return output.nan(rules),
        INFINITE => return output.infinity(c.significand < 0),
        _ => {}
    }
    let top = terms.iter().map(|term| term.exponent).max().unwrap_or(ZERO);
    let grid = Grid::new(top.max(c.exponent).max(rules.corners().floor), fraction);
    let cut = |number: &Number, places| grid.cut(rules, number.significand as i64, number.exponent, places);
    let sum = terms.iter().map(|term| cut(term, places)).sum::<i64>() + cut(&c, output.places());
    output.round(rules, sum, grid.unit())
}
