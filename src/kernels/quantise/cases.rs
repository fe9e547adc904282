//! The cases of the family. All are judged by bits: each step has one right result.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::codec::emax;
use super::kernel::{
    block_mx, block_nv, dequantise, int4, int8, pack_4, pack_8, power_rp, power_rz, round_trip,
    round_trip_nonsat, truncate,
};
use super::reference;

type Built = Result<warpsmith::ir::Kernel, warpsmith::dsl::BuildErrors>;

/// Numbers that lie half way between two of a narrow format, and their neighbours in the type, in every magnitude that
/// the format has; both signs.
fn ties(name: &str, n: usize, dt: DType) -> TestBuffer {
    let step = match dt {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => 2f64.powi(-23),
    };
    let values: Vec<f64> = (0..n)
        .map(|i| {
            let (place, short, side) = (i % 37, (i / 3) % 16, i % 3);
            let tie = 1.0 + short as f64 / 16.0 + 1.0 / 32.0 * ((i / 48) % 2) as f64;
            let moved = tie + step * (side as f64 - 1.0);
            moved * 2f64.powi(place as i32 - 18) * if i % 5 == 0 { -1.0 } else { 1.0 }
        })
        .collect();
    TestBuffer::from_f64(name, &values, dt)
}

fn round_trip_of(n: usize, cta: usize, x: TestBuffer, to: DType) -> TestSetup {
    let want = reference::round_trip(&x, to, false);
    coded(round_trip::kernel_ir_for(x.dtype(), to), n, cta, x, want)
}

/// A kernel that makes codes `q` of x, and numbers `y` of the codes.
fn coded(kernel: Built, n: usize, cta: usize, x: TestBuffer, [q, y]: [TestBuffer; 2]) -> TestSetup {
    TestSetup::new(kernel)
        .input(x)
        .output("q", [n], q.dtype())
        .output("y", [n], DType::F32)
        .grid_1d(n, cta as u32)
        .expect_bits(q)
        .expect_bits(y)
}

#[test_kernel(
    dtypes = [e4m3, e5m2, e2m3, e3m2, e2m1, ue4m3, tf32],
    variants(From = [f32, f16, bf16], suffix = "_{From}")
)]
fn round_trip_hard(to: DType) -> TestSetup {
    let from = <From as KernelType>::dtype();
    round_trip_of(2001, 256, inputs("x", [2001], from, Hard), to)
}

#[test_kernel(
    dtypes = [e4m3, e5m2, e2m3, e3m2, e2m1, ue4m3, tf32],
    variants(From = [f32, f16, bf16], suffix = "_{From}")
)]
fn round_trip_ties(to: DType) -> TestSetup {
    let from = <From as KernelType>::dtype();
    round_trip_of(2048, 128, ties("x", 2048, from), to)
}

/// From what is wider than f32, where a first rounding would lose the side of a tie.
#[test_kernel(
    dtypes = [e4m3, e5m2, e2m3, e3m2, e2m1, ue4m3, tf32],
    variants(From = [f64, i32, u32], suffix = "_{From}")
)]
fn round_trip_wide(to: DType) -> TestSetup {
    let from = <From as KernelType>::dtype();
    round_trip_of(1003, 96, inputs("x", [1003], from, Hard), to)
}

#[test_kernel(dtypes = [e4m3, e5m2, ue4m3], variants(From = [f32, f16, bf16], suffix = "_{From}"))]
fn round_trip_nonsat_hard(to: DType) -> TestSetup {
    let from = <From as KernelType>::dtype();
    let x = inputs("x", [777], from, Hard);
    let want = reference::round_trip(&x, to, true);
    coded(round_trip_nonsat::kernel_ir_for(from, to), 777, 64, x, want)
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["hard", "ties"], N = [999, 1024], suffix = "_{NAME}"))]
fn powers(dt: DType) -> TestSetup {
    let x = if NAME == "hard" { inputs("x", [N], dt, Hard) } else { ties("x", N, dt) };
    let want = reference::powers(&x, false);
    coded(power_rz::kernel_ir_for(dt), N, 256, x, want)
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["hard", "ties"], N = [999, 1024], suffix = "_{NAME}"))]
fn powers_up(dt: DType) -> TestSetup {
    let x = if NAME == "hard" { inputs("x", [N], dt, Hard) } else { ties("x", N, dt) };
    let want = reference::powers(&x, true);
    coded(power_rp::kernel_ir_for(dt), N, 256, x, want)
}

#[test_kernel(dtypes = [f32, f16, bf16, f64])]
fn truncate_hard(dt: DType) -> TestSetup {
    let x = inputs("x", [1500], dt, Hard);
    let want = reference::truncate(&x);
    coded(truncate::kernel_ir_for(dt), 1500, 256, x, want)
}

/// Every code, those with bits beside them too, which are ignored.
#[test_kernel(
    dtypes = [e4m3, e5m2, e2m3, e3m2, e2m1, e8m0, ue4m3],
    variants(To = [f32, f16, bf16, f64], suffix = "_{To}")
)]
fn dequantise_every(from: DType) -> TestSetup {
    let to = <To as KernelType>::dtype();
    let bytes: Vec<u8> = (0..=255).collect();
    let want = reference::dequantise(
        &bytes.iter().map(|byte| byte & from.mask() as u8).collect::<Vec<_>>(),
        from,
        to,
    );
    TestSetup::new(dequantise::kernel_ir_for(from, to))
        .input(TestBuffer::from_vec("q", bytes, from))
        .output("y", [256], to)
        .grid_1d(256, 128)
        .expect_bits(want)
}

#[test_kernel(dtypes = [f32, f16, bf16, f64])]
fn dequantise_tf32(to: DType) -> TestSetup {
    let q = inputs("q", [300], DType::TF32, Hard);
    let want = reference::dequantise(q.bytes().unwrap_or_default(), DType::TF32, to);
    TestSetup::new(dequantise::kernel_ir_for(DType::TF32, to))
        .input(q)
        .output("y", [300], to)
        .grid_1d(300, 256)
        .expect_bits(want)
}

fn block_mx_of(n: usize, cta: usize, x: TestBuffer, dt: DType) -> TestSetup {
    let [s, q, y] = reference::block_mx(&x, dt);
    let blocks = n.div_ceil(32);
    TestSetup::new(block_mx::kernel_ir_for(dt))
        .input(x)
        .scalar("n", n as u32)
        .scalar("emax_inverse", 2f32.powi(-emax(dt)))
        .output("s", [blocks], DType::E8M0)
        .output("q", [n], dt)
        .output("y", [n], DType::F32)
        .grid_1d(blocks, cta as u32)
        .expect_bits(s)
        .expect_bits(q)
        .expect_bits(y)
}

#[test_kernel(
    dtypes = [e4m3, e5m2, e2m3, e3m2, e2m1],
    variants(NAME = ["odd", "aligned", "tail"], N = [1003, 4096, 2000], CTA = [32, 64, 96], suffix = "_{NAME}")
)]
fn block_mx_on(dt: DType) -> TestSetup {
    block_mx_of(N, CTA, inputs("x", [N], DType::F32, Normal), dt)
}

#[test_kernel(dtypes = [e4m3, e5m2, e2m3, e3m2, e2m1])]
fn block_mx_hard(dt: DType) -> TestSetup {
    block_mx_of(3001, 64, inputs("x", [3001], DType::F32, Hard), dt)
}

fn block_nv_of(n: usize, cta: usize, x: TestBuffer) -> TestSetup {
    let [s, q, y] = reference::block_nv(&x);
    let blocks = n.div_ceil(16);
    TestSetup::new(block_nv::kernel_ir())
        .input(x)
        .scalar("n", n as u32)
        .output("s", [blocks], DType::UE4M3)
        .output("q", [n], DType::E2M1)
        .output("y", [n], DType::F32)
        .grid_1d(blocks, cta as u32)
        .expect_bits(s)
        .expect_bits(q)
        .expect_bits(y)
}

#[test_kernel(
    dtypes = [f32],
    variants(NAME = ["odd", "aligned", "tail"], N = [1003, 4096, 2000], CTA = [32, 64, 96], suffix = "_{NAME}")
)]
fn block_nv_on(dt: DType) -> TestSetup {
    block_nv_of(N, CTA, inputs("x", [N], dt, Normal))
}

#[test_kernel(dtypes = [f32])]
fn block_nv_hard(dt: DType) -> TestSetup {
    block_nv_of(3001, 64, inputs("x", [3001], dt, Hard))
}

fn pack_of(words: usize, cta: usize, x: TestBuffer, dt: DType) -> TestSetup {
    let (kernel, count) =
        if dt == DType::E2M1 { (pack_8::kernel_ir_for(dt), 8) } else { (pack_4::kernel_ir_for(dt), 4) };
    let [packed, y] = reference::packed(&x, count, dt);
    TestSetup::new(kernel)
        .input(x)
        .output("words", [words], DType::U32)
        .output("y", [words * count], DType::F32)
        .grid_1d(words, cta as u32)
        .expect_bits(packed)
        .expect_bits(y)
}

#[test_kernel(
    dtypes = [e4m3, e5m2, e2m3, e3m2, e2m1, ue4m3],
    variants(NAME = ["odd", "aligned"], N = [301, 512], CTA = [64, 128], suffix = "_{NAME}")
)]
fn pack_ties(dt: DType) -> TestSetup {
    let numbers = N * if dt == DType::E2M1 { 8 } else { 4 };
    pack_of(N, CTA, ties("x", numbers, DType::F32), dt)
}

#[test_kernel(dtypes = [e4m3, e5m2, e2m3, e3m2, e2m1, ue4m3])]
fn pack_hard(dt: DType) -> TestSetup {
    let numbers = 250 * if dt == DType::E2M1 { 8 } else { 4 };
    pack_of(250, 96, inputs("x", [numbers], DType::F32, Hard), dt)
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["hard", "ties"], N = [1001, 1024], suffix = "_{NAME}"))]
fn int8_on(dt: DType) -> TestSetup {
    let x =
        if NAME == "hard" { inputs("x", [N], dt, Hard) } else { inputs("x", [N], dt, Range(-80.0, 80.0)) };
    let [q, y] = reference::int8(&x, 0.5);
    TestSetup::new(int8::kernel_ir_for(dt))
        .input(x)
        .scalar("scale", 0.5f32)
        .output("q", [N], DType::I8)
        .output("y", [N], DType::F32)
        .grid_1d(N, 256)
        .expect_bits(q)
        .expect_bits(y)
}

#[test_kernel(dtypes = [f32, f16, bf16], variants(NAME = ["hard", "ties"], N = [125, 128], suffix = "_{NAME}"))]
fn int4_on(dt: DType) -> TestSetup {
    let n = N * 8;
    let x = if NAME == "hard" { inputs("x", [n], dt, Hard) } else { inputs("x", [n], dt, Range(-3.0, 3.0)) };
    let [words, y] = reference::int4(&x, 0.3);
    TestSetup::new(int4::kernel_ir_for(dt))
        .input(x)
        .scalar("scale", 0.3f32)
        .output("words", [N], DType::U32)
        .output("y", [n], DType::F32)
        .grid_1d(N, 64)
        .expect_bits(words)
        .expect_bits(y)
}

#[test_kernel(dtypes = [e4m3, e2m1])]
fn round_trip_empty(to: DType) -> TestSetup {
    TestSetup::new(round_trip::kernel_ir_for(DType::F32, to))
        .input(inputs("x", [4], DType::F32, Range(-1.0, 1.0)))
        .output("q", [4], to)
        .output("y", [4], DType::F32)
        .grid_1d(0, 32)
        .guard()
}
