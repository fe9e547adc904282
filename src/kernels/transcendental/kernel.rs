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
    math_cbrt cbrt
    math_cos cos
    math_erf erf
    math_erfc erfc
    math_exp exp
    math_exp2 exp2
    math_gelu gelu
    math_gelu_erf gelu_erf
    math_rsqrt rsqrt
    math_sigmoid sigmoid
    math_silu silu
    math_sin sin
    math_tan tan
}
