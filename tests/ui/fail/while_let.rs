//! `while let`, ranges without an end, parameters bound by `mut`.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(mut out: Tensor<f32>) {
    let mut list = Vec::from([1usize]);
    while let Some(n) = list.pop() {
        out[n] = 1.0;
    }
    for i in 0.. {
        out[i] = 1.0;
    }
}

#[kernel_fn]
fn helper(mut x: Val) -> Val {
    x
}

fn main() {}
