//! The cases of products in IEEE order. A chain of fused multiply-adds has one result, so all are judged by value.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::cases::count;
use super::cases_loop::launched;
use super::data::{Built, Inputs, Matrices};
use super::form_of;
use super::kernel::{
    mma_ieee_k_loop_m16n8k8, mma_ieee_k_loop_m16n8k16, mma_ieee_k_loop_m16n8k32, mma_ieee_tile_m16n8k4,
    mma_ieee_tile_m16n8k8, mma_ieee_tile_m16n8k16, mma_ieee_tile_m16n8k32, mma_ieee_tile_m16n8k32_f8f6f4,
};

fn tile_kernel(name: &str, [a, b]: [DType; 2]) -> Built {
    match name {
        "m16n8k4" => mma_ieee_tile_m16n8k4::kernel_ir_for(a, b),
        "m16n8k8" => mma_ieee_tile_m16n8k8::kernel_ir_for(a, b),
        "m16n8k16" => mma_ieee_tile_m16n8k16::kernel_ir_for(a, b),
        "m16n8k32" => mma_ieee_tile_m16n8k32::kernel_ir_for(a, b),
        _ => mma_ieee_tile_m16n8k32_f8f6f4::kernel_ir_for(a, b),
    }
}

fn loop_kernel(name: &str, [a, b]: [DType; 2]) -> Built {
    match name {
        "m16n8k8" => mma_ieee_k_loop_m16n8k8::kernel_ir_for(a, b),
        "m16n8k16" => mma_ieee_k_loop_m16n8k16::kernel_ir_for(a, b),
        _ => mma_ieee_k_loop_m16n8k32::kernel_ir_for(a, b),
    }
}

fn tiles(name: &str, [a, b]: [DType; 2], contents: Inputs) -> TestSetup {
    let dtypes = [a, b, DType::F32];
    let form = form_of(name, dtypes);
    let shape = [form.shape.m, form.shape.n, form.shape.k].map(usize::from);
    let tiles = count(contents);
    let matrices = Matrices::new(&form, dtypes, tiles, shape, contents);
    let want = matrices.product(shape).chains_f32();
    TestSetup::new(tile_kernel(name, [a, b]))
        .input(matrices.a)
        .input(matrices.b)
        .input(matrices.c)
        .output("d", [tiles * shape[0], shape[1]], DType::F32)
        .grid_3d(tiles, 1u32, 1u32, [32, 1, 1])
        .tol(Tolerance::EXACT)
        .expect("d", want)
}

/// Cases of one kind of contents, for A of each dtype with each zipped (kernel, B).
macro_rules! tile_cases {
    ($($case:ident = $contents:ident),* for $a:tt with $name:tt, $b:tt) => {$(
        #[test_kernel(dtypes = $a, variants(NAME = $name, Right = $b, suffix = "_{NAME}_{Right}"))]
        fn $case(dt: DType) -> TestSetup {
            tiles(NAME, [dt, <Right as KernelType>::dtype()], Inputs::$contents)
        }
    )*};
}

tile_cases!(half_tile = Exact, half_tiles = Positive, half_tiles_hard = Hard for [f16]
    with ["m16n8k8", "m16n8k16"], [f16, f16]);

tile_cases!(bf16_tile = Exact, bf16_tiles = Positive, bf16_tiles_hard = Hard for [bf16]
    with ["m16n8k8", "m16n8k16"], [bf16, bf16]);

tile_cases!(tf32_tile = Exact, tf32_tiles = Positive, tf32_tiles_hard = Hard for [tf32]
    with ["m16n8k4", "m16n8k8"], [tf32, tf32]);

tile_cases!(fp8_tile = Exact, fp8_tiles = Positive, fp8_tiles_hard = Hard for [e4m3, e5m2]
    with ["m16n8k16", "m16n8k16", "m16n8k32", "m16n8k32"], [e4m3, e5m2, e4m3, e5m2]);

tile_cases!(narrow_tile = Exact, narrow_tiles = Positive for [e4m3, e5m2, e3m2, e2m3, e2m1]
    with ["m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4"],
    [e4m3, e5m2, e3m2, e2m3, e2m1]);

fn summed(name: &str, dt: DType, tiles: [usize; 2], k: usize, contents: Inputs) -> TestSetup {
    let dtypes = [dt, dt, DType::F32];
    let (_, product, setup) = launched(name, dtypes, tiles, k, contents, loop_kernel(name, [dt, dt]));
    setup.tol(Tolerance::EXACT).expect("d", product.chains_f32())
}

/// Sums over K of each dtype with its kernel: many magnitudes, cancelling pairs, hard numbers.
macro_rules! loop_cases {
    ($($positive:ident, $cancelling:ident, $hard:ident: $a:tt by $name:literal;)*) => {$(
        #[test_kernel(
            dtypes = $a,
            variants(NAME = ["odd", "tail", "many_row", "wide"], DOWN = [1, 1, 3, 1], ACROSS = [1, 1, 2, 1],
                K = [27, 100, 50, 4096], suffix = "_{NAME}")
        )]
        fn $positive(dt: DType) -> TestSetup {
            summed($name, dt, [DOWN, ACROSS], K, Inputs::Positive)
        }

        #[test_kernel(
            dtypes = $a,
            variants(NAME = ["odd", "aligned"], DOWN = [1, 1], ACROSS = [1, 1], K = [31, 256], suffix = "_{NAME}")
        )]
        fn $cancelling(dt: DType) -> TestSetup {
            summed($name, dt, [DOWN, ACROSS], K, Inputs::Cancelling)
        }

        #[test_kernel(dtypes = $a)]
        fn $hard(dt: DType) -> TestSetup {
            summed($name, dt, [4, 6], 20, Inputs::Hard)
        }
    )*};
}

loop_cases! {
    halves_positive, halves_cancelling, halves_hard: [f16, bf16] by "m16n8k16";
    tf32_positive, tf32_cancelling, tf32_hard: [tf32] by "m16n8k8";
    fp8_positive, fp8_cancelling, fp8_hard: [e4m3, e5m2] by "m16n8k32";
}
