//! `let mut x;` in a body.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(mut out: Tensor<f32>) {
    let mut x;
    x = 1.0;
    out[0] = x;
}

fn main() {}
