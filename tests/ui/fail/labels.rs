//! Labels that cross a traced loop, unknown ones, and a loop with a value.
use warpsmith::dsl::prelude::*;

#[kernel]
fn crosses(x: Tensor<f32>, mut out: Tensor<f32>) {
    'outer: for i in range(0, 4) {
        for j in range(0, 4) {
            if x[i] > x[j] {
                break 'outer;
            }
        }
    }
    out[0] = 1.0;
}

#[kernel]
fn outside(mut out: Tensor<f32>) {
    out[0] = 1.0;
    break;
}

#[kernel]
fn valued(mut out: Tensor<f32>) {
    let x = loop {
        break 1.0;
    };
    out[0] = x;
}

fn main() {}
