//! The cases whose sums round, and the benches. Inputs are positive; the tolerances' reason is in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{dot, gemv, row_sum, row_sum_x4, row_sum_x8};
use super::reference;

fn row_sum_of(rows: usize, n: usize, cta: usize, dt: DType) -> TestSetup {
    let x = inputs("x", [rows, n], dt, Range(0.01, 2.0));
    let want = reference::row_sums(&x, n);
    TestSetup::new(row_sum::kernel_ir_for(dt, DType::F32))
        .input(x)
        .output("out", [rows], DType::F32)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect("out", want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = rel(1e-6),
    variants(NAME = ["aligned", "tail"], ROWS = [4, 3], N = [1024, 1003], CTA = [256, 1000], suffix = "_{NAME}")
)]
fn row_sum_rounded(dt: DType) -> TestSetup {
    row_sum_of(ROWS, N, CTA, dt)
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = rel(2e-6))]
fn row_sum_rounded_wide(dt: DType) -> TestSetup {
    row_sum_of(2, 8191, 1024, dt)
}

/// Four sums (or eight) a thread make each of them shorter, which the tolerance need not follow.
#[test_kernel(dtypes = [f32, f16, bf16], tol = rel(1e-6))]
fn row_sum_vec_rounded(dt: DType) -> TestSetup {
    let (rows, n) = (3, 2056);
    let x = inputs("x", [rows, n], dt, Range(0.01, 2.0));
    let want = reference::row_sums(&x, n);
    TestSetup::new(vectored(dt))
        .input(x)
        .output("out", [rows], DType::F32)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [48, 1, 1])
        .expect("out", want)
}

fn vectored(dt: DType) -> Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors> {
    if dt.size() == 4 {
        row_sum_x4::kernel_ir_for(dt, DType::F32)
    } else {
        row_sum_x8::kernel_ir_for(dt, DType::F32)
    }
}

fn dot_of(n: usize, cta: usize, dt: DType) -> TestSetup {
    let (a, b) = (inputs("a", [n], dt, Range(0.1, 2.0)), inputs("b", [n], dt, Range(0.1, 2.0)));
    let want = [reference::dot(&a, &b)];
    TestSetup::new(dot::kernel_ir_for(dt, DType::F32))
        .input(a)
        .input(b)
        .output("out", 1, DType::F32)
        .scalar("n", n as u32)
        .grid_3d(1u32, 1u32, 1u32, [cta as u32, 1, 1])
        .expect("out", want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = rel(1e-6),
    variants(NAME = ["scalar", "odd", "aligned", "tail"], N = [1, 95, 960, 1002], CTA = [32, 96, 256, 1000],
        suffix = "_{NAME}")
)]
fn dot_on(dt: DType) -> TestSetup {
    dot_of(N, CTA, dt)
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = rel(2e-6))]
fn dot_wide(dt: DType) -> TestSetup {
    dot_of(6001, 512, dt)
}

fn gemv_of(rows: usize, cols: usize, warps: usize, dt: DType) -> TestSetup {
    let a = inputs("a", [rows, cols], dt, Range(0.1, 2.0));
    let x = inputs("x", [cols], dt, Range(0.1, 2.0));
    let want = reference::gemv(&a, &x);
    TestSetup::new(gemv::kernel_ir_for(dt))
        .input(a)
        .input(x)
        .output("y", [rows], dt)
        .scalar("rows", rows as u32)
        .scalar("cols", cols as u32)
        .grid_3d(rows.div_ceil(warps), 1u32, 1u32, [warps as u32 * 32, 1, 1])
        .expect("y", want)
}

/// f16 and bf16: the sum in f32 may lie on the other side of a tie of the stored type, which is one step.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(1e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row"], ROWS = [1, 5, 8, 7, 50], COLS = [1, 63, 96, 250, 40],
        WARPS = [1, 3, 4, 2, 8], suffix = "_{NAME}")
)]
fn gemv_on(dt: DType) -> TestSetup {
    gemv_of(ROWS, COLS, WARPS, dt)
}

/// 141 elements a lane: twice as many roundings.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(8e-6), f16: ulp(1), bf16: ulp(1)])]
fn gemv_wide(dt: DType) -> TestSetup {
    gemv_of(3, 4500, 4, dt)
}

#[test_kernel(dtypes = [f32, bf16])]
fn gemv_no_update(dt: DType) -> TestSetup {
    TestSetup::new(gemv::kernel_ir_for(dt))
        .input(inputs("a", [4, 4], dt, Range(0.1, 2.0)))
        .input(inputs("x", [4], dt, Range(0.1, 2.0)))
        .output("y", [4], dt)
        .scalar("rows", 0u32)
        .scalar("cols", 4u32)
        .grid_3d(1u32, 1u32, 1u32, [128, 1, 1])
        .guard()
}

/// Reads a matrix.
#[bench_kernel(dtypes = [f32, bf16])]
fn row_sum_8192(dt: DType) -> BenchSetup {
    let n = 8192usize;
    BenchSetup::new(vectored(dt))
        .input(TestBuffer::sparse("x", (n * n) as u64, dt, &[]).zeroed())
        .output("out", [n], DType::F32)
        .scalar("n", n as u32)
        .grid_3d(n, 1u32, 1u32, [256, 1, 1])
        .size(Gpu)
        .bytes((n * n) as u64 * u64::from(dt.size()))
        .shape_label("8192×8192")
}
