//! `match` on a traced value.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(x: Tensor<u32>, mut out: Tensor<u32>) {
    out[0] = match load(x[0]) {
        0 => 1u32,
        _ => 2u32,
    };
}

fn main() {}
