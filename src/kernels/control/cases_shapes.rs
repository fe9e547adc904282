//! Cases of CTAs of several axes, most of them with a first axis that is no multiple of 32, and of warps with roles.

use warpsmith::case::ShapeClass;
use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::reference;
use super::roles::{pipeline_32, pipeline_64, pipeline_128};
use super::shapes::{places, rotate_axes, stencil_5, swap_lanes};

fn any(name: &str, n: usize, dt: DType) -> TestBuffer {
    let contents = if dt.is_float() { Range(-2.0, 2.0) } else { Ints(-1_000_000, 1_000_000) };
    inputs(name, [n], dt, contents)
}

/// The class of a case by its name: that of its rows, which a flat buffer does not show.
fn class(name: &str) -> ShapeClass {
    match name {
        "odd" => ShapeClass::Odd,
        "aligned" => ShapeClass::Aligned,
        "wide" => ShapeClass::Wide,
        _tail => ShapeClass::Tail,
    }
}

#[test_kernel(
    dtypes = [f32, i32, i64],
    variants(NAME = ["tail", "odd", "aligned", "wide"], WIDTH = [41, 13, 64, 4099], HEIGHT = [7, 11, 9, 3],
        X = [5, 24, 32, 33], Y = [3, 5, 4, 2], suffix = "_{NAME}")
)]
fn stencil_5_on(dt: DType) -> TestSetup {
    let (width, height) = (WIDTH, HEIGHT);
    let x = any("x", width * height, dt);
    let want = reference::stencil_5(&x, width, height);
    let (ctas_x, ctas_y) = (width.div_ceil(X), height.div_ceil(Y));
    TestSetup::new(stencil_5::kernel_ir_for(dt))
        .input(x)
        .scalar("width", width as u32)
        .scalar("height", height as u32)
        .output("out", [width * height], dt)
        .grid_2d(ctas_x, ctas_y, [X as u32, Y as u32])
        .shape_class(class(NAME))
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, u8, i64],
    variants(NAME = ["odd", "aligned", "tail"], COLUMNS = [7, 32, 37], ROWS = [5, 4, 6], PLANES = [3, 2, 5],
        X = [5, 8, 3], Y = [3, 2, 7], Z = [2, 2, 3], suffix = "_{NAME}")
)]
fn rotate_axes_on(dt: DType) -> TestSetup {
    let count = COLUMNS * ROWS * PLANES;
    let x = inputs("x", [count], dt, Hard);
    let want = reference::rotate_axes(&x, [COLUMNS, ROWS, PLANES]);
    TestSetup::new(rotate_axes::kernel_ir_for(dt))
        .input(x)
        .scalar("columns", COLUMNS as u32)
        .scalar("rows", ROWS as u32)
        .scalar("planes", PLANES as u32)
        .output("out", [count], dt)
        .threads_3d(COLUMNS, ROWS, PLANES, [X as u32, Y as u32, Z as u32])
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [u32],
    variants(NAME = ["odd", "aligned", "tail"], X = [7, 8, 33], Y = [5, 4, 3], Z = [3, 2, 1],
        suffix = "_{NAME}")
)]
fn places_on(dt: DType) -> TestSetup {
    let (grid, cta) = ([3, 2, 2], [X, Y, Z]);
    let count = 12 * X * Y * Z;
    TestSetup::new(places::kernel_ir())
        .output("out", [count], dt)
        .grid_3d(3, 2, 2, [X as u32, Y as u32, Z as u32])
        .shape_class(class(NAME))
        .expect_bits(reference::places(grid, cta))
}

#[test_kernel(
    dtypes = [f32, u32, i64, bf16],
    variants(NAME = ["odd", "aligned", "tail"], X = [5, 8, 6], Y = [4, 4, 7], Z = [2, 1, 3],
        suffix = "_{NAME}")
)]
fn swap_lanes_on(dt: DType) -> TestSetup {
    let count = 3 * X * Y * Z;
    let x = inputs("x", [count], dt, Hard);
    let want = reference::swap_lanes(&x);
    TestSetup::new(swap_lanes::kernel_ir_for(dt))
        .input(x)
        .output("out", [count], dt)
        .grid_3d(3, 1, 1, [X as u32, Y as u32, Z as u32])
        .shape_class(class(NAME))
        .expect_bits(want)
}

/// Rows that end in the middle of a tile, in one tile, and in one element.
#[test_kernel(
    dtypes = [f32, i32, u32, i64],
    variants(NAME = ["short", "odd", "aligned", "wide"], N = [1, 99, 512, 4133], SIDE = [32, 32, 64, 128],
        ROWS = [1, 3, 2, 2], suffix = "_{NAME}")
)]
fn pipeline_on(dt: DType) -> TestSetup {
    let x = if N == 1 { inputs("x", [1], dt, Fill(5.0)) } else { any("x", ROWS * N, dt) };
    let want = reference::pipeline(&x);
    let kernel = match SIDE {
        32 => pipeline_32::kernel_ir_for(dt),
        64 => pipeline_64::kernel_ir_for(dt),
        _ => pipeline_128::kernel_ir_for(dt),
    };
    TestSetup::new(kernel)
        .input(x.shaped([ROWS, N]))
        .input(TestBuffer::zeros("tiles", ROWS * 2 * SIDE, dt))
        .scalar("n", N as u32)
        .output("out", [ROWS, N], dt)
        .grid_3d(ROWS, 1, 1, [2 * SIDE as u32, 1, 1])
        .expect_bits(want)
}
