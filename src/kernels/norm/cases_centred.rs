//! The cases of `layer_norm` and `group_norm`. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::centred::{group_norm, layer_norm};
use super::reference;

fn layer_norm_of(x: TestBuffer, beta: TestBuffer, cta: usize, eps: f32) -> TestSetup {
    let (dt, shape) = (x.dtype(), x.shape().to_vec());
    let (rows, n) = (shape[0] as usize, shape[1] as usize);
    let gamma = inputs("gamma", [n], dt, Range(0.5, 1.5));
    let want = reference::layer_norm(&x, &gamma, &beta, eps);
    TestSetup::new(layer_norm::kernel_ir_for(dt))
        .input(x)
        .input(gamma)
        .input(beta)
        .output("out", [rows, n], dt)
        .scalar("eps", eps)
        .scalar("n", n as u32)
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect("out", want)
}

fn far(n: usize, dt: DType) -> TestBuffer {
    inputs("beta", [n], dt, Range(6.0, 9.0))
}

/// `scalar` is a row of one element, which is its own mean: beta comes out.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 3, 40, 2],
        N = [1, 95, 768, 1003, 20, 5120], CTA = [32, 96, 256, 1000, 48, 256], suffix = "_{NAME}")
)]
fn layer_norm_on(dt: DType) -> TestSetup {
    layer_norm_of(inputs("x", [ROWS, N], dt, Range(-2.0, 2.0)), far(N, dt), CTA, 1e-5)
}

/// A mean a thousand times the deviation, and no beta: a variance by E(x²) − mean² has no digit left. Integers of few
/// digits, so that the sums are exact.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["aligned", "many_row"], ROWS = [2, 33], N = [512, 50], CTA = [128, 64], suffix = "_{NAME}")
)]
fn layer_norm_far_from_zero(dt: DType) -> TestSetup {
    let base = if dt == DType::BF16 { 129.0 } else { 1025.0 };
    let value = |i: usize| base + ((i * 7919) % 13) as f64 / if dt == DType::F32 { 16.0 } else { 1.0 };
    let values: Vec<f64> = (0..ROWS * N).map(value).collect();
    let x = TestBuffer::from_f64("x", &values, dt).shaped([ROWS, N]);
    layer_norm_of(x, TestBuffer::zeros("beta", N, dt), CTA, 1e-5)
}

/// Equal elements between two ordinary rows: beta with eps, NaN without.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["eps", "no_eps"], EPS = [1e-6, 0.0], suffix = "_{NAME}")
)]
fn layer_norm_equal_row(dt: DType) -> TestSetup {
    let n = 130;
    let value = |i: usize| if i / n == 1 { 3.0 } else { (i % 17) as f64 * 0.25 - 2.0 };
    let values: Vec<f64> = (0..3 * n).map(value).collect();
    layer_norm_of(TestBuffer::from_f64("x", &values, dt).shaped([3, n]), far(n, dt), 64, EPS as f32)
}

/// A row each with a NaN, an infinity, squares beyond f32, subnormals and zeros of both signs, and an ordinary one.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)])]
fn layer_norm_hard(dt: DType) -> TestSetup {
    let n = 37;
    let (huge, tiny) = if dt == DType::F16 { (60_000.0, 6e-8) } else { (1e30, 1e-39) };
    let value = |i: usize| match (i / n, i % n) {
        (0, 5) => f64::NAN,
        (1, 7) => f64::INFINITY,
        (2, i) => {
            if i % 2 == 0 {
                huge
            } else {
                -huge / 2.0
            }
        }
        (3, i) => {
            if i % 3 == 0 {
                -0.0
            } else {
                tiny * (i % 5) as f64
            }
        }
        (_, i) => (i % 11) as f64 * 0.5 - 2.0,
    };
    let values: Vec<f64> = (0..5 * n).map(value).collect();
    layer_norm_of(TestBuffer::from_f64("x", &values, dt).shaped([5, n]), far(n, dt), 32, 1e-5)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn layer_norm_empty(dt: DType) -> TestSetup {
    TestSetup::new(layer_norm::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .input(inputs("gamma", [8], dt, Range(0.5, 1.5)))
        .input(far(8, dt))
        .output("out", 4, dt)
        .scalar("eps", 1e-5f32)
        .scalar("n", 8u32)
        .grid_3d(0u32, 1u32, 1u32, [32, 1, 1])
        .guard()
}

fn group_norm_of(x: TestBuffer, groups: usize, cta: usize, eps: f32) -> TestSetup {
    let (dt, shape) = (x.dtype(), x.shape().to_vec());
    let [items, channels, spatial] = [0, 1, 2].map(|axis| shape[axis] as usize);
    let (gamma, beta) = (inputs("gamma", [channels], dt, Range(0.5, 1.5)), far(channels, dt));
    let want = reference::group_norm(&x, &gamma, &beta, eps, [channels, spatial, groups]);
    TestSetup::new(group_norm::kernel_ir_for(dt))
        .input(x)
        .input(gamma)
        .input(beta)
        .output("out", [items, channels, spatial], dt)
        .scalar("eps", eps)
        .scalar("channels", channels as u32)
        .scalar("spatial", spatial as u32)
        .scalar("groups", groups as u32)
        .grid_3d(groups, items, 1u32, [cta as u32, 1, 1])
        .expect("out", want)
}

/// `tail` has as many groups as channels, `wide` one group of all.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["odd", "aligned", "tail", "many_row", "wide"], ITEMS = [1, 2, 2, 3, 1],
        CHANNELS = [9, 8, 5, 64, 2], SPATIAL = [35, 64, 250, 12, 4100], GROUPS = [3, 2, 5, 16, 1],
        CTA = [128, 96, 64, 32, 256], suffix = "_{NAME}")
)]
fn group_norm_on(dt: DType) -> TestSetup {
    group_norm_of(inputs("x", [ITEMS, CHANNELS, SPATIAL], dt, Range(-2.0, 2.0)), GROUPS, CTA, 1e-5)
}

/// A group of equal elements, one with a NaN and one with an infinity, beside an ordinary one, in each of two items.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)])]
fn group_norm_hard(dt: DType) -> TestSetup {
    let value = |i: usize| match (i / 26 % 4, i % 26) {
        (0, _) => 2.5,
        (1, 3) => f64::NAN,
        (2, 9) => f64::NEG_INFINITY,
        (_, i) => (i % 11) as f64 * 0.5 - 2.0,
    };
    let values: Vec<f64> = (0..2 * 8 * 13).map(value).collect();
    group_norm_of(TestBuffer::from_f64("x", &values, dt).shaped([2, 8, 13]), 4, 32, 1e-5)
}

#[test_kernel(dtypes = [f32, bf16])]
fn group_norm_empty(dt: DType) -> TestSetup {
    TestSetup::new(group_norm::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .input(inputs("gamma", [4], dt, Range(0.5, 1.5)))
        .input(far(4, dt))
        .output("out", 6, dt)
        .scalar("eps", 1e-5f32)
        .scalar("channels", 4u32)
        .scalar("spatial", 6u32)
        .scalar("groups", 2u32)
        .grid_3d(2u32, 0u32, 1u32, [32, 1, 1])
        .guard()
}
