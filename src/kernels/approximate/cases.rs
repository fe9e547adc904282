//! The cases of the family. Every one declares its approximation and the bound of the family's table.

use warpsmith::case::IntoKernel;
use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::super::activations::{sigmoid, silu};
use super::kernel::{
    cos_approx, exp_approx, exp2_approx, log_approx, log2_approx, recip_approx, rsqrt_approx, sigmoid_approx,
    silu_approx, sin_approx, sqrt_approx, swiglu_approx, tanh_approx,
};
use super::reference::{exp_bound, map, narrow, power, swiglu, tanh_bound, wave_bound};

const WHY: &str = "the hardware's approximation";
const SUBNORMAL: f64 = 1e-40;

fn unary(kernel: impl IntoKernel, x: TestBuffer, function: fn(f64) -> f64, bound: Tolerance) -> TestSetup {
    let (n, dt, want) = (x.len() as usize, x.dtype(), map(&x, function));
    TestSetup::new(kernel)
        .input(x)
        .output("out", n, dt)
        .grid_1d(n, 128)
        .approx(WHY, bound)
        .expect("out", want)
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn exp2_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(-12.0, 12.0));
    unary(exp2_approx::kernel_ir_for(dt), x, f64::exp2, narrow(dt, ulp(2)))
}

/// Both ends of the range and the subnormal results below it.
#[test_kernel(dtypes = [f32])]
fn exp2_approx_hard(dt: DType) -> TestSetup {
    let x = inputs("x", 500, dt, Hard);
    unary(exp2_approx::kernel_ir_for(dt), x, f64::exp2, ulp(2))
}

#[test_kernel(dtypes = [f32])]
fn exp2_approx_ends(dt: DType) -> TestSetup {
    let x = inputs("x", 600, dt, Range(-150.0, 129.0));
    unary(exp2_approx::kernel_ir_for(dt), x, f64::exp2, ulp(2))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn log2_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(2.5, 60_000.0));
    unary(log2_approx::kernel_ir_for(dt), x, f64::log2, narrow(dt, rel(3.4e-7)))
}

/// Around 1 the bound is absolute.
#[test_kernel(dtypes = [f32])]
fn log2_approx_near_one(dt: DType) -> TestSetup {
    let x = inputs("x", 600, dt, Range(0.5, 2.0));
    unary(log2_approx::kernel_ir_for(dt), x, f64::log2, Tolerance::Abs(3.4e-7))
}

#[test_kernel(dtypes = [f32])]
fn log2_approx_hard(dt: DType) -> TestSetup {
    let hard = [0.0, -0.0, SUBNORMAL, 1.4e-45, 1e-38, 3e38, 4.0, 0.25, f64::INFINITY, f64::NAN, -1.0, -1e-40];
    let x = inputs("x", 36, dt, FromSlice(&hard));
    unary(log2_approx::kernel_ir_for(dt), x, f64::log2, rel(3.4e-7))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn sin_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(-6.25, 6.25));
    unary(sin_approx::kernel_ir_for(dt), x, f64::sin, wave_bound(dt))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn cos_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(-6.25, 6.25));
    unary(cos_approx::kernel_ir_for(dt), x, f64::cos, wave_bound(dt))
}

/// Zeros, subnormals, the steepest and the flattest places; NaN of what has no angle.
const ANGLES: [f64; 10] = [
    0.0,
    -0.0,
    SUBNORMAL,
    -1e-20,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::PI,
    -std::f64::consts::TAU,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

#[test_kernel(dtypes = [f32])]
fn sin_approx_hard(dt: DType) -> TestSetup {
    unary(sin_approx::kernel_ir_for(dt), inputs("x", 40, dt, FromSlice(&ANGLES)), f64::sin, wave_bound(dt))
}

#[test_kernel(dtypes = [f32])]
fn cos_approx_hard(dt: DType) -> TestSetup {
    unary(cos_approx::kernel_ir_for(dt), inputs("x", 40, dt, FromSlice(&ANGLES)), f64::cos, wave_bound(dt))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn tanh_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(-4.0, 4.0));
    unary(tanh_approx::kernel_ir_for(dt), x, f64::tanh, tanh_bound(dt))
}

#[test_kernel(dtypes = [f32])]
fn tanh_approx_hard(dt: DType) -> TestSetup {
    unary(tanh_approx::kernel_ir_for(dt), inputs("x", 500, dt, Hard), f64::tanh, tanh_bound(dt))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn rsqrt_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(0.01, 100.0));
    unary(rsqrt_approx::kernel_ir_for(dt), x, |x| 1.0 / x.sqrt(), narrow(dt, ulp(2)))
}

#[test_kernel(dtypes = [f32])]
fn rsqrt_approx_hard(dt: DType) -> TestSetup {
    unary(rsqrt_approx::kernel_ir_for(dt), inputs("x", 500, dt, Hard), |x| 1.0 / x.sqrt(), ulp(2))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn recip_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(0.01, 100.0));
    unary(recip_approx::kernel_ir_for(dt), x, f64::recip, ulp(1))
}

#[test_kernel(dtypes = [f32])]
fn recip_approx_hard(dt: DType) -> TestSetup {
    unary(recip_approx::kernel_ir_for(dt), inputs("x", 500, dt, Hard), f64::recip, ulp(1))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn sqrt_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(0.01, 100.0));
    unary(sqrt_approx::kernel_ir_for(dt), x, f64::sqrt, narrow(dt, ulp(2)))
}

#[test_kernel(dtypes = [f32])]
fn sqrt_approx_hard(dt: DType) -> TestSetup {
    unary(sqrt_approx::kernel_ir_for(dt), inputs("x", 500, dt, Hard), f64::sqrt, ulp(2))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn exp_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(-9.0, 9.0));
    unary(exp_approx::kernel_ir_for(dt), x, f64::exp, narrow(dt, exp_bound(power(-22), 9.0)))
}

/// The ends of the range, and what lies beyond them.
#[test_kernel(dtypes = [f32])]
fn exp_approx_hard(dt: DType) -> TestSetup {
    let hard = [0.0, -0.0, SUBNORMAL, 87.5, -87.0, 90.0, -110.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let x = inputs("x", 40, dt, FromSlice(&hard));
    unary(exp_approx::kernel_ir_for(dt), x, f64::exp, exp_bound(power(-22), 88.0))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn log_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(2.5, 60_000.0));
    unary(log_approx::kernel_ir_for(dt), x, f64::ln, narrow(dt, rel(power(-21))))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn sigmoid_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(-9.0, 9.0));
    unary(sigmoid_approx::kernel_ir_for(dt), x, sigmoid, narrow(dt, exp_bound(power(-21), 9.0)))
}

/// Both ends, from which on it is 0 or 1.
#[test_kernel(dtypes = [f32])]
fn sigmoid_approx_hard(dt: DType) -> TestSetup {
    let hard = [0.0, -0.0, 1e-20, 88.0, -87.0, 104.0, -104.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let x = inputs("x", 40, dt, FromSlice(&hard));
    unary(sigmoid_approx::kernel_ir_for(dt), x, sigmoid, exp_bound(power(-21), 88.0))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "aligned"], N = [203, 1024], suffix = "_{NAME}"))]
fn silu_approx_on(dt: DType) -> TestSetup {
    let x = inputs("x", N, dt, Range(-6.0, 9.0));
    unary(silu_approx::kernel_ir_for(dt), x, silu, narrow(dt, exp_bound(power(-21), 9.0)))
}

#[test_kernel(dtypes = [f32])]
fn silu_approx_hard(dt: DType) -> TestSetup {
    let hard = [0.0, -0.0, 1e-20, 88.0, -87.0, 104.0, 3e38, f64::INFINITY, f64::NAN];
    let x = inputs("x", 36, dt, FromSlice(&hard));
    unary(silu_approx::kernel_ir_for(dt), x, silu, exp_bound(power(-21), 88.0))
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["odd", "wide"], N = [203, 5000], suffix = "_{NAME}"))]
fn swiglu_approx_on(dt: DType) -> TestSetup {
    let (gate, up) = (inputs("gate", N, dt, Range(-6.0, 6.0)), inputs("up", N, dt, Range(0.5, 2.0)));
    let want = swiglu(&gate, &up);
    TestSetup::new(swiglu_approx::kernel_ir_for(dt))
        .input(gate)
        .input(up)
        .output("out", N, dt)
        .grid_1d(N, 256)
        .approx(WHY, narrow(dt, exp_bound(7e-7, 6.0)))
        .expect("out", want)
}

/// A launch without threads writes nothing, whatever it approximates.
#[test_kernel(dtypes = [f32])]
fn exp2_approx_empty(dt: DType) -> TestSetup {
    TestSetup::new(exp2_approx::kernel_ir_for(dt))
        .input(inputs("x", 4, dt, Range(1.0, 2.0)))
        .output("out", 4, dt)
        .grid_1d(0, 128)
        .approx(WHY, ulp(2))
        .guard()
}
