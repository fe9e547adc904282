//! The cases whose results are exact: integers, small integers as floats, greatest values. All are judged by bits.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{dot, row_max, row_sum, row_sum_x4, row_sum_x8};
use super::reference;

/// What sums of `dt` are accumulated in.
pub(super) fn accumulator(dt: DType) -> DType {
    if dt.is_float() { DType::F32 } else { dt }
}

fn row_sum_wrapped(rows: usize, n: usize, cta: usize, dt: DType) -> TestSetup {
    let x = inputs("x", [rows, n], dt, Ints(i64::MIN, i64::MAX));
    let want = reference::row_sums_wrapped(&x, n, dt);
    TestSetup::new(row_sum::kernel_ir_for(dt, dt))
        .input(x)
        .output("out", [rows], dt)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [i32, u32, i64],
    variants(NAME = ["odd", "aligned", "tail", "many_row", "wide"], ROWS = [3, 2, 5, 40, 2],
        N = [95, 640, 1002, 37, 5000], CTA = [96, 48, 1000, 32, 1024], suffix = "_{NAME}")
)]
fn row_sum_of_integers(dt: DType) -> TestSetup {
    row_sum_wrapped(ROWS, N, CTA, dt)
}

/// Both signs, cancelling: every partial sum is an integer below 2²⁴, so no order of additions rounds.
#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["scalar", "odd", "aligned", "many_row"], ROWS = [1, 3, 4, 35], N = [1, 33, 512, 70],
        CTA = [32, 48, 96, 7], suffix = "_{NAME}")
)]
fn row_sum_exact(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Ints(-9, 12));
    let want = reference::row_sums(&x, N);
    TestSetup::new(row_sum::kernel_ir_for(dt, DType::F32))
        .input(x)
        .output("out", [ROWS], DType::F32)
        .scalar("n", N as u32)
        .grid_3d(ROWS, 1u32, 1u32, [CTA as u32, 1, 1])
        .tol(Tolerance::EXACT)
        .expect("out", want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, i32],
    variants(NAME = ["aligned", "tail", "many_row", "wide"], ROWS = [3, 2, 33, 2], N = [512, 1000, 40, 8192],
        CTA = [32, 48, 96, 256], suffix = "_{NAME}")
)]
fn row_sum_vec_exact(dt: DType) -> TestSetup {
    let (x, to) = (inputs("x", [ROWS, N], dt, Ints(-9, 12)), accumulator(dt));
    let want = reference::row_sums(&x, N);
    let kernel =
        if dt.size() == 4 { row_sum_x4::kernel_ir_for(dt, to) } else { row_sum_x8::kernel_ir_for(dt, to) };
    TestSetup::new(kernel)
        .input(x)
        .output("out", [ROWS], to)
        .scalar("n", N as u32)
        .grid_3d(ROWS, 1u32, 1u32, [CTA as u32, 1, 1])
        .tol(Tolerance::EXACT)
        .expect_bits(TestBuffer::from_f64("out", &want, to))
}

/// No rows, so nothing may be written.
#[test_kernel(dtypes = [f32, f16, bf16, i32])]
fn row_sum_empty(dt: DType) -> TestSetup {
    let to = accumulator(dt);
    TestSetup::new(row_sum::kernel_ir_for(dt, to))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, to)
        .scalar("n", 16u32)
        .grid_3d(0u32, 1u32, 1u32, [64, 1, 1])
        .guard()
}

/// Rows without elements have the sum 0.
#[test_kernel(dtypes = [f32, i32])]
fn row_sum_of_nothing(dt: DType) -> TestSetup {
    TestSetup::new(row_sum::kernel_ir_for(dt, dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 3, dt)
        .scalar("n", 0u32)
        .grid_3d(3u32, 1u32, 1u32, [64, 1, 1])
        .expect_bits(TestBuffer::zeros("out", 3, dt))
}

fn row_max_of(rows: usize, n: usize, cta: usize, x: TestBuffer) -> TestSetup {
    let (dt, want) = (x.dtype(), reference::row_maxima(&x, n));
    TestSetup::new(row_max::kernel_ir_for(dt))
        .input(x)
        .output("out", [rows], dt)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect_bits(want)
}

/// All below zero, so that a zero from nowhere would win. (Unsigned: ordinary numbers.)
#[test_kernel(
    dtypes = [f32, f16, bf16, i32, u32, i8],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 4, 50, 2],
        N = [1, 91, 256, 1003, 33, 4500], CTA = [32, 96, 256, 1000, 48, 1024], suffix = "_{NAME}")
)]
fn row_max_on(dt: DType) -> TestSetup {
    let low = if dt == DType::I8 { -120.0 } else { -3000.0 };
    let contents = if dt == DType::U32 { Ints(0, i64::MAX) } else { Range(low, -4.0) };
    row_max_of(ROWS, N, CTA, inputs("x", [ROWS, N], dt, contents))
}

/// With infinities and NaN, which loses; more rows than hard values repeat.
#[test_kernel(dtypes = [f32, f16, bf16, i64])]
fn row_max_hard(dt: DType) -> TestSetup {
    row_max_of(60, 5, 32, inputs("x", [60, 5], dt, Hard))
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn row_max_empty(dt: DType) -> TestSetup {
    TestSetup::new(row_max::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 2, dt)
        .scalar("n", 8u32)
        .grid_3d(0u32, 1u32, 1u32, [32, 1, 1])
        .guard()
}

#[test_kernel(
    dtypes = [i32, u32, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail"], N = [1, 47, 960, 1002], CTA = [32, 48, 96, 1000],
        suffix = "_{NAME}")
)]
fn dot_of_integers(dt: DType) -> TestSetup {
    let contents = Ints(-(1 << 62), 1 << 62);
    let (a, b) = (inputs("a", [N], dt, contents), inputs("b", [N], dt, contents));
    let want = reference::dot_wrapped(&a, &b, dt);
    TestSetup::new(dot::kernel_ir_for(dt, dt))
        .input(a)
        .input(b)
        .output("out", 1, dt)
        .scalar("n", N as u32)
        .grid_3d(1u32, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}
