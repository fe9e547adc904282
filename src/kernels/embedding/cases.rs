//! The cases of the family. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{sinusoidal_embedding, timestep_embedding, token_embedding, token_embedding_scaled};
use super::reference::{self, Timestep};

/// log₂ 10000.
const LOG2_10000: f32 = 13.287_712;

/// Rows of a table in no order, some twice, and where asked some that it hasn't.
fn ids(rows: usize, vocabulary: usize, has_strangers: bool) -> Vec<i32> {
    let stranger = [-1, vocabulary as i32, i32::MIN, i32::MAX];
    let id = |row: usize| {
        if has_strangers && row % 3 == 1 { stranger[row / 3 % 4] } else { (row * 7919 % vocabulary) as i32 }
    };
    (0..rows).map(id).collect()
}

fn token_of(rows: usize, dim: usize, cta: usize, table: TestBuffer, has_strangers: bool) -> TestSetup {
    let (dt, vocabulary) = (table.dtype(), table.len() as usize / dim);
    let ids = ids(rows, vocabulary, has_strangers);
    let want = reference::token(&table, &ids, dim);
    TestSetup::new(token_embedding::kernel_ir_for(dt))
        .input(table)
        .input(TestBuffer::from_slice("ids", &ids))
        .output("out", [rows, dim], dt)
        .scalar("vocabulary", vocabulary as u32)
        .scalar("dim", dim as u32)
        .threads_3d(dim, rows, 1u32, [cta as u32, 1, 1])
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 4, 3, 5, 40, 2],
        VOCABULARY = [1, 9, 11, 7, 35, 3], DIM = [1, 45, 128, 205, 24, 4100], CTA = [32, 64, 64, 96, 32, 256],
        suffix = "_{NAME}")
)]
fn token_embedding_on(dt: DType) -> TestSetup {
    token_of(ROWS, DIM, CTA, inputs("table", [VOCABULARY, DIM], dt, Range(-2.0, 2.0)), false)
}

/// Negative ids and ids past the end give zeros, and nothing is read for them; the table has NaN and both zeros.
#[test_kernel(dtypes = [f32, f16, bf16])]
fn token_embedding_out_of_range(dt: DType) -> TestSetup {
    token_of(13, 33, 64, inputs("table", [6, 33], dt, Hard), true)
}

/// As large as the result of a multiplication may be: √3584 rounds in f32, its product to T.
#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["odd", "aligned", "tail", "many_row"], ROWS = [4, 3, 5, 40], VOCABULARY = [9, 11, 7, 35],
        DIM = [45, 128, 205, 24], CTA = [64, 64, 96, 32], suffix = "_{NAME}")
)]
fn token_embedding_scaled_on(dt: DType) -> TestSetup {
    let (table, scale) = (inputs("table", [VOCABULARY, DIM], dt, Range(-2.0, 2.0)), 59.866_52f32);
    let ids = ids(ROWS, VOCABULARY, true);
    let want = reference::token_scaled(&table, &ids, DIM, scale);
    TestSetup::new(token_embedding_scaled::kernel_ir_for(dt))
        .input(table)
        .input(TestBuffer::from_slice("ids", &ids))
        .output("out", [ROWS, DIM], dt)
        .scalar("vocabulary", VOCABULARY as u32)
        .scalar("dim", DIM as u32)
        .scalar("scale", scale)
        .threads_3d(DIM, ROWS, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}

#[test_kernel(dtypes = [f32, bf16])]
fn token_embedding_empty(dt: DType) -> TestSetup {
    TestSetup::new(token_embedding::kernel_ir_for(dt))
        .input(inputs("table", [8], dt, Range(-2.0, 2.0)))
        .input(TestBuffer::from_slice("ids", &[0i32]))
        .output("out", 4, dt)
        .scalar("vocabulary", 2u32)
        .scalar("dim", 4u32)
        .threads_3d(4u32, 0u32, 1u32, [32, 1, 1])
        .guard()
}

fn sinusoidal_of(positions: &[i32], dim: usize, cta: usize, log2_base: f32, dt: DType) -> TestSetup {
    TestSetup::new(sinusoidal_embedding::kernel_ir_for(dt))
        .input(TestBuffer::from_slice("positions", positions))
        .output("out", [positions.len(), dim], dt)
        .scalar("dim", dim as u32)
        .scalar("log2_base", log2_base)
        .threads_3d(dim, positions.len(), 1u32, [cta as u32, 1, 1])
        .expect("out", reference::sinusoidal(positions, dim, log2_base))
}

/// Base 2¹⁶ over 32 columns (or 2²⁰⁵⁰ over 4100): the frequencies are powers of two and the angles exact, up to
/// 2²⁴: beyond 2¹⁷ the sine reduces its argument the long way.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: ulp(2), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["aligned", "many_row", "wide"], ROWS = [9, 37, 1], DIM = [32, 32, 4100], CTA = [32, 64, 256],
        LOG2_BASE = [16.0, 16.0, 2050.0], suffix = "_{NAME}")
)]
fn sinusoidal_embedding_far(dt: DType) -> TestSetup {
    let positions: Vec<i32> = (0..ROWS).map(|row| ((row + 1) * 9_990_001 % 16_777_213) as i32).collect();
    sinusoidal_of(&positions, DIM, CTA, LOG2_BASE as f32, dt)
}

/// Base 10000 and positions below 13.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: abs(3e-6), f16: abs(5e-4), bf16: abs(4e-3)],
    variants(NAME = ["aligned", "tail", "odd"], ROWS = [5, 7, 3], DIM = [64, 100, 51], CTA = [32, 96, 64], suffix = "_{NAME}")
)]
fn sinusoidal_embedding_on(dt: DType) -> TestSetup {
    let positions: Vec<i32> = (0..ROWS).map(|row| (row * 5 % 13) as i32).collect();
    sinusoidal_of(&positions, DIM, CTA, LOG2_10000, dt)
}

fn timestep_of(t: &[f32], dim: usize, cta: usize, how: Timestep, dt: DType) -> TestSetup {
    let reals: Vec<f64> = t.iter().map(|&t| f64::from(t)).collect();
    TestSetup::new(timestep_embedding::kernel_ir_for(dt))
        .input(TestBuffer::from_slice("t", t))
        .output("out", [t.len(), dim], dt)
        .scalar("dim", dim as u32)
        .scalar("log2_period", how.log2_period)
        .scalar("shift", how.shift)
        .scalar("scale", how.scale)
        .scalar("cos_first", u32::from(how.cos_first))
        .threads_3d(dim, t.len(), 1u32, [cta as u32, 1, 1])
        .expect("out", how.embed(&reals, dim))
}

/// Period 2¹⁶ over sixteen steps: exact frequencies, for timesteps up to 999 and fractions of one. `aligned` divides by
/// half, the others by half − 1; `odd` pads a column; `tail` has the scale of 1000 that flow models use on t below 1.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: ulp(2), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["aligned", "odd", "tail", "many_row"], ROWS = [5, 4, 6, 33], DIM = [32, 35, 34, 34],
        CTA = [32, 64, 64, 32], SHIFT = [0.0, 1.0, 1.0, 1.0], SCALE = [1.0, 1.0, 1000.0, 1.0],
        COS_FIRST = [true, false, true, false], suffix = "_{NAME}")
)]
fn timestep_embedding_exact(dt: DType) -> TestSetup {
    let step = |row: usize| if SCALE > 1.0 { row as f32 / 8.0 } else { (row * 371 % 1000) as f32 + 0.25 };
    let t: Vec<f32> = (0..ROWS).map(step).collect();
    let how = Timestep { log2_period: 16.0, shift: SHIFT as f32, scale: SCALE as f32, cos_first: COS_FIRST };
    timestep_of(&t, DIM, CTA, how, dt)
}

/// Period 10000 and timesteps up to 12.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: abs(3e-6), f16: abs(5e-4), bf16: abs(4e-3)],
    variants(NAME = ["aligned", "tail"], ROWS = [5, 7], DIM = [64, 100], CTA = [32, 96], SHIFT = [0.0, 1.0],
        COS_FIRST = [true, false], suffix = "_{NAME}")
)]
fn timestep_embedding_on(dt: DType) -> TestSetup {
    let t: Vec<f32> = (0..ROWS).map(|row| row as f32 * 1.75).collect();
    let how = Timestep { log2_period: LOG2_10000, shift: SHIFT as f32, scale: 1.0, cos_first: COS_FIRST };
    timestep_of(&t, DIM, CTA, how, dt)
}
