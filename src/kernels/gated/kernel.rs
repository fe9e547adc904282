//! The kernels of the family, each for halves and for pairs.

use warpsmith::dsl::prelude::*;

/// The two numbers of this thread's output in f32, from its row of 2 · `n`: `n` apart, or neighbours.
#[kernel_fn]
fn operands<T: KernelType>(x: Tensor<T>, n: Val, is_pairs: bool) -> [Val; 2] {
    let i = program_id::<0>().cast::<u64>();
    let first = program_id::<1>().cast::<u64>() * n * 2;
    if is_pairs {
        [load(x[first + i * 2]).cast::<f32>(), load(x[first + i * 2 + 1]).cast::<f32>()]
    } else {
        [load(x[first + i]).cast::<f32>(), load(x[first + i + n]).cast::<f32>()]
    }
}

/// Where this thread's output goes.
fn place(n: Val) -> Val {
    program_id::<1>().cast::<u64>() * n + program_id::<0>()
}

/// x held to −bound … bound; a NaN stays.
fn held(x: Val, bound: Val) -> Val {
    max_nan(min_nan(x, bound), -bound)
}

/// out = a · sigmoid(b).
#[kernel(mode = Grid3D, variants(IS_PAIRS = [false, true], LAYOUT = ["halves", "pairs"], suffix = "_{LAYOUT}"))]
pub fn glu<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let [a, b] = operands(x, n, IS_PAIRS);
    store(out[place(n)], a * sigmoid(b));
}

/// out = max(a, 0) · b.
#[kernel(mode = Grid3D, variants(IS_PAIRS = [false, true], LAYOUT = ["halves", "pairs"], suffix = "_{LAYOUT}"))]
pub fn reglu<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let [a, b] = operands(x, n, IS_PAIRS);
    store(out[place(n)], max_nan(a, 0) * b);
}

/// out = silu(a) · b.
#[kernel(mode = Grid3D, variants(IS_PAIRS = [false, true], LAYOUT = ["halves", "pairs"], suffix = "_{LAYOUT}"))]
pub fn swiglu<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let [a, b] = operands(x, n, IS_PAIRS);
    store(out[place(n)], silu(a) * b);
}

/// out = gelu(a) · b, by the hyperbolic tangent.
#[kernel(mode = Grid3D, variants(IS_PAIRS = [false, true], LAYOUT = ["halves", "pairs"], suffix = "_{LAYOUT}"))]
pub fn geglu<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let [a, b] = operands(x, n, IS_PAIRS);
    store(out[place(n)], gelu(a) * b);
}

/// out = gelu(a) · b, by the error function.
#[kernel(mode = Grid3D, variants(IS_PAIRS = [false, true], LAYOUT = ["halves", "pairs"], suffix = "_{LAYOUT}"))]
pub fn geglu_erf<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32) {
    let [a, b] = operands(x, n, IS_PAIRS);
    store(out[place(n)], gelu_erf(a) * b);
}

/// out = silu(min(a, limit)) · b.
#[kernel(mode = Grid3D, variants(IS_PAIRS = [false, true], LAYOUT = ["halves", "pairs"], suffix = "_{LAYOUT}"))]
pub fn swiglu_limited<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32, #[scalar] limit: f32) {
    let [a, b] = operands(x, n, IS_PAIRS);
    store(out[place(n)], silu(min_nan(a, limit)) * b);
}

/// out = silu(min(a, limit)) · min(max(b, −limit), limit).
#[kernel(mode = Grid3D, variants(IS_PAIRS = [false, true], LAYOUT = ["halves", "pairs"], suffix = "_{LAYOUT}"))]
pub fn swiglu_clamped<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u32, #[scalar] limit: f32) {
    let [a, b] = operands(x, n, IS_PAIRS);
    store(out[place(n)], silu(min_nan(a, limit)) * held(b, limit));
}

/// out = g · sigmoid(alpha · g) · (u + 1) with g = min(a, limit) and u = b held to ± limit.
#[kernel(mode = Grid3D, variants(IS_PAIRS = [false, true], LAYOUT = ["halves", "pairs"], suffix = "_{LAYOUT}"))]
pub fn swiglu_biased<T>(
    x: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] n: u32,
    #[scalar] alpha: f32,
    #[scalar] limit: f32,
) {
    let [a, b] = operands(x, n, IS_PAIRS);
    let (gate, up) = (min_nan(a, limit), held(b, limit));
    store(out[place(n)], gate * sigmoid(alpha * gate) * (up + 1));
}

/// out = silu(a) · b for two buffers, `W` elements a thread: ⌈n / W⌉ threads.
#[kernel(variants(W = [4, 8], suffix = "_x{W}"))]
pub fn silu_mul<T>(a: Tensor<T>, b: Tensor<T>, mut out: Tensor<T>, #[scalar] n: u64) {
    let first = program_id::<0>().cast::<u64>() * W;
    let dtype = <T as KernelType>::dtype();
    if first + W <= n {
        let x = load_vec::<W>(a, first);
        let y = load_vec::<W>(b, first);
        store_vec(out, first, std::array::from_fn::<_, W, _>(|lane| weighted(x[lane], y[lane], dtype)));
    } else {
        for i in range(first, n) {
            store(out[i], weighted(load(a[i]), load(b[i]), dtype));
        }
    }
}

/// silu(a) · b in f32. What is rounded to 16 bits next takes an exponential of three bits more than that has.
#[kernel_fn]
fn weighted(a: Val, b: Val, dtype: DType) -> Val {
    let (a, b) = (a.cast::<f32>(), b.cast::<f32>());
    if dtype.size() == 4 {
        silu(a) * b
    } else {
        // Of e^−|a| nothing overflows: silu(a) is a/(1 + e^−|a|), for negative a times e^−|a|.
        let below = -abs(a);
        let e = if dtype == DType::BF16 { exp_p_below::<11>(below) } else { exp_p_below::<14>(below) };
        a * select(a < 0.0f32, e, 1.0f32) / (e + 1.0f32) * b
    }
}
