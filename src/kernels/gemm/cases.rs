//! The cases of the family.

use warpsmith::case::prelude::*;
use warpsmith::case::{Generator, Sample};
use warpsmith::dsl::prelude::{bench_kernel, test_kernel};

use super::kernel::{gemm_64x64, gemm_128x128, gemm_128x256, gemm_any};
use super::reference;

/// A kernel, its tile and the threads of its CTA.
struct Tile {
    kernel: Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors>,
    sides: [usize; 2],
    threads: u32,
}

fn tile_of(side: usize, dt: DType, out: DType) -> Tile {
    let acc = if dt.is_int() { DType::I32 } else { DType::F32 };
    match side {
        0 => Tile { kernel: gemm_any::kernel_ir_for(dt, acc, out), sides: [64, 64], threads: 128 },
        64 => Tile { kernel: gemm_64x64::kernel_ir_for(dt, acc, out), sides: [64, 64], threads: 128 },
        128 => Tile { kernel: gemm_128x128::kernel_ir_for(dt, acc, out), sides: [128, 128], threads: 256 },
        _ => Tile { kernel: gemm_128x256::kernel_ir_for(dt, acc, out), sides: [128, 256], threads: 256 },
    }
}

fn gemm(side: usize, a: TestBuffer, b: TestBuffer, out: DType, shape: [usize; 3]) -> TestSetup {
    let [m, n, k] = shape;
    let tile = tile_of(side, a.dtype(), out);
    let ctas = m.div_ceil(tile.sides[0]) * n.div_ceil(tile.sides[1]);
    TestSetup::new(tile.kernel)
        .input(a)
        .input(b)
        .output("c", [m, n], out)
        .scalar("m", m as u32)
        .scalar("n", n as u32)
        .scalar("k", k as u32)
        .grid_3d(ctas, 1u32, 1u32, [tile.threads, 1, 1])
}

fn product(side: usize, generator: Generator<'_>, dt: DType, out: DType, shape: [usize; 3]) -> TestSetup {
    let [m, n, k] = shape;
    let (a, b) = (inputs("a", [m, k], dt, generator), inputs("b", [n, k], dt, generator));
    let want = reference::product(&a, &b, shape);
    gemm(side, a, b, out, shape).expect("c", want)
}

/// Positive, so that nothing cancels: each step of 16 loses at most 2⁻²⁴ of a sum of up to 16 steps.
#[test_kernel(
    dtypes = [f16, bf16], tol = [f16: rel(1e-5), bf16: rel(1e-5)],
    variants(
        NAME = ["scalar", "odd", "tail", "aligned", "wide"], M = [1, 33, 70, 128, 9], N = [1, 17, 131, 64, 300],
        K = [8, 40, 72, 128, 200], suffix = "_{NAME}"
    )
)]
fn gemm_64x64_on(dt: DType) -> TestSetup {
    product(64, Range(0.25, 1.0), dt, DType::F32, [M, N, K])
}

#[test_kernel(
    dtypes = [f16, bf16], tol = [f16: rel(1e-5), bf16: rel(1e-5)],
    variants(NAME = ["odd", "tail", "aligned"], M = [129, 70, 128], N = [127, 258, 256], K = [8, 136, 192], suffix = "_{NAME}")
)]
fn gemm_128x128_on(dt: DType) -> TestSetup {
    product(128, Range(0.25, 1.0), dt, DType::F32, [M, N, K])
}

/// Rows of any length.
#[test_kernel(
    dtypes = [f16, bf16, tf32], tol = [f16: rel(1e-5), bf16: rel(1e-5), tf32: rel(1e-5)],
    variants(
        NAME = ["scalar", "odd", "tail", "wide"], M = [1, 33, 70, 5], N = [1, 17, 66, 200], K = [1, 39, 70, 333],
        suffix = "_{NAME}"
    )
)]
fn gemm_any_on(dt: DType) -> TestSetup {
    product(0, Range(0.25, 1.0), dt, DType::F32, [M, N, K])
}

#[test_kernel(
    dtypes = [i8, u8],
    variants(NAME = ["odd", "tail"], M = [33, 65], N = [17, 66], K = [37, 130], suffix = "_{NAME}")
)]
fn gemm_any_integers_on(dt: DType) -> TestSetup {
    product(0, Ints(i64::MIN, i64::MAX), dt, DType::I32, [M, N, K]).tol(Tolerance::EXACT)
}

/// Nothing to add: zeros.
#[test_kernel(dtypes = [bf16], tol = 0.0)]
fn gemm_without_depth(dt: DType) -> TestSetup {
    let (a, b) = (TestBuffer::zeros("a", 0, dt), TestBuffer::zeros("b", 0, dt));
    gemm(0, a, b, DType::F32, [5, 7, 0]).expect("c", vec![0.0; 35])
}

/// Needs 192 KB of shared memory.
#[test_kernel(
    dtypes = [f16, bf16], tol = [f16: rel(1e-5), bf16: rel(1e-5)],
    variants(NAME = ["tail", "aligned"], M = [70, 128], N = [258, 256], K = [136, 320], suffix = "_{NAME}")
)]
fn gemm_128x256_on(dt: DType) -> TestSetup {
    product(256, Range(0.25, 1.0), dt, DType::F32, [M, N, K])
}

/// Rounded to the type of the factors.
#[test_kernel(
    dtypes = [f16, bf16], tol = [f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["odd", "aligned"], M = [65, 64], N = [33, 128], K = [24, 64], suffix = "_{NAME}")
)]
fn gemm_narrow_on(dt: DType) -> TestSetup {
    product(64, Range(0.25, 1.0), dt, dt, [M, N, K])
}

/// Exact.
#[test_kernel(
    dtypes = [i8, u8],
    variants(NAME = ["odd", "tail", "aligned"], M = [33, 70, 64], N = [65, 130, 64], K = [16, 144, 256], suffix = "_{NAME}")
)]
fn gemm_integers_on(dt: DType) -> TestSetup {
    product(64, Ints(i64::MIN, i64::MAX), dt, DType::I32, [M, N, K]).tol(Tolerance::EXACT)
}

#[test_kernel(
    dtypes = [tf32, e4m3, e5m2], tol = [tf32: rel(1e-5), e4m3: rel(1e-5), e5m2: rel(1e-5)],
    variants(NAME = ["odd", "aligned"], M = [33, 64], N = [65, 64], K = [16, 128], suffix = "_{NAME}")
)]
fn gemm_storage_on(dt: DType) -> TestSetup {
    product(64, Range(0.25, 1.0), dt, DType::F32, [M, N, K])
}

#[test_kernel(dtypes = [bf16])]
fn gemm_empty(dt: DType) -> TestSetup {
    TestSetup::new(gemm_64x64::kernel_ir_for(dt, DType::F32, DType::F32))
        .input(TestBuffer::zeros("a", 0, dt))
        .input(TestBuffer::zeros("b", 0, dt))
        .output("c", 4, DType::F32)
        .scalar("m", 0u32)
        .scalar("n", 0u32)
        .scalar("k", 0u32)
        .grid_3d(0u32, 1u32, 1u32, [128, 1, 1])
        .guard()
}

fn square(dt: DType, out: DType) -> BenchSetup {
    let n = 4096usize;
    let tile = tile_of(256, dt, out);
    let ctas = n.div_ceil(tile.sides[0]) * n.div_ceil(tile.sides[1]);
    let (a, b) = (inputs("a", [n, n], dt, Range(-1.0, 1.0)), inputs("b", [n, n], dt, Range(-1.0, 1.0)));
    // A part in 2^8 for the rounding of the result, and what 256 steps lose of sums below 2^7.
    let samples = reference::sampled(&a, &b, n, 1 << 10).into_iter().map(|(index, value)| Sample {
        buffer: "c".into(),
        index,
        value,
        within: value.abs() / 256.0 + 0.01,
    });
    BenchSetup::new(tile.kernel)
        .samples(samples)
        .input(a)
        .input(b)
        .output("c", [n, n], out)
        .scalar("m", n as u32)
        .scalar("n", n as u32)
        .scalar("k", n as u32)
        .grid_3d(ctas, 1u32, 1u32, [tile.threads, 1, 1])
        .size(Gpu)
        .bytes((3 * n * n) as u64 * u64::from(dt.size()))
        .flops(2 * (n * n * n) as u64)
        .shape_label("4096³")
}

#[bench_kernel(dtypes = [bf16, f16])]
fn gemm_4096(dt: DType) -> BenchSetup {
    square(dt, dt)
}
