//! The cases of the family. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::BuildErrors;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::kernel::{snake, snake_beta, snake_beta_log};
use super::reference;

fn on_channels(
    kernel: Result<Kernel, BuildErrors>,
    x: TestBuffer,
    alpha: TestBuffer,
    cta: usize,
    want: Vec<f64>,
) -> TestSetup {
    let (dt, shape) = (x.dtype(), x.shape().to_vec());
    let [items, channels, places] = [0, 1, 2].map(|axis| shape[axis] as usize);
    TestSetup::new(kernel)
        .input(x)
        .input(alpha)
        .output("out", [items, channels, places], dt)
        .scalar("channels", channels as u32)
        .scalar("places", places as u32)
        .threads_3d(places, channels, items, [cta as u32, 1, 1])
        .expect("out", want)
}

fn snake_of(x: TestBuffer, alpha: TestBuffer, cta: usize) -> TestSetup {
    let want = reference::snake(&x, &alpha.as_f64(), &alpha.as_f64());
    on_channels(snake::kernel_ir_for(x.dtype()), x, alpha, cta, want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(1e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ITEMS = [1, 2, 1, 2, 3, 1],
        CHANNELS = [1, 3, 2, 3, 12, 1], PLACES = [1, 45, 128, 205, 20, 4200], CTA = [32, 64, 64, 96, 32, 256],
        suffix = "_{NAME}")
)]
fn snake_on(dt: DType) -> TestSetup {
    let alpha = inputs("alpha", [CHANNELS], dt, Range(0.25, 4.0));
    snake_of(inputs("x", [ITEMS, CHANNELS, PLACES], dt, Range(-5.0, 5.0)), alpha, CTA)
}

/// Arguments of the sine far beyond what a short reduction takes, infinities, subnormals; alpha 1 and a power of two.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(1e-6), f16: ulp(1), bf16: ulp(1)])]
fn snake_hard(dt: DType) -> TestSetup {
    snake_of(inputs("x", [1, 2, 151], dt, Hard), inputs("alpha", [2], dt, FromSlice(&[1.0, 0.125])), 256)
}

/// A channel whose alpha is 0: 0/0 is no number.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(1e-6), f16: ulp(1), bf16: ulp(1)])]
fn snake_without_rate(dt: DType) -> TestSetup {
    let x = inputs("x", [1, 3, 50], dt, Range(-5.0, 5.0));
    snake_of(x, inputs("alpha", [3], dt, FromSlice(&[1.0, 0.0, 2.0])), 32)
}

fn snake_beta_of(x: TestBuffer, alpha: TestBuffer, beta: TestBuffer, cta: usize) -> TestSetup {
    let want = reference::snake(&x, &alpha.as_f64(), &beta.as_f64());
    on_channels(snake_beta::kernel_ir_for(x.dtype()), x, alpha, cta, want).input(beta)
}

/// Each beta is above each alpha, so that the sum cancels less than that of `snake`.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(1e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ITEMS = [1, 2, 1, 2, 3, 1],
        CHANNELS = [1, 3, 2, 3, 12, 1], PLACES = [1, 45, 128, 205, 20, 4200], CTA = [32, 64, 64, 96, 32, 256],
        suffix = "_{NAME}")
)]
fn snake_beta_on(dt: DType) -> TestSetup {
    let alpha = inputs("alpha", [CHANNELS], dt, Range(0.25, 1.5));
    let beta = inputs("beta", [CHANNELS], dt, Range(1.5, 4.0));
    snake_beta_of(inputs("x", [ITEMS, CHANNELS, PLACES], dt, Range(-5.0, 5.0)), alpha, beta, CTA)
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(1e-6), f16: ulp(1), bf16: ulp(1)])]
fn snake_beta_hard(dt: DType) -> TestSetup {
    let alpha = inputs("alpha", [2], dt, FromSlice(&[1.0, 0.125]));
    let beta = inputs("beta", [2], dt, FromSlice(&[2.0, 0.25]));
    snake_beta_of(inputs("x", [1, 2, 151], dt, Hard), alpha, beta, 64)
}

/// e^alpha and e^beta may each be an ulp off, the argument of the sine with it: it is kept below 3, where the sum keeps
/// a third of x.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(4e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["odd", "aligned", "tail", "many_row"], ITEMS = [2, 1, 2, 3], CHANNELS = [3, 2, 3, 12],
        PLACES = [45, 128, 205, 20], CTA = [64, 64, 96, 32], suffix = "_{NAME}")
)]
fn snake_beta_log_on(dt: DType) -> TestSetup {
    let alpha = inputs("alpha", [CHANNELS], dt, Range(-1.0, 0.0));
    let beta = inputs("beta", [CHANNELS], dt, Range(0.25, 1.0));
    let x = inputs("x", [ITEMS, CHANNELS, PLACES], dt, Range(-3.0, 3.0));
    let want = reference::snake(&x, &reference::powers(&alpha), &reference::powers(&beta));
    on_channels(snake_beta_log::kernel_ir_for(dt), x, alpha, CTA, want).input(beta)
}

#[test_kernel(dtypes = [f32, bf16])]
fn snake_empty(dt: DType) -> TestSetup {
    TestSetup::new(snake::kernel_ir_for(dt))
        .input(inputs("x", [4], dt, Range(-5.0, 5.0)))
        .input(inputs("alpha", [1], dt, Range(0.25, 4.0)))
        .output("out", 4, dt)
        .scalar("channels", 1u32)
        .scalar("places", 4u32)
        .threads_3d(4u32, 1u32, 0u32, [32, 1, 1])
        .guard()
}
