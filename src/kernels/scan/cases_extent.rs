//! The cases of extents that cut a CTA: within its first warp, at a warp's end, one thread into a warp or into a CTA.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::extent::{cut_rounds, cut_sum, own_name};
use super::reference;

#[test_kernel(
    dtypes = [i32, u64, f32],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 129, 64, 100, 300], CTA = [128, 128, 128, 1000, 128],
        suffix = "_{NAME}")
)]
fn cut_sum_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Ints(1, 40));
    let (sums, before) = reference::cut_sums(&x, CTA);
    TestSetup::new(cut_sum::kernel_ir_for(dt))
        .input(x)
        .output("out", [N], dt)
        .output("before", [N], dt)
        .grid_1d(N as u64, CTA as u32)
        .tol(Tolerance::EXACT)
        .expect("out", sums)
        .expect("before", before)
}

#[test_kernel(
    dtypes = [u32],
    variants(NAME = ["scalar", "odd", "tail"], N = [3, 40, 200], CTA = [64, 128, 96], suffix = "_{NAME}")
)]
fn cut_rounds_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Ints(0, 5));
    let want = reference::cut_rounds(&x, CTA);
    TestSetup::new(cut_rounds::kernel_ir())
        .input(x)
        .output("out", [N], dt)
        .grid_1d(N as u64, CTA as u32)
        .tol(Tolerance::EXACT)
        .expect("out", want)
}

#[test_kernel(dtypes = [u32], variants(NAME = ["odd", "tail"], CTA = [45, 180], suffix = "_{NAME}"))]
fn own_name_on(dt: DType) -> TestSetup {
    let x = inputs("x", [CTA], dt, Ints(0, 9));
    let sum = 3.0 * x.as_f64().iter().sum::<f64>() + 3.0 * CTA as f64;
    TestSetup::new(own_name::kernel_ir())
        .input(x)
        .output("out", [CTA], dt)
        .grid_3d(1u32, 1u32, 1u32, [CTA as u32, 1, 1])
        .tol(Tolerance::EXACT)
        .expect("out", vec![77.0 + 1000.0 * sum; CTA])
}
