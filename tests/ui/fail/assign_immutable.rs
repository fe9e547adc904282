//! Assignment to something that is not a `let mut`.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(mut out: Tensor<f32>, #[scalar] n: u32) {
    let x = 1.0;
    x = 2.0;
    n += 1;
    out[0] = x;
}

fn main() {}
