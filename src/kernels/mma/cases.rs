//! The cases of the plain forms on tiles: one of small integers, several of many magnitudes, several of hard numbers.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::data::{Built, Inputs, Matrices, judged};
use super::form_of;
use super::kernel::{
    mma_tile_m8n8k4, mma_tile_m8n8k4_col_col, mma_tile_m8n8k4_col_row, mma_tile_m8n8k4_rm,
    mma_tile_m8n8k4_row_col, mma_tile_m8n8k4_row_row, mma_tile_m8n8k4_rp, mma_tile_m8n8k4_rz,
    mma_tile_m8n8k16, mma_tile_m8n8k16_sat, mma_tile_m8n8k32_4bit, mma_tile_m8n8k32_4bit_sat,
    mma_tile_m16n8k4, mma_tile_m16n8k4_rm, mma_tile_m16n8k4_rp, mma_tile_m16n8k4_rz, mma_tile_m16n8k8,
    mma_tile_m16n8k8_rm, mma_tile_m16n8k8_rp, mma_tile_m16n8k8_rz, mma_tile_m16n8k16, mma_tile_m16n8k16_rm,
    mma_tile_m16n8k16_rp, mma_tile_m16n8k16_rz, mma_tile_m16n8k16_sat, mma_tile_m16n8k32,
    mma_tile_m16n8k32_4bit, mma_tile_m16n8k32_4bit_sat, mma_tile_m16n8k32_f8f6f4, mma_tile_m16n8k32_sat,
    mma_tile_m16n8k64_4bit, mma_tile_m16n8k64_4bit_sat,
};

fn kernel(name: &str, [a, b, c]: [DType; 3]) -> Built {
    match name {
        "m8n8k4" => mma_tile_m8n8k4::kernel_ir_for(a, b, c),
        "m16n8k4" => mma_tile_m16n8k4::kernel_ir_for(a, b, c),
        "m16n8k8" => mma_tile_m16n8k8::kernel_ir_for(a, b, c),
        "m8n8k16" => mma_tile_m8n8k16::kernel_ir_for(a, b, c),
        "m16n8k16" => mma_tile_m16n8k16::kernel_ir_for(a, b, c),
        "m16n8k32" => mma_tile_m16n8k32::kernel_ir_for(a, b, c),
        "m8n8k16_sat" => mma_tile_m8n8k16_sat::kernel_ir_for(a, b, c),
        "m16n8k16_sat" => mma_tile_m16n8k16_sat::kernel_ir_for(a, b, c),
        "m16n8k32_sat" => mma_tile_m16n8k32_sat::kernel_ir_for(a, b, c),
        "m8n8k32_4bit" => mma_tile_m8n8k32_4bit::kernel_ir_for(a, b, c),
        "m16n8k32_4bit" => mma_tile_m16n8k32_4bit::kernel_ir_for(a, b, c),
        "m16n8k64_4bit" => mma_tile_m16n8k64_4bit::kernel_ir_for(a, b, c),
        "m8n8k32_4bit_sat" => mma_tile_m8n8k32_4bit_sat::kernel_ir_for(a, b, c),
        "m16n8k32_4bit_sat" => mma_tile_m16n8k32_4bit_sat::kernel_ir_for(a, b, c),
        "m16n8k64_4bit_sat" => mma_tile_m16n8k64_4bit_sat::kernel_ir_for(a, b, c),
        "m8n8k4_rz" => mma_tile_m8n8k4_rz::kernel_ir_for(a, b, c),
        "m8n8k4_rm" => mma_tile_m8n8k4_rm::kernel_ir_for(a, b, c),
        "m8n8k4_rp" => mma_tile_m8n8k4_rp::kernel_ir_for(a, b, c),
        "m16n8k4_rz" => mma_tile_m16n8k4_rz::kernel_ir_for(a, b, c),
        "m16n8k4_rm" => mma_tile_m16n8k4_rm::kernel_ir_for(a, b, c),
        "m16n8k4_rp" => mma_tile_m16n8k4_rp::kernel_ir_for(a, b, c),
        "m16n8k8_rz" => mma_tile_m16n8k8_rz::kernel_ir_for(a, b, c),
        "m16n8k8_rm" => mma_tile_m16n8k8_rm::kernel_ir_for(a, b, c),
        "m16n8k8_rp" => mma_tile_m16n8k8_rp::kernel_ir_for(a, b, c),
        "m16n8k16_rz" => mma_tile_m16n8k16_rz::kernel_ir_for(a, b, c),
        "m16n8k16_rm" => mma_tile_m16n8k16_rm::kernel_ir_for(a, b, c),
        "m16n8k16_rp" => mma_tile_m16n8k16_rp::kernel_ir_for(a, b, c),
        "m8n8k4_row_col" => mma_tile_m8n8k4_row_col::kernel_ir_for(a, b, c),
        "m8n8k4_row_row" => mma_tile_m8n8k4_row_row::kernel_ir_for(a, b, c),
        "m8n8k4_col_col" => mma_tile_m8n8k4_col_col::kernel_ir_for(a, b, c),
        "m8n8k4_col_row" => mma_tile_m8n8k4_col_row::kernel_ir_for(a, b, c),
        _ => mma_tile_m16n8k32_f8f6f4::kernel_ir_for(a, b, c),
    }
}

/// A case of the kernel of that name.
pub(super) fn tiles(name: &str, dtypes: [DType; 3], contents: Inputs) -> TestSetup {
    on_tiles(name, dtypes, contents, kernel(name, dtypes))
}

/// The tiles of a case: one of exact numbers, else several.
pub(super) fn count(contents: Inputs) -> usize {
    match contents {
        Inputs::Exact | Inputs::Tiny => 1,
        Inputs::Positive | Inputs::Cancelling => 5,
        Inputs::Hard => 3,
    }
}

fn on_tiles(name: &str, dtypes: [DType; 3], contents: Inputs, kernel: Built) -> TestSetup {
    let form = form_of(name, dtypes);
    let shape = [form.shape.m, form.shape.n, form.shape.k].map(usize::from);
    let launched = count(contents);
    let tiles = launched * form.kind.products();
    let matrices = Matrices::new(&form, dtypes, tiles, shape, contents);
    let product = matrices.product(shape);
    let setup = TestSetup::new(kernel)
        .input(matrices.a)
        .input(matrices.b)
        .input(matrices.c)
        .output("d", [tiles * shape[0], shape[1]], dtypes[2])
        .grid_3d(launched, 1u32, 1u32, [32, 1, 1]);
    judged(setup, &form, &product, contents)
}

/// Cases of one kind of contents, for A of each dtype with each zipped (kernel, B, C).
macro_rules! tile_cases {
    ($($case:ident = $contents:ident),* for $a:tt with $name:tt, $b:tt, $c:tt) => {$(
        #[test_kernel(dtypes = $a, variants(NAME = $name, Right = $b, Sum = $c, suffix = "_{NAME}_{Right}_{Sum}"))]
        fn $case(dt: DType) -> TestSetup {
            tiles(NAME, [dt, <Right as KernelType>::dtype(), <Sum as KernelType>::dtype()], Inputs::$contents)
        }
    )*};
}
pub(super) use tile_cases;

tile_cases!(half_tile = Exact, half_tiles = Positive, half_tiles_hard = Hard for [f16]
    with ["m16n8k8", "m16n8k16", "m16n8k8", "m16n8k16"], [f16, f16, f16, f16], [f32, f32, f16, f16]);

tile_cases!(pair_tile = Exact, pair_tiles = Positive, pair_tiles_hard = Hard for [f16]
    with ["m8n8k4_row_col", "m8n8k4_row_row", "m8n8k4_col_col", "m8n8k4_col_row",
        "m8n8k4_row_col", "m8n8k4_row_row", "m8n8k4_col_col", "m8n8k4_col_row"],
    [f16, f16, f16, f16, f16, f16, f16, f16], [f32, f32, f32, f32, f16, f16, f16, f16]);

tile_cases!(f64_directed_tile = Exact, f64_directed_tiles = Positive, f64_directed_tiles_hard = Hard for [f64]
    with ["m8n8k4_rz", "m8n8k4_rm", "m8n8k4_rp", "m16n8k4_rz", "m16n8k4_rm", "m16n8k4_rp", "m16n8k8_rz", "m16n8k8_rm", "m16n8k8_rp", "m16n8k16_rz", "m16n8k16_rm", "m16n8k16_rp"], [f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64], [f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64]);

tile_cases!(bf16_tile = Exact, bf16_tiles = Positive, bf16_tiles_hard = Hard for [bf16]
    with ["m16n8k8", "m16n8k16"], [bf16, bf16], [f32, f32]);

tile_cases!(tf32_tile = Exact, tf32_tiles = Positive, tf32_tiles_hard = Hard for [tf32]
    with ["m16n8k4", "m16n8k8"], [tf32, tf32], [f32, f32]);

tile_cases!(fp8_tile = Exact, fp8_tiles = Positive, fp8_tiles_hard = Hard for [e4m3, e5m2]
    with ["m16n8k16", "m16n8k16", "m16n8k32", "m16n8k32", "m16n8k16", "m16n8k16", "m16n8k32", "m16n8k32"],
    [e4m3, e5m2, e4m3, e5m2, e4m3, e5m2, e4m3, e5m2], [f32, f32, f32, f32, f16, f16, f16, f16]);

tile_cases!(f64_tile = Exact, f64_tiles = Positive, f64_tiles_hard = Hard for [f64]
    with ["m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"], [f64, f64, f64, f64], [f64, f64, f64, f64]);

tile_cases!(byte_tile = Exact, byte_tiles = Positive for [i8, u8]
    with ["m8n8k16", "m16n8k16", "m16n8k32", "m8n8k16", "m16n8k16", "m16n8k32"],
    [i8, i8, i8, u8, u8, u8], [i32, i32, i32, i32, i32, i32]);

tile_cases!(byte_sat_tile = Exact, byte_sat_tiles = Positive for [i8, u8]
    with ["m8n8k16_sat", "m16n8k16_sat", "m16n8k32_sat", "m8n8k16_sat", "m16n8k16_sat", "m16n8k32_sat"],
    [i8, i8, i8, u8, u8, u8], [i32, i32, i32, i32, i32, i32]);

tile_cases!(nibble_tile = Exact, nibble_tiles = Positive for [i8, u8]
    with ["m8n8k32_4bit", "m16n8k32_4bit", "m16n8k64_4bit", "m8n8k32_4bit", "m16n8k32_4bit", "m16n8k64_4bit"],
    [i8, i8, i8, u8, u8, u8], [i32, i32, i32, i32, i32, i32]);

tile_cases!(nibble_sat_tile = Exact, nibble_sat_tiles = Positive for [i8, u8]
    with ["m8n8k32_4bit_sat", "m16n8k32_4bit_sat", "m16n8k64_4bit_sat", "m8n8k32_4bit_sat", "m16n8k32_4bit_sat",
        "m16n8k64_4bit_sat"],
    [i8, i8, i8, u8, u8, u8], [i32, i32, i32, i32, i32, i32]);
