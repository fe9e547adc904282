//! The cases of the family: each function on ordinary and on hard inputs, in four kinds of shape.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::super::activations;
use super::{kernel, reference};

macro_rules! unary_cases {
    ($($kernel:ident $ordinary:ident $hard:ident: $f:expr, $low:expr, $high:expr;)*) => {$(
        #[test_kernel(
            dtypes = [f32, f16, bf16],
            tol = [f32: ulp(1), f16: ulp(1), bf16: ulp(1)],
            variants(NAME = ["scalar", "tail", "aligned"], N = [1, 1002, 2048], CTA = [32, 128, 256], suffix = "_{NAME}")
        )]
        fn $ordinary(dt: DType) -> TestSetup {
            let x = inputs("x", [N], dt, Range($low, $high));
            let want = reference::unary(&x, $f);
            TestSetup::new(kernel::$kernel::kernel_ir_for(dt))
                .input(x)
                .output("out", [N], dt)
                .grid_1d(N, CTA as u32)
                .expect("out", want)
        }

        #[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(1), f16: ulp(1), bf16: ulp(1)])]
        fn $hard(dt: DType) -> TestSetup {
            let x = inputs("x", [1021], dt, Hard);
            let want = reference::unary(&x, $f);
            TestSetup::new(kernel::$kernel::kernel_ir_for(dt))
                .input(x)
                .output("out", [1021], dt)
                .grid_1d(1021, 96)
                .expect("out", want)
        }
    )*};
}

unary_cases! {
    math_acos acos_on acos_hard: libm::acos, -1.0, 1.0;
    math_acosh acosh_on acosh_hard: reference::acosh, 1.0, 50.0;
    math_asin asin_on asin_hard: libm::asin, -1.0, 1.0;
    math_asinh asinh_on asinh_hard: libm::asinh, -50.0, 50.0;
    math_atan atan_on atan_hard: libm::atan, -8.0, 8.0;
    math_atanh atanh_on atanh_hard: libm::atanh, -1.0, 1.0;
    math_cbrt cbrt_on cbrt_hard: libm::cbrt, -50.0, 50.0;
    math_cos cos_on cos_hard: libm::cos, -30.0, 30.0;
    math_cosh cosh_on cosh_hard: libm::cosh, -20.0, 20.0;
    math_erf erf_on erf_hard: libm::erf, -3.0, 3.0;
    math_erfc erfc_on erfc_hard: libm::erfc, -3.0, 6.0;
    math_erfinv erfinv_on erfinv_hard: reference::erfinv, -1.0, 1.0;
    math_exp exp_on exp_hard: libm::exp, -20.0, 20.0;
    math_exp2 exp2_on exp2_hard: libm::exp2, -20.0, 20.0;
    math_expm1 expm1_on expm1_hard: libm::expm1, -8.0, 8.0;
    math_gelu gelu_on gelu_hard: activations::gelu, -6.0, 6.0;
    math_gelu_erf gelu_erf_on gelu_erf_hard: activations::gelu_erf, -6.0, 6.0;
    math_log log_on log_hard: libm::log, 0.0, 50.0;
    math_log10 log10_on log10_hard: libm::log10, 0.0, 50.0;
    math_log1p log1p_on log1p_hard: libm::log1p, -1.0, 20.0;
    math_log2 log2_on log2_hard: libm::log2, 0.0, 50.0;
    math_mish mish_on mish_hard: reference::mish, -20.0, 20.0;
    math_rsqrt rsqrt_on rsqrt_hard: reference::rsqrt, 0.0, 50.0;
    math_sigmoid sigmoid_on sigmoid_hard: activations::sigmoid, -20.0, 20.0;
    math_silu silu_on silu_hard: activations::silu, -20.0, 20.0;
    math_sin sin_on sin_hard: libm::sin, -30.0, 30.0;
    math_sinh sinh_on sinh_hard: libm::sinh, -20.0, 20.0;
    math_softplus softplus_on softplus_hard: reference::softplus, -20.0, 20.0;
    math_tan tan_on tan_hard: libm::tan, -30.0, 30.0;
    math_tanh tanh_on tanh_hard: libm::tanh, -6.0, 6.0;
}

macro_rules! binary_cases {
    ($($kernel:ident $ordinary:ident $hard:ident: $f:expr, $a:expr, $b:expr;)*) => {$(
        #[test_kernel(
            dtypes = [f32, f16, bf16],
            tol = [f32: ulp(1), f16: ulp(1), bf16: ulp(1)],
            variants(NAME = ["scalar", "tail", "aligned"], N = [1, 1002, 2048], CTA = [32, 128, 256], suffix = "_{NAME}")
        )]
        fn $ordinary(dt: DType) -> TestSetup {
            binary_of(kernel::$kernel::kernel_ir_for(dt), inputs("a", [N], dt, $a), inputs("b", [N], dt, $b), $f, CTA as u32)
        }

        /// Every hard value with every other, in turn.
        #[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(1), f16: ulp(1), bf16: ulp(1)])]
        fn $hard(dt: DType) -> TestSetup {
            binary_of(kernel::$kernel::kernel_ir_for(dt), inputs("a", [4095], dt, Hard), inputs("b", [4095], dt, Hard), $f, 96)
        }
    )*};
}

fn binary_of(
    kernel: Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors>,
    a: TestBuffer,
    b: TestBuffer,
    f: fn(f64, f64) -> f64,
    cta: u32,
) -> TestSetup {
    let (n, dt, want) = (a.len() as usize, a.dtype(), reference::binary(&a, &b, f));
    TestSetup::new(kernel).input(a).input(b).output("out", [n], dt).grid_1d(n, cta).expect("out", want)
}

binary_cases! {
    math_pow pow_on pow_hard: libm::pow, Range(0.0, 8.0), Range(-6.0, 6.0);
    math_atan2 atan2_on atan2_hard: libm::atan2, Range(-8.0, 8.0), Range(-8.0, 8.0);
    math_remainder remainder_on remainder_hard: libm::fmod, Range(-90.0, 90.0), Range(-4.0, 4.0);
}

/// Where activations and exponentials end: ±88 and ±104 on both sides of what f32 holds of e^x, infinities, NaN.
const ENDS: [f64; 12] =
    [88.0, -88.0, 104.0, -104.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0, -0.0, -87.3, -103.9, 0.5];

macro_rules! end_cases {
    ($($kernel:ident $name:ident: $f:expr;)*) => {$(
        #[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(1), f16: ulp(1), bf16: ulp(1)])]
        fn $name(dt: DType) -> TestSetup {
            ends_of(kernel::$kernel::kernel_ir_for(dt), inputs("x", [ENDS.len()], dt, FromSlice(&ENDS)), $f)
        }
    )*};
}

fn ends_of(
    kernel: Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors>,
    x: TestBuffer,
    f: fn(f64) -> f64,
) -> TestSetup {
    let (n, dt, want) = (x.len() as usize, x.dtype(), reference::unary(&x, f));
    TestSetup::new(kernel).input(x).output("out", [n], dt).grid_1d(n, 32).expect("out", want)
}

end_cases! {
    math_exp exp_ends: libm::exp;
    math_expm1 expm1_ends: libm::expm1;
    math_sigmoid sigmoid_ends: activations::sigmoid;
    math_silu silu_ends: activations::silu;
    math_gelu gelu_ends: activations::gelu;
    math_gelu_erf gelu_erf_ends: activations::gelu_erf;
    math_softplus softplus_ends: reference::softplus;
    math_mish mish_ends: reference::mish;
    math_tanh tanh_ends: libm::tanh;
}

/// The last normal result, every subnormal power of two, the tie with zero, and beyond.
#[test_kernel(dtypes = [f32], tol = [f32: 0.0])]
fn exp2_powers(dt: DType) -> TestSetup {
    let x: Vec<f64> = (-152..=-124).chain(126..=129).map(f64::from).collect();
    ends_of(kernel::math_exp2::kernel_ir_for(dt), TestBuffer::from_f64("x", &x, dt), libm::exp2)
}

/// Near and far apart; sums of at least 1, so that nothing cancels.
#[test_kernel(
    dtypes = [f32, f16, bf16],
    tol = [f32: rel(4e-7), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "tail", "aligned"], N = [1, 1002, 2048], CTA = [32, 128, 256], suffix = "_{NAME}")
)]
fn logaddexp_on(dt: DType) -> TestSetup {
    let (a, b) = (inputs("a", [N], dt, Range(1.0, 30.0)), inputs("b", [N], dt, Range(-5.0, 30.0)));
    binary_of(kernel::logaddexp::kernel_ir_for(dt), a, b, reference::logaddexp, CTA as u32)
}

/// Infinities with everything, NaN, equal numbers.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(4e-7), f16: ulp(1), bf16: ulp(1)])]
fn logaddexp_ends(dt: DType) -> TestSetup {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let a = inputs("a", [20], dt, FromSlice(&[inf, inf, -inf, -inf, nan, 3.0, inf, 0.0, 200.0, -300.0]));
    let b = inputs("b", [20], dt, FromSlice(&[inf, -inf, -inf, 2.0, 1.0, nan, nan, -0.0, 200.0, 1.0]));
    binary_of(kernel::logaddexp::kernel_ir_for(dt), a, b, reference::logaddexp, 32)
}

macro_rules! graded_cases {
    ($($kernel:ident $name:ident $bound:literal: $f:expr;)*) => {$(
        #[test_kernel(
            dtypes = [f32, f16, bf16],
            tol = [f32: rel($bound), f16: rel(2e-3 + $bound), bf16: rel(8e-3 + $bound)],
            variants(NAME = ["tail", "aligned"], N = [1002, 2048], CTA = [128, 256], suffix = "_{NAME}")
        )]
        fn $name(dt: DType) -> TestSetup {
            let x = inputs("x", [N], dt, Range(-6.0, 6.0));
            let want = reference::unary(&x, $f);
            TestSetup::new(kernel::$kernel::kernel_ir_for(dt))
                .input(x)
                .output("out", [N], dt)
                .grid_1d(N, CTA as u32)
                .expect("out", want)
        }
    )*};
}

// The bounds are 2^−BITS; of the product their sum.
graded_cases! {
    graded_exp graded_exp_on 6.2e-5: libm::exp;
    graded_exp2 graded_exp2_on 4.9e-4: libm::exp2;
    graded_below graded_below_on 4.5e-3: |x| libm::exp(-x.abs()) * libm::exp2(-x.abs());
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    tol = [f32: ulp(1), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["tail", "aligned"], N = [1002, 2048], CTA = [128, 256], suffix = "_{NAME}")
)]
fn both_waves_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Range(-100.0, 100.0));
    let (sines, cosines) = (reference::unary(&x, libm::sin), reference::unary(&x, libm::cos));
    TestSetup::new(kernel::both_waves::kernel_ir_for(dt))
        .input(x)
        .output("sines", [N], dt)
        .output("cosines", [N], dt)
        .grid_1d(N, CTA as u32)
        .expect("sines", sines)
        .expect("cosines", cosines)
}
