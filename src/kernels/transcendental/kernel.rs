//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// out = x.
#[kernel]
pub fn math_identity<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], load(x[i]));
}

macro_rules! unary_kernels {
    ($($kernel:ident $word:ident)*) => {$(
        #[doc = concat!("out = ", stringify!($word), "(x).")]
        #[kernel]
        pub fn $kernel<T>(x: Tensor<T>, mut out: Tensor<T>) {
            let i = program_id::<0>();
            store(out[i], $word(load(x[i])));
        }
    )*};
}

unary_kernels! {
    math_acos acos
    math_acosh acosh
    math_asin asin
    math_asinh asinh
    math_atan atan
    math_atanh atanh
    math_cbrt cbrt
    math_cos cos
    math_cosh cosh
    math_erf erf
    math_erfc erfc
    math_erfinv erfinv
    math_exp exp
    math_exp2 exp2
    math_expm1 expm1
    math_gelu gelu
    math_gelu_erf gelu_erf
    math_log log
    math_log10 log10
    math_log1p log1p
    math_log2 log2
    math_mish mish
    math_rsqrt rsqrt
    math_sigmoid sigmoid
    math_silu silu
    math_sin sin
    math_sinh sinh
    math_softplus softplus
    math_tan tan
    math_tanh tanh
}

macro_rules! binary_kernels {
    ($($kernel:ident $word:ident)*) => {$(
        #[doc = concat!("out = ", stringify!($word), "(a, b).")]
        #[kernel]
        pub fn $kernel<T>(a: Tensor<T>, b: Tensor<T>, mut out: Tensor<T>) {
            let i = program_id::<0>();
            store(out[i], $word(load(a[i]), load(b[i])));
        }
    )*};
}

binary_kernels! {
    math_atan2 atan2
    math_pow pow
    math_remainder remainder
}

/// out = log(eᵃ + eᵇ).
#[kernel]
pub fn logaddexp<T>(a: Tensor<T>, b: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let (a, b) = (load(a[i]).cast::<f32>(), load(b[i]).cast::<f32>());
    let sum = max_nan(a, b) + log1p(exp(-abs(a - b)));
    // The difference of equal infinities is NaN; theirs is the sum.
    store(out[i], select(a == b && abs(a) == infinity(), a, sum));
}

/// out = e^x to 14 bits.
#[kernel]
pub fn graded_exp<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], exp_p::<14>(load(x[i])));
}

/// out = 2^x to 11 bits.
#[kernel]
pub fn graded_exp2<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], exp2_p::<11>(load(x[i])));
}

/// out = e^−|x| to 11 bits and 2^−|x| to 8, multiplied.
#[kernel]
pub fn graded_below<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let below = -abs(load(x[i]).cast::<f32>());
    store(out[i], exp_p_below::<11>(below) * exp2_p_below::<8>(below));
}

/// Sine and cosine of x.
#[kernel]
pub fn both_waves<T>(x: Tensor<T>, mut sines: Tensor<T>, mut cosines: Tensor<T>) {
    let i = program_id::<0>();
    let (sine, cosine) = sin_cos(load(x[i]));
    store(sines[i], sine);
    store(cosines[i], cosine);
}
