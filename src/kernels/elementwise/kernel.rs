//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// c = a + b.
#[kernel]
pub fn vector_add<T>(a: Tensor<T>, b: Tensor<T>, mut c: Tensor<T>) {
    let i = program_id::<0>();
    store(c[i], load(a[i]) + load(b[i]));
}

/// c = a + b, `W` elements a thread: ⌈n / W⌉ threads.
#[kernel(variants(W = [4, 8], suffix = "_x{W}"))]
pub fn vector_add<T>(a: Tensor<T>, b: Tensor<T>, mut c: Tensor<T>, #[scalar] n: u64) {
    let first = program_id::<0>().cast::<u64>() * W;
    if first + W <= n {
        let x = load_vec::<W>(a, first);
        let y = load_vec::<W>(b, first);
        store_vec(c, first, std::array::from_fn::<_, W, _>(|lane| x[lane] + y[lane]));
    } else {
        for i in range(first, n) {
            store(c[i], load(a[i]) + load(b[i]));
        }
    }
}

/// c = a + b on views of three axes; a stride of 0 repeats an operand along an axis.
#[kernel(mode = Grid3D)]
pub fn add_3d<T>(#[strided] a: Tensor<T>, #[strided] b: Tensor<T>, #[strided] mut c: Tensor<T>) {
    let (plane, row, col) = (program_id::<2>(), program_id::<1>(), program_id::<0>());
    store(c[(plane, row, col)], load(a[(plane, row, col)]) + load(b[(plane, row, col)]));
}

/// y = alpha · x + y, in place.
#[kernel]
pub fn axpy<T>(x: Tensor<T>, mut y: Tensor<T>, #[scalar] alpha: f32) {
    let i = program_id::<0>();
    let product = alpha * load(x[i]).cast::<f32>();
    store(y[i], product + load(y[i]).cast::<f32>());
}

/// out = a · b + c, rounded once.
#[kernel]
pub fn fma3<T>(a: Tensor<T>, b: Tensor<T>, c: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], fma(load(a[i]), load(b[i]), load(c[i])));
}

/// x, but not below `low` nor above `high`. Comparisons, not `min` and `max`, so that NaN stays NaN.
#[kernel]
pub fn clamp<T>(x: Tensor<T>, low: Tensor<T>, high: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let (value, least, greatest) = (load(x[i]), load(low[0]), load(high[0]));
    store(out[i], select(value < least, least, select(value > greatest, greatest, value)));
}

/// a where c holds, else b. Only the element that is chosen is read.
#[kernel]
pub fn choose<T>(c: Tensor<bool>, a: Tensor<T>, b: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], select(load(c[i]), load(a[i]), load(b[i])));
}

/// start + i · step.
#[kernel]
pub fn arange<T>(mut out: Tensor<T>, #[scalar] start: i64, #[scalar] step: i64) {
    let i = program_id::<0>();
    store(out[i], start + i.cast::<i64>() * step);
}

/// start + i · step in f32, fused.
#[kernel]
pub fn linspace<T>(mut out: Tensor<T>, #[scalar] start: f32, #[scalar] step: f32) {
    let i = program_id::<0>();
    store(out[i], fma(i.cast::<f32>(), step, start));
}

/// x in the type U.
#[kernel]
pub fn cast<T, U>(x: Tensor<T>, mut out: Tensor<U>) {
    let i = program_id::<0>();
    store(out[i], load(x[i]));
}
