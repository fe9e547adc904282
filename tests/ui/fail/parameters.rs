//! Parameters that are none.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(
    x: Tensor<f31>,
    y: f32,
    #[scalar] z: String,
    #[scalar] w: Tensor<f32>,
    #[strided] #[scalar] v: u32,
    #[volatile] u: Tensor<f32>,
    (a, b): (u32, u32),
    #[scalar] mut t: u32,
) -> u32 {
}

fn main() {}
