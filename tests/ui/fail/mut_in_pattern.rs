//! `mut` inside a pattern.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(mut out: Tensor<f32>) {
    let (mut a, b) = (1.0, 2.0);
    out[0] = a + b;
}

fn main() {}
