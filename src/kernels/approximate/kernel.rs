//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// 2^x.
#[kernel]
pub fn exp2_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::exp2(load(x[i])));
}

/// The binary logarithm.
#[kernel]
pub fn log2_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::log2(load(x[i])));
}

/// The sine.
#[kernel]
pub fn sin_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::sin(load(x[i])));
}

/// The cosine.
#[kernel]
pub fn cos_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::cos(load(x[i])));
}

/// The hyperbolic tangent.
#[kernel]
pub fn tanh_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::tanh(load(x[i])));
}

/// 1/√x.
#[kernel]
pub fn rsqrt_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::rsqrt(load(x[i])));
}

/// 1/x.
#[kernel]
pub fn recip_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::recip(load(x[i])));
}

/// √x.
#[kernel]
pub fn sqrt_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::sqrt(load(x[i])));
}

/// e^x.
#[kernel]
pub fn exp_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::exp(load(x[i])));
}

/// The natural logarithm.
#[kernel]
pub fn log_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::log(load(x[i])));
}

/// 1 / (1 + e^−x).
#[kernel]
pub fn sigmoid_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::sigmoid(load(x[i])));
}

/// x · sigmoid(x).
#[kernel]
pub fn silu_approx<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    store(out[i], approx::silu(load(x[i])));
}

/// silu(gate) · up in f32, with the approximations as the words of the whole body.
#[kernel]
pub fn swiglu_approx<T>(gate: Tensor<T>, up: Tensor<T>, mut out: Tensor<T>) {
    use approx::*;
    let i = program_id::<0>();
    store(out[i], silu(load(gate[i]).cast::<f32>()) * load(up[i]).cast::<f32>());
}
