//! The words that change C.

use super::super::geometry::simd_lane_id;
use super::super::lane::of_lane;
use super::super::local::Local;
use super::super::math::fma;
use super::super::matrix::{Fragment, mma};
use super::super::val::Val;
use super::super::warp::simd_shuffle;
use super::memory::{on_strip, read};
use super::refuse;
use super::spread::{COLUMNS, FORM, ROWS};
use super::state::{Factor, Held, Scope, Setup, Sums, Update, View, used};
use crate::ir::Literal;
use crate::ir::op::Numerics;
use crate::numerics::tensor::{Layout, Operand};

/// Makes C zeros.
pub fn coop_tile_zero(name: &str) {
    let Some((_, _, sums)) = used(name) else { return };
    let zero = Val::constant(Literal::f32(0.0));
    sums.strips.iter().flatten().for_each(|local| local.write(zero));
}

/// C = A · B, or C += A · B for a tile that accumulates.
pub fn coop_tile_run(name: &str) {
    let Some((_, setup, sums)) = used(name) else { return };
    if sums.numerics == Numerics::TensorCore && setup.act != crate::ir::DType::F16 {
        refuse(
            format!("`{name}` multiplies `{}` by the matrix unit", setup.act),
            "factors in f32 have `Numerics::Ieee` only (tf32 is asked for by name, with `mma`)",
        );
        return;
    }
    let (Some(a), Some(b)) = (&setup.a, &setup.b) else {
        let missing = if setup.a.is_none() { "A" } else { "B" };
        refuse(
            format!("{missing} of `{name}` is not loaded before `coop_tile_run`"),
            "load both factors: `coop_tile_load_a`, `coop_tile_load_b`",
        );
        return;
    };
    let whole = taken(&setup, &sums, Factor::A, a, 0);
    let strip = |strip: usize| (taken(&setup, &sums, Factor::B, b, strip), sums.strips[strip].as_slice());
    match setup.scope {
        Scope::Simdgroup => {
            let strips: Vec<_> = (0..setup.size.strips()).map(strip).collect();
            multiply(&setup, sums.numerics, &whole, &strips);
        }
        Scope::Threadgroup => {
            for index in 0..setup.size.strips() {
                on_strip(setup.scope, index, || multiply(&setup, sums.numerics, &whole, &[strip(index)]));
            }
        }
    }
}

/// A factor as a product takes it.
fn taken(setup: &Setup, sums: &Sums, factor: Factor, held: &Held, strip: usize) -> Vec<Val> {
    match held {
        Held::Registers(locals) => locals[strip].iter().map(|local| local.read()).collect(),
        Held::Memory(view, offset) => {
            let view = View { offset: Some(offset.read()), ..*view };
            read(setup, sums.numerics, factor, &view, strip)
        }
    }
}

type Strip<'s> = (Vec<Val>, &'s [Local]);

fn multiply(setup: &Setup, numerics: Numerics, a: &[Val], strips: &[Strip<'_>]) {
    match numerics {
        Numerics::Ieee => multiply_ieee(setup, a, strips),
        Numerics::TensorCore => multiply_native(setup, a, strips),
    }
}

/// What a sum starts from.
fn start(setup: &Setup, local: Local) -> Val {
    match setup.update {
        Update::Overwrite => Val::constant(Literal::f32(0.0)),
        Update::Accumulate => local.read(),
    }
}

/// Each sum over ascending k. At depth k a lane asks the lanes of its row for A, and those of its column for B.
fn multiply_ieee(setup: &Setup, a: &[Val], strips: &[Strip<'_>]) {
    let lane = simd_lane_id();
    let left: [Val; COLUMNS] = std::array::from_fn(|k| of_lane(lane, |lane| lane / COLUMNS * COLUMNS + k));
    let right: [Val; ROWS] = std::array::from_fn(|k| of_lane(lane, |lane| lane % COLUMNS + k * COLUMNS));
    let rows = setup.size.m / ROWS;
    let mut sums: Vec<Vec<Val>> =
        strips.iter().map(|(_, locals)| locals.iter().map(|&local| start(setup, local)).collect()).collect();
    for k in 0..setup.size.k {
        let per_row = setup.size.k / COLUMNS;
        let factors: Vec<Val> =
            (0..rows).map(|row| simd_shuffle(a[row * per_row + k / COLUMNS], left[k % COLUMNS])).collect();
        for ((b, _), sums) in strips.iter().zip(&mut sums) {
            let factor = simd_shuffle(b[k / ROWS], right[k % ROWS]);
            for (sum, &row) in sums.iter_mut().zip(&factors) {
                *sum = fma(row, factor, *sum);
            }
        }
    }
    for ((_, locals), sums) in strips.iter().zip(sums) {
        locals.iter().zip(sums).for_each(|(local, sum)| local.write(sum));
    }
}

/// Fragments over ascending k.
fn multiply_native(setup: &Setup, a: &[Val], strips: &[Strip<'_>]) {
    let steps = setup.size.k / Layout::of(&FORM, Operand::A).columns();
    let high = setup.size.m.div_ceil(Layout::of(&FORM, Operand::A).rows());
    let per_a = a.len() / (high * steps);
    for (b, locals) in strips {
        let (per_b, per_c) = (b.len() / steps, locals.len() / high);
        for row in 0..high {
            let locals = &locals[row * per_c..][..per_c];
            let sums: Vec<Val> = locals.iter().map(|&local| start(setup, local)).collect();
            let mut sum = padded(Operand::C, &sums);
            for step in 0..steps {
                let left = padded(Operand::A, &a[(row * steps + step) * per_a..][..per_a]);
                let right = padded(Operand::B, &b[step * per_b..][..per_b]);
                sum = mma(&left, &right, &sum);
            }
            let held = held_registers(Operand::C, per_c);
            locals.iter().zip(held).for_each(|(local, register)| local.write(sum.registers()[register]));
        }
    }
}

/// A fragment of the registers that a tile holds; zeros where a tile of 8 rows has none.
fn padded(operand: Operand, values: &[Val]) -> Fragment {
    let zero = match operand {
        Operand::A | Operand::B => Literal::u32(0),
        Operand::C => Literal::f32(0.0),
    };
    let mut registers = vec![Val::constant(zero); Layout::of(&FORM, operand).registers()];
    for (register, &value) in held_registers(operand, values.len()).into_iter().zip(values) {
        registers[register] = value;
    }
    Fragment::of(FORM, operand, registers)
}

/// The registers of a fragment of which a tile holds `count`: all, or those of its upper 8 rows.
fn held_registers(operand: Operand, count: usize) -> Vec<usize> {
    let layout = Layout::of(&FORM, operand);
    let is_whole = count == layout.registers();
    let first_row = |register: usize| layout.position(0, register * layout.per_register()).0;
    (0..layout.registers()).filter(|&register| is_whole || first_row(register) < 8).collect()
}
