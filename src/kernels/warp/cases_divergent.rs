//! The cases of the kernels whose warps part: on flags, on numbers of rounds, at several depths.

use warpsmith::case::prelude::*;
use warpsmith::dsl::BuildErrors;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::super::folds::{Fold, Number, accumulator, buffer, folded, prefixes, telling, warps};
use super::{divergent, reference};

/// A kernel of elements and of what parts them.
fn parted(
    kernel: Result<Kernel, BuildErrors>,
    x: TestBuffer,
    by: TestBuffer,
    cta: usize,
    to: DType,
) -> TestSetup {
    let n = x.len() as usize;
    TestSetup::new(kernel).input(x).input(by).output("out", [n], to).grid_1d(n, cta as u32)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, f64, i8, i16, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
        CTA = [1, 33, 96, 180, 1023], suffix = "_{NAME}")
)]
fn parted_fold_on(dt: DType) -> TestSetup {
    let (x, to) = (telling(Fold::Sum, "x", N, dt), accumulator(dt));
    let flag = inputs("flag", [N], DType::U32, Ints(0, 1));
    let odd = flag.as_int();
    let groups = reference::split(&warps(N, CTA), |at| odd[at]);
    let (sums, greatest) = (folded(&x, &groups, Fold::Sum, to), folded(&x, &groups, Fold::Max, to));
    let want: Vec<_> = (0..N).map(|at| if odd[at] == 1 { sums[at] } else { greatest[at] }).collect();
    parted(divergent::parted_fold::kernel_ir_for(dt, to), x, flag, CTA, to)
        .expect_bits(buffer("out", &want, to))
}

#[test_kernel(
    dtypes = [f32, f16, bf16, i16, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
        CTA = [32, 45, 48, 159, 1000], suffix = "_{NAME}")
)]
fn parted_twice_on(dt: DType) -> TestSetup {
    let (x, to) = (telling(Fold::Sum, "x", N, dt), accumulator(dt));
    let flag = inputs("flag", [N], DType::U32, Ints(0, 3));
    let (bits, warps) = (flag.as_int(), warps(N, CTA));
    let (outer, inner) =
        (reference::split(&warps, |at| bits[at] & 1), reference::split(&warps, |at| bits[at]));
    let up_to = prefixes(&x, &inner, Fold::Sum, false, to);
    let before = prefixes(&x, &inner, Fold::Sum, true, to);
    let least = folded(&x, &inner, Fold::Min, to);
    let greatest = folded(&x, &outer, Fold::Max, to);
    let count = reference::by_lane(N, &inner, |group, _| group.len() as i128);
    let want: Vec<_> = (0..N)
        .map(|at| match bits[at] {
            3 => Fold::Sum.of(up_to[at], greatest[at]),
            1 => Fold::Sum.of(least[at], greatest[at]),
            2 => count[at],
            _ => before[at],
        })
        .collect();
    parted(divergent::parted_twice::kernel_ir_for(dt, to), x, flag, CTA, to)
        .expect_bits(buffer("out", &want, to))
}

macro_rules! rounds {
    ($($kernel:ident $case:ident $by:ident $most:literal $rounds:expr, $takes_part:expr, $ctas:tt;)*) => {$(
        #[test_kernel(
            dtypes = [f32, f16, i32, u64],
            variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
                CTA = $ctas, suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let (x, to) = (telling(Fold::Sum, "x", N, dt), accumulator(dt));
            let by = inputs(stringify!($by), [N], DType::U32, Ints(0, $most));
            let numbers: Vec<_> = by.as_int().into_iter().map(|number| number as usize).collect();
            let takes_part = |at: usize, step: usize| ($takes_part)(numbers[at], step);
            let want = reference::rounds(&x, &warps(N, CTA), &$rounds, takes_part, to);
            parted(divergent::$kernel::kernel_ir_for(dt, to), x, by, CTA, to).expect_bits(want)
        }
    )*};
}

/// Rounds whose number is added to x.
fn counted(count: usize) -> Vec<(usize, usize)> {
    (0..count).map(|step| (step, step)).collect()
}

/// The rounds of two loops in each other: the inner one starts where the outer one is.
fn triangle(count: usize) -> Vec<(usize, usize)> {
    (0..count).flat_map(|a| (a..count).map(|b| (b, b))).collect()
}

rounds! {
    parted_trips parted_trips_on trips 9 counted(9), |trips: usize, step: usize| step < trips, [1, 33, 96, 180, 1023];
    parted_break parted_break_on trips 9 counted(7), |trips: usize, step: usize| step < trips, [32, 45, 48, 159, 1000];
    parted_continue parted_continue_on skip 63 counted(6), |skip: usize, step: usize| skip >> step & 1 == 0,
        [31, 48, 32, 33, 1024];
    parted_triangle parted_triangle_on trips 4 triangle(4), |trips: usize, step: usize| step < trips,
        [1, 45, 159, 48, 256];
}

/// Warps in which nobody iterates, one lane does, and all do as often.
#[test_kernel(
    dtypes = [f32, i32], variants(NAME = ["none", "one", "all"], KIND = [0, 1, 2], suffix = "_{NAME}")
)]
fn parted_trips_few(dt: DType) -> TestSetup {
    let n = 100;
    let x = telling(Fold::Sum, "x", n, dt);
    let number = |i: usize| [0, usize::from(i % 32 == 13) * 3, 2][KIND] as f64;
    let by = TestBuffer::from_f64("trips", &(0..n).map(number).collect::<Vec<_>>(), DType::U32);
    let numbers = by.as_int();
    let takes_part = |at: usize, step: usize| (step as i128) < numbers[at];
    let want = reference::rounds(&x, &warps(n, 64), &counted(3), takes_part, dt);
    parted(divergent::parted_trips::kernel_ir_for(dt, dt), x, by, 64, dt).expect_bits(want)
}

#[test_kernel(
    dtypes = [u32],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many"], N = [1, 31, 480, 1002, 3000],
        CTA = [1, 45, 96, 180, 1000], suffix = "_{NAME}")
)]
fn parted_while_on(_dt: DType) -> TestSetup {
    let x = inputs("x", [N], DType::U32, Ints(0, 40));
    let want = reference::lockstep(&x, &warps(N, CTA));
    TestSetup::new(divergent::parted_while::kernel_ir())
        .input(x)
        .output("out", [N], DType::U32)
        .grid_1d(N, CTA as u32)
        .expect_bits(buffer("out", &want, DType::U32))
}

fn by_key_of(n: usize, cta: usize, most: i64, dt: DType) -> TestSetup {
    let (x, to) = (telling(Fold::Sum, "x", n, dt), accumulator(dt));
    let key = inputs("key", [n], DType::U32, Ints(0, most));
    let keys = key.as_int();
    let groups = reference::split(&warps(n, cta), |at| keys[at]);
    let sums = folded(&x, &groups, Fold::Sum, to);
    let first = reference::by_lane(n, &groups, |_, place| i128::from(place == 0));
    parted(divergent::sum_by_key::kernel_ir_for(dt, to), x, key, cta, to)
        .output("first", [n], DType::U32)
        .expect_bits(buffer("out", &sums, to))
        .expect_bits(buffer("first", &first, DType::U32))
}

/// From one key for all to nearly one for each.
#[test_kernel(
    dtypes = [f32, bf16, i32, u64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
        CTA = [1, 33, 96, 180, 1000], MOST = [0, 3, 1, 100, 7], suffix = "_{NAME}")
)]
fn sum_by_key_on(dt: DType) -> TestSetup {
    by_key_of(N, CTA, MOST as i64, dt)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, i8, u32, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 480, 1002, 4999],
        CTA = [1, 45, 48, 159, 1024], suffix = "_{NAME}")
)]
fn parted_places_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Hard);
    let flag = inputs("flag", [N], DType::U32, Ints(0, 1));
    let (odd, warps) = (flag.as_int(), warps(N, CTA));
    let groups = reference::split(&warps, |at| odd[at]);
    let place = |fold| reference::places(&x, &warps, &groups, fold, false);
    let (greatest, least) = (place(Fold::Max), place(Fold::Min));
    let want: Vec<Number> = (0..N).map(|at| if odd[at] == 1 { greatest[at] } else { least[at] }).collect();
    parted(divergent::parted_places::kernel_ir_for(dt), x, flag, CTA, DType::U32).expect_bits(buffer(
        "out",
        &want,
        DType::U32,
    ))
}
