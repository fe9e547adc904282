//! Cases of the loops and of the inline texts: all by bits, since nothing in them may differ.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::inline::{add_with_carry, high_product, majority, reverse_bytes};
use super::kernel::{binary_search, collatz, gcd, mandelbrot, nested_exits, newton_sqrt, primes_below};
use super::reference;

/// A small limit stops some threads in the middle; with a large one each ends by itself.
#[test_kernel(
    dtypes = [u32, i32, u64, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 77, 512, 1001, 5000],
        CTA = [32, 96, 128, 64, 256], LIMIT = [200, 9, 1000, 60, 300], suffix = "_{NAME}")
)]
fn collatz_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, if N == 1 { Fill(27.0) } else { Ints(1, 30_000) });
    let want = reference::collatz(&x, LIMIT as u32);
    TestSetup::new(collatz::kernel_ir_for(dt))
        .input(x)
        .scalar("limit", LIMIT as u32)
        .output("out", [N], DType::U32)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

/// No thread takes a step: each finds the number it looks for.
#[test_kernel(dtypes = [u32])]
fn collatz_empty(dt: DType) -> TestSetup {
    TestSetup::new(collatz::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 4, dt))
        .scalar("limit", 9u32)
        .output("out", 4, DType::U32)
        .grid_1d(0, 64)
        .guard()
}

#[test_kernel(
    dtypes = [u32, i32, u64, i64],
    variants(NAME = ["odd", "aligned", "tail", "wide"], N = [51, 256, 999, 4100], CTA = [64, 64, 96, 256],
        suffix = "_{NAME}")
)]
fn gcd_on(dt: DType) -> TestSetup {
    // Even where both are negative: the remainder has the dividend's sign.
    let span = if dt.is_signed() { Ints(-1_000_000, 1_000_000) } else { Ints(0, 3_000_000) };
    let (x, y) = (inputs("x", [N], dt, span), inputs("y", [N], dt, span));
    let want = reference::gcd(&x, &y);
    TestSetup::new(gcd::kernel_ir_for(dt))
        .input(x)
        .input(y)
        .output("out", [N], dt)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32],
    variants(NAME = ["scalar", "odd", "tail", "wide"], N = [1, 45, 1003, 4500], CTA = [32, 64, 128, 256],
        suffix = "_{NAME}")
)]
fn newton_sqrt_on(dt: DType) -> TestSetup {
    // From a thousandth to a million: a few rounds for some, twenty for others.
    let x = inputs("x", [N], dt, Range(-6.0, 20.0));
    let x = TestBuffer::from_f64("x", &x.as_f64().iter().map(|x| x.exp2()).collect::<Vec<_>>(), dt);
    let (roots, rounds) = reference::newton_sqrt(&x);
    TestSetup::new(newton_sqrt::kernel_ir())
        .input(x)
        .output("out", [N], dt)
        .output("rounds", [N], DType::U32)
        .grid_1d(N, CTA as u32)
        .expect_bits(TestBuffer::from_slice("out", &roots))
        .expect_bits(TestBuffer::from_slice("rounds", &rounds))
}

#[test_kernel(
    dtypes = [u32],
    variants(NAME = ["scalar", "odd", "aligned", "tail"], N = [1, 63, 256, 300], CTA = [32, 64, 128, 96],
        suffix = "_{NAME}")
)]
fn primes_below_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, if N == 1 { Fill(1000.0) } else { Ints(0, 700) });
    let want = reference::primes_below(&x);
    TestSetup::new(primes_below::kernel_ir())
        .input(x)
        .output("out", [N], DType::U32)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, i32, u32, i64],
    variants(NAME = ["odd", "aligned", "tail", "wide"], N = [33, 512, 1001, 5000], KEYS = [31, 256, 700, 999],
        CTA = [64, 128, 96, 256], suffix = "_{NAME}")
)]
fn binary_search_on(dt: DType) -> TestSetup {
    let mut row = inputs("sorted", [N], dt, Range(0.0, 3.0 * N as f64)).as_f64();
    row.sort_by(f64::total_cmp);
    let sorted = TestBuffer::from_f64("sorted", &row, dt);
    let keys = inputs("keys", [KEYS], dt, Range(0.0, 3.0 * N as f64));
    let want = reference::binary_search(&sorted, &keys);
    TestSetup::new(binary_search::kernel_ir_for(dt))
        .input(sorted)
        .input(keys)
        .scalar("n", N as u32)
        .output("out", [KEYS], DType::U32)
        .grid_1d(KEYS, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [u32],
    variants(NAME = ["scalar", "odd", "aligned", "tail"], N = [1, 95, 256, 1002], CTA = [32, 96, 64, 128],
        suffix = "_{NAME}")
)]
fn nested_exits_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, if N == 1 { Fill(23.0) } else { Ints(0, 40) });
    let want = reference::nested_exits(&x);
    TestSetup::new(nested_exits::kernel_ir())
        .input(x)
        .output("out", [N], DType::U32)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32],
    variants(NAME = ["odd", "aligned", "tail", "wide"], N = [61, 512, 1001, 4200], CTA = [64, 64, 128, 256],
        LIMIT = [50, 100, 256, 30], suffix = "_{NAME}")
)]
fn mandelbrot_on(dt: DType) -> TestSetup {
    let (x, y) = (inputs("x", [N], dt, Range(-2.0, 0.7)), inputs("y", [N], dt, Range(-1.2, 1.2)));
    let want = reference::mandelbrot(&x, &y, LIMIT as u32);
    TestSetup::new(mandelbrot::kernel_ir())
        .input(x)
        .input(y)
        .scalar("limit", LIMIT as u32)
        .output("out", [N], DType::U32)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [u32],
    variants(NAME = ["odd", "aligned", "tail"], N = [33, 1024, 1001], CTA = [64, 256, 96], suffix = "_{NAME}")
)]
fn reverse_bytes_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Hard);
    let want = reference::reverse_bytes(&x);
    TestSetup::new(reverse_bytes::kernel_ir())
        .input(x)
        .output("out", [N], dt)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [i64],
    variants(NAME = ["odd", "aligned", "tail"], N = [45, 512, 777], CTA = [64, 128, 96], suffix = "_{NAME}")
)]
fn high_product_on(dt: DType) -> TestSetup {
    let any = Ints(i64::MIN, i64::MAX);
    let (x, y) = (inputs("x", [N], dt, any), inputs("y", [N], dt, any));
    let want = reference::high_product(&x, &y);
    TestSetup::new(high_product::kernel_ir())
        .input(x)
        .input(y)
        .output("out", [N], dt)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [u32],
    variants(NAME = ["odd", "aligned", "tail"], N = [45, 512, 777], CTA = [64, 128, 96], suffix = "_{NAME}")
)]
fn majority_on(dt: DType) -> TestSetup {
    let [x, y, z] = ["x", "y", "z"].map(|name| inputs(name, [N], dt, Ints(0, i64::from(u32::MAX))));
    let want = reference::majority([&x, &y, &z]);
    TestSetup::new(majority::kernel_ir())
        .input(x)
        .input(y)
        .input(z)
        .output("out", [N], dt)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [u64],
    variants(NAME = ["odd", "aligned", "tail"], N = [45, 512, 777], CTA = [64, 128, 96], suffix = "_{NAME}")
)]
fn add_with_carry_on(dt: DType) -> TestSetup {
    let (x, y) = (inputs("x", [N], dt, Hard), inputs("y", [N], dt, Hard));
    let (sums, carries) = reference::add_with_carry(&x, &y);
    TestSetup::new(add_with_carry::kernel_ir())
        .input(x)
        .input(y)
        .output("out", [N], dt)
        .output("carry", [N], DType::U32)
        .grid_1d(N, CTA as u32)
        .expect_bits(sums)
        .expect_bits(carries)
}
