//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// The thread's element of (item, channel, place), axes 2, 1, 0.
fn place(channels: Val, places: Val) -> Val {
    (program_id::<2>().cast::<u64>() * channels + program_id::<1>()) * places + program_id::<0>()
}

/// out = x + sin²(alpha · x) / alpha, alpha by channel.
#[kernel(mode = Grid3D)]
pub fn snake<T>(
    x: Tensor<T>,
    alpha: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] channels: u32,
    #[scalar] places: u32,
) {
    let at = place(channels, places);
    let (value, rate) = (load(x[at]).cast::<f32>(), load(alpha[program_id::<1>()]).cast::<f32>());
    let wave = sin(rate * value);
    store(out[at], value + wave * wave / rate);
}

/// out = x + sin²(alpha · x) / beta, alpha and beta by channel.
#[kernel(mode = Grid3D)]
pub fn snake_beta<T>(
    x: Tensor<T>,
    alpha: Tensor<T>,
    beta: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] channels: u32,
    #[scalar] places: u32,
) {
    let (at, channel) = (place(channels, places), program_id::<1>());
    let (value, rate) = (load(x[at]).cast::<f32>(), load(alpha[channel]).cast::<f32>());
    let wave = sin(rate * value);
    store(out[at], value + wave * wave / load(beta[channel]).cast::<f32>());
}

/// out = x + sin²(e^alpha · x) / e^beta, alpha and beta by channel: they were learnt as logarithms.
#[kernel(mode = Grid3D)]
pub fn snake_beta_log<T>(
    x: Tensor<T>,
    alpha: Tensor<T>,
    beta: Tensor<T>,
    mut out: Tensor<T>,
    #[scalar] channels: u32,
    #[scalar] places: u32,
) {
    let (at, channel) = (place(channels, places), program_id::<1>());
    let (value, rate) = (load(x[at]).cast::<f32>(), exp(load(alpha[channel]).cast::<f32>()));
    let wave = sin(rate * value);
    store(out[at], value + wave * wave / exp(load(beta[channel]).cast::<f32>()));
}
