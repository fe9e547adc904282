//! The cases of the kernels of whole CTAs, at CTA sizes around those of warps.

use warpsmith::case::prelude::*;
use warpsmith::dsl::BuildErrors;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::super::folds::{Fold, Number, accumulator, buffer, ctas, folded, numbers, prefixes, telling};
use super::kernel;

fn on_ctas(kernel: Result<Kernel, BuildErrors>, x: TestBuffer, cta: usize, want: TestBuffer) -> TestSetup {
    let shape: Vec<_> = x.shape().iter().map(|&axis| axis as usize).collect();
    let count = x.len() / cta as u64;
    TestSetup::new(kernel)
        .input(x)
        .output("out", &shape, want.dtype())
        .grid_3d(count, 1u32, 1u32, [cta as u32, 1, 1])
        .expect_bits(want)
}

macro_rules! reductions {
    ($($kernel:ident $case:ident $fold:ident [$($dtype:ident),*] $ctas:tt $counts:tt;)*) => {$(
        #[test_kernel(
            dtypes = [$($dtype),*],
            variants(NAME = ["scalar", "aligned", "tail", "many_row", "wide"], CTA = $ctas, COUNT = $counts,
                suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let (x, to) = (telling(Fold::$fold, "x", CTA * COUNT, dt), accumulator(dt));
            let want = buffer("out", &folded(&x, &ctas(CTA * COUNT, CTA), Fold::$fold, to), to);
            let x = if COUNT >= 32 { x.shaped([COUNT, CTA]) } else { x };
            on_ctas(kernel::$kernel::kernel_ir_for(dt, to), x, CTA, want)
        }
    )*};
}

reductions! {
    cta_sum cta_sum_on Sum [f32, f64, f16, bf16, i8, u16, i32, u64] [1, 96, 45, 33, 1023] [1, 3, 2, 32, 5];
    cta_product cta_product_on Product [f32, f64, bf16, u8, i32, u64] [1, 256, 159, 31, 1024] [1, 2, 2, 33, 4];
    cta_max cta_max_on Max [f32, f64, f16, bf16, i8, u16, i32, u64] [1, 32, 180, 48, 1000] [1, 2, 3, 32, 5];
    cta_min cta_min_on Min [f32, f64, f16, bf16, i8, u16, i32, u64] [1, 1024, 31, 45, 1023] [1, 1, 3, 32, 5];
    cta_and cta_and_on And [i8, u32, u64] [1, 96, 33, 32, 1000] [1, 2, 3, 34, 5];
    cta_or cta_or_on Or [u8, i32, i64] [1, 48, 45, 33, 1024] [1, 2, 3, 33, 4];
    cta_xor cta_xor_on Xor [i16, u32, i64] [1, 256, 159, 31, 1023] [1, 2, 2, 35, 5];
}

macro_rules! scans {
    ($($kernel:ident $case:ident $fold:ident $exclusive:literal [$($dtype:ident),*] $ctas:tt $counts:tt;)*) => {$(
        #[test_kernel(
            dtypes = [$($dtype),*],
            variants(NAME = ["aligned", "tail", "many_row", "wide"], CTA = $ctas, COUNT = $counts,
                suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let (x, to) = (telling(Fold::$fold, "x", CTA * COUNT, dt), accumulator(dt));
            let want = buffer("out", &prefixes(&x, &ctas(CTA * COUNT, CTA), Fold::$fold, $exclusive, to), to);
            let x = if COUNT >= 32 { x.shaped([COUNT, CTA]) } else { x };
            on_ctas(kernel::$kernel::kernel_ir_for(dt, to), x, CTA, want)
        }
    )*};
}

scans! {
    cta_cumsum cta_cumsum_on Sum false [f32, f16, f64, i8, i32, u64] [96, 45, 33, 1023] [3, 2, 32, 5];
    cta_cumprod cta_cumprod_on Product false [f32, u16, i32, u64] [32, 31, 33, 1000] [2, 3, 32, 5];
    cta_cummax cta_cummax_on Max false [f32, i8, u32, i64] [32, 180, 48, 1000] [2, 3, 32, 5];
    cta_cummin cta_cummin_on Min false [f64, u8, i32, u64] [1024, 31, 45, 1023] [1, 3, 32, 5];
    cta_sum_before cta_sum_before_on Sum true [f32, bf16, i16, i32, u64] [256, 159, 31, 1024] [2, 2, 33, 4];
    cta_product_before cta_product_before_on Product true [f64, i8, u32, i64] [64, 33, 45, 1023] [2, 3, 32, 5];
    cta_max_before cta_max_before_on Max true [f32, f16, i8, i32, u64] [96, 33, 32, 1000] [2, 3, 34, 5];
    cta_min_before cta_min_before_on Min true [f32, i16, u32, i64] [48, 45, 33, 1024] [2, 3, 33, 4];
}

/// Magnitudes far apart: the order, which the oracle gives, decides the last bits.
#[test_kernel(
    dtypes = [f32, f16, bf16, f64], tol = [f32: rel(2e-6), f16: rel(2e-6), bf16: rel(2e-6), f64: rel(1e-13)],
    variants(NAME = ["aligned", "tail"], CTA = [256, 1000], suffix = "_{NAME}")
)]
fn cta_cumsum_rounded(dt: DType) -> TestSetup {
    let to = accumulator(dt);
    let mixed = [3e4, 1e-3, 7.3, 0.11, 2.5e3, 3e-5, 123.4, 0.6, 9.9e3, 1.7, 4e-2];
    let x = inputs("x", [2 * CTA], dt, FromSlice(&mixed));
    let want = prefixes(&x, &ctas(2 * CTA, CTA), Fold::Sum, false, to);
    TestSetup::new(kernel::cta_cumsum::kernel_ir_for(dt, to))
        .input(x)
        .output("out", [2 * CTA], to)
        .grid_3d(2u32, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_buffer(buffer("out", &want, to))
}

#[test_kernel(dtypes = [f32, i32])]
fn cta_cumsum_empty(dt: DType) -> TestSetup {
    TestSetup::new(kernel::cta_cumsum::kernel_ir_for(dt, dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .grid_3d(0u32, 1u32, 1u32, [64, 1, 1])
        .guard()
}

/// CTAs on three axes, whose warps go over rows; the last CTA is not full.
#[test_kernel(
    dtypes = [f32, f16, i8, i32, u64],
    variants(NAME = ["row", "aligned", "tail"], CX = [45, 8, 7], CY = [2, 8, 5], CZ = [1, 4, 3], N = [300, 1024, 500],
        suffix = "_{NAME}")
)]
fn cta_sum_3d_on(dt: DType) -> TestSetup {
    let (x, to, threads) = (telling(Fold::Sum, "x", N, dt), accumulator(dt), CX * CY * CZ);
    let groups = ctas(N, threads);
    let sums = buffer("out", &folded(&x, &groups, Fold::Sum, to), to);
    let before = buffer("before", &prefixes(&x, &groups, Fold::Sum, true, to), to);
    TestSetup::new(kernel::cta_sum_3d::kernel_ir_for(dt, to))
        .input(x)
        .output("out", [N], to)
        .output("before", [N], to)
        .scalar("n", N as u32)
        .grid_3d(2u32, N.div_ceil(2 * threads), 1u32, [CX as u32, CY as u32, CZ as u32])
        .expect_bits(sums)
        .expect_bits(before)
}

/// What is before each CTA's elements.
fn bases(x: &TestBuffer, cta: usize, to: DType) -> Vec<Number> {
    let sums: Vec<_> = numbers(x).chunks(cta).map(|chunk| Fold::Sum.all(chunk.iter().copied(), to)).collect();
    Fold::Sum.exclusive(&sums, to)
}

#[test_kernel(
    dtypes = [f32, bf16, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 95, 960, 1002, 5001],
        CTA = [32, 96, 48, 159, 1000], suffix = "_{NAME}")
)]
fn vector_scan_sums_on(dt: DType) -> TestSetup {
    let (x, to) = (telling(Fold::Sum, "x", N, dt), accumulator(dt));
    let sums: Vec<_> =
        numbers(&x).chunks(CTA).map(|chunk| Fold::Sum.all(chunk.iter().copied(), to)).collect();
    TestSetup::new(kernel::vector_scan_sums::kernel_ir_for(dt, to))
        .input(x)
        .output("out", [sums.len()], to)
        .scalar("n", N as u32)
        .grid_3d(sums.len(), 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(buffer("out", &sums, to))
}

#[test_kernel(
    dtypes = [f32, f64, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 960, 1002, 5001],
        CTA = [32, 48, 96, 180, 1024], suffix = "_{NAME}")
)]
fn vector_scan_bases_on(dt: DType) -> TestSetup {
    let x = telling(Fold::Sum, "x", N, dt);
    let want = buffer("out", &Fold::Sum.exclusive(&numbers(&x), dt), dt);
    TestSetup::new(kernel::vector_scan_bases::kernel_ir_for(dt))
        .input(x)
        .output("out", [N], dt)
        .scalar("n", N as u32)
        .grid_3d(1u32, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, bf16, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 95, 960, 1002, 5001],
        CTA = [1, 96, 48, 159, 1000], suffix = "_{NAME}")
)]
fn vector_scan_add_on(dt: DType) -> TestSetup {
    let (x, to) = (telling(Fold::Sum, "x", N, dt), accumulator(dt));
    let base = buffer("base", &bases(&x, CTA, to), to);
    let want = buffer("out", &Fold::Sum.inclusive(&numbers(&x)), to);
    TestSetup::new(kernel::vector_scan_add::kernel_ir_for(dt, to))
        .input(x)
        .input(base)
        .output("out", [N], to)
        .scalar("n", N as u32)
        .grid_3d(N.div_ceil(CTA), 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}
