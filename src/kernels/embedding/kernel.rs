//! The kernels of the family. A thread makes one element: axis 0 the column, axis 1 the row.

use warpsmith::dsl::prelude::*;

fn place(dim: Val) -> Val {
    program_id::<1>().cast::<u64>() * dim + program_id::<0>()
}

/// Row `ids[r]` of a table of `vocabulary` × `dim`; zeros where the table has no such row, which is never read.
#[kernel(mode = Grid3D)]
pub fn token_embedding<T>(
    table: Tensor<T>,
    ids: Tensor<i32>,
    mut out: Tensor<T>,
    #[scalar] vocabulary: u32,
    #[scalar] dim: u32,
) {
    let id = load(ids[program_id::<1>()]).cast::<u32>();
    let at = id.cast::<u64>() * dim + program_id::<0>();
    store(out[place(dim)], select(id < vocabulary, load(table[at]), cast::<T>(0)));
}

/// The same times a number, in f32.
#[kernel(mode = Grid3D)]
pub fn token_embedding_scaled<T>(
    table: Tensor<T>,
    ids: Tensor<i32>,
    mut out: Tensor<T>,
    #[scalar] vocabulary: u32,
    #[scalar] dim: u32,
    #[scalar] scale: f32,
) {
    let id = load(ids[program_id::<1>()]).cast::<u32>();
    let at = id.cast::<u64>() * dim + program_id::<0>();
    let value = select(id < vocabulary, load(table[at]), cast::<T>(0));
    store(out[place(dim)], value.cast::<f32>() * scale);
}

/// Columns 2i and 2i + 1: the sine and cosine of position · base^(−2i/dim).
#[kernel(mode = Grid3D)]
pub fn sinusoidal_embedding<T>(
    positions: Tensor<i32>,
    mut out: Tensor<T>,
    #[scalar] dim: u32,
    #[scalar] log2_base: f32,
) {
    let column = program_id::<0>();
    let share = (column / 2 * 2).cast::<f32>() / dim.cast::<f32>();
    let angle = load(positions[program_id::<1>()]).cast::<f32>() * exp2(-(share * log2_base));
    let (sine, cosine) = sin_cos(angle);
    store(out[place(dim)], select(column % 2 == 0, sine, cosine));
}

/// With half = dim/2, columns i and half + i: the sine and cosine of scale · (t · period^(−i/(half − shift))), exchanged
/// where `cos_first`; the last column of an odd dim is 0.
#[kernel(mode = Grid3D)]
pub fn timestep_embedding<T>(
    t: Tensor<f32>,
    mut out: Tensor<T>,
    #[scalar] dim: u32,
    #[scalar] log2_period: f32,
    #[scalar] shift: f32,
    #[scalar] scale: f32,
    #[scalar] cos_first: u32,
) {
    let (column, half) = (program_id::<0>(), dim / 2);
    let is_second = select(column < half, 0u32, 1u32);
    let i = column - is_second * half;
    let share = i.cast::<f32>() / (half.cast::<f32>() - shift);
    let angle = scale * (load(t[program_id::<1>()]) * exp2(-(share * log2_period)));
    let (sine, cosine) = sin_cos(angle);
    let value = select(is_second == cos_first, sine, cosine);
    store(out[place(dim)], select(column < half * 2, value, 0.0f32));
}
