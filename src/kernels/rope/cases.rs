//! The cases of the family. The tolerances' reasons are in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::BuildErrors;
use warpsmith::dsl::prelude::*;
use warpsmith::ir::Kernel;

use super::kernel::{rope_2d, rope_halves, rope_llama3, rope_pairs, rope_partial, rope_yarn};
use super::reference::{Llama3, Turn, Yarn, frequency, turned};

type Built = Result<Kernel, BuildErrors>;

/// Tokens, heads, elements of a head.
type Shape = [usize; 3];

/// log₂ 10000, the usual base.
const LOG2_BASE: f32 = 13.287_712;

/// Positions a token apart and their end, for what an f32 still holds exactly.
const FAR: [usize; 2] = [9_990_001, 16_777_213];

/// What all kernels take. The input is what the wanted numbers were before they were turned: they lie in ½ … 2, so
/// that no sum of two products cancels to less than a sixth of either and a relative tolerance bites everywhere.
fn rope_of(
    kernel: Built,
    shape: Shape,
    threads: usize,
    cta: usize,
    stretch: f32,
    turns: impl Fn(usize) -> Vec<Turn>,
    dt: DType,
) -> TestSetup {
    let [tokens, heads, dim] = shape;
    let stretch = f64::from(stretch);
    let end = inputs("x", shape, dt, Range(0.5, 2.0)).as_f64();
    let back = |token: usize| turns(token).into_iter().map(Turn::back).collect();
    let start = turned(&end, [heads, dim], 1.0 / stretch, back);
    let x = TestBuffer::from_f64("x", &start, dt).shaped(shape);
    let want = turned(&x.as_f64(), [heads, dim], stretch, &turns);
    TestSetup::new(kernel)
        .input(x)
        .output("out", shape, dt)
        .scalar("heads", heads as u32)
        .scalar("dim", dim as u32)
        .threads_3d(threads, heads, tokens, [cta as u32, 1, 1])
        .expect("out", want)
}

/// The positions of the tokens as an input: not in order, 0 among them, so that a kernel that counts is found out.
fn positions(tokens: usize, step: usize, modulus: usize) -> (TestBuffer, Vec<f64>) {
    let values: Vec<i32> = (0..tokens).map(|token| ((token * step + step) % modulus) as i32).collect();
    let reals = values.iter().map(|&position| f64::from(position)).collect();
    (TestBuffer::from_slice("positions", &values), reals)
}

fn halves(dim: usize) -> impl Fn(usize) -> [usize; 2] {
    move |pair| [pair, pair + dim / 2]
}

fn pairs(pair: usize) -> [usize; 2] {
    [2 * pair, 2 * pair + 1]
}

/// The turns of a token whose pairs have the plain frequencies of `dim`.
fn plain(position: f64, dim: usize, log2_base: f32, at: impl Fn(usize) -> [usize; 2]) -> Vec<Turn> {
    (0..dim / 2).map(|pair| Turn::new(at(pair), position, frequency(pair, dim, log2_base))).collect()
}

fn rope_halves_of(
    shape: Shape,
    cta: usize,
    step: [usize; 2],
    log2_base: f32,
    direction: f32,
    dt: DType,
) -> TestSetup {
    let dim = shape[2];
    let (buffer, at) = positions(shape[0], step[0], step[1]);
    let turns = |token: usize| plain(at[token] * f64::from(direction), dim, log2_base, halves(dim));
    rope_of(rope_halves::kernel_ir_for(dt), shape, dim / 2, cta, 1.0, turns, dt)
        .input(buffer)
        .scalar("log2_base", log2_base)
        .scalar("direction", direction)
}

/// Positions up to 12: see the table.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["tail", "aligned", "many_row"], TOKENS = [5, 3, 13], HEADS = [2, 4, 3], DIM = [30, 64, 20],
        CTA = [32, 32, 64], suffix = "_{NAME}")
)]
fn rope_halves_on(dt: DType) -> TestSetup {
    rope_halves_of([TOKENS, HEADS, DIM], CTA, [3, 13], LOG2_BASE, 1.0, dt)
}

/// The negative angle undoes it.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["tail", "aligned"], TOKENS = [4, 6], HEADS = [3, 1], DIM = [44, 128], CTA = [32, 64],
        suffix = "_{NAME}")
)]
fn rope_halves_inverse(dt: DType) -> TestSetup {
    rope_halves_of([TOKENS, HEADS, DIM], CTA, [3, 13], LOG2_BASE, -1.0, dt)
}

/// Base 2¹⁶ and 32 elements: the frequencies are powers of two and the angles exact, up to 2²⁴: beyond
/// 2¹⁷ the sine reduces its argument the long way.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["many_row", "wide"], TOKENS = [17, 1], HEADS = [2, 1], DIM = [32, 4096], CTA = [32, 256],
        LOG2_BASE = [16.0, 2048.0], suffix = "_{NAME}")
)]
fn rope_halves_far(dt: DType) -> TestSetup {
    rope_halves_of([TOKENS, HEADS, DIM], CTA, FAR, LOG2_BASE as f32, 1.0, dt)
}

fn rope_pairs_of(
    shape: Shape,
    cta: usize,
    step: [usize; 2],
    log2_base: f32,
    direction: f32,
    dt: DType,
) -> TestSetup {
    let dim = shape[2];
    let (buffer, at) = positions(shape[0], step[0], step[1]);
    let turns = |token: usize| plain(at[token] * f64::from(direction), dim, log2_base, pairs);
    rope_of(rope_pairs::kernel_ir_for(dt), shape, dim / 2, cta, 1.0, turns, dt)
        .input(buffer)
        .scalar("log2_base", log2_base)
        .scalar("direction", direction)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["tail", "aligned", "many_row", "inverse"], TOKENS = [5, 3, 13, 3], HEADS = [2, 4, 3, 2],
        DIM = [30, 64, 20, 70], CTA = [32, 32, 64, 32], DIRECTION = [1.0, 1.0, 1.0, -1.0], suffix = "_{NAME}")
)]
fn rope_pairs_on(dt: DType) -> TestSetup {
    rope_pairs_of([TOKENS, HEADS, DIM], CTA, [3, 13], LOG2_BASE, DIRECTION as f32, dt)
}

/// As `rope_halves_far`.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)])]
fn rope_pairs_far(dt: DType) -> TestSetup {
    rope_pairs_of([19, 2, 32], 32, FAR, 16.0, 1.0, dt)
}

/// Half of each head and a quarter; `exact` has exact angles.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["tail", "aligned", "many_row", "exact"], TOKENS = [5, 3, 13, 3], HEADS = [2, 4, 3, 2],
        DIM = [30, 64, 20, 80], TURNING = [16, 32, 6, 32], BASE = [10_000.0, 10_000.0, 10_000.0, 65_536.0],
        CTA = [32, 32, 64, 96], suffix = "_{NAME}")
)]
fn rope_partial_on(dt: DType) -> TestSetup {
    let log2_base = f64::log2(BASE) as f32;
    let (buffer, at) = positions(TOKENS, 3, 13);
    let turns = |token: usize| plain(at[token], TURNING, log2_base, halves(TURNING));
    let threads = DIM - TURNING / 2;
    rope_of(rope_partial::kernel_ir_for(dt), [TOKENS, HEADS, DIM], threads, CTA, 1.0, turns, dt)
        .input(buffer)
        .scalar("turning", TURNING as u32)
        .scalar("log2_base", log2_base)
}

/// Llama 3.1's numbers (base 500,000, factor 8, context 8192), and 3.2's factor 32.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["aligned", "tail", "many_row"], TOKENS = [4, 5, 17], HEADS = [2, 2, 2], DIM = [128, 66, 32],
        FACTOR = [8.0, 32.0, 8.0], CTA = [64, 32, 32], suffix = "_{NAME}")
)]
fn rope_llama3_on(dt: DType) -> TestSetup {
    let scaling = Llama3 { factor: FACTOR as f32, low: 1.0, high: 4.0, context: 8192.0 };
    let log2_base = f64::log2(500_000.0) as f32;
    let (buffer, at) = positions(TOKENS, 3, 13);
    let turn = |token: usize, pair: usize| {
        Turn::new(halves(DIM)(pair), at[token], scaling.scaled(frequency(pair, DIM, log2_base)))
    };
    let turns = |token: usize| (0..DIM / 2).map(|pair| turn(token, pair)).collect();
    rope_of(rope_llama3::kernel_ir_for(dt), [TOKENS, HEADS, DIM], DIM / 2, CTA, 1.0, turns, dt)
        .input(buffer)
        .scalar("log2_base", log2_base)
        .scalar("factor", scaling.factor)
        .scalar("low", scaling.low)
        .scalar("high", scaling.high)
        .scalar("context", scaling.context)
}

/// DeepSeek's numbers (factor 40, context 4096, 32 and 1 turns), and GPT-OSS's base and factor.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["aligned", "tail", "many_row"], TOKENS = [4, 5, 17], HEADS = [2, 2, 2], DIM = [64, 66, 128],
        BASE = [10_000.0, 10_000.0, 150_000.0], FACTOR = [40.0, 4.0, 32.0], CTA = [32, 64, 32], suffix = "_{NAME}")
)]
fn rope_yarn_on(dt: DType) -> TestSetup {
    let scaling = Yarn::new(FACTOR as f32, DIM, BASE, 4096.0, 32.0, 1.0);
    let log2_base = f64::log2(BASE) as f32;
    let (buffer, at) = positions(TOKENS, 3, 13);
    let turn = |token: usize, pair: usize| {
        Turn::new(halves(DIM)(pair), at[token], scaling.scaled(pair, frequency(pair, DIM, log2_base)))
    };
    let turns = |token: usize| (0..DIM / 2).map(|pair| turn(token, pair)).collect();
    let (shape, stretch) = ([TOKENS, HEADS, DIM], scaling.stretch());
    rope_of(rope_yarn::kernel_ir_for(dt), shape, DIM / 2, CTA, stretch, turns, dt)
        .input(buffer)
        .scalar("log2_base", log2_base)
        .scalar("factor", scaling.factor)
        .scalar("ramp_start", scaling.start)
        .scalar("ramp_end", scaling.end)
        .scalar("stretch", stretch)
}

/// Images of 3 × 4, 2 × 7 and 5 × 8, the last with exact angles.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-5), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["aligned", "tail", "many_row"], HEIGHT = [3, 2, 5], WIDTH = [4, 7, 8], HEADS = [2, 2, 1],
        DIM = [64, 60, 64], BASE = [10_000.0, 10_000.0, 65_536.0], CTA = [32, 64, 32], suffix = "_{NAME}")
)]
fn rope_2d_on(dt: DType) -> TestSetup {
    let (log2_base, half) = (f64::log2(BASE) as f32, DIM / 2);
    let turns = |token: usize| {
        let row = plain((token / WIDTH) as f64, half, log2_base, halves(half));
        let column =
            plain((token % WIDTH) as f64, half, log2_base, |pair| halves(half)(pair).map(|at| at + half));
        [row, column].concat()
    };
    let shape = [HEIGHT * WIDTH, HEADS, DIM];
    rope_of(rope_2d::kernel_ir_for(dt), shape, half, CTA, 1.0, turns, dt)
        .scalar("width", WIDTH as u32)
        .scalar("log2_base", log2_base)
}

#[test_kernel(dtypes = [f32, f16, bf16])]
fn rope_halves_empty(dt: DType) -> TestSetup {
    TestSetup::new(rope_halves::kernel_ir_for(dt))
        .input(inputs("x", [8], dt, Range(0.5, 2.0)))
        .input(TestBuffer::from_slice("positions", &[1i32]))
        .output("out", 8, dt)
        .scalar("heads", 1u32)
        .scalar("dim", 8u32)
        .scalar("log2_base", LOG2_BASE)
        .scalar("direction", 1.0f32)
        .threads_3d(4u32, 1u32, 0u32, [32, 1, 1])
        .guard()
}
