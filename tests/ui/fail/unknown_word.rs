//! A word that the vocabulary has not, and a wrong number of arguments.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(x: Tensor<f32>, mut out: Tensor<f32>) {
    out[0] = frobnicate(x[0]);
    out[1] = max(x[0]);
}

fn main() {}
