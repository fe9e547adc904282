//! The cases of per-thread arrays, of grids of three axes, and in place.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::super::memory::reference::picked;
use super::threads::{
    added_in_place, coordinates, cta_coordinates, permuted_eights, sorted_fours, swapped_pairs,
};

#[test_kernel(
    dtypes = [f32, f16, bf16, f64, u8, i32, i64],
    variants(NAME = ["tail", "aligned", "wide"], N = [4, 256, 5000], CTA = [1, 64, 256], suffix = "_{NAME}")
)]
fn sorted_fours_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Ints(1, 120));
    let mut want = x.as_f64();
    want.chunks_mut(4).for_each(|four| four.sort_by(f64::total_cmp));
    TestSetup::new(sorted_fours::kernel_ir_for(dt))
        .input(x)
        .output("out", [N], dt)
        .grid_1d(N / 4, CTA as u32)
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}

#[test_kernel(
    dtypes = [f32, f16, f64, u8, i64, u16],
    variants(NAME = ["tail", "aligned", "wide"], N = [66, 1024, 5000], CTA = [32, 64, 256], suffix = "_{NAME}")
)]
fn swapped_pairs_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Hard);
    let want = picked(&x, (0..N).map(|i| i ^ 1));
    TestSetup::new(swapped_pairs::kernel_ir_for(dt))
        .input(x)
        .output("out", [N], dt)
        .grid_1d(N / 2, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, bf16, f64, u8, i64, i16],
    variants(NAME = ["tail", "aligned", "wide"], N = [24, 1024, 5000], CTA = [3, 64, 256], suffix = "_{NAME}")
)]
fn permuted_eights_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Hard);
    let want = picked(&x, (0..N).map(|at| at / 8 * 8 + (at % 8 * 3 + at / 8) % 8));
    TestSetup::new(permuted_eights::kernel_ir_for(dt))
        .input(x)
        .output("out", [N], dt)
        .grid_1d(N / 8, CTA as u32)
        .expect_bits(want)
}

/// x + 3y + 5z for all places of a box, x fastest.
fn places(nx: usize, ny: usize, nz: usize) -> impl Iterator<Item = f64> {
    let planes = (0..nz).flat_map(move |z| (0..ny).map(move |y| (y, z)));
    planes.flat_map(move |(y, z)| (0..nx).map(move |x| (x + 3 * y + 5 * z) as f64))
}

#[test_kernel(
    dtypes = [u32, i64, f32, f64],
    variants(NAME = ["odd", "aligned", "many_row"], X = [5, 64, 33], Y = [3, 4, 7], Z = [7, 3, 9],
        TX = [8, 16, 4], TY = [2, 4, 2], TZ = [4, 4, 8], suffix = "_{NAME}")
)]
fn coordinates_on(dt: DType) -> TestSetup {
    let want: Vec<f64> = places(X, Y, Z).collect();
    TestSetup::new(coordinates::kernel_ir_for(dt))
        .output("out", [Z, Y, X], dt)
        .scalar("nx", X as u32)
        .scalar("ny", Y as u32)
        .threads_3d(X, Y, Z, [TX as u32, TY as u32, TZ as u32])
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}

/// Extents beyond 65,535 along y and z.
#[test_kernel(
    dtypes = [u32, f64],
    variants(NAME = ["tall", "deep"], Y = [131_075, 2], Z = [1, 131_075], TY = [2, 1], TZ = [1, 2], suffix = "_{NAME}")
)]
fn coordinates_far(dt: DType) -> TestSetup {
    let want: Vec<f64> = places(1, Y, Z).collect();
    TestSetup::new(coordinates::kernel_ir_for(dt))
        .output("out", [Z, Y, 1], dt)
        .scalar("nx", 1u32)
        .scalar("ny", Y as u32)
        .threads_3d(1u32, Y, Z, [1, TY as u32, TZ as u32])
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}

/// Native grids, and more than 65,535 CTAs along y, z, or both after the other: those are passed along x and unpacked.
#[test_kernel(
    dtypes = [u32, i64, f64],
    variants(NAME = ["native", "tall", "deep", "tall_deep"], X = [5, 1, 1, 2], Y = [3, 70_000, 1, 65_536],
        Z = [7, 1, 70_000, 1], TX = [4, 1, 1, 1], TY = [3, 1, 1, 1], TZ = [5, 1, 1, 1], suffix = "_{NAME}")
)]
fn cta_coordinates_on(dt: DType) -> TestSetup {
    let threads = TX * TY * TZ;
    let of_cta = |cta: f64| (0..threads).map(move |thread| cta + thread as f64);
    let want: Vec<f64> = places(X, Y, Z).flat_map(of_cta).collect();
    TestSetup::new(cta_coordinates::kernel_ir_for(dt))
        .output("out", [want.len()], dt)
        .grid_3d(X, Y, Z, [TX as u32, TY as u32, TZ as u32])
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}

/// A grid without CTAs along y.
#[test_kernel(dtypes = [u32, f64])]
fn cta_coordinates_empty(dt: DType) -> TestSetup {
    TestSetup::new(cta_coordinates::kernel_ir_for(dt))
        .output("out", [4], dt)
        .grid_3d(70_000u32, 0u32, 70_000u32, [1, 1, 1])
        .guard()
}

/// In place; a launch with one buffer for both is in the tests of the runtime.
#[test_kernel(
    dtypes = [f32, i32, i64, bf16],
    variants(NAME = ["odd", "aligned", "wide"], N = [33, 512, 5000], CTA = [64, 128, 256], suffix = "_{NAME}")
)]
fn added_in_place_on(dt: DType) -> TestSetup {
    let (x, out) = (inputs("x", [N], dt, Ints(1, 100)), inputs("out", [N], dt, Ints(1, 100)));
    let want: Vec<f64> = x.as_f64().iter().zip(out.as_f64()).map(|(x, out)| x + out).collect();
    TestSetup::new(added_in_place::kernel_ir_for(dt))
        .input(x)
        .input(out)
        .grid_1d(N, CTA as u32)
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}
