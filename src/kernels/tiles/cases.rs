//! The cases of cooperative tiles.

use warpsmith::case::prelude::*;
use warpsmith::case::{Generator, IntoKernel};
use warpsmith::dsl::prelude::*;

use super::kernel::*;
use super::reference::{product, staged, transposed};

/// How far a sum of k products may lie from the exact one: see the family.
pub(super) fn sum_tolerance(k: usize) -> f64 {
    k.max(4) as f64 * 2f64.powi(-22)
}

/// What a case multiplies, and with which CTAs: each has a tile of `tile` rows and columns.
pub(super) struct Product<'a> {
    pub(super) size: [usize; 3],
    pub(super) tile: [usize; 2],
    pub(super) threads: u32,
    pub(super) inputs: [Generator<'a>; 2],
    pub(super) dt: DType,
}

impl Product<'_> {
    /// c = a · b with a from memory of m × k and b of k × n.
    fn case(&self, kernel: impl IntoKernel) -> TestSetup {
        let [m, n, k] = self.size;
        let a = inputs("a", [m, k], self.dt, self.inputs[0]);
        let b = inputs("b", [k, n], self.dt, self.inputs[1]);
        let want = product(&staged(&a), &staged(&b), self.size);
        TestSetup::new(kernel)
            .input(a)
            .input(b)
            .output("c", [m, n], DType::F32)
            .scalar("m", m as u32)
            .scalar("n", n as u32)
            .scalar("k", k as u32)
            .grid_2d(n.div_ceil(self.tile[1]), m.div_ceil(self.tile[0]), [self.threads, 1])
            .expect("c", want)
            .tol(sum_tolerance(k))
    }
}

/// Mostly positive, so that sums don't cancel.
pub(super) const POSITIVE: [Generator<'static>; 2] = [Range(-0.25, 1.75), Range(-0.25, 1.75)];

macro_rules! gemm_cases {
    ($($case:ident: $kernel:ident, [$m:literal, $n:literal], $threads:literal, [$($dt:ident),*];)*) => {$(
        /// Tails on every axis, whole tiles, less than a tile, many tiles.
        #[test_kernel(
            dtypes = [$($dt),*],
            variants(NAME = ["tail", "aligned", "odd", "many_row"], ROWS = [20, 24, 9, 40], COLS = [18, 16, 5, 70],
                DEPTH = [50, 64, 31, 50], suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let size = [ROWS, COLS, DEPTH];
            Product { size, tile: [$m, $n], threads: $threads, inputs: POSITIVE, dt }.case($kernel::kernel_ir_for(dt))
        }
    )*};
}

gemm_cases! {
    gemm_16x16x32_ieee: tile_gemm_16x16x32_ieee, [16, 16], 32, [f32, f16, bf16];
    gemm_16x32x16_ieee: tile_gemm_16x32x16_ieee, [16, 32], 32, [f32, f16, bf16];
    gemm_32x32x32_ieee: tile_gemm_32x32x32_ieee, [32, 32], 32, [f32, f16, bf16];
    gemm_8x32x16_ieee: tile_gemm_8x32x16_ieee, [8, 32], 32, [f32, f16, bf16];
    gemm_16x16x32_native: tile_gemm_16x16x32_native, [16, 16], 32, [f16, bf16];
    gemm_16x32x16_native: tile_gemm_16x32x16_native, [16, 32], 32, [f16, bf16];
    gemm_32x32x32_native: tile_gemm_32x32x32_native, [32, 32], 32, [f16, bf16];
    gemm_8x32x16_native: tile_gemm_8x32x16_native, [8, 32], 32, [f16, bf16];
    gemm_transposed_ieee: tile_transposed_ieee, [16, 32], 128, [f32, f16, bf16];
    gemm_transposed_native: tile_transposed_native, [16, 32], 64, [f16, bf16];
    gemm_pair_ieee: tile_pair_ieee, [32, 32], 96, [f32, f16, bf16];
    gemm_pair_native: tile_pair_native, [32, 32], 256, [f16, bf16];
    gemm_shared_ieee: tile_shared_ieee, [16, 32], 32, [f32, f16, bf16];
    gemm_shared_native: tile_shared_native, [16, 32], 128, [f16, bf16];
}

/// Sums of 4,096 products.
fn long(kernel: impl IntoKernel, dt: DType) -> TestSetup {
    Product { size: [7, 32, 4096], tile: [8, 32], threads: 32, inputs: POSITIVE, dt }.case(kernel)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn gemm_long_ieee(dt: DType) -> TestSetup {
    long(tile_gemm_8x32x16_ieee::kernel_ir_for(dt), dt)
}

#[test_kernel(dtypes = [f16, bf16])]
fn gemm_long_native(dt: DType) -> TestSetup {
    long(tile_gemm_8x32x16_native::kernel_ir_for(dt), dt)
}

/// Rows in the last tile, warps without one, whole columns and depths; the result in T.
fn direct(kernel: impl IntoKernel, [m, n, k]: [usize; 3], warps: usize, dt: DType) -> TestSetup {
    let a = inputs("a", [m, k], dt, POSITIVE[0]);
    let b = inputs("b", [n, k], dt, POSITIVE[1]);
    let want = product(&staged(&a), &transposed(&staged(&b), n), [m, n, k]);
    let rounding = match dt {
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        _ => 0.0,
    };
    TestSetup::new(kernel)
        .input(a)
        .input(b)
        .output("c", [m, n], dt)
        .scalar("m", m as u32)
        .scalar("n", n as u32)
        .scalar("k", k as u32)
        .grid_2d(n / 32, m.div_ceil(16 * warps), [32 * warps as u32, 1])
        .expect("c", want)
        .tol(sum_tolerance(k) + rounding)
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["many_row", "aligned", "tail"], ROWS = [70, 31, 19], COLS = [64, 32, 32], DEPTH = [48, 64, 80],
        WARPS = [2, 1, 4], suffix = "_{NAME}")
)]
fn gemm_direct_ieee(dt: DType) -> TestSetup {
    direct(tile_direct_ieee::kernel_ir_for(dt), [ROWS, COLS, DEPTH], WARPS, dt)
}

#[test_kernel(
    dtypes = [f16, bf16],
    variants(NAME = ["many_row", "aligned", "tail"], ROWS = [70, 31, 19], COLS = [64, 32, 32], DEPTH = [48, 64, 80],
        WARPS = [2, 1, 4], suffix = "_{NAME}")
)]
fn gemm_direct_native(dt: DType) -> TestSetup {
    direct(tile_direct_native::kernel_ir_for(dt), [ROWS, COLS, DEPTH], WARPS, dt)
}

/// Sums that cancel and lose nothing: large terms beside small ones, within 24 bits of each other, so that every order gives the
/// same bits.
const CANCELLING: [Generator<'static>; 2] = [
    FromSlice(&[1024.0, 0.5, -1024.0, 0.25, 3.0, -0.125, 0.0, 7.0, 96.0, -96.0, 1.5]),
    FromSlice(&[2.0, -0.5, 2.0, 0.75, -1.0, 2.0, 4.0, 0.125, 1.0]),
];

macro_rules! exact_cases {
    ($($case:ident: $kernel:ident, [$m:literal, $n:literal], $threads:literal, $inputs:expr, [$($dt:ident),*];)*) => {$(
        #[test_kernel(dtypes = [$($dt),*])]
        fn $case(dt: DType) -> TestSetup {
            let product = Product { size: [37, 33, 70], tile: [$m, $n], threads: $threads, inputs: $inputs, dt };
            product.case($kernel::kernel_ir_for(dt)).tol(Tolerance::EXACT)
        }
    )*};
}

/// Sums of integers of which every order gives the same bits.
const INTEGERS: [Generator<'static>; 2] = [Ints(-16, 16), Ints(-16, 16)];

exact_cases! {
    integers_ieee: tile_gemm_32x32x32_ieee, [32, 32], 32, INTEGERS, [f32, f16, bf16];
    integers_native: tile_gemm_32x32x32_native, [32, 32], 32, INTEGERS, [f16, bf16];
    cancelling_ieee: tile_gemm_16x16x32_ieee, [16, 16], 32, CANCELLING, [f32, f16, bf16];
    cancelling_native: tile_gemm_16x16x32_native, [16, 16], 32, CANCELLING, [f16, bf16];
}

/// Columns of a unit matrix pick elements of a, subnormals among them: the product is a part of a, exactly.
fn picked(kernel: impl IntoKernel, dt: DType) -> TestSetup {
    let [m, n, k] = [32, 16, 16];
    let unit: Vec<f64> = (0..k * n).map(|i| f64::from(u8::from(i / n == i % n))).collect();
    Product { size: [m, n, k], tile: [32, 32], threads: 64, inputs: [HardFinite, FromSlice(&unit)], dt }
        .case(kernel)
        .tol(Tolerance::EXACT)
}

#[test_kernel(dtypes = [f32, f16])]
fn picked_ieee(dt: DType) -> TestSetup {
    picked(tile_pair_ieee::kernel_ir_for(dt), dt)
}

#[test_kernel(dtypes = [f16])]
fn picked_native(dt: DType) -> TestSetup {
    picked(tile_pair_native::kernel_ir_for(dt), dt)
}

/// bf16 beyond f16's range is infinite in a tile; 65,280 is its greatest bf16 that isn't.
fn overflowing(kernel: impl IntoKernel, dt: DType) -> TestSetup {
    let values = [1.0, 65_280.0, -2.5, 4.0, 0.5, 65_536.0, 8.0, 1.5, -3.0, 2.0, -70_000.0, 6.0, 1.0];
    let mut row_values = vec![1.0; 13];
    row_values.extend(values);
    Product {
        size: [26, 32, 13],
        tile: [16, 16],
        threads: 32,
        inputs: [FromSlice(&row_values), FromSlice(&[1.0, 2.0, 0.5])],
        dt,
    }
    .case(kernel)
}

#[test_kernel(dtypes = [bf16])]
fn overflowing_ieee(dt: DType) -> TestSetup {
    overflowing(tile_gemm_16x16x32_ieee::kernel_ir_for(dt), dt)
}

#[test_kernel(dtypes = [bf16])]
fn overflowing_native(dt: DType) -> TestSetup {
    overflowing(tile_gemm_16x16x32_native::kernel_ir_for(dt), dt)
}

/// Hard values, infinities and NaN among them, in every row: most sums are NaN, which a zero beside an infinity decides.
#[test_kernel(dtypes = [f16, bf16])]
fn hard_native(dt: DType) -> TestSetup {
    hard(tile_transposed_native::kernel_ir_for(dt), dt)
}

#[test_kernel(dtypes = [f16, bf16])]
fn hard_ieee(dt: DType) -> TestSetup {
    hard(tile_transposed_ieee::kernel_ir_for(dt), dt)
}

fn hard(kernel: impl IntoKernel, dt: DType) -> TestSetup {
    let [m, n, k] = [33, 32, 1];
    Product { size: [m, n, k], tile: [16, 32], threads: 64, inputs: [Hard, Range(0.5, 1.0)], dt }
        .case(kernel)
        .tol(ulp(1))
}

/// No depth: c is zeros, which the canary isn't.
#[test_kernel(dtypes = [f32, f16])]
fn gemm_of_no_depth(dt: DType) -> TestSetup {
    TestSetup::new(tile_pair_ieee::kernel_ir_for(dt))
        .input(inputs("a", [4], dt, Fill(1.0)))
        .input(inputs("b", [4], dt, Fill(1.0)))
        .output("c", [8], DType::F32)
        .scalar("m", 0u32)
        .scalar("n", 8u32)
        .scalar("k", 0u32)
        .grid_2d(1u32, 1u32, [64, 1])
        .guard()
}
