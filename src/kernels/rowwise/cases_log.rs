//! The cases of the kernels that end in a logarithm. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::cases::on_rows;
use super::cases_special::{pairs, rows};
use super::logarithms::{row_log_softmax, row_logsumexp, row_logsumexp_online};
use super::reference;

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(4e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "just_over", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 2, 3, 40, 2],
        N = [1, 31, 256, 33, 1000, 33, 5000], CTA = [32, 32, 96, 32, 256, 48, 1024], suffix = "_{NAME}")
)]
fn row_log_softmax_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Range(-2.0, 2.0));
    let want = reference::log_softmax(&x, N);
    on_rows(row_log_softmax::kernel_ir_for(dt), x, CTA).expect("out", want)
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(16), f16: ulp(1), bf16: ulp(1)])]
fn row_log_softmax_pairs(dt: DType) -> TestSetup {
    let x = pairs(dt);
    let want = reference::log_softmax(&x, 2);
    on_rows(row_log_softmax::kernel_ir_for(dt), x, 32).expect("out", want)
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(16), f16: ulp(1), bf16: ulp(1)])]
fn row_log_softmax_rows(dt: DType) -> TestSetup {
    let x = rows(dt);
    let want = reference::log_softmax(&x, 67);
    on_rows(row_log_softmax::kernel_ir_for(dt), x, 96).expect("out", want)
}

fn logsumexp_of(kernel: Result<Kernel, warpsmith::dsl::BuildErrors>, x: TestBuffer, cta: usize) -> TestSetup {
    let (dt, rows, n) = (x.dtype(), x.shape()[0] as usize, x.shape()[1] as usize);
    let want = reference::logsumexp(&x, n);
    TestSetup::new(kernel)
        .input(x)
        .output("out", [rows], dt)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect("out", want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(1e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "just_over", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 2, 3, 40, 2],
        N = [1, 31, 256, 33, 1000, 33, 5000], CTA = [32, 32, 96, 32, 256, 48, 1024], suffix = "_{NAME}")
)]
fn row_logsumexp_on(dt: DType) -> TestSetup {
    logsumexp_of(row_logsumexp::kernel_ir_for(dt), inputs("x", [ROWS, N], dt, Range(-1.0, 8.0)), CTA)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(1e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "just_over", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 2, 3, 40, 2],
        N = [1, 31, 256, 33, 1000, 33, 5000], CTA = [64, 96, 32, 32, 128, 32, 512], suffix = "_{NAME}")
)]
fn row_logsumexp_online_on(dt: DType) -> TestSetup {
    logsumexp_of(row_logsumexp_online::kernel_ir_for(dt), inputs("x", [ROWS, N], dt, Range(-1.0, 8.0)), CTA)
}

/// No row of these has a sum near e⁻ᵐ, so that nothing cancels.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: ulp(16), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["pairs", "rows"], PAIRS = [true, false], suffix = "_{NAME}")
)]
fn row_logsumexp_special(dt: DType) -> TestSetup {
    logsumexp_of(row_logsumexp::kernel_ir_for(dt), if PAIRS { pairs(dt) } else { rows(dt) }, 64)
}

/// The infinite rows too: what is scaled by exp(−∞) was 0.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: ulp(16), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["pairs", "rows"], PAIRS = [true, false], suffix = "_{NAME}")
)]
fn row_logsumexp_online_special(dt: DType) -> TestSetup {
    logsumexp_of(row_logsumexp_online::kernel_ir_for(dt), if PAIRS { pairs(dt) } else { rows(dt) }, 32)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn row_logsumexp_empty(dt: DType) -> TestSetup {
    TestSetup::new(row_logsumexp::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .scalar("n", 8u32)
        .grid_3d(0u32, 1u32, 1u32, [32, 1, 1])
        .guard()
}
