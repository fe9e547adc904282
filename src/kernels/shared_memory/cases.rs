//! The cases of kernels that keep pieces in shared memory. Inputs of those that only move are hard values.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::super::memory::reference::{picked, viewed};
use super::kernel::{
    CUBE, SIDE, below_row_max, neighbour_sum, permuted_axes, reversed_pairs, reversed_rows,
    rotated_through_49152, rotated_through_49168, rotated_through_101376, rotated_through_102400,
    rotated_through_232448, transpose_staged_padded, transpose_staged_unpadded, transpose_tiled_x4,
    transpose_tiled_x8,
};

/// x transposed by a kernel whose CTAs of 16 × 16 take tiles of `tile` rows and columns.
fn transposed(
    kernel: impl warpsmith::case::IntoKernel,
    rows: usize,
    cols: usize,
    tile: usize,
    dt: DType,
) -> TestSetup {
    let x = inputs("x", [rows, cols], dt, Hard);
    let want = viewed(&x, [cols, rows], [1, cols]);
    TestSetup::new(kernel)
        .input(x)
        .output("out", [cols, rows], dt)
        .scalar("rows", rows as u32)
        .scalar("cols", cols as u32)
        .grid_2d(cols.div_ceil(tile), rows.div_ceil(tile), [SIDE as u32, SIDE as u32])
        .expect_bits(want)
}

fn tiled(rows: usize, cols: usize, dt: DType) -> TestSetup {
    if dt.size() == 4 {
        transposed(transpose_tiled_x4::kernel_ir_for(dt), rows, cols, 4 * SIDE, dt)
    } else {
        transposed(transpose_tiled_x8::kernel_ir_for(dt), rows, cols, 8 * SIDE, dt)
    }
}

/// Whole tiles, ragged tiles of whole vectors, pitches that no vector takes, and less than a vector.
#[test_kernel(
    dtypes = [f32, f16, bf16, u8, i32],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 31, 128, 24, 136, 2],
        COLS = [1, 33, 256, 66, 200, 4104], suffix = "_{NAME}")
)]
fn transpose_tiled_on(dt: DType) -> TestSetup {
    tiled(ROWS, COLS, dt)
}

#[test_kernel(
    dtypes = [f32, bf16, u8, f64, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row"], ROWS = [1, 31, 16, 23, 70],
        COLS = [1, 33, 96, 66, 45], suffix = "_{NAME}")
)]
fn transpose_padded_on(dt: DType) -> TestSetup {
    transposed(transpose_staged_padded::kernel_ir_for(dt), ROWS, COLS, SIDE, dt)
}

#[test_kernel(
    dtypes = [f32, bf16, u8, f64, u16],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row"], ROWS = [1, 31, 16, 23, 70],
        COLS = [1, 33, 96, 66, 45], suffix = "_{NAME}")
)]
fn transpose_unpadded_on(dt: DType) -> TestSetup {
    transposed(transpose_staged_unpadded::kernel_ir_for(dt), ROWS, COLS, SIDE, dt)
}

/// Tiles, but no rows in them.
#[test_kernel(dtypes = [f32, bf16])]
fn transpose_tiled_no_update(dt: DType) -> TestSetup {
    let kernel = if dt.size() == 4 {
        transpose_tiled_x4::kernel_ir_for(dt)
    } else {
        transpose_tiled_x8::kernel_ir_for(dt)
    };
    TestSetup::new(kernel)
        .input(inputs("x", [8], dt, Hard))
        .output("out", [8], dt)
        .scalar("rows", 0u32)
        .scalar("cols", 8u32)
        .grid_2d(1u32, 1u32, [16, 16])
        .guard()
}

/// CTAs of three axes, in grids of three.
#[test_kernel(
    dtypes = [f32, f64, u8, bf16],
    variants(NAME = ["odd", "aligned", "tail", "many_row"], PLANES = [3, 4, 5, 9], ROWS = [1, 8, 3, 17],
        COLS = [13, 32, 66, 21], suffix = "_{NAME}")
)]
fn permuted_axes_on(dt: DType) -> TestSetup {
    let x = inputs("x", [PLANES, ROWS, COLS], dt, Hard);
    let want = viewed(&x, [COLS, PLANES, ROWS], [1, ROWS * COLS, COLS]);
    TestSetup::new(permuted_axes::kernel_ir_for(dt))
        .input(x)
        .output("out", [COLS, PLANES, ROWS], dt)
        .scalar("planes", PLANES as u32)
        .scalar("rows", ROWS as u32)
        .scalar("cols", COLS as u32)
        .grid_3d(COLS.div_ceil(CUBE), ROWS.div_ceil(CUBE), PLANES.div_ceil(CUBE), [CUBE as u32; 3])
        .expect_bits(want)
}

/// Small integers, whose sums every dtype holds.
#[test_kernel(
    dtypes = [f32, f16, bf16, f64, i32, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row"], ROWS = [1, 7, 16, 23, 70],
        COLS = [1, 33, 96, 66, 45], suffix = "_{NAME}")
)]
fn neighbour_sum_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, COLS], dt, Ints(1, 20));
    let values = x.as_f64();
    let at = |row: i64, col: i64| {
        let is_inside = (0..ROWS as i64).contains(&row) && (0..COLS as i64).contains(&col);
        if is_inside { values[row as usize * COLS + col as usize] } else { 0.0 }
    };
    let places = (0..ROWS as i64).flat_map(|row| (0..COLS as i64).map(move |col| (row, col)));
    let sum =
        |(row, col)| at(row - 1, col) + at(row, col - 1) + at(row, col) + at(row, col + 1) + at(row + 1, col);
    let want: Vec<f64> = places.map(sum).collect();
    TestSetup::new(neighbour_sum::kernel_ir_for(dt))
        .input(x)
        .output("out", [ROWS, COLS], dt)
        .scalar("rows", ROWS as u32)
        .scalar("cols", COLS as u32)
        .grid_2d(COLS.div_ceil(SIDE), ROWS.div_ceil(SIDE), [SIDE as u32, SIDE as u32])
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}

#[test_kernel(
    dtypes = [f32, f64, bf16, u8, i64],
    variants(NAME = ["odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 3, 2, 40, 1], N = [77, 256, 1002, 45, 4096],
        CTA = [128, 64, 96, 33, 1024], suffix = "_{NAME}")
)]
fn reversed_rows_on(dt: DType) -> TestSetup {
    let x = inputs("x", [ROWS, N], dt, Hard);
    let want = picked(&x, (0..ROWS).flat_map(|row| (0..N).map(move |i| row * N + N - 1 - i)));
    TestSetup::new(reversed_rows::kernel_ir_for(dt))
        .input(x)
        .output("out", [ROWS, N], dt)
        .scalar("n", N as u32)
        .grid_3d(ROWS, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}

/// CTAs without an element each.
#[test_kernel(dtypes = [f32, u8])]
fn reversed_rows_no_update(dt: DType) -> TestSetup {
    TestSetup::new(reversed_rows::kernel_ir_for(dt))
        .input(inputs("x", [8], dt, Hard))
        .output("out", [8], dt)
        .scalar("n", 0u32)
        .grid_3d(3u32, 1u32, 1u32, [64, 1, 1])
        .guard()
}

#[test_kernel(
    dtypes = [f32, f64, f16, u8, i64, u16],
    variants(NAME = ["odd", "aligned", "tail"], CTAS = [1, 4, 3], CTA = [33, 256, 45], suffix = "_{NAME}")
)]
fn reversed_pairs_on(dt: DType) -> TestSetup {
    let n = CTAS * CTA * 2;
    let x = inputs("x", [n], dt, Hard);
    let from = |i: usize| {
        let (cta, pair) = (i / (2 * CTA), i % (2 * CTA) / 2);
        (cta * CTA + CTA - 1 - pair) * 2 + i % 2
    };
    let want = picked(&x, (0..n).map(from));
    TestSetup::new(reversed_pairs::kernel_ir_for(dt))
        .input(x)
        .output("out", [n], dt)
        .grid_3d(CTAS, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(want)
}

/// Two pieces of `bytes`, each rotated.
fn rotated(kernel: impl warpsmith::case::IntoKernel, bytes: usize, by: usize, dt: DType) -> TestSetup {
    let count = bytes / dt.size() as usize;
    let x = inputs("x", [2, count], dt, Hard);
    let want = picked(&x, (0..2 * count).map(|i| i / count * count + (i % count + by) % count));
    TestSetup::new(kernel)
        .input(x)
        .output("out", [2, count], dt)
        .scalar("by", by as u32)
        .grid_3d(2u32, 1u32, 1u32, [1024, 1, 1])
        .expect_bits(want)
}

#[test_kernel(dtypes = [f32, u8, f64])]
fn rotated_through_48_kib(dt: DType) -> TestSetup {
    rotated(rotated_through_49152::kernel_ir_for(dt), 49_152, 1001, dt)
}

/// One more vector than a CTA has unasked.
#[test_kernel(dtypes = [f32, u8, f64])]
fn rotated_through_more_than_48_kib(dt: DType) -> TestSetup {
    rotated(rotated_through_49168::kernel_ir_for(dt), 49_168, 6145, dt)
}

/// All that a CTA of 8.6, 8.9 and 12.x can have.
#[test_kernel(dtypes = [f32, f16, f64])]
fn rotated_through_99_kib(dt: DType) -> TestSetup {
    rotated(rotated_through_101376::kernel_ir_for(dt), 101_376, 7777, dt)
}

#[test_kernel(dtypes = [f32, bf16, i64])]
fn rotated_through_100_kib(dt: DType) -> TestSetup {
    rotated(rotated_through_102400::kernel_ir_for(dt), 102_400, 12_799, dt)
}

/// All that a CTA of sm_90 can have.
#[test_kernel(dtypes = [f32, bf16, f64])]
fn rotated_through_227_kib(dt: DType) -> TestSetup {
    rotated(rotated_through_232448::kernel_ir_for(dt), 232_448, 29_055, dt)
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["odd", "aligned", "many_row", "wide"], ROWS = [1, 4, 33, 2], N = [77, 1024, 70, 25_600],
        CTA = [96, 256, 45, 1024], suffix = "_{NAME}")
)]
fn below_row_max_on(dt: DType) -> TestSetup {
    // Differences up to 200 are exact in every dtype.
    let x = inputs("x", [ROWS, N], dt, Ints(-100, 100));
    let values = x.as_f64();
    let rows = values.chunks(N).flat_map(|row| {
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter().map(move |value| value - top)
    });
    let want: Vec<f64> = rows.collect();
    TestSetup::new(below_row_max::kernel_ir_for(dt))
        .input(x)
        .output("out", [ROWS, N], dt)
        .scalar("n", N as u32)
        .grid_3d(ROWS, 1u32, 1u32, [CTA as u32, 1, 1])
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}

/// Reads a matrix and writes one.
#[bench_kernel(dtypes = [f32, bf16])]
fn transpose_tiled_8192(dt: DType) -> BenchSetup {
    let n = 8192usize;
    let (kernel, width) = if dt.size() == 4 {
        (transpose_tiled_x4::kernel_ir_for(dt), 4)
    } else {
        (transpose_tiled_x8::kernel_ir_for(dt), 8)
    };
    BenchSetup::new(kernel)
        .input(TestBuffer::sparse("x", (n * n) as u64, dt, &[]).zeroed())
        .output("out", [n, n], dt)
        .scalar("rows", n as u32)
        .scalar("cols", n as u32)
        .grid_2d(n / (SIDE * width), n / (SIDE * width), [SIDE as u32, SIDE as u32])
        .size(Gpu)
        .bytes(2 * (n * n) as u64 * u64::from(dt.size()))
        .shape_label("8192×8192")
        .peer("copy_8192")
}
