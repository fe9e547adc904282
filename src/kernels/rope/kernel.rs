//! The kernels of the family. A thread makes one pair: axis 0 the pair, axis 1 the head, axis 2 the token.

use warpsmith::dsl::prelude::*;

/// 1 / (2π).
const TURN: f32 = 0.159_154_94;

/// Where the head of this thread's token begins.
fn head(heads: Val, dim: Val) -> Val {
    (program_id::<2>().cast::<u64>() * heads + program_id::<1>()) * dim
}

/// base^(−2 · pair / dim), by the exponential of 2.
#[kernel_fn]
fn frequency(pair: Val, dim: Val, log2_base: Val) -> Val {
    let share = (pair * 2).cast::<f32>() / dim.cast::<f32>();
    exp2(-(share * log2_base))
}

/// (a, b) turned by the angle and stretched.
#[kernel_fn]
fn turned(a: Val, b: Val, angle: Val, stretch: Val) -> [Val; 2] {
    let (sine, cosine) = sin_cos(angle);
    let (along, across) = (cosine * stretch, sine * stretch);
    [a * along - b * across, b * along + a * across]
}

/// The elements at `at` and `apart` behind it of one buffer, turned, into the other.
#[kernel_fn]
fn turn<T: KernelType>(x: Tensor<T>, out: Tensor<T>, at: Val, apart: Val, angle: Val, stretch: Val) {
    let (a, b) = (load(x[at]).cast::<f32>(), load(x[at + apart]).cast::<f32>());
    let pair = turned(a, b, angle, stretch);
    store(out[at], pair[0]);
    store(out[at + apart], pair[1]);
}

/// Turns elements i and i + dim/2 by position · base^(−2i/dim); `direction` is 1, or −1 to undo it.
#[kernel(mode = Grid3D)]
pub fn rope_halves<T>(
    x: Tensor<T>,
    positions: Tensor<i32>,
    mut out: Tensor<T>,
    #[scalar] heads: u32,
    #[scalar] dim: u32,
    #[scalar] log2_base: f32,
    #[scalar] direction: f32,
) {
    let pair = program_id::<0>();
    let position = load(positions[program_id::<2>()]).cast::<f32>() * direction;
    let angle = position * frequency(pair, dim, log2_base);
    turn(x, out, head(heads, dim) + pair, dim / 2, angle, 1.0f32.val());
}

/// The same for elements 2i and 2i + 1.
#[kernel(mode = Grid3D)]
pub fn rope_pairs<T>(
    x: Tensor<T>,
    positions: Tensor<i32>,
    mut out: Tensor<T>,
    #[scalar] heads: u32,
    #[scalar] dim: u32,
    #[scalar] log2_base: f32,
    #[scalar] direction: f32,
) {
    let pair = program_id::<0>();
    let position = load(positions[program_id::<2>()]).cast::<f32>() * direction;
    let angle = position * frequency(pair, dim, log2_base);
    turn(x, out, head(heads, dim) + pair * 2, 1u32.val(), angle, 1.0f32.val());
}

/// The same as `rope_halves` on the first `turning` elements; the others are copied. Axis 0 has dim − turning/2 threads.
#[kernel(mode = Grid3D)]
pub fn rope_partial<T>(
    x: Tensor<T>,
    positions: Tensor<i32>,
    mut out: Tensor<T>,
    #[scalar] heads: u32,
    #[scalar] dim: u32,
    #[scalar] turning: u32,
    #[scalar] log2_base: f32,
) {
    let (i, first, half) = (program_id::<0>(), head(heads, dim), turning / 2);
    if i < half {
        let position = load(positions[program_id::<2>()]).cast::<f32>();
        let angle = position * frequency(i, turning, log2_base);
        turn(x, out, first + i, half, angle, 1.0f32.val());
    } else {
        store(out[first + i + half], load(x[first + i + half]));
    }
}

/// `rope_halves` with Llama 3's frequencies: those that turn less than `low` times within the context that was trained
/// on are divided by `factor`, those that turn more than `high` times stay, and between it blends.
#[kernel(mode = Grid3D)]
pub fn rope_llama3<T>(
    x: Tensor<T>,
    positions: Tensor<i32>,
    mut out: Tensor<T>,
    #[scalar] heads: u32,
    #[scalar] dim: u32,
    #[scalar] log2_base: f32,
    #[scalar] factor: f32,
    #[scalar] low: f32,
    #[scalar] high: f32,
    #[scalar] context: f32,
) {
    let pair = program_id::<0>();
    let plain = frequency(pair, dim, log2_base);
    let turns = context * plain * TURN;
    let blend = (turns - low) / (high - low);
    let blended = (1.0f32 - blend) * (plain / factor) + blend * plain;
    let scaled = select(turns < low, plain / factor, select(turns > high, plain, blended));
    let angle = load(positions[program_id::<2>()]).cast::<f32>() * scaled;
    turn(x, out, head(heads, dim) + pair, dim / 2, angle, 1.0f32.val());
}

/// `rope_halves` with YaRN's frequencies: those of pairs up to `ramp_start` stay, those from `ramp_end` on are divided by
/// `factor`, a ramp between; what is turned is stretched by `stretch`.
#[kernel(mode = Grid3D)]
pub fn rope_yarn<T>(
    x: Tensor<T>,
    positions: Tensor<i32>,
    mut out: Tensor<T>,
    #[scalar] heads: u32,
    #[scalar] dim: u32,
    #[scalar] log2_base: f32,
    #[scalar] factor: f32,
    #[scalar] ramp_start: f32,
    #[scalar] ramp_end: f32,
    #[scalar] stretch: f32,
) {
    let pair = program_id::<0>();
    let plain = frequency(pair, dim, log2_base);
    let ramp = max(min((pair.cast::<f32>() - ramp_start) / (ramp_end - ramp_start), 1.0f32), 0.0f32);
    let scaled = (plain / factor) * ramp + plain * (1.0f32 - ramp);
    let angle = load(positions[program_id::<2>()]).cast::<f32>() * scaled;
    turn(x, out, head(heads, dim) + pair, dim / 2, angle, stretch);
}

/// For tokens of an image `width` wide: the first half of a head is turned by the token's row, the second by its column,
/// each like `rope_halves` of dim/2.
#[kernel(mode = Grid3D)]
pub fn rope_2d<T>(
    x: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] heads: u32,
    #[scalar] dim: u32,
    #[scalar] width: u32,
    #[scalar] log2_base: f32,
) {
    let (i, token, quarter) = (program_id::<0>(), program_id::<2>(), dim / 4);
    let is_column = i >= quarter;
    let pair = select(is_column, i - quarter, i);
    let position = select(is_column, token % width, token / width).cast::<f32>();
    let angle = position * frequency(pair, dim / 2, log2_base);
    let half = select(is_column, dim / 2, 0u32);
    turn(x, out, head(heads, dim) + half + pair, quarter, angle, 1.0f32.val());
}
