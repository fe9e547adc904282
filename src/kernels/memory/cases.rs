//! The cases of the family. Inputs are hard values: what moves must move with all its bits, subnormals and NaN too.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{TILE, copy, copy_2d, copy_3d, copy_x4, copy_x8, gather, transpose};
use super::reference;

#[test_kernel(
    dtypes = [f32, f16, bf16, f64, u8, i32],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 33, 1024, 1001, 9000],
        CTA = [32, 48, 256, 256, 1000], suffix = "_{NAME}")
)]
fn copy_on(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Hard);
    let want = reference::copy(&x);
    TestSetup::new(copy::kernel_ir_for(dt))
        .input(x)
        .output("out", [N], dt)
        .grid_1d(N, CTA as u32)
        .expect_bits(want)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn copy_empty(dt: DType) -> TestSetup {
    TestSetup::new(copy::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt))
        .output("out", 4, dt)
        .grid_1d(0, 256)
        .guard()
}

fn copy_vec_of(n: usize, cta: usize, dt: DType) -> TestSetup {
    // One element has to be something that a device that writes ones doesn't write.
    let x = inputs("x", [n], dt, if n == 1 { Fill(3.0) } else { Hard });
    let want = reference::copy(&x);
    let (kernel, width) =
        if dt.size() == 4 { (copy_x4::kernel_ir_for(dt), 4) } else { (copy_x8::kernel_ir_for(dt), 8) };
    TestSetup::new(kernel)
        .input(x)
        .scalar("n", n as u64)
        .output("out", [n], dt)
        .grid_1d(n.div_ceil(width), cta as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, u8, u32],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 47, 4000, 1001, 8199],
        CTA = [32, 64, 256, 96, 512], suffix = "_{NAME}")
)]
fn copy_vec(dt: DType) -> TestSetup {
    copy_vec_of(N, CTA, dt)
}

/// There is a thread, but it has nothing to do.
#[test_kernel(dtypes = [f32, bf16])]
fn copy_vec_no_update(dt: DType) -> TestSetup {
    let (kernel, out) = if dt.size() == 4 {
        (copy_x4::kernel_ir_for(dt), TestBuffer::uninitialised("out", 16, dt))
    } else {
        (copy_x8::kernel_ir_for(dt), TestBuffer::uninitialised("out", 16, dt))
    };
    TestSetup::new(kernel)
        .input(inputs("x", [16], dt, Hard))
        .scalar("n", 0u64)
        .output_buffer(out)
        .grid_1d(1, 32)
        .guard()
}

fn gather_of(n: usize, count: usize, cta: usize, dt: DType) -> TestSetup {
    let x = inputs("x", [n], dt, Hard);
    let index = inputs("index", [count], DType::U32, Ints(0, n as i64 - 1));
    let want = reference::picked(&x, index.as_int().into_iter().map(|index| index as usize));
    TestSetup::new(gather::kernel_ir_for(dt))
        .input(x)
        .input(index)
        .output("out", [count], dt)
        .grid_1d(count, cta as u32)
        .expect_bits(want)
}

/// More indices than elements, so that some repeat; and fewer.
#[test_kernel(
    dtypes = [f32, f16, bf16, u8, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 77, 100, 1000, 6000],
        COUNT = [1, 201, 512, 333, 100], CTA = [32, 256, 128, 256, 32], suffix = "_{NAME}")
)]
fn gather_on(dt: DType) -> TestSetup {
    gather_of(N, COUNT, CTA, dt)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn gather_empty(dt: DType) -> TestSetup {
    TestSetup::new(gather::kernel_ir_for(dt))
        .input(inputs("x", [4], dt, Hard))
        .input(TestBuffer::zeros("index", 0, DType::U32))
        .output("out", 4, dt)
        .grid_1d(0, 64)
        .guard()
}

/// A view whose axes are exchanged.
#[test_kernel(dtypes = [f32, f16, bf16, u8, f64])]
fn copy_2d_transposed(dt: DType) -> TestSetup {
    let x = inputs("x", [19 * 37], dt, Hard);
    let want = reference::viewed(&x, [37, 19], [1, 37]);
    TestSetup::new(copy_2d::kernel_ir_for(dt))
        .input(x.strided([37, 19], [1, 37]))
        .output("out", [37, 19], dt)
        .threads_3d(19, 37, 1, [8, 8, 1])
        .expect_bits(want)
}

/// One row, again and again.
#[test_kernel(dtypes = [f32, bf16])]
fn copy_2d_repeated(dt: DType) -> TestSetup {
    let x = inputs("x", [45], dt, Hard);
    let want = reference::viewed(&x, [11, 45], [0, 1]);
    TestSetup::new(copy_2d::kernel_ir_for(dt))
        .input(x.strided([11, 45], [0, 1]))
        .output("out", [11, 45], dt)
        .threads_3d(45, 11, 1, [32, 3, 1])
        .expect_bits(want)
}

/// Rows after each other, so that the strides are those of the shape.
#[test_kernel(dtypes = [f32, f16, bf16])]
fn copy_2d_rows(dt: DType) -> TestSetup {
    let x = inputs("x", [40 * 50], dt, Hard);
    let want = reference::copy(&x);
    TestSetup::new(copy_2d::kernel_ir_for(dt))
        .input(x.shaped([40, 50]))
        .output("out", [40, 50], dt)
        .threads_3d(50, 40, 1, [32, 4, 1])
        .expect_bits(want)
}

/// No columns, but rows.
#[test_kernel(dtypes = [f32, f16])]
fn copy_2d_empty(dt: DType) -> TestSetup {
    TestSetup::new(copy_2d::kernel_ir_for(dt))
        .input(TestBuffer::zeros("x", 0, dt).shaped([7, 0]))
        .output_buffer(TestBuffer::uninitialised("out", 4, dt).strided([7, 0], [1, 1]))
        .threads_3d(0, 7, 1, [32, 4, 1])
        .guard()
}

/// Every second plane, rows and columns exchanged, into a wider buffer of which the rest stays as it is.
#[test_kernel(dtypes = [f32, f16, bf16, i16])]
fn copy_3d_permuted(dt: DType) -> TestSetup {
    let (planes, rows, cols) = (3usize, 5usize, 7usize);
    let x = inputs("x", [6 * rows * cols], dt, Hard);
    let strides = [2 * rows * cols, 1, cols];
    let want = reference::viewed(&x, [planes, cols, rows], strides);
    let out = TestBuffer::uninitialised("out", planes * cols * 8, dt);
    let setup = TestSetup::new(copy_3d::kernel_ir_for(dt))
        .input(x.strided([planes, cols, rows], strides))
        .output_buffer(out.strided([planes, cols, rows], [cols * 8, 8, 1]))
        .threads_3d(rows, cols, planes, [4, 2, 2]);
    // The reference lists rows of five; in the output they stand eight apart.
    let rows_wanted = want.bytes().unwrap_or_default().chunks(rows * dt.size() as usize);
    rows_wanted.enumerate().fold(setup, |setup, (number, row)| {
        setup.expect_at("out", number as u64 * 8, TestBuffer::from_vec("out", row.to_vec(), dt))
    })
}

fn transpose_of(rows: usize, cols: usize, lines: usize, dt: DType) -> TestSetup {
    let x = inputs("x", [rows, cols], dt, Hard);
    let want = reference::viewed(&x, [cols, rows], [1, cols]);
    TestSetup::new(transpose::kernel_ir_for(dt))
        .input(x)
        .output("out", [cols, rows], dt)
        .scalar("rows", rows as u32)
        .scalar("cols", cols as u32)
        .grid_2d(cols.div_ceil(TILE), rows.div_ceil(TILE), [TILE as u32, lines as u32])
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, u8, f64],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "many_row", "wide"], ROWS = [1, 31, 16, 23, 70, 2],
        COLS = [1, 33, 96, 66, 45, 4100], LINES = [8, 4, 8, 3, 8, 32], suffix = "_{NAME}")
)]
fn transpose_on(dt: DType) -> TestSetup {
    transpose_of(ROWS, COLS, LINES, dt)
}

/// Tiles, but no rows in them.
#[test_kernel(dtypes = [f32, bf16])]
fn transpose_no_update(dt: DType) -> TestSetup {
    TestSetup::new(transpose::kernel_ir_for(dt))
        .input(inputs("x", [8], dt, Hard))
        .output("out", [8], dt)
        .scalar("rows", 0u32)
        .scalar("cols", 8u32)
        .grid_2d(1u32, 1u32, [32, 8])
        .guard()
}

/// Reads a matrix and writes one.
#[bench_kernel(dtypes = [f32, bf16])]
fn copy_8192(dt: DType) -> BenchSetup {
    let n = 8192usize * 8192;
    let (kernel, width) =
        if dt.size() == 4 { (copy_x4::kernel_ir_for(dt), 4) } else { (copy_x8::kernel_ir_for(dt), 8) };
    BenchSetup::new(kernel)
        .input(TestBuffer::sparse("x", n as u64, dt, &[]).zeroed())
        .scalar("n", n as u64)
        .output("out", [n], dt)
        .grid_1d(n / width, 256)
        .size(Gpu)
        .bytes(2 * n as u64 * u64::from(dt.size()))
        .shape_label("8192×8192")
}
