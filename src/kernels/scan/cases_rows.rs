//! The cases of the kernels of rows: rows shorter than a CTA, of several chunks, and many of them.

use warpsmith::case::prelude::*;
use warpsmith::dsl::BuildErrors;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::super::folds::{Fold, accumulator, buffer, ctas, prefixes, telling};
use super::{reference, rows};

fn on_rows(kernel: Result<Kernel, BuildErrors>, x: TestBuffer, cta: usize) -> TestSetup {
    let (count, n) = (x.shape()[0], x.shape()[1]);
    TestSetup::new(kernel).input(x).scalar("n", n as u32).grid_3d(count, 1u32, 1u32, [cta as u32, 1, 1])
}

macro_rules! prefix_cases {
    ($($kernel:ident $case:ident $fold:ident $exclusive:literal [$($dtype:ident),*] $ctas:tt;)*) => {$(
        #[test_kernel(
            dtypes = [$($dtype),*],
            variants(NAME = ["scalar", "pair", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 3, 2, 33, 1],
                N = [1, 2, 31, 256, 1000, 37, 4097], CTA = $ctas, suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let (x, to) = (telling(Fold::$fold, "x", ROWS * N, dt), accumulator(dt));
            let want = prefixes(&x, &ctas(ROWS * N, N), Fold::$fold, $exclusive, to);
            on_rows(rows::$kernel::kernel_ir_for(dt, to), x.shaped([ROWS, N]), CTA)
                .output("out", [ROWS, N], to)
                .expect_bits(buffer("out", &want, to))
        }
    )*};
}

prefix_cases! {
    row_cumsum row_cumsum_on Sum false [f32, f16, bf16, f64, i8, i32, u64] [1, 32, 33, 96, 159, 32, 1024];
    row_cumprod row_cumprod_on Product false [i32, u64] [32, 1, 64, 45, 180, 48, 1000];
    row_sum_before row_sum_before_on Sum true [f32, bf16, i32, u64] [1, 31, 48, 33, 256, 32, 1023];
}

macro_rules! extreme_cases {
    ($($kernel:ident $case:ident $fold:ident $ctas:tt;)*) => {$(
        #[test_kernel(
            dtypes = [f32, f16, bf16, f64, i32, u64],
            variants(NAME = ["scalar", "pair", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 3, 2, 33, 1],
                N = [1, 2, 31, 256, 1000, 37, 4097], CTA = $ctas, suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let (x, to) = (telling(Fold::$fold, "x", ROWS * N, dt), accumulator(dt));
            let mut want = prefixes(&x, &ctas(ROWS * N, N), Fold::$fold, false, to);
            // NaN loses to what stands in front of the row.
            want.iter_mut().for_each(|value| *value = Fold::$fold.of(Fold::$fold.identity(to), *value));
            on_rows(rows::$kernel::kernel_ir_for(dt, to), x.shaped([ROWS, N]), CTA)
                .output("out", [ROWS, N], to)
                .expect_bits(buffer("out", &want, to))
        }
    )*};
}

extreme_cases! {
    row_cummax row_cummax_on Max [1, 32, 33, 48, 1000, 31, 1023];
    row_cummin row_cummin_on Min [32, 1, 96, 45, 180, 33, 1024];
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(4e-6), f16: rel(4e-6), bf16: rel(4e-6)],
    variants(NAME = ["aligned", "wide"], ROWS = [3, 1], N = [640, 4500], CTA = [96, 1000], suffix = "_{NAME}")
)]
fn row_cumsum_rounded(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Range(0.001, 40.0));
    let want = prefixes(&x, &ctas(ROWS * N, N), Fold::Sum, false, DType::F32);
    on_rows(rows::row_cumsum::kernel_ir_for(dt, DType::F32), x, CTA)
        .output("out", [ROWS, N], DType::F32)
        .expect_buffer(buffer("out", &want, DType::F32))
}

/// Rows, but nothing in them.
#[test_kernel(dtypes = [f32, i32])]
fn row_cumsum_no_update(dt: DType) -> TestSetup {
    TestSetup::new(rows::row_cumsum::kernel_ir_for(dt, dt))
        .input(inputs("x", [8], dt, Fill(1.0)))
        .output("out", [8], dt)
        .scalar("n", 0u32)
        .grid_3d(3u32, 1u32, 1u32, [48, 1, 1])
        .guard()
}

fn places_of(x: TestBuffer, cta: usize) -> TestSetup {
    let (count, n) = (x.shape()[0] as usize, x.shape()[1] as usize);
    let greatest = reference::places("greatest", &x, n, Fold::Max);
    let least = reference::places("least", &x, n, Fold::Min);
    on_rows(rows::row_places::kernel_ir_for(x.dtype()), x, cta)
        .output("greatest", [count], DType::U32)
        .output("least", [count], DType::U32)
        .expect_bits(greatest)
        .expect_bits(least)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, f64, i8, u16, i32, u64],
    variants(NAME = ["scalar", "pair", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 3, 2, 33, 1],
        N = [1, 2, 31, 256, 1000, 37, 4097], CTA = [1, 32, 33, 96, 180, 45, 1023], suffix = "_{NAME}")
)]
fn row_places_on(dt: DType) -> TestSetup {
    places_of(inputs("x", [ROWS, N], dt, Hard), CTA)
}

/// Rows of nothing but NaN, of equal values, of zeros of both signs, of infinities and NaN.
#[test_kernel(
    dtypes = [f32, f16, bf16, f64],
    variants(NAME = ["long", "short"], N = [133, 20], CTA = [45, 64], suffix = "_{NAME}")
)]
fn row_places_special(dt: DType) -> TestSetup {
    let value = |i: usize| match (i / N, i % N) {
        (0, _) => f64::NAN,
        (1, _) => 2.5,
        (2, i) if i % 3 == 0 => -0.0,
        (2, _) => 0.0,
        (3, i) if i == 11 => f64::NEG_INFINITY,
        (3, _) => f64::NAN,
        (4, i) if i > 5 => f64::INFINITY,
        (4, _) => f64::NAN,
        (5, _) => f64::NEG_INFINITY,
        (_, i) => [f64::INFINITY, f64::NEG_INFINITY][i % 2],
    };
    let values: Vec<_> = (0..7 * N).map(value).collect();
    places_of(TestBuffer::from_f64("x", &values, dt).shaped([7, N]), CTA)
}

#[test_kernel(
    dtypes = [f32, f16, u8, i32, f64],
    variants(NAME = ["scalar", "pair", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 3, 2, 33, 1],
        N = [1, 2, 31, 256, 1000, 37, 4097], CTA = [32, 1, 96, 48, 159, 33, 1000], suffix = "_{NAME}")
)]
fn row_compact_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Hard);
    // Some rows keep all, some nothing, most a part; the only element is kept.
    let flag = |i: usize| match (i / N % 4, N) {
        (_, 1) | (2, _) => 1.0,
        (3, _) => 0.0,
        _ => [1.0, 0.0, 3.0, 0.0, 0.0, 255.0, 1.0][i % 7],
    };
    let keep = TestBuffer::from_f64("keep", &(0..ROWS * N).map(flag).collect::<Vec<_>>(), DType::U8);
    let kept = reference::kept(&x, &keep, N);
    let counts: Vec<_> = kept.iter().map(|row| row.len() as f64 / f64::from(dt.size())).collect();
    let setup = on_rows(rows::row_compact::kernel_ir_for(dt), x, CTA)
        .input(keep)
        .output("out", [ROWS, N], dt)
        .output("count", [ROWS], DType::U32)
        .expect_bits(TestBuffer::from_f64("count", &counts, DType::U32));
    kept.into_iter().enumerate().filter(|(_, row)| !row.is_empty()).fold(setup, |setup, (number, row)| {
        setup
            .expect_at("out", (number * N) as u64, TestBuffer::from_vec("out", row, dt))
            .tol(Tolerance::EXACT)
    })
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 2, 3, 2, 33, 1],
        N = [1, 31, 256, 1000, 37, 4097], CTA = [32, 33, 96, 159, 32, 1024], suffix = "_{NAME}")
)]
fn row_scaled_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Range(-3.0, 3.0));
    let weight = inputs("weight", [N], dt, Range(0.5, 2.0));
    let want = reference::scaled(&x, &weight, 1.7, N);
    on_rows(rows::row_scaled::kernel_ir_for(dt), x, CTA)
        .input(weight)
        .scalar("scale", 1.7f32)
        .output("out", [ROWS, N], dt)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = rel(4e-6),
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 2, 3, 2, 33, 1],
        N = [1, 31, 256, 1000, 37, 4097], CTA = [32, 33, 96, 159, 32, 1000], suffix = "_{NAME}")
)]
fn row_exp_sum_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Range(-6.0, 6.0));
    let want = reference::exp_sums(&x, 2.25, N);
    on_rows(rows::row_exp_sum::kernel_ir_for(dt), x, CTA)
        .scalar("s", 2.25f32)
        .output("out", [ROWS], DType::F32)
        .expect("out", want)
}
