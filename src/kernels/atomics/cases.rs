//! The cases whose results no order of threads can change. All are judged by bits.

use warpsmith::case::Generator;
use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{
    BINS, bit_sets, chained_sum, claims, compact, contended_sum, counted_in, extremes, extremes_of_cta,
    histogram, histogram_private, last_cta_sum, swap_max,
};
use super::reference::{self, integers};

/// What an integer type can be.
const ANY: Generator<'static> = Ints(i64::MIN, i64::MAX);

#[test_kernel(
    dtypes = [u32, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 95, 640, 1002, 5000],
        COUNT = [1, 7, 64, 255, 1000], CTA = [1, 31, 256, 159, 1024], suffix = "_{NAME}")
)]
fn histogram_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], DType::I32, ANY);
    let want = integers("hist", &reference::histogram(&x, COUNT), dt);
    TestSetup::new(histogram::kernel_ir_for(DType::I32, dt))
        .input(x)
        .input(TestBuffer::zeros("hist", COUNT, dt))
        .scalar("bins", COUNT as u32)
        .threads_1d(N, CTA as u32)
        .expect_bits(want)
}

/// Every element in one bin, and narrow elements.
#[test_kernel(dtypes = [u8, u16])]
fn histogram_of_one_bin(dt: DType) -> TestSetup {
    let x = inputs("x", [777], dt, ANY);
    TestSetup::new(histogram::kernel_ir_for(dt, DType::U32))
        .input(x)
        .input(TestBuffer::zeros("hist", 1, DType::U32))
        .scalar("bins", 1u32)
        .threads_1d(777, 96)
        .expect_bits(integers("hist", &[777], DType::U32))
}

#[test_kernel(dtypes = [u32, i32, u64])]
fn histogram_empty(dt: DType) -> TestSetup {
    TestSetup::new(histogram::kernel_ir_for(DType::I32, dt))
        .input(inputs("x", [4], DType::I32, ANY))
        .input(TestBuffer::zeros("hist", 4, dt))
        .scalar("bins", 4u32)
        .threads_1d(0, 64)
        .guard()
}

#[test_kernel(
    dtypes = [u32, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], N = [1, 97, 1024, 3000, 500, 20000],
        CTAS = [1, 2, 3, 4, 40, 5], CTA = [1, 33, 256, 1000, 31, 1024], suffix = "_{NAME}")
)]
fn histogram_private_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], DType::U8, ANY);
    let want = integers("hist", &reference::histogram(&x, BINS), dt);
    TestSetup::new(histogram_private::kernel_ir_for(DType::U8, dt))
        .input(x)
        .input(TestBuffer::zeros("hist", BINS, dt))
        .scalar("n", N as u32)
        .grid_3d(CTAS, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [u32, i32, u64, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], CTAS = [1, 3, 4, 5, 3],
        CTA = [1, 31, 256, 159, 1000], suffix = "_{NAME}")
)]
fn contended_sum_on(dt: DType) -> TestSetup {
    let x = inputs("x", [CTAS * CTA], dt, ANY);
    let total = x.as_int().iter().sum();
    let of_cta = integers("of_cta", &reference::run_sums(&x, CTA), dt);
    TestSetup::new(contended_sum::kernel_ir_for(dt))
        .input(x)
        .input(TestBuffer::zeros("total", 1, dt))
        .output("of_cta", [CTAS], dt)
        .grid_3d(CTAS, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(integers("total", &[total], dt))
        .expect_bits(of_cta)
}

/// NaN of both signs, infinities, subnormals and both zeros, in memory too.
#[test_kernel(
    dtypes = [f32, f64, f16, bf16, i32, u32, i64, u64],
    variants(NAME = ["scalar", "odd", "tail", "wide"], N = [1, 95, 1002, 4000], COUNT = [1, 31, 7, 100],
        CTA = [1, 33, 96, 1024], suffix = "_{NAME}")
)]
fn extremes_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Hard);
    let (least, greatest) = (inputs("least", [COUNT], dt, Hard), inputs("greatest", [COUNT], dt, Hard));
    let [low, high] = reference::extremes(&x, [&least, &greatest]);
    TestSetup::new(extremes::kernel_ir_for(dt))
        .input(x)
        .input(least)
        .input(greatest)
        .scalar("bins", COUNT as u32)
        .threads_1d(N, CTA as u32)
        .expect_bits(low)
        .expect_bits(high)
}

#[test_kernel(
    dtypes = [f32, f64, f16, bf16, i32, u32, i64, u64],
    variants(NAME = ["odd", "aligned", "tail", "many_row"], CTAS = [3, 4, 5, 40], CTA = [159, 256, 1000, 33],
        suffix = "_{NAME}")
)]
fn extremes_of_cta_on(dt: DType) -> TestSetup {
    let x = inputs("x", [CTAS * CTA], dt, Hard);
    let [low, high] = reference::extremes_of_runs(&x, CTA);
    TestSetup::new(extremes_of_cta::kernel_ir_for(dt))
        .input(x)
        .output("least", [CTAS], dt)
        .output("greatest", [CTAS], dt)
        .grid_3d(CTAS, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(low)
        .expect_bits(high)
}

#[test_kernel(
    dtypes = [i32, u32, i64, u64],
    variants(NAME = ["scalar", "odd", "tail", "wide"], N = [1, 95, 1002, 4000], COUNT = [1, 45, 300, 1000],
        CTA = [1, 33, 96, 1024], suffix = "_{NAME}")
)]
fn bit_sets_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, ANY);
    let start = |name| inputs(name, [COUNT], dt, ANY);
    let (every, some, odd) = (start("every"), start("some"), start("odd"));
    let want = |bins: &TestBuffer, fold: fn(i128, i128) -> i128| {
        integers(bins.name(), &reference::binned(&x.as_int(), &bins.as_int(), fold), dt)
    };
    let wanted = [want(&every, |a, b| a & b), want(&some, |a, b| a | b), want(&odd, |a, b| a ^ b)];
    let [all, any, parity] = wanted;
    TestSetup::new(bit_sets::kernel_ir_for(dt))
        .input(x)
        .input(every)
        .input(some)
        .input(odd)
        .scalar("bins", COUNT as u32)
        .threads_1d(N, CTA as u32)
        .expect_bits(all)
        .expect_bits(any)
        .expect_bits(parity)
}

#[test_kernel(
    dtypes = [i32, u32],
    variants(NAME = ["odd", "aligned", "tail", "wide"], N = [95, 640, 1002, 5000], CTA = [31, 256, 159, 1024],
        suffix = "_{NAME}")
)]
fn compact_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Ints(-5, 9));
    let kept: Vec<i128> = x.as_int().into_iter().filter(|&value| value > 0).collect();
    let taken: Vec<i128> = (0..N).map(|place| i128::from(place < kept.len())).collect();
    TestSetup::new(compact::kernel_ir_for(dt))
        .input(x)
        .output("out", [N], dt)
        .input(TestBuffer::zeros("taken", N, DType::U32))
        .input(TestBuffer::zeros("count", 1, DType::U32))
        .input(TestBuffer::zeros("sum", 1, dt))
        .threads_1d(N, CTA as u32)
        .unordered("which place a value gets is decided by who draws first")
        .expect_bits(integers("taken", &taken, DType::U32))
        .expect_bits(integers("count", &[kept.len() as i128], DType::U32))
        .expect_bits(integers("sum", &[kept.iter().sum()], dt))
}

#[test_kernel(
    dtypes = [i32, u32, i64, f32, f64],
    variants(NAME = ["scalar", "odd", "tail", "wide"], N = [1, 95, 1002, 4000], CTA = [1, 33, 96, 1024],
        suffix = "_{NAME}")
)]
fn swap_max_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Ints(1, 100_000));
    let top = x.as_f64().into_iter().fold(0.0, f64::max);
    TestSetup::new(swap_max::kernel_ir_for(dt))
        .input(x)
        .input(TestBuffer::zeros("top", 1, dt))
        .threads_1d(N, CTA as u32)
        .expect_bits(TestBuffer::from_f64("top", &[top], dt))
}

#[test_kernel(
    dtypes = [u32, i64, f32, f16, bf16],
    variants(NAME = ["odd", "tail", "wide"], N = [95, 1002, 4000], COUNT = [31, 7, 500], CTA = [33, 96, 1000],
        suffix = "_{NAME}")
)]
fn claims_on(dt: DType) -> TestSetup {
    let ones = vec![1.0; COUNT];
    TestSetup::new(claims::kernel_ir_for(dt))
        .input(TestBuffer::zeros("slots", COUNT, dt))
        .input(TestBuffer::zeros("winners", COUNT, DType::U32))
        .scalar("bins", COUNT as u32)
        .threads_1d(N, CTA as u32)
        .expect_bits(TestBuffer::from_f64("slots", &ones, dt))
        .expect_bits(TestBuffer::from_f64("winners", &ones, DType::U32))
}

#[test_kernel(
    dtypes = [i32, u64, f32],
    variants(NAME = ["scalar", "odd", "aligned", "tail"], N = [1, 95, 1024, 3001], CTA = [32, 31, 256, 159],
        suffix = "_{NAME}")
)]
fn last_cta_sum_on(dt: DType) -> TestSetup {
    // Small enough that no float sum rounds.
    let x = inputs("x", [N], dt, Ints(0, 200));
    let ctas = N.div_ceil(CTA);
    let sums: Vec<f64> = x.as_f64().chunks(CTA).map(|run| run.iter().sum()).collect();
    let total = sums.iter().sum();
    TestSetup::new(last_cta_sum::kernel_ir_for(dt))
        .input(x)
        .output("partial", [ctas], dt)
        .input(TestBuffer::zeros("arrived", 1, DType::U32))
        .output("out", [1], dt)
        .scalar("n", N as u32)
        .grid_3d(ctas, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(TestBuffer::from_f64("partial", &sums, dt))
        .expect_bits(TestBuffer::from_f64("out", &[total], dt))
}

#[test_kernel(
    dtypes = [i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row"], N = [1, 95, 1024, 3001, 2000],
        CTA = [1, 31, 256, 159, 33], suffix = "_{NAME}")
)]
fn chained_sum_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, ANY);
    let tiles = N.div_ceil(CTA);
    let want = integers("out", &reference::running_sums(&x, CTA), dt);
    TestSetup::new(chained_sum::kernel_ir_for(dt))
        .input(x)
        .input(TestBuffer::zeros("tickets", 1, DType::U32))
        .input(TestBuffer::zeros("ready", tiles, DType::U32))
        .output("out", [tiles], dt)
        .scalar("n", N as u32)
        .grid_3d(tiles, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}

/// More releases at one address than are kept apart.
#[test_kernel(
    dtypes = [u32, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail"], CTA = [1, 9, 64, 159], suffix = "_{NAME}")
)]
fn counted_in_on(dt: DType) -> TestSetup {
    let x = inputs("x", [CTA], dt, Ints(1, 100));
    let want = vec![x.as_f64().iter().sum::<f64>()];
    TestSetup::new(counted_in::kernel_ir_for(dt))
        .input(x)
        .input(TestBuffer::zeros("data", CTA, dt))
        .output("out", [1], dt)
        .grid_3d(1u32, 1u32, 1u32, [CTA as u32, 1, 1])
        .tol(Tolerance::EXACT)
        .expect("out", want)
}
