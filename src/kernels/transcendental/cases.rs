//! The cases of the family: each function on ordinary and on hard inputs, in four kinds of shape.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

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
    math_gelu gelu_on gelu_hard: reference::gelu, -6.0, 6.0;
    math_gelu_erf gelu_erf_on gelu_erf_hard: reference::gelu_erf, -6.0, 6.0;
    math_log log_on log_hard: libm::log, 0.0, 50.0;
    math_log10 log10_on log10_hard: libm::log10, 0.0, 50.0;
    math_log1p log1p_on log1p_hard: libm::log1p, -1.0, 20.0;
    math_log2 log2_on log2_hard: libm::log2, 0.0, 50.0;
    math_mish mish_on mish_hard: reference::mish, -20.0, 20.0;
    math_rsqrt rsqrt_on rsqrt_hard: reference::rsqrt, 0.0, 50.0;
    math_sigmoid sigmoid_on sigmoid_hard: reference::sigmoid, -20.0, 20.0;
    math_silu silu_on silu_hard: reference::silu, -20.0, 20.0;
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
