//! The cases of the family but for conversions. All are judged by bits: see the family's table.

use warpsmith::case::ShapeClass;
use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{
    add_3d, arange, axpy, choose, clamp, fma3, linspace, vector_add, vector_add_x4, vector_add_x8,
};
use super::reference;

/// Numbers of moderate size, or whatever an integer can be.
fn ordinary(name: &str, n: usize, dt: DType) -> TestBuffer {
    let contents = if dt.is_float() { Range(-2.0, 2.0) } else { Ints(i64::MIN, i64::MAX) };
    inputs(name, [n], dt, contents)
}

fn vector_add_of(n: usize, cta: usize, a: TestBuffer, b: TestBuffer) -> TestSetup {
    let (dt, want) = (a.dtype(), reference::add("c", &a, &b));
    TestSetup::new(vector_add::kernel_ir_for(dt))
        .input(a)
        .input(b)
        .output("c", [n], dt)
        .grid_1d(n, cta as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, f64, i32, u8, i64],
    variants(NAME = ["scalar", "odd", "aligned", "tail"], N = [1, 203, 1024, 1002], CTA = [32, 256, 256, 128],
        suffix = "_{NAME}")
)]
fn vector_add_on(dt: DType) -> TestSetup {
    vector_add_of(N, CTA, ordinary("a", N, dt), ordinary("b", N, dt))
}

#[test_kernel(dtypes = [f32, f16, bf16, u32])]
fn vector_add_wide(dt: DType) -> TestSetup {
    vector_add_of(70_001, 1000, ordinary("a", 70_001, dt), ordinary("b", 70_001, dt))
}

#[test_kernel(dtypes = [f32, f16, bf16, f64, i8, i16, u16])]
fn vector_add_hard(dt: DType) -> TestSetup {
    vector_add_of(1021, 48, inputs("a", [1021], dt, Hard), inputs("b", [1021], dt, Hard))
}

#[test_kernel(dtypes = [f32, f16, bf16, i32])]
fn vector_add_empty(dt: DType) -> TestSetup {
    TestSetup::new(vector_add::kernel_ir_for(dt))
        .input(ordinary("a", 4, dt))
        .input(ordinary("b", 4, dt))
        .output("c", 4, dt)
        .grid_1d(0, 256)
        .guard()
}

/// The second operand is longer than the extent: what lies behind must stay as it is.
#[test_kernel(dtypes = [f32, i32])]
fn vector_add_part(dt: DType) -> TestSetup {
    let (a, b) = (ordinary("a", 100, dt), ordinary("b", 100, dt));
    let want = reference::add("c", &ordinary("a", 67, dt), &ordinary("b", 67, dt));
    TestSetup::new(vector_add::kernel_ir_for(dt))
        .input(a)
        .input(b)
        .output("c", [100], dt)
        .threads_1d(67, 64)
        .expect_bits(want)
}

fn vector_add_vec_of(n: usize, cta: usize, dt: DType) -> TestSetup {
    let (a, b) = (ordinary("a", n, dt), ordinary("b", n, dt));
    let want = reference::add("c", &a, &b);
    let (kernel, width) = if dt.size() == 4 {
        (vector_add_x4::kernel_ir_for(dt), 4)
    } else {
        (vector_add_x8::kernel_ir_for(dt), 8)
    };
    TestSetup::new(kernel)
        .input(a)
        .input(b)
        .scalar("n", n as u64)
        .output("c", [n], dt)
        .grid_1d(n.div_ceil(width), cta as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, i32, u8],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 35, 2048, 1003, 10_007],
        CTA = [32, 64, 256, 96, 256], suffix = "_{NAME}")
)]
fn vector_add_vec(dt: DType) -> TestSetup {
    vector_add_vec_of(N, CTA, dt)
}

#[test_kernel(dtypes = [f32, bf16])]
fn vector_add_vec_empty(dt: DType) -> TestSetup {
    let kernel =
        if dt.size() == 4 { vector_add_x4::kernel_ir_for(dt) } else { vector_add_x8::kernel_ir_for(dt) };
    TestSetup::new(kernel)
        .input(ordinary("a", 8, dt))
        .input(ordinary("b", 8, dt))
        .scalar("n", 0u64)
        .output("c", 8, dt)
        .grid_1d(0, 256)
        .guard()
}

/// Odd extents on all axes, the last operand repeated along the middle one.
#[test_kernel(dtypes = [f32, f16, bf16, i32])]
fn add_3d_odd(dt: DType) -> TestSetup {
    let shape = [5usize, 7, 33];
    let (a, b) = (ordinary("a", 5 * 7 * 33, dt), ordinary("b", 5 * 7 * 33, dt));
    let want = reference::add("c", &a, &b);
    TestSetup::new(add_3d::kernel_ir_for(dt))
        .input(a.shaped(shape))
        .input(b.shaped(shape))
        .output("c", shape, dt)
        .threads_3d(33, 7, 5, [8, 4, 2])
        .shape_class(ShapeClass::Odd)
        .expect_bits(want)
}

#[test_kernel(dtypes = [f32, f16, bf16, i32])]
fn add_3d_broadcast(dt: DType) -> TestSetup {
    let (a, b) = (ordinary("a", 3 * 5 * 9, dt), ordinary("b", 3 * 9, dt));
    let repeated: Vec<u8> = {
        let row = 9 * dt.size() as usize;
        let planes = b.bytes().unwrap_or_default().chunks(row);
        planes.flat_map(|plane| plane.repeat(5)).collect()
    };
    let want = reference::add("c", &a, &TestBuffer::from_vec("b", repeated, dt));
    TestSetup::new(add_3d::kernel_ir_for(dt))
        .input(a.shaped([3, 5, 9]))
        .input(b.strided([3, 5, 9], [9, 0, 1]))
        .output("c", [3, 5, 9], dt)
        .threads_3d(9, 5, 3, [4, 4, 4])
        .expect_bits(want)
}

fn axpy_of(
    n: usize,
    cta: usize,
    alpha: f32,
    contents: warpsmith::case::Generator<'_>,
    dt: DType,
) -> TestSetup {
    let (x, y) = (inputs("x", [n], dt, contents), inputs("y", [n], dt, contents));
    let want = reference::axpy(alpha, &x, &y);
    TestSetup::new(axpy::kernel_ir_for(dt))
        .input(x)
        .input(y)
        .scalar("alpha", alpha)
        .grid_1d(n, cta as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 63, 512, 1002, 5000],
        CTA = [1, 64, 256, 96, 1024], suffix = "_{NAME}")
)]
fn axpy_on(dt: DType) -> TestSetup {
    axpy_of(N, CTA, -1.7, Range(-2.0, 2.0), dt)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn axpy_hard(dt: DType) -> TestSetup {
    axpy_of(777, 128, 0.75, Hard, dt)
}

/// No thread, so y keeps its contents.
#[test_kernel(dtypes = [f32, f16, bf16])]
fn axpy_no_update(dt: DType) -> TestSetup {
    TestSetup::new(axpy::kernel_ir_for(dt))
        .input(ordinary("x", 8, dt))
        .input(ordinary("y", 8, dt))
        .scalar("alpha", 2.0f32)
        .grid_1d(0, 32)
        .guard()
}

fn fma3_of(n: usize, cta: usize, contents: warpsmith::case::Generator<'_>, dt: DType) -> TestSetup {
    let [a, b, c] = ["a", "b", "c"].map(|name| inputs(name, [n], dt, contents));
    let want = reference::fma(&a, &b, &c);
    TestSetup::new(fma3::kernel_ir_for(dt))
        .input(a)
        .input(b)
        .input(c)
        .output("out", [n], dt)
        .grid_1d(n, cta as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["scalar", "odd", "aligned", "tail"], N = [1, 99, 256, 1300], CTA = [32, 128, 64, 256],
        suffix = "_{NAME}")
)]
fn fma3_on(dt: DType) -> TestSetup {
    fma3_of(N, CTA, Range(-4.0, 4.0), dt)
}

/// Thousands of them, because a second rounding shows in one of some hundred only.
#[test_kernel(dtypes = [f32, f16, bf16])]
fn fma3_hard(dt: DType) -> TestSetup {
    fma3_of(8191, 256, Hard, dt)
}

fn clamp_of(n: usize, cta: usize, contents: warpsmith::case::Generator<'_>, dt: DType) -> TestSetup {
    let (low, high) = (if dt == DType::U32 { 3.0 } else { -1.5 }, 5.0);
    let [low, high] = [low, high].map(|bound: f64| if dt.is_float() { bound } else { bound.trunc() });
    let x = inputs("x", [n], dt, contents);
    let want = reference::clamp(&x, low, high);
    TestSetup::new(clamp::kernel_ir_for(dt))
        .input(x)
        .input(TestBuffer::from_f64("low", &[low], dt))
        .input(TestBuffer::from_f64("high", &[high], dt))
        .output("out", [n], dt)
        .grid_1d(n, cta as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, i32, u32],
    variants(NAME = ["scalar", "odd", "aligned", "tail"], N = [1, 33, 640, 1000], CTA = [32, 48, 256, 1000],
        suffix = "_{NAME}")
)]
fn clamp_on(dt: DType) -> TestSetup {
    // One element has to be something that a device that writes ones doesn't write.
    clamp_of(N, CTA, if N == 1 { Fill(4.0) } else { Range(-8.0, 16.0) }, dt)
}

#[test_kernel(dtypes = [f32, f16, bf16, i32, u32])]
fn clamp_hard(dt: DType) -> TestSetup {
    clamp_of(5000, 256, Hard, dt)
}

fn choose_of(n: usize, cta: usize, dt: DType) -> TestSetup {
    let c = inputs("c", [n], DType::Bool, Ints(0, 1));
    let (a, b) = (inputs("a", [n], dt, Hard), inputs("b", [n], dt, Hard));
    let want = reference::choose(&c, &a, &b);
    TestSetup::new(choose::kernel_ir_for(dt))
        .input(c)
        .input(a)
        .input(b)
        .output("out", [n], dt)
        .grid_1d(n, cta as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, u8, i64],
    variants(NAME = ["odd", "aligned", "tail"], N = [255, 512, 1006], CTA = [256, 96, 256], suffix = "_{NAME}")
)]
fn choose_on(dt: DType) -> TestSetup {
    choose_of(N, CTA, dt)
}

fn arange_of(n: usize, cta: usize, start: i64, step: i64, dt: DType) -> TestSetup {
    let want = reference::arange(n, start, step, dt);
    TestSetup::new(arange::kernel_ir_for(dt))
        .output("out", [n], dt)
        .scalar("start", start)
        .scalar("step", step)
        .grid_1d(n, cta as u32)
        .expect_bits(want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16, i32, u32, i64, u8],
    variants(NAME = ["scalar", "odd", "aligned", "tail", "wide"], N = [1, 31, 1024, 500, 4999],
        CTA = [32, 32, 256, 48, 512], suffix = "_{NAME}")
)]
fn arange_on(dt: DType) -> TestSetup {
    arange_of(N, CTA, -70, 3, dt)
}

/// Products beyond 32 bits, and values that each format has to round or wrap.
#[test_kernel(dtypes = [f32, f16, bf16, i64, i16])]
fn arange_steep(dt: DType) -> TestSetup {
    arange_of(801, 64, -(1 << 40) + 1, 5_000_000_001, dt)
}

#[test_kernel(dtypes = [f32, i32])]
fn arange_empty(dt: DType) -> TestSetup {
    TestSetup::new(arange::kernel_ir_for(dt))
        .output("out", 4, dt)
        .scalar("start", 1i64)
        .scalar("step", 1i64)
        .grid_1d(0, 64)
        .guard()
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["odd", "aligned", "wide"], N = [77, 320, 6001], CTA = [128, 32, 1024], suffix = "_{NAME}")
)]
fn linspace_on(dt: DType) -> TestSetup {
    let (start, step) = (-3.3f32, 0.013f32);
    TestSetup::new(linspace::kernel_ir_for(dt))
        .output("out", [N], dt)
        .scalar("start", start)
        .scalar("step", step)
        .grid_1d(N, CTA as u32)
        .expect_bits(reference::linspace(N, start, step, dt))
}

/// Reads two matrices and writes one.
#[bench_kernel(dtypes = [f32, bf16])]
fn vector_add_8192(dt: DType) -> BenchSetup {
    let n = 8192usize * 8192;
    let zeros = |name: &str| TestBuffer::sparse(name, n as u64, dt, &[]).zeroed();
    let (kernel, width) = if dt.size() == 4 {
        (vector_add_x4::kernel_ir_for(dt), 4)
    } else {
        (vector_add_x8::kernel_ir_for(dt), 8)
    };
    BenchSetup::new(kernel)
        .input(zeros("a"))
        .input(zeros("b"))
        .scalar("n", n as u64)
        .output("c", [n], dt)
        .grid_1d(n / width, 256)
        .size(Gpu)
        .bytes(3 * n as u64 * u64::from(dt.size()))
        .shape_label("8192×8192")
}
