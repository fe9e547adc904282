//! The cases of the family. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{softmax_x4, softmax_x8};
use super::reference;

fn softmax_of(x: TestBuffer, cta: usize) -> TestSetup {
    let (dt, shape) = (x.dtype(), x.shape().to_vec());
    let (rows, n) = (shape[0] as usize, shape[1] as usize);
    let want = reference::softmax(&x, n);
    TestSetup::new(vectored(dt))
        .input(x)
        .output("out", [rows, n], dt)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect("out", want)
}

/// 16-byte vectors: four elements of 32 bits, eight of 16.
fn vectored(dt: DType) -> Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors> {
    if dt.size() == 4 { softmax_x4::kernel_ir_for(dt) } else { softmax_x8::kernel_ir_for(dt) }
}

/// `tail` leaves threads without elements; `wide` has more than the registers keep.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["small", "tail", "aligned", "many_row", "wide"], ROWS = [2, 3, 2, 40, 2],
        N = [8, 1000, 2048, 24, 5000], CTA = [32, 96, 256, 32, 64], suffix = "_{NAME}")
)]
fn softmax_on(dt: DType) -> TestSetup {
    softmax_of(inputs("x", [ROWS, N], dt, Range(-6.0, 6.0)), CTA)
}

/// Rows where a naive formula fails: far from zero, far apart, huge, hidden altogether, with one NaN, with an infinity.
#[test_kernel(dtypes = [f32, bf16], tol = [f32: rel(2e-6), bf16: ulp(1)])]
fn softmax_special(dt: DType) -> TestSetup {
    let infinity = f64::INFINITY;
    let mut values = Vec::new();
    for pair in [
        [2000.0, 1999.0],
        [-1e30, -1e30],
        [-infinity, -infinity],
        [f64::NAN, 1.0],
        [infinity, 0.0],
        [-infinity, 3.0],
        [0.0, -0.0],
        [-90.0, 10.0],
    ] {
        values.extend(pair);
        values.extend([if pair[0] == -infinity { -infinity } else { pair[1] }; 6]);
    }
    softmax_of(TestBuffer::from_f64("x", &values, dt).shaped([8, 8]), 32)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn softmax_empty(dt: DType) -> TestSetup {
    TestSetup::new(vectored(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .scalar("n", 8u32)
        .grid_3d(0u32, 1u32, 1u32, [64, 1, 1])
        .guard()
}

#[bench_kernel(dtypes = [f32, bf16])]
fn softmax_8192(dt: DType) -> BenchSetup {
    let n = 8192usize;
    BenchSetup::new(vectored(dt))
        .input(TestBuffer::sparse("x", (n * n) as u64, dt, &[]).zeroed())
        .output("out", [n, n], dt)
        .scalar("n", n as u32)
        .grid_3d(n, 1u32, 1u32, [if dt.size() == 4 { 512 } else { 256 }, 1, 1])
        .size(Gpu)
        .bytes((2 * n * n) as u64 * u64::from(dt.size()))
        .shape_label("8192×8192")
}
