//! `return` in a body.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(x: Tensor<f32>, mut out: Tensor<f32>) {
    if x[0] > 0.0 {
        return;
    }
    out[0] = 1.0;
}

fn main() {}
