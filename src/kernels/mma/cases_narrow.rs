//! The cases of narrow floats, which only chips of 12.x multiply: `kind::f8f6f4`, and the block-scaled kinds.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;
use warpsmith::numerics::tensor::Scale;

use super::cases::{count, tile_cases, tiles};
use super::data::{Built, Inputs, Matrices, judged};
use super::form_of;
use super::kernel::{
    mma_scaled_k_loop_m16n8k32_mxf8f6f4, mma_scaled_k_loop_m16n8k64_mxf4,
    mma_scaled_k_loop_m16n8k64_mxf4nvf4x2, mma_scaled_k_loop_m16n8k64_mxf4nvf4x4,
    mma_scaled_tile_m16n8k32_mxf8f6f4, mma_scaled_tile_m16n8k64_mxf4, mma_scaled_tile_m16n8k64_mxf4nvf4x2,
    mma_scaled_tile_m16n8k64_mxf4nvf4x4,
};
use super::reference::Product;

tile_cases!(narrow_tile = Exact, narrow_tiles = Positive, narrow_tiles_hard = Hard for [e4m3, e5m2, e3m2, e2m3, e2m1]
    with ["m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4"],
    [e4m3, e5m2, e3m2, e2m3, e2m1], [f32, f32, f32, f32, f32]);

tile_cases!(narrow_to_half_tile = Exact, narrow_to_half_tiles = Positive, narrow_to_half_tiles_hard = Hard
    for [e4m3, e5m2, e3m2, e2m3, e2m1]
    with ["m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4"],
    [e4m3, e5m2, e3m2, e2m3, e2m1], [f16, f16, f16, f16, f16]);

fn kernel(name: &str, [a, b]: [DType; 2]) -> Built {
    match name {
        "m16n8k32_mxf8f6f4" => mma_scaled_tile_m16n8k32_mxf8f6f4::kernel_ir_for(a, b),
        "m16n8k64_mxf4" => mma_scaled_tile_m16n8k64_mxf4::kernel_ir_for(a, b),
        "m16n8k64_mxf4nvf4x2" => mma_scaled_tile_m16n8k64_mxf4nvf4x2::kernel_ir_for(a, b),
        _ => mma_scaled_tile_m16n8k64_mxf4nvf4x4::kernel_ir_for(a, b),
    }
}

/// Powers of two near one, or numbers near one: exact sums stay within 24 digits.
fn scales(name: &str, count: usize, scale: Scale) -> TestBuffer {
    inputs(
        name,
        [count],
        DType::U8,
        match scale {
            Scale::UE8M0 => Ints(124, 130),
            Scale::UE4M3 => Ints(0x30, 0x47),
        },
    )
}

fn scale_value(byte: f64, scale: Scale) -> f64 {
    match scale {
        Scale::UE8M0 if byte == 255.0 => f64::NAN,
        Scale::UE8M0 => 2f64.powi(byte as i32 - 127),
        Scale::UE4M3 if byte == 127.0 => f64::NAN,
        Scale::UE4M3 => (1.0 + byte % 8.0 / 8.0) * 2f64.powi(byte as i32 / 8 - 7),
    }
}

/// A matrix with a line for each run of `count` scales, each for an equal part of the line: `line` and `depth` of an
/// element by its place.
fn scale_all(
    values: &mut [f64],
    scales: &[f64],
    (count, k): (usize, usize),
    place: impl Fn(usize) -> (usize, usize),
) {
    for (at, value) in values.iter_mut().enumerate() {
        let (line, depth) = place(at);
        *value *= scales[line * count + depth * count / k];
    }
}

/// Several tiles have a scale of NaN: the last of A.
fn scaled_tiles(name: &str, [a, b]: [DType; 2], contents: Inputs) -> TestSetup {
    let dtypes = [a, b, DType::F32];
    let form = form_of(name, dtypes);
    let shape = [form.shape.m, form.shape.n, form.shape.k].map(usize::from);
    let ([m, n, k], tiles, each) = (shape, count(contents), form.kind.scales());
    let kind = form.kind.scale().unwrap_or(Scale::UE8M0);
    let (mut rows, columns) =
        (scales("scale_a", tiles * m * each, kind), scales("scale_b", tiles * n * each, kind));
    if tiles > 1 {
        let mut bytes = rows.bytes().unwrap_or_default().to_vec();
        if let Some(last) = bytes.last_mut() {
            *last = if kind == Scale::UE8M0 { 0xff } else { 0x7f };
        }
        rows = TestBuffer::from_vec("scale_a", bytes, DType::U8);
    }
    let matrices = Matrices::new(&form, dtypes, tiles, shape, contents);
    let mut product = matrices.product(shape);
    let decoded = |buffer: &TestBuffer| -> Vec<f64> {
        buffer.as_f64().iter().map(|byte| scale_value(*byte, kind)).collect()
    };
    scale_all(&mut product.a, &decoded(&rows), (each, k), |at| (at / k, at % k));
    scale_all(&mut product.b, &decoded(&columns), (each, k), |at| (at / (k * n) * n + at % n, at / n % k));
    let setup = TestSetup::new(kernel(name, [a, b]))
        .input(matrices.a)
        .input(matrices.b)
        .input(matrices.c)
        .input(rows)
        .input(columns)
        .output("d", [tiles * m, n], DType::F32)
        .grid_3d(tiles, 1u32, 1u32, [32, 1, 1]);
    judged(setup, &form, &product, contents)
}

#[test_kernel(
    dtypes = [e4m3, e5m2, e3m2, e2m3, e2m1],
    variants(Right = [e4m3, e5m2, e3m2, e2m3, e2m1], suffix = "_{Right}")
)]
fn scaled_tile(dt: DType) -> TestSetup {
    scaled_tiles("m16n8k32_mxf8f6f4", [dt, <Right as KernelType>::dtype()], Inputs::Exact)
}

#[test_kernel(
    dtypes = [e4m3, e5m2, e3m2, e2m3, e2m1],
    variants(Right = [e4m3, e5m2, e3m2, e2m3, e2m1], suffix = "_{Right}")
)]
fn scaled_tiles_on(dt: DType) -> TestSetup {
    scaled_tiles("m16n8k32_mxf8f6f4", [dt, <Right as KernelType>::dtype()], Inputs::Positive)
}

#[test_kernel(
    dtypes = [e2m1],
    variants(NAME = ["m16n8k64_mxf4", "m16n8k64_mxf4nvf4x2", "m16n8k64_mxf4nvf4x4"], suffix = "_{NAME}")
)]
fn fp4_tile(dt: DType) -> TestSetup {
    scaled_tiles(NAME, [dt, dt], Inputs::Exact)
}

#[test_kernel(
    dtypes = [e2m1],
    variants(NAME = ["m16n8k64_mxf4", "m16n8k64_mxf4nvf4x2", "m16n8k64_mxf4nvf4x4"], suffix = "_{NAME}")
)]
fn fp4_tiles(dt: DType) -> TestSetup {
    scaled_tiles(NAME, [dt, dt], Inputs::Positive)
}

fn loop_kernel(name: &str, [a, b]: [DType; 2]) -> Built {
    match name {
        "m16n8k32_mxf8f6f4" => mma_scaled_k_loop_m16n8k32_mxf8f6f4::kernel_ir_for(a, b),
        "m16n8k64_mxf4" => mma_scaled_k_loop_m16n8k64_mxf4::kernel_ir_for(a, b),
        "m16n8k64_mxf4nvf4x2" => mma_scaled_k_loop_m16n8k64_mxf4nvf4x2::kernel_ir_for(a, b),
        _ => mma_scaled_k_loop_m16n8k64_mxf4nvf4x4::kernel_ir_for(a, b),
    }
}

/// One tile, K of several instructions.
fn scaled_loop(name: &str, [a, b]: [DType; 2], steps: usize) -> TestSetup {
    let dtypes = [a, b, DType::F32];
    let form = form_of(name, dtypes);
    let (k, each) = (steps * usize::from(form.shape.k), steps * form.kind.scales());
    let kind = form.kind.scale().unwrap_or(Scale::UE8M0);
    let (rows, columns) = (scales("scale_a", 16 * each, kind), scales("scale_b", 8 * each, kind));
    let matrices = Matrices::new(&form, dtypes, 1, [16, 8, k], Inputs::Positive);
    let mut product = Product { c: Vec::new(), ..matrices.product([16, 8, k]) };
    let decoded = |buffer: &TestBuffer| -> Vec<f64> {
        buffer.as_f64().iter().map(|byte| scale_value(*byte, kind)).collect()
    };
    scale_all(&mut product.a, &decoded(&rows), (each, k), |at| (at / k, at % k));
    scale_all(&mut product.b, &decoded(&columns), (each, k), |at| (at % 8, at / 8));
    let setup = TestSetup::new(loop_kernel(name, [a, b]))
        .input(matrices.a)
        .input(matrices.b)
        .input(rows)
        .input(columns)
        .output("d", [16, 8], DType::F32)
        .scalar("steps", steps as u32)
        .grid_3d(1u32, 1u32, 1u32, [32, 1, 1]);
    setup.tol(rel((k + 32) as f64 * 1.5e-7)).expect("d", product.sums())
}

#[test_kernel(
    dtypes = [e4m3, e5m2, e3m2, e2m3, e2m1],
    variants(Right = [e4m3, e5m2, e3m2, e2m3, e2m1], suffix = "_{Right}")
)]
fn scaled_loop_of(dt: DType) -> TestSetup {
    scaled_loop("m16n8k32_mxf8f6f4", [dt, <Right as KernelType>::dtype()], 5)
}

#[test_kernel(
    dtypes = [e2m1],
    variants(NAME = ["m16n8k64_mxf4", "m16n8k64_mxf4nvf4x2", "m16n8k64_mxf4nvf4x4"], suffix = "_{NAME}")
)]
fn fp4_loop(dt: DType) -> TestSetup {
    scaled_loop(NAME, [dt, dt], 5)
}
