//! The cases of 8×8 matrices.

use warpsmith::case::prelude::*;
use warpsmith::case::{Generator, IntoKernel};
use warpsmith::dsl::prelude::*;

use super::cases::{POSITIVE, sum_tolerance};
use super::eights::*;
use super::reference::{product, transposed};

fn gemm(kernel: impl IntoKernel, size: [usize; 3], of: [Generator<'_>; 2], dt: DType) -> TestSetup {
    let [m, n, k] = size;
    let a = inputs("a", [m, k], dt, of[0]);
    let b = inputs("b", [k, n], dt, of[1]);
    let want = product(&a.as_f64(), &b.as_f64(), size);
    TestSetup::new(kernel)
        .input(a)
        .input(b)
        .output("c", [m, n], DType::F32)
        .scalar("m", m as u32)
        .scalar("n", n as u32)
        .scalar("k", k as u32)
        .grid_2d(n.div_ceil(SIDE), m.div_ceil(SIDE), [32, 1])
        .expect("c", want)
        .tol(sum_tolerance(k))
}

/// Tails on every axis, whole matrices, one element.
#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["tail", "aligned", "odd", "many_row", "single"], ROWS = [11, 8, 5, 33, 1],
        COLS = [9, 16, 3, 17, 1], DEPTH = [20, 64, 13, 24, 1], suffix = "_{NAME}")
)]
fn eights_ieee(dt: DType) -> TestSetup {
    gemm(eights_gemm_ieee::kernel_ir_for(dt), [ROWS, COLS, DEPTH], POSITIVE, dt)
}

#[test_kernel(
    dtypes = [f16, bf16],
    variants(NAME = ["tail", "aligned", "odd", "many_row", "single"], ROWS = [11, 8, 5, 33, 1],
        COLS = [9, 16, 3, 17, 1], DEPTH = [20, 64, 13, 24, 1], suffix = "_{NAME}")
)]
fn eights_native(dt: DType) -> TestSetup {
    gemm(eights_gemm_native::kernel_ir_for(dt), [ROWS, COLS, DEPTH], POSITIVE, dt)
}

/// One product each of hard values, infinities, NaN and subnormals among them.
#[test_kernel(dtypes = [f32, f16, bf16])]
fn eights_hard_ieee(dt: DType) -> TestSetup {
    gemm(eights_gemm_ieee::kernel_ir_for(dt), [40, 12, 1], [Hard, Fill(1.0)], dt).tol(Tolerance::EXACT)
}

#[test_kernel(dtypes = [f16, bf16])]
fn eights_hard_native(dt: DType) -> TestSetup {
    gemm(eights_gemm_native::kernel_ir_for(dt), [40, 12, 1], [Hard, Fill(1.0)], dt).tol(Tolerance::EXACT)
}

fn block(kernel: impl IntoKernel, [m, n, k]: [usize; 3], warps: usize, dt: DType) -> TestSetup {
    let a = inputs("a", [m, k], dt, Range(0.25, 1.75));
    let b = inputs("b", [n, k], dt, Range(0.25, 1.75));
    let want = product(&a.as_f64(), &transposed(&b.as_f64(), n), [m, n, k]);
    // A rounding to T at each depth, of a sum that only grows.
    let steps = (k / SIDE) as f64;
    let rounding = match dt {
        DType::F16 => steps * 2f64.powi(-11),
        DType::BF16 => steps * 2f64.powi(-8),
        _ => 0.0,
    };
    TestSetup::new(kernel)
        .input(a)
        .input(b)
        .output("c", [m, n], dt)
        .scalar("n", n as u32)
        .scalar("k", k as u32)
        .grid_2d(n / 16, m / (16 * warps), [32 * warps as u32, 1])
        .expect("c", want)
        .tol(sum_tolerance(k) + rounding)
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["many_row", "aligned", "tail"], ROWS = [64, 16, 16], COLS = [48, 16, 16], DEPTH = [40, 32, 24],
        WARPS = [2, 1, 1], suffix = "_{NAME}")
)]
fn eights_block_ieee_on(dt: DType) -> TestSetup {
    block(eights_block_ieee::kernel_ir_for(dt), [ROWS, COLS, DEPTH], WARPS, dt)
}

#[test_kernel(
    dtypes = [f16, bf16],
    variants(NAME = ["many_row", "aligned", "tail"], ROWS = [64, 16, 16], COLS = [48, 16, 16], DEPTH = [40, 32, 24],
        WARPS = [2, 1, 1], suffix = "_{NAME}")
)]
fn eights_block_native_on(dt: DType) -> TestSetup {
    block(eights_block_native::kernel_ir_for(dt), [ROWS, COLS, DEPTH], WARPS, dt)
}
