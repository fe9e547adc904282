//! A strided parameter with two ranks.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(#[strided] x: Tensor<f32>, mut out: Tensor<f32>) {
    out[0] = x[(0, 1)] + x[0];
}

fn main() {}
