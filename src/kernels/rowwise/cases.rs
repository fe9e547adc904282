//! The cases of the softmax kernels on ordinary rows. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::kernel::{row_softmax, row_softmax_causal, row_softmax_online, row_softmax_tempered};
use super::reference;

/// A kernel of rows, with what all of them take.
pub(super) fn on_rows(
    kernel: Result<Kernel, warpsmith::dsl::BuildErrors>,
    x: TestBuffer,
    cta: usize,
) -> TestSetup {
    let (dt, shape) = (x.dtype(), x.shape().to_vec());
    TestSetup::new(kernel)
        .output("out", [shape[0] as usize, shape[1] as usize], dt)
        .input(x)
        .scalar("n", shape[1] as u32)
        .grid_3d(shape[0], 1u32, 1u32, [cta as u32, 1, 1])
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(4e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "just_over", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 2, 3, 40, 2],
        N = [1, 31, 256, 33, 1000, 33, 5000], CTA = [32, 32, 96, 32, 256, 48, 1024], suffix = "_{NAME}")
)]
fn row_softmax_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Range(-6.0, 6.0));
    let want = reference::softmax(&x, N);
    on_rows(row_softmax::kernel_ir_for(dt), x, CTA).expect("out", want)
}

/// With threads that have no element, one, and many.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(6e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "just_over", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 2, 3, 40, 2],
        N = [1, 31, 256, 33, 1000, 33, 5000], CTA = [64, 96, 32, 32, 128, 32, 512], suffix = "_{NAME}")
)]
fn row_softmax_online_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Range(-6.0, 6.0));
    let want = reference::softmax_online(&x, N);
    on_rows(row_softmax_online::kernel_ir_for(dt), x, CTA).expect("out", want)
}

/// The greatest grows with every element, so that the sum is scaled each time; then it never does.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(6e-6), f16: ulp(1), bf16: ulp(1)])]
fn row_softmax_online_sorted(dt: DType) -> TestSetup {
    let n = 96;
    let value = |i: usize| (i % n) as f64 * if i < n { 0.25 } else { -0.25 };
    let values: Vec<f64> = (0..2 * n).map(value).collect();
    let x = TestBuffer::from_f64("x", &values, dt).shaped([2, n]);
    let want = reference::softmax_online(&x, n);
    on_rows(row_softmax_online::kernel_ir_for(dt), x, 32).expect("out", want)
}

/// Hot and cold.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(4e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["odd", "aligned", "tail", "many_row", "wide"], ROWS = [3, 2, 2, 36, 1],
        N = [31, 128, 1000, 20, 4500], CTA = [64, 32, 96, 32, 1000], T = [0.7, 3.0, 0.25, 1.5, 0.5],
        suffix = "_{NAME}")
)]
fn row_softmax_tempered_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Range(-2.0, 2.0));
    let want = reference::softmax_tempered(&x, N, T as f32);
    on_rows(row_softmax_tempered::kernel_ir_for(dt), x, CTA)
        .scalar("temperature", T as f32)
        .expect("out", want)
}

fn causal_of(x: TestBuffer, cta: usize, queries: usize, offset: i32) -> TestSetup {
    let (dt, n, scale) = (x.dtype(), x.shape()[1] as usize, 0.6f32);
    let want = reference::softmax_causal(&x, n, scale, queries, offset);
    on_rows(row_softmax_causal::kernel_ir_for(dt), x, cta)
        .scalar("scale", scale)
        .scalar("queries", queries as u32)
        .scalar("offset", offset)
        .expect("out", want)
}

/// `aligned` sees all from its first row on, `many_row` has two heads, the rest begin with what a cache held before them.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(6e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["odd", "aligned", "tail", "many_row", "wide"], ROWS = [5, 3, 4, 34, 2],
        N = [31, 64, 70, 17, 4097], QUERIES = [5, 3, 4, 17, 2], OFFSET = [0, 63, 50, 0, 4000],
        CTA = [32, 32, 48, 32, 512], suffix = "_{NAME}")
)]
fn row_softmax_causal_on(dt: DType) -> TestSetup {
    causal_of(inputs("x", [ROWS, N], dt, Range(-6.0, 6.0)), CTA, QUERIES, OFFSET as i32)
}

/// The first rows lie before everything: they see nothing and are zeros.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(6e-6), f16: ulp(1), bf16: ulp(1)])]
fn row_softmax_causal_sees_nothing(dt: DType) -> TestSetup {
    causal_of(inputs("x", [7, 35], dt, Range(-6.0, 6.0)), 32, 7, -3)
}

/// What is not seen must not be read into the result: NaN and ∞ stand there.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(6e-6), f16: ulp(1), bf16: ulp(1)])]
fn row_softmax_causal_ignores_the_rest(dt: DType) -> TestSetup {
    let n = 40;
    let value = |i: usize| match (i / n, i % n) {
        (row, i) if i > row + 2 => {
            if i % 2 == 0 {
                f64::NAN
            } else {
                f64::INFINITY
            }
        }
        (row, i) => (row + i) as f64 * 0.5 - 2.0,
    };
    let values: Vec<f64> = (0..6 * n).map(value).collect();
    causal_of(TestBuffer::from_f64("x", &values, dt).shaped([6, n]), 64, 6, 2)
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["no_rows", "no_columns"], ROWS = [0, 3], N = [8, 0], suffix = "_{NAME}")
)]
fn row_softmax_empty(dt: DType) -> TestSetup {
    TestSetup::new(row_softmax::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .scalar("n", N as u32)
        .grid_3d(ROWS as u32, 1u32, 1u32, [32, 1, 1])
        .guard()
}

#[test_kernel(dtypes = [f32, bf16])]
fn row_softmax_online_empty(dt: DType) -> TestSetup {
    TestSetup::new(row_softmax_online::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .scalar("n", 0u32)
        .grid_3d(2u32, 1u32, 1u32, [64, 1, 1])
        .guard()
}
