//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// q = x in the format D; y = what q holds.
#[kernel]
pub fn round_trip<T, D>(x: Tensor<T>, mut q: Tensor<D>, mut y: Tensor<f32>) {
    let i = program_id::<0>();
    let code = load(x[i]).cast::<D>();
    store(q[i], code);
    store(y[i], code.cast::<f32>());
}

/// The same without saturating.
#[kernel]
pub fn round_trip_nonsat<T, D>(x: Tensor<T>, mut q: Tensor<D>, mut y: Tensor<f32>) {
    let i = program_id::<0>();
    let code = load(x[i]).cast_nonsat::<D>();
    store(q[i], code);
    store(y[i], code.cast::<f32>());
}

/// q = the power of two not above x; y = what q holds.
#[kernel]
pub fn power_rz<T>(x: Tensor<T>, mut q: Tensor<e8m0>, mut y: Tensor<f32>) {
    let i = program_id::<0>();
    let code = load(x[i]).cast_rz::<e8m0>();
    store(q[i], code);
    store(y[i], code.cast::<f32>());
}

/// q = the power of two not below x; y = what q holds.
#[kernel]
pub fn power_rp<T>(x: Tensor<T>, mut q: Tensor<e8m0>, mut y: Tensor<f32>) {
    let i = program_id::<0>();
    let code = load(x[i]).cast_rp::<e8m0>();
    store(q[i], code);
    store(y[i], code.cast::<f32>());
}

/// q = x as tf32, toward zero; y = what q holds.
#[kernel]
pub fn truncate<T>(x: Tensor<T>, mut q: Tensor<tf32>, mut y: Tensor<f32>) {
    let i = program_id::<0>();
    let code = load(x[i]).cast_rz::<tf32>();
    store(q[i], code);
    store(y[i], code.cast::<f32>());
}

/// y = what q holds, in the type T.
#[kernel]
pub fn dequantise<D, T>(q: Tensor<D>, mut y: Tensor<T>) {
    let i = program_id::<0>();
    store(y[i], load(q[i]));
}

/// Blocks of 32 with a scale of a power of two: one thread a block. `emax_inverse` is 2 to minus the exponent of D's
/// largest number.
#[kernel]
pub fn block_mx<D>(
    x: Tensor<f32>,
    mut s: Tensor<e8m0>,
    mut q: Tensor<D>,
    mut y: Tensor<f32>,
    #[scalar] n: u32,
    #[scalar] emax_inverse: f32,
) {
    let block = program_id::<0>();
    let first = block * 32;
    let end = min(first + 32, n);
    let mut largest = 0.0f32;
    for i in range(first, end) {
        largest = max(largest, abs(load(x[i])));
    }
    let scale = (largest * emax_inverse).cast_rz::<e8m0>();
    store(s[block], scale);
    let scale = scale.cast::<f32>();
    for i in range(first, end) {
        let code = (load(x[i]) / scale).cast::<D>();
        store(q[i], code);
        store(y[i], code.cast::<f32>() * scale);
    }
}

/// Blocks of 16 e2m1 with a ue4m3 scale: one thread a block. A block whose scale is 0 is 0.
#[kernel]
pub fn block_nv(
    x: Tensor<f32>,
    mut s: Tensor<ue4m3>,
    mut q: Tensor<e2m1>,
    mut y: Tensor<f32>,
    #[scalar] n: u32,
) {
    let block = program_id::<0>();
    let first = block * 16;
    let end = min(first + 16, n);
    let mut largest = 0.0f32;
    for i in range(first, end) {
        largest = max(largest, abs(load(x[i])));
    }
    let scale = (largest / 6.0).cast::<ue4m3>();
    store(s[block], scale);
    let scale = scale.cast::<f32>();
    for i in range(first, end) {
        let code = select(scale == 0.0, 0.0f32, load(x[i]) / scale).cast::<e2m1>();
        store(q[i], code);
        store(y[i], code.cast::<f32>() * scale);
    }
}

/// `COUNT` numbers as codes of D in one word, and back: one thread a word.
#[kernel(variants(COUNT = [4, 8], suffix = "_{COUNT}"))]
pub fn pack<D>(x: Tensor<f32>, mut words: Tensor<u32>, mut y: Tensor<f32>) {
    let i = program_id::<0>();
    let first = i * COUNT as u32;
    let numbers = (0..COUNT).map(|k| load(x[first + k as u32])).collect::<Vec<_>>();
    let word = pack::<D, _>(numbers);
    store(words[i], word);
    let codes = unpack::<D>(word);
    for k in 0..COUNT {
        store(y[first + k as u32], codes[k].cast::<f32>());
    }
}

/// q = x / scale to the nearest integer of 8 bits; y = q · scale.
#[kernel]
pub fn int8<T>(x: Tensor<T>, mut q: Tensor<i8>, mut y: Tensor<f32>, #[scalar] scale: f32) {
    let i = program_id::<0>();
    let code = round(load(x[i]).cast::<f32>() / scale).cast::<i8>();
    store(q[i], code);
    store(y[i], code.cast::<f32>() * scale);
}

/// The same with integers of 4 bits, eight to a word: one thread a word.
#[kernel]
pub fn int4<T>(x: Tensor<T>, mut words: Tensor<u32>, mut y: Tensor<f32>, #[scalar] scale: f32) {
    let i = program_id::<0>();
    let first = i * 8;
    let mut word = 0u32;
    for k in range(0u32, 8u32) {
        // The cast takes NaN to 0 and holds what is beyond an i32, so the bounds are integers.
        let number = round(load(x[first + k]).cast::<f32>() / scale).cast::<i32>();
        let code = max(min(number, 7), -8);
        word |= (code.cast::<u32>() & 15) << (k * 4);
        store(y[first + k], code.cast::<f32>() * scale);
    }
    store(words[i], word);
}
