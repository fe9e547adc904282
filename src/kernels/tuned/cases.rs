//! The cases of the family. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{
    GROUP, row_argmax_x4, row_argmax_x8, row_scan_x4, row_scan_x8, vector_scan_x4, vector_scan_x8,
};
use super::reference;

/// 16-byte vectors: four elements of 32 bits, eight of 16.
fn scan_of(dt: DType) -> Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors> {
    if dt.size() == 4 { row_scan_x4::kernel_ir_for(dt) } else { row_scan_x8::kernel_ir_for(dt) }
}

fn argmax_of(dt: DType) -> Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors> {
    if dt.size() == 4 { row_argmax_x4::kernel_ir_for(dt) } else { row_argmax_x8::kernel_ir_for(dt) }
}

fn row_scan(x: TestBuffer, cta: usize) -> TestSetup {
    let (dt, rows, n) = (x.dtype(), x.shape()[0] as usize, x.shape()[1] as usize);
    let want = reference::row_scan(&x, n);
    TestSetup::new(scan_of(dt))
        .input(x)
        .output("out", [rows, n], dt)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect("out", want)
}

/// `wide` takes several rounds with a carry, `tail` ends within one.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(1e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["small", "tail", "aligned", "many_row", "wide"], ROWS = [2, 3, 2, 40, 2],
        N = [8, 1000, 2048, 24, 5000], CTA = [32, 96, 256, 32, 64], suffix = "_{NAME}")
)]
fn row_scan_on(dt: DType) -> TestSetup {
    row_scan(inputs("x", [ROWS, N], dt, Range(0.001, 0.01)), CTA)
}

/// Small integers: every partial sum is exact, so that no order of additions rounds.
#[test_kernel(
    dtypes = [f32],
    variants(NAME = ["odd", "partial", "long"], ROWS = [3, 2, 1], N = [1004, 4096, 40000], CTA = [160, 320, 1024],
        suffix = "_{NAME}")
)]
fn row_scan_exact(dt: DType) -> TestSetup {
    row_scan(inputs("x", [ROWS, N], dt, Ints(-9, 12)), CTA).tol(Tolerance::EXACT)
}

#[test_kernel(dtypes = [f32, bf16])]
fn row_scan_empty(dt: DType) -> TestSetup {
    TestSetup::new(scan_of(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .scalar("n", 8u32)
        .grid_3d(0u32, 1u32, 1u32, [64, 1, 1])
        .guard()
}

fn row_argmax(x: TestBuffer, cta: usize) -> TestSetup {
    let (rows, n) = (x.shape()[0] as usize, x.shape()[1] as usize);
    let want = reference::row_argmax(&x, n);
    TestSetup::new(argmax_of(x.dtype()))
        .input(x)
        .output("out", [rows], DType::U32)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .tol(Tolerance::EXACT)
        .expect("out", want)
}

/// Few values, so that the greatest comes often.
#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["small", "tail", "aligned", "many_row", "wide"], ROWS = [4, 3, 5, 40, 2],
        N = [8, 1000, 2048, 24, 9000], CTA = [32, 96, 256, 33, 64], suffix = "_{NAME}")
)]
fn row_argmax_on(dt: DType) -> TestSetup {
    row_argmax(inputs("x", [ROWS, N], dt, Ints(-40, 40)), CTA)
}

/// Zeros of both signs, infinities, NaN among numbers and alone.
#[test_kernel(dtypes = [f32, f16, bf16])]
fn row_argmax_special(dt: DType) -> TestSetup {
    let (infinity, nan) = (f64::INFINITY, f64::NAN);
    let mut values = Vec::new();
    for [first, others, last] in [
        [-0.0, -0.0, 0.0],
        [nan, -infinity, -infinity],
        [nan, nan, nan],
        [nan, nan, -infinity],
        [1.0, 2.0, infinity],
        [infinity, nan, infinity],
        [-infinity, -infinity, -infinity],
    ] {
        values.push(first);
        values.extend([others; 38]);
        values.push(last);
    }
    row_argmax(TestBuffer::from_f64("x", &values, dt).shaped([7, 40]), 32)
}

/// The kernel, and the elements of a chunk in CTAs of `cta` threads.
fn vector_scan_of(
    dt: DType,
    to: DType,
    cta: usize,
) -> (Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors>, usize) {
    if dt.size() == 4 {
        (vector_scan_x4::kernel_ir_for(dt, to), cta * 4 * 8)
    } else {
        (vector_scan_x8::kernel_ir_for(dt, to), cta * 8 * 8)
    }
}

fn vector_scan(x: TestBuffer, to: DType, cta: usize) -> TestSetup {
    let (dt, n) = (x.dtype(), x.len() as usize);
    let (kernel, chunk) = vector_scan_of(dt, to, cta);
    let chunks = n.div_ceil(chunk);
    let state = vec![0u64; 1 + chunks + chunks.div_ceil(GROUP as usize)];
    TestSetup::new(kernel)
        .input(x)
        .input(TestBuffer::from_slice("state", &state))
        .output("out", [n], dt)
        .scalar("n", n as u64)
        .grid_3d(chunks, 1u32, 1u32, [cta as u32, 1, 1])
}

/// `many` has several groups of chunks.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(1e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["one", "tail", "many"], N = [8, 5000, 600_000], CTA = [64, 96, 64], suffix = "_{NAME}")
)]
fn vector_scan_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Range(0.0001, 0.001));
    let want = reference::row_scan(&x, N);
    vector_scan(x, DType::F32, CTA).expect("out", want)
}

/// Integers wrap.
#[test_kernel(
    dtypes = [i32, u32],
    variants(NAME = ["tail", "many"], N = [10_004, 140_000], CTA = [96, 64], suffix = "_{NAME}")
)]
fn vector_scan_wraps(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Ints(i64::MIN, i64::MAX));
    let want = reference::wrapped_scan(&x, dt);
    vector_scan(x, dt, CTA).expect_bits(want)
}

#[test_kernel(dtypes = [f32])]
fn vector_scan_empty(dt: DType) -> TestSetup {
    TestSetup::new(vector_scan_x4::kernel_ir_for(dt, dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .input(TestBuffer::from_slice("state", &[0u64]))
        .output("out", 4, dt)
        .scalar("n", 0u64)
        .grid_3d(0u32, 1u32, 1u32, [64, 1, 1])
        .guard()
}

#[bench_kernel(dtypes = [f32, bf16])]
fn vector_scan_64m(dt: DType) -> BenchSetup {
    let (n, cta) = (1usize << 26, 384);
    let (kernel, chunk) = vector_scan_of(dt, DType::F32, cta);
    let chunks = n.div_ceil(chunk);
    let state = vec![0u64; 1 + chunks + chunks.div_ceil(GROUP as usize)];
    BenchSetup::new(kernel)
        .input(TestBuffer::sparse("x", n as u64, dt, &[]).zeroed())
        .input(TestBuffer::from_slice("state", &state))
        .output("out", [n], dt)
        .scalar("n", n as u64)
        .grid_3d(chunks, 1u32, 1u32, [cta as u32, 1, 1])
        .size(Gpu)
        .bytes(2 * n as u64 * u64::from(dt.size()))
        .shape_label("2²⁶")
}

fn square(kernel: Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors>, dt: DType) -> BenchSetup {
    let n = 8192usize;
    BenchSetup::new(kernel)
        .input(TestBuffer::sparse("x", (n * n) as u64, dt, &[]).zeroed())
        .scalar("n", n as u32)
        .grid_3d(n, 1u32, 1u32, [256, 1, 1])
        .size(Gpu)
        .shape_label("8192×8192")
}

#[bench_kernel(dtypes = [f32, bf16])]
fn row_scan_8192(dt: DType) -> BenchSetup {
    let n = 8192usize;
    square(scan_of(dt), dt).output("out", [n, n], dt).bytes((2 * n * n) as u64 * u64::from(dt.size()))
}

#[bench_kernel(dtypes = [f32, bf16])]
fn row_argmax_8192(dt: DType) -> BenchSetup {
    let n = 8192usize;
    square(argmax_of(dt), dt).output("out", [n], DType::U32).bytes((n * n) as u64 * u64::from(dt.size()))
}
