//! The cases of float sums, whose bits depend on the order of threads. The tolerance's reason is in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{float_sum, float_sum_of_cta, pair_sum};
use super::reference;

const WHY: &str = "float additions come in the order of threads";

/// The share of a sum that `count` additions of positive numbers may miss.
fn share(dt: DType, count: usize) -> Tolerance {
    let bits = match dt {
        DType::F64 => 53,
        DType::F32 => 24,
        DType::F16 => 11,
        _ => 8,
    };
    Tolerance::Rel(count as f64 * 2f64.powi(-bits))
}

#[test_kernel(
    dtypes = [f32, f64, f16, bf16],
    variants(NAME = ["scalar", "odd", "tail", "wide"], N = [1, 95, 1002, 5000], COUNT = [1, 31, 334, 1000],
        CTA = [1, 31, 159, 1024], suffix = "_{NAME}")
)]
fn float_sum_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Range(0.5, 3.0));
    let want = reference::binned(&x.as_f64(), &[0.0; COUNT], |a, b| a + b);
    TestSetup::new(float_sum::kernel_ir_for(dt))
        .input(x)
        .input(TestBuffer::zeros("out", COUNT, dt))
        .scalar("bins", COUNT as u32)
        .threads_1d(N, CTA as u32)
        .unordered(WHY)
        .tol(share(dt, N.div_ceil(COUNT)))
        .expect("out", want)
}

/// One element for all: integers that no order rounds, so that the bits are known all the same.
#[test_kernel(dtypes = [f32, f64, f16, bf16])]
fn float_sum_contended(dt: DType) -> TestSetup {
    // No order leads past 205 or below −95: both types of 16 bits hold every integer between.
    let x = inputs("x", [1000], dt, FromSlice(&[1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0]));
    let start = TestBuffer::from_f64("out", &[5.0], dt);
    TestSetup::new(float_sum::kernel_ir_for(dt))
        .input(x)
        .input(start)
        .scalar("bins", 1u32)
        .threads_1d(1000, 1000)
        .unordered(WHY)
        .expect_bits(TestBuffer::from_f64("out", &[105.0], dt))
}

#[test_kernel(
    dtypes = [f32, f64, f16, bf16],
    variants(NAME = ["odd", "many_row", "aligned"], CTAS = [3, 40, 5], CTA = [7, 5, 8], suffix = "_{NAME}")
)]
fn float_sum_of_cta_on(dt: DType) -> TestSetup {
    let x = inputs("x", [CTAS * CTA], dt, Range(0.5, 3.0));
    let want: Vec<f64> = x.as_f64().chunks(CTA).map(|run| run.iter().sum()).collect();
    TestSetup::new(float_sum_of_cta::kernel_ir_for(dt))
        .input(x)
        .output("out", [CTAS], dt)
        .grid_3d(CTAS, 1u32, 1u32, [CTA as u32, 1, 1])
        .unordered(WHY)
        .tol(share(dt, CTA))
        .expect("out", want)
}

#[test_kernel(
    dtypes = [f16, bf16],
    variants(NAME = ["scalar", "odd", "tail", "wide"], N = [1, 95, 502, 2000], COUNT = [1, 31, 128, 500],
        CTA = [1, 31, 159, 1024], suffix = "_{NAME}")
)]
fn pair_sum_on(dt: DType) -> TestSetup {
    // Sums of at most five such numbers are exact in both types.
    let x = inputs("x", [2 * N], dt, Ints(-20, 31));
    let want = reference::pair_sums(&x.as_f64(), COUNT);
    TestSetup::new(pair_sum::kernel_ir_for(dt))
        .input(x)
        .input(TestBuffer::zeros("out", 2 * COUNT, dt))
        .scalar("bins", COUNT as u32)
        .threads_1d(N, CTA as u32)
        .unordered(WHY)
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}
