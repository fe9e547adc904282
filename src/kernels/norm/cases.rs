//! The cases of the family. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{rms_norm, rms_norm_x4, rms_norm_x8};
use super::reference;

fn rms_norm_of(x: TestBuffer, cta: usize, eps: f32) -> TestSetup {
    let (dt, shape) = (x.dtype(), x.shape().to_vec());
    let (rows, n) = (shape[0] as usize, shape[1] as usize);
    let gain = inputs("gain", [n], dt, Range(0.5, 1.5));
    let want = reference::rms_norm(&x, &gain, eps);
    TestSetup::new(rms_norm::kernel_ir_for(dt))
        .input(x)
        .input(gain)
        .output("out", [rows, n], dt)
        .scalar("eps", eps)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect("out", want)
}

/// `odd` and `many_row` have rows shorter than the CTA.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 3, 40, 2],
        N = [1, 95, 768, 1003, 20, 5120], CTA = [32, 96, 256, 1000, 48, 256], suffix = "_{NAME}")
)]
fn rms_norm_on(dt: DType) -> TestSetup {
    rms_norm_of(inputs("x", [ROWS, N], dt, Range(-2.0, 2.0)), CTA, 1e-5)
}

/// A row of zeros, whose root is that of eps, between two others.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)])]
fn rms_norm_zero_row(dt: DType) -> TestSetup {
    let n = 130;
    let values: Vec<f64> =
        (0..3 * n).map(|i| if i / n == 1 { 0.0 } else { (i % 17) as f64 * 0.25 - 2.0 }).collect();
    rms_norm_of(TestBuffer::from_f64("x", &values, dt).shaped([3, n]), 64, 1e-3)
}

/// The largest whose sum of squares is still finite in f32 (for f16: the largest there are), then numbers so small that
/// only eps counts.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)])]
fn rms_norm_extreme(dt: DType) -> TestSetup {
    let n = 67;
    let (huge, tiny) = if dt == DType::F16 { (30_000.0, 0.001) } else { (1e18, 1e-12) };
    let value = |i: usize| (1.0 + (i % 11) as f64 * 0.1) * if i < n { huge } else { -tiny };
    let values: Vec<f64> = (0..2 * n).map(value).collect();
    rms_norm_of(TestBuffer::from_f64("x", &values, dt).shaped([2, n]), 32, 1e-6)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn rms_norm_empty(dt: DType) -> TestSetup {
    TestSetup::new(rms_norm::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .input(inputs("gain", [8], dt, Range(0.5, 1.5)))
        .output("out", 4, dt)
        .scalar("eps", 1e-5f32)
        .scalar("n", 8u32)
        .grid_3d(0u32, 1u32, 1u32, [32, 1, 1])
        .guard()
}

/// Rows without elements: the mean is 0/0, and nobody may store it.
#[test_kernel(dtypes = [f32, bf16])]
fn rms_norm_no_update(dt: DType) -> TestSetup {
    TestSetup::new(rms_norm::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .input(TestBuffer::zeros("gain", 0, dt))
        .output("out", 3, dt)
        .scalar("eps", 1e-5f32)
        .scalar("n", 0u32)
        .grid_3d(3u32, 1u32, 1u32, [48, 1, 1])
        .guard()
}

fn vectored(dt: DType) -> Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors> {
    if dt.size() == 4 { rms_norm_x4::kernel_ir_for(dt) } else { rms_norm_x8::kernel_ir_for(dt) }
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["aligned", "tail", "many_row", "wide"], ROWS = [3, 2, 33, 2], N = [512, 1000, 40, 8192],
        CTA = [96, 48, 32, 256], suffix = "_{NAME}")
)]
fn rms_norm_vec(dt: DType) -> TestSetup {
    let (x, gain) = (inputs("x", [ROWS, N], dt, Range(-2.0, 2.0)), inputs("gain", [N], dt, Range(0.5, 1.5)));
    let want = reference::rms_norm(&x, &gain, 1e-5);
    TestSetup::new(vectored(dt))
        .input(x)
        .input(gain)
        .output("out", [ROWS, N], dt)
        .scalar("eps", 1e-5f32)
        .scalar("n", N as u32)
        .grid_3d(ROWS, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect("out", want)
}

/// Reads a matrix and writes one; the second reading is out of the cache.
#[bench_kernel(dtypes = [f32, bf16])]
fn rms_norm_8192(dt: DType) -> BenchSetup {
    let n = 8192usize;
    BenchSetup::new(vectored(dt))
        .input(TestBuffer::sparse("x", (n * n) as u64, dt, &[]).zeroed())
        .input(inputs("gain", [n], dt, Fill(1.0)))
        .output("out", [n, n], dt)
        .scalar("eps", 1e-5f32)
        .scalar("n", n as u32)
        .grid_3d(n, 1u32, 1u32, [256, 1, 1])
        .size(Gpu)
        .bytes((2 * n * n + n) as u64 * u64::from(dt.size()))
        .shape_label("8192×8192")
}
