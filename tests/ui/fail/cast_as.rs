//! `as` on a traced value.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(x: Tensor<u32>, mut out: Tensor<f32>) {
    let v = load(x[0]);
    out[0] = v as f32;
}

fn main() {}
