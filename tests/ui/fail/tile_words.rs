//! Words on whole tiles in mode `Tile2D`: cooperative tiles do what they would.
use warpsmith::dsl::prelude::*;

#[kernel(mode = Tile2D)]
fn tiles(x: Tensor<f32>, y: Tensor<f32>, mut out: Tensor<f32>) {
    let a = x.slice(0, 16);
    let b = y.t();
    out[0] = dot(a, b);
}

fn main() {}
