//! The cases of the kernels whose warps stay together. CTAs of any size, and extents that end within a warp.

use warpsmith::case::prelude::*;
use warpsmith::dsl::BuildErrors;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::super::folds::{Fold, accumulator, buffer, folded, numbers, prefixes, telling, warps};
use super::{kernel, reference};

fn on_warps(kernel: Result<Kernel, BuildErrors>, x: TestBuffer, cta: usize, want: TestBuffer) -> TestSetup {
    let n = x.len() as usize;
    TestSetup::new(kernel).input(x).output("out", [n], want.dtype()).grid_1d(n, cta as u32).expect_bits(want)
}

macro_rules! reductions {
    ($($kernel:ident $case:ident $fold:ident [$($dtype:ident),*] $ctas:tt;)*) => {$(
        #[test_kernel(
            dtypes = [$($dtype),*],
            variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
                CTA = $ctas, suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let (x, to) = (telling(Fold::$fold, "x", N, dt), accumulator(dt));
            let want = buffer("out", &folded(&x, &warps(N, CTA), Fold::$fold, to), to);
            on_warps(kernel::$kernel::kernel_ir_for(dt, to), x, CTA, want)
        }
    )*};
}

reductions! {
    warp_sum warp_sum_on Sum [f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64] [1, 33, 96, 180, 1023];
    warp_product warp_product_on Product [f32, f64, bf16, i8, u16, i32, u64] [32, 45, 48, 159, 1000];
    warp_max warp_max_on Max [f32, f64, f16, i8, u16, i32, u32, i64] [1, 48, 32, 31, 1024];
    warp_min warp_min_on Min [f32, f64, bf16, u8, i16, i32, u32, u64] [31, 64, 45, 33, 256];
    warp_and warp_and_on And [i8, u16, i32, u64] [1, 33, 96, 180, 1000];
    warp_or warp_or_on Or [u8, i16, u32, i64] [1, 45, 159, 48, 1023];
    warp_xor warp_xor_on Xor [i8, u16, i32, u32, i64, u64] [32, 180, 33, 256, 1024];
}

macro_rules! scans {
    ($($kernel:ident $case:ident $fold:ident $exclusive:literal [$($dtype:ident),*] $ctas:tt;)*) => {$(
        #[test_kernel(
            dtypes = [$($dtype),*],
            variants(NAME = ["odd", "aligned", "tail", "wide"], N = [31, 480, 1002, 4999], CTA = $ctas,
                suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let (x, to) = (telling(Fold::$fold, "x", N, dt), accumulator(dt));
            let want = buffer("out", &prefixes(&x, &warps(N, CTA), Fold::$fold, $exclusive, to), to);
            on_warps(kernel::$kernel::kernel_ir_for(dt, to), x, CTA, want)
        }
    )*};
}

scans! {
    warp_cumsum warp_cumsum_on Sum false [f32, f16, f64, i8, i32, u64] [33, 96, 180, 1023];
    warp_cumprod warp_cumprod_on Product false [f32, u16, i32, u64] [45, 48, 159, 1000];
    warp_cummax warp_cummax_on Max false [f32, i8, u32, i64] [48, 32, 31, 1024];
    warp_cummin warp_cummin_on Min false [f64, u8, i32, u64] [64, 45, 33, 256];
    warp_sum_before warp_sum_before_on Sum true [f32, bf16, i16, i32, u64] [45, 159, 48, 1023];
    warp_product_before warp_product_before_on Product true [f64, i8, u32, i64] [180, 33, 256, 1024];
    warp_max_before warp_max_before_on Max true [f32, f16, i8, u16, i32, u64] [33, 96, 180, 1000];
    warp_min_before warp_min_before_on Min true [f32, bf16, u8, i16, u32, i64] [48, 31, 1000, 96];
}

/// Magnitudes far apart, so that the order of additions decides the last bits, which the oracle gives.
#[test_kernel(
    dtypes = [f32, f64, f16, bf16], tol = [f32: rel(1e-6), f64: rel(1e-14), f16: rel(1e-6), bf16: rel(1e-6)],
    variants(NAME = ["aligned", "tail"], N = [640, 1001], CTA = [64, 159], suffix = "_{NAME}")
)]
fn warp_sum_rounded(dt: DType) -> TestSetup {
    let to = accumulator(dt);
    let mixed = [3e4, 1e-3, 7.3, 0.11, 2.5e3, 3e-5, 123.4, 0.6, 9.9e3, 1.7, 4e-2];
    let x = inputs("x", [N], dt, FromSlice(&mixed));
    let want = buffer("out", &folded(&x, &warps(N, CTA), Fold::Sum, to), to);
    TestSetup::new(kernel::warp_sum::kernel_ir_for(dt, to))
        .input(x)
        .output("out", [N], to)
        .grid_1d(N, CTA as u32)
        .expect_buffer(want)
}

#[test_kernel(
    dtypes = [f32, f16], tol = rel(1e-6),
    variants(NAME = ["aligned", "tail"], N = [960, 1001], CTA = [96, 45], suffix = "_{NAME}")
)]
fn warp_cumsum_rounded(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Range(0.001, 40.0));
    let want = prefixes(&x, &warps(N, CTA), Fold::Sum, false, DType::F32);
    TestSetup::new(kernel::warp_cumsum::kernel_ir_for(dt, DType::F32))
        .input(x)
        .output("out", [N], DType::F32)
        .grid_1d(N, CTA as u32)
        .expect_buffer(buffer("out", &want, DType::F32))
}

/// No threads, so nothing may be written.
#[test_kernel(dtypes = [f32, i32])]
fn warp_sum_empty(dt: DType) -> TestSetup {
    TestSetup::new(kernel::warp_sum::kernel_ir_for(dt, dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .grid_1d(0, 64)
        .guard()
}

/// In some warps none is above the limit, in some all.
#[test_kernel(
    dtypes = [f32, bf16, i8, u32, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
        CTA = [1, 45, 96, 180, 1023], suffix = "_{NAME}")
)]
fn warp_votes_on(dt: DType) -> TestSetup {
    let level = |i: usize| [9.0, 1.0, 6.0, 5.0][i / 40 % 4] + if i % 3 == 0 { -1.5 } else { 1.0 };
    let x = TestBuffer::from_f64("x", &(0..N).map(level).collect::<Vec<_>>(), dt);
    let (values, warps) = (numbers(&x), warps(N, CTA));
    let is_above = |at: usize| values[at].real() > 5.0;
    let ballots = reference::by_lane(N, &warps, |warp, _| reference::lanes(warp, is_above));
    let votes = reference::by_lane(N, &warps, |warp, _| {
        let count = warp.iter().filter(|&&at| is_above(at)).count();
        i128::from(count > 0) + 2 * i128::from(count == warp.len())
    });
    on_warps(kernel::warp_votes::kernel_ir_for(dt), x, CTA, buffer("out", &ballots, DType::U32))
        .output("votes", [N], DType::U32)
        .scalar("limit", 5i32)
        .expect_bits(buffer("votes", &votes, DType::U32))
}

/// Few different values, some of which differ in their high bits only.
#[test_kernel(
    dtypes = [i8, u8, i16, u16, i32, u32, i64, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
        CTA = [1, 33, 48, 159, 1000], suffix = "_{NAME}")
)]
fn warp_match_on(dt: DType) -> TestSetup {
    let high = 2f64.powi(dt.bits() as i32 - 2);
    let x = inputs("x", [N], dt, FromSlice(&[3.0, high, 3.0 + high, 0.0, 3.0, 100.0, 0.0]));
    let values = x.as_int();
    let want = reference::by_lane(N, &warps(N, CTA), |warp, lane| {
        reference::lanes(warp, |at| values[at] == values[warp[lane]])
    });
    on_warps(kernel::warp_match::kernel_ir_for(dt), x, CTA, buffer("out", &want, DType::U32))
}

fn places_of(x: TestBuffer, cta: usize) -> TestSetup {
    let (dt, n) = (x.dtype(), x.len() as usize);
    let warps = warps(n, cta);
    let place =
        |fold, name: &str| buffer(name, &reference::places(&x, &warps, &warps, fold, true), DType::U32);
    let (greatest, least) = (place(Fold::Max, "greatest"), place(Fold::Min, "least"));
    TestSetup::new(kernel::warp_places::kernel_ir_for(dt))
        .input(x)
        .output("greatest", [n], DType::U32)
        .output("least", [n], DType::U32)
        .grid_1d(n, cta as u32)
        .expect_bits(greatest)
        .expect_bits(least)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, f64, i8, u16, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
        CTA = [1, 45, 96, 180, 1024], suffix = "_{NAME}")
)]
fn warp_places_on(dt: DType) -> TestSetup {
    places_of(inputs("x", [N], dt, Hard), CTA)
}

/// Warps of nothing but NaN, of zeros of both signs, of one infinity.
#[test_kernel(dtypes = [f32, f16, bf16, f64])]
fn warp_places_special(dt: DType) -> TestSetup {
    let value = |i: usize| match (i / 32, i % 32) {
        (0, _) => f64::NAN,
        (1, lane) => {
            if lane % 3 == 0 {
                -0.0
            } else {
                0.0
            }
        }
        (2, lane) => {
            if lane == 7 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        (3, lane) => {
            if lane > 20 {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }
        }
        (_, lane) => {
            if lane % 2 == 0 {
                f64::NAN
            } else {
                -(lane as f64)
            }
        }
    };
    places_of(TestBuffer::from_f64("x", &(0..170).map(value).collect::<Vec<_>>(), dt), 160)
}

/// Warps that go over rows and planes of their CTA, cut by the extent on every axis.
#[test_kernel(
    dtypes = [f32, f16, i8, i32, u64],
    variants(NAME = ["row", "aligned", "tail", "many_row", "thin"], NX = [13, 32, 22, 11, 3], NY = [1, 4, 5, 9, 17],
        NZ = [1, 3, 4, 5, 2], CX = [8, 8, 5, 7, 1], CY = [4, 8, 3, 5, 6], CZ = [1, 2, 2, 3, 3], suffix = "_{NAME}")
)]
fn warp_sum_3d_on(dt: DType) -> TestSetup {
    let to = accumulator(dt);
    let x = telling(Fold::Sum, "x", NX * NY * NZ, dt).shaped([NZ, NY, NX]);
    let warps = reference::warps_3d([NX, NY, NZ], [CX, CY, CZ]);
    let sums = buffer("out", &folded(&x, &warps, Fold::Sum, to), to);
    let before = buffer("before", &prefixes(&x, &warps, Fold::Sum, true, to), to);
    TestSetup::new(kernel::warp_sum_3d::kernel_ir_for(dt, to))
        .input(x)
        .output("out", [NZ, NY, NX], to)
        .output("before", [NZ, NY, NX], to)
        .scalar("nx", NX as u32)
        .scalar("ny", NY as u32)
        .threads_3d(NX, NY, NZ, [CX as u32, CY as u32, CZ as u32])
        .expect_bits(sums)
        .expect_bits(before)
}
