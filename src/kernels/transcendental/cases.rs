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
    math_exp exp_on exp_hard: libm::exp, -20.0, 20.0;
    math_exp2 exp2_on exp2_hard: libm::exp2, -20.0, 20.0;
}
