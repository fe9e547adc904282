//! The cases of the family: hard values, many equals, rows in order and against it.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{LONGEST, sort_rows, sort_rows_places, sort_warps};
use super::reference;

/// The type that a dtype's elements are compared in.
fn key_type(dt: DType) -> DType {
    if dt == DType::F32 { DType::I32 } else { dt }
}

/// log₂ of the padded length.
fn stages(n: usize) -> u32 {
    assert!(n <= LONGEST, "a row fits the shared memory");
    n.next_power_of_two().trailing_zeros()
}

fn rows_of(x: TestBuffer, cta: usize) -> TestSetup {
    let (dt, rows, n) = (x.dtype(), x.shape()[0], x.shape()[1] as usize);
    let (want, _) = reference::sorted(&x, n, "x");
    TestSetup::new(sort_rows::kernel_ir_for(dt, key_type(dt)))
        .input(x)
        .scalar("n", n as u32)
        .scalar("stages", stages(n))
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, i32, u32],
    variants(NAME = ["pair", "odd", "aligned", "tail", "many_row", "longest"], ROWS = [2, 3, 2, 2, 33, 1],
        N = [2, 31, 256, 1000, 37, 2048], CTA = [32, 48, 96, 256, 32, 1024], suffix = "_{NAME}")
)]
fn sort_rows_on(dt: DType) -> TestSetup {
    rows_of(inputs("x", [ROWS, N], dt, Hard), CTA)
}

/// In order, against it, and all equal.
#[test_kernel(dtypes = [f32, i32, u32])]
fn sort_rows_regular(dt: DType) -> TestSetup {
    let n = 129;
    let value = |i: usize| match i / n {
        0 => (i % n) as f64,
        1 => (n - i % n) as f64,
        _ => 7.0,
    };
    let values: Vec<_> = (0..3 * n).map(value).collect();
    rows_of(TestBuffer::from_f64("x", &values, dt).shaped([3, n]), 45)
}

/// One element is in order already.
#[test_kernel(dtypes = [f32, u32])]
fn sort_rows_one(dt: DType) -> TestSetup {
    let x = inputs("x", [1, 1], dt, Fill(3.0));
    let (_, places) = reference::sorted(&x, 1, "sorted");
    places_setup(x, 32).expect_bits(places)
}

fn places_setup(x: TestBuffer, cta: usize) -> TestSetup {
    let (dt, rows, n) = (x.dtype(), x.shape()[0] as usize, x.shape()[1] as usize);
    let (want, _) = reference::sorted(&x, n, "sorted");
    TestSetup::new(sort_rows_places::kernel_ir_for(dt, key_type(dt)))
        .input(x)
        .output("sorted", [rows, n], dt)
        .output("places", [rows, n], DType::U32)
        .scalar("n", n as u32)
        .scalar("stages", stages(n))
        .grid_3d(rows, 1u32, 1u32, [cta as u32, 1, 1])
        .expect_bits(want)
}

/// Many equals, whose places tell whether they kept their order.
#[test_kernel(
    dtypes = [f32, i32, u32],
    variants(NAME = ["pair", "odd", "aligned", "tail", "many_row", "longest"], ROWS = [2, 3, 2, 2, 33, 1],
        N = [2, 31, 256, 1000, 37, 2048], CTA = [32, 96, 48, 159, 33, 1000], suffix = "_{NAME}")
)]
fn sort_rows_places_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Ints(-9, 9));
    let (_, places) = reference::sorted(&x, N, "sorted");
    places_setup(x, CTA).expect_bits(places)
}

/// The greatest of all in a row that is padded with it.
#[test_kernel(dtypes = [f32, i32, u32])]
fn sort_rows_places_greatest(dt: DType) -> TestSetup {
    let x = inputs("x", [2, 45], dt, FromSlice(&[5e9, 1.0, 5e9, f64::INFINITY, 0.0, 5e9, 2.0]));
    let (_, places) = reference::sorted(&x, 45, "sorted");
    places_setup(x, 64).expect_bits(places)
}

#[test_kernel(
    dtypes = [f32, i32, u32],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 960, 1002, 4999],
        CTA = [32, 64, 96, 256, 1024], suffix = "_{NAME}")
)]
fn sort_warps_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, if N == 1 { Fill(3.0) } else { Hard });
    let (want, _) = reference::sorted(&x, 32, "out");
    TestSetup::new(sort_warps::kernel_ir_for(dt, key_type(dt)))
        .input(x)
        .output("out", [N], dt)
        .scalar("n", N as u32)
        .grid_3d(N.div_ceil(CTA), 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}

#[test_kernel(dtypes = [f32, u32])]
fn sort_warps_empty(dt: DType) -> TestSetup {
    TestSetup::new(sort_warps::kernel_ir_for(dt, key_type(dt)))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .scalar("n", 0u32)
        .grid_3d(1u32, 1u32, 1u32, [64, 1, 1])
        .guard()
}
