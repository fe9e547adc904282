//! The cases of `cast`: every pair of types on inputs that are hard for the source, judged by bits.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::cast;
use super::reference;

fn cast_of(n: usize, cta: u32, x: TestBuffer, to: DType) -> TestSetup {
    let (from, want) = (x.dtype(), reference::cast(&x, to));
    TestSetup::new(cast::kernel_ir_for(from, to))
        .input(x)
        .output("out", [n], to)
        .grid_1d(n, cta)
        .expect_bits(want)
}

/// Elements for one pass over the table of hard values and as many mixed ones.
const HARD: usize = 205;

#[test_kernel(
    dtypes = [f32, f16, bf16, f64, i8, u8, i16, u16, i32, u32, i64, u64, bool],
    variants(From = [f32, f16, bf16, f64, i8, u8, i16, u16, i32, u32, i64, u64, bool], suffix = "_{From}")
)]
fn cast_from(to: DType) -> TestSetup {
    let from = <From as KernelType>::dtype();
    cast_of(HARD, 256, inputs("x", [HARD], from, Hard), to)
}

/// Every f16, so every tie, subnormal and NaN that it has.
#[test_kernel(dtypes = [f32, bf16, f64, i8, u16, i32, i64])]
fn cast_every_f16(to: DType) -> TestSetup {
    let bytes = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    cast_of(1 << 16, 256, TestBuffer::from_vec("x", bytes, DType::F16), to)
}

/// Halves between neighbours of the narrower format, and the numbers beside them: f32 steps around each f16 tie.
#[test_kernel(dtypes = [f16, bf16])]
fn cast_ties(to: DType) -> TestSetup {
    let half_step = if to == DType::F16 { 0x1000u32 } else { 0x8000 };
    let around = |i: u32| {
        let tie = 0x3000_0000 + i * 0x0012_2000 / (2 * half_step) * (2 * half_step) + half_step;
        [tie - 1, tie, tie + 1].map(|bits| f64::from(f32::from_bits(bits)))
    };
    let values: Vec<f64> = (0..334).flat_map(around).collect();
    cast_of(values.len(), 128, TestBuffer::from_f64("x", &values, DType::F32), to)
}
