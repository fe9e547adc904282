//! The cases of the family: each kernel with each layout. The tolerances' reasons are in the family's table.

use warpsmith::case::ShapeClass;
use warpsmith::case::prelude::*;
use warpsmith::dsl::BuildErrors;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::super::activations;
use super::kernel;
use super::reference::{self, gated};

/// Numbers that limit and clamp use; inputs reach beyond ±`LIMIT`.
const LIMIT: f32 = 1.75;
const ALPHA: f32 = 1.702;

type Built = Result<Kernel, BuildErrors>;

fn gated_of(
    kernel: Built,
    x: TestBuffer,
    is_pairs: bool,
    cta: usize,
    f: impl Fn(f64, f64) -> f64,
) -> TestSetup {
    let (dt, rows, n) = (x.dtype(), x.shape()[0] as usize, x.shape()[1] as usize / 2);
    let want = gated(&x, n, is_pairs, f);
    let setup = TestSetup::new(kernel)
        .input(x)
        .output("out", [rows, n], dt)
        .scalar("n", n as u32)
        .threads_3d(n, rows, 1u32, [cta as u32, 1, 1])
        .expect("out", want);
    // The input has two numbers for each of the output, so that its own length is never odd.
    match (rows, n) {
        (1, 1) => setup.shape_class(ShapeClass::Scalar),
        _ if n % 2 == 1 && n < cta => setup.shape_class(ShapeClass::Odd),
        _ => setup,
    }
}

/// Both operands within ±4; hard numbers as the one, and moderate ones as the other; the other way round.
#[derive(Clone, Copy)]
enum Contents {
    Ordinary,
    HardFirst,
    HardSecond,
}

fn contents(rows: usize, n: usize, is_pairs: bool, kind: Contents, dt: DType) -> TestBuffer {
    // A single element must be something that a device that writes zeros does not write.
    let range = if rows * n == 1 { Range(0.5, 4.0) } else { Range(-4.0, 4.0) };
    let ordinary = inputs("x", [rows, 2 * n], dt, range);
    let is_hard_first = match kind {
        Contents::Ordinary => return ordinary,
        Contents::HardFirst => true,
        Contents::HardSecond => false,
    };
    // No larger than 1, so that what they are multiplied by keeps its last place.
    let moderate = [0.5, -1.0, 1.0, -0.25, 0.75];
    let hard = inputs("hard", [rows, n], dt, Hard).as_f64();
    let value = |i: usize| {
        let (row, at) = (i / (2 * n), i % (2 * n));
        let (which, column) = if is_pairs { (at % 2, at / 2) } else { (at / n, at % n) };
        if (which == 0) == is_hard_first { hard[row * n + column] } else { moderate[(row + column) % 5] }
    };
    let values: Vec<f64> = (0..2 * rows * n).map(value).collect();
    TestBuffer::from_f64("x", &values, dt).shaped([rows, 2 * n])
}

macro_rules! cases {
    ($($on:ident, $hard:ident: $halves:ident, $pairs:ident, $f:expr, |$setup:ident| $scalars:expr;)*) => {$(
        #[test_kernel(
            dtypes = [f32, f16, bf16], tol = [f32: ulp(4), f16: ulp(1), bf16: ulp(1)],
            variants(
                NAME = ["halves_scalar", "halves_odd", "halves_aligned", "halves_tail", "halves_many_row", "halves_wide",
                    "pairs_scalar", "pairs_odd", "pairs_aligned", "pairs_tail", "pairs_many_row", "pairs_wide"],
                PAIRS = [false, false, false, false, false, false, true, true, true, true, true, true],
                ROWS = [1, 3, 2, 3, 40, 1, 1, 2, 3, 2, 33, 1],
                N = [1, 31, 96, 205, 9, 2100, 1, 27, 64, 301, 11, 2050],
                CTA = [32, 64, 32, 96, 32, 256, 32, 32, 64, 128, 48, 512],
                suffix = "_{NAME}"
            )
        )]
        fn $on(dt: DType) -> TestSetup {
            let built = if PAIRS { kernel::$pairs::kernel_ir_for(dt) } else { kernel::$halves::kernel_ir_for(dt) };
            let $setup = gated_of(built, contents(ROWS, N, PAIRS, Contents::Ordinary, dt), PAIRS, CTA, $f);
            $scalars
        }

        #[test_kernel(
            dtypes = [f32, f16, bf16], tol = [f32: ulp(4), f16: ulp(1), bf16: ulp(1)],
            variants(NAME = ["first", "second"], FIRST = [true, false], suffix = "_{NAME}")
        )]
        fn $hard(dt: DType) -> TestSetup {
            let kind = if FIRST { Contents::HardFirst } else { Contents::HardSecond };
            let built = kernel::$halves::kernel_ir_for(dt);
            let $setup = gated_of(built, contents(2, 101, false, kind, dt), false, 128, $f);
            $scalars
        }
    )*};
}

cases! {
    glu_on, glu_hard: glu_halves, glu_pairs, |a, b| a * activations::sigmoid(b), |setup| setup;
    reglu_on, reglu_hard: reglu_halves, reglu_pairs, |a, b| reference::relu(a) * b, |setup| setup;
    swiglu_on, swiglu_hard: swiglu_halves, swiglu_pairs, |a, b| activations::silu(a) * b, |setup| setup;
    geglu_on, geglu_hard: geglu_halves, geglu_pairs, |a, b| activations::gelu(a) * b, |setup| setup;
    geglu_erf_on, geglu_erf_hard: geglu_erf_halves, geglu_erf_pairs, |a, b| activations::gelu_erf(a) * b, |setup| setup;
    swiglu_limited_on, swiglu_limited_hard: swiglu_limited_halves, swiglu_limited_pairs,
        |a, b| activations::silu(reference::at_most(a, LIMIT.into())) * b, |setup| setup.scalar("limit", LIMIT);
    swiglu_clamped_on, swiglu_clamped_hard: swiglu_clamped_halves, swiglu_clamped_pairs,
        |a, b| activations::silu(reference::at_most(a, LIMIT.into())) * reference::held(b, LIMIT.into()),
        |setup| setup.scalar("limit", LIMIT);
    swiglu_biased_on, swiglu_biased_hard: swiglu_biased_halves, swiglu_biased_pairs,
        |a, b| reference::biased(a, b, ALPHA.into(), LIMIT.into()),
        |setup| setup.scalar("limit", LIMIT).scalar("alpha", ALPHA);
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn swiglu_empty(dt: DType) -> TestSetup {
    TestSetup::new(kernel::swiglu_halves::kernel_ir_for(dt))
        .input(inputs("x", [8], dt, Range(-4.0, 4.0)))
        .output("out", 4, dt)
        .scalar("n", 4u32)
        .threads_3d(4u32, 0u32, 1u32, [32, 1, 1])
        .guard()
}

fn silu_mul_of(n: usize, cta: u32, a: TestBuffer, b: TestBuffer) -> TestSetup {
    let dt = a.dtype();
    let want: Vec<f64> =
        a.as_f64().into_iter().zip(b.as_f64()).map(|(a, b)| activations::silu(a) * b).collect();
    let (kernel, width) = silu_mul(dt);
    TestSetup::new(kernel)
        .input(a)
        .input(b)
        .output("out", [n], dt)
        .scalar("n", n as u64)
        .grid_1d(n.div_ceil(width), cta)
        .expect("out", want)
}

/// 16-byte vectors: four elements of 32 bits, eight of 16.
fn silu_mul(dt: DType) -> (Built, usize) {
    if dt.size() == 4 {
        (kernel::silu_mul_x4::kernel_ir_for(dt), 4)
    } else {
        (kernel::silu_mul_x8::kernel_ir_for(dt), 8)
    }
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: ulp(4), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["scalar", "odd", "tail", "aligned"], N = [1, 27, 1003, 4096], CTA = [32, 64, 96, 128],
        suffix = "_{NAME}")
)]
fn silu_mul_on(dt: DType) -> TestSetup {
    let (a, b) = (inputs("a", [N], dt, Range(-20.0, 20.0)), inputs("b", [N], dt, Range(0.5, 2.0)));
    silu_mul_of(N, CTA as u32, a, b)
}

/// ±88, ±104 and what else is hard, times 1.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(4), f16: ulp(1), bf16: ulp(1)])]
fn silu_mul_hard(dt: DType) -> TestSetup {
    let special =
        [88.0, -88.0, 104.0, -104.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0, -0.0, -87.5, 1e-40];
    let a = inputs("a", [2048], dt, if dt == DType::F16 { Hard } else { FromSlice(&special) });
    silu_mul_of(2048, 64, a, inputs("b", [2048], dt, Fill(1.0)))
}

#[bench_kernel(dtypes = [f32, bf16])]
fn silu_mul_8192(dt: DType) -> BenchSetup {
    let n = 8192usize * 8192;
    let (kernel, width) = silu_mul(dt);
    BenchSetup::new(kernel)
        .input(TestBuffer::sparse("a", n as u64, dt, &[]).zeroed())
        .input(TestBuffer::sparse("b", n as u64, dt, &[]).zeroed())
        .output("out", [n], dt)
        .scalar("n", n as u64)
        .grid_1d(n / width, 256)
        .size(Gpu)
        .bytes(3 * n as u64 * u64::from(dt.size()))
        .shape_label("8192×8192")
}
