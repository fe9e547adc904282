//! Inline texts whose operands don't fit them.
use warpsmith::dsl::prelude::*;

#[kernel]
fn unknown(x: Tensor<u32>, mut out: Tensor<u32>) {
    out[0] = inline_ptx!("mov.b32 {y}, {z};", y: u32, x = x[0]);
}

#[kernel]
fn unused(x: Tensor<u32>, mut out: Tensor<u32>) {
    out[0] = inline_ptx!("mov.b32 {y}, 7;", y: u32, x = x[0]);
}

#[kernel]
fn twice(x: Tensor<u32>, mut out: Tensor<u32>) {
    out[0] = inline_ptx!("mov.b32 {y}, {y};", y: u32, y = x[0]);
}

#[kernel]
fn no_text(mut out: Tensor<u32>) {
    out[0] = inline_ptx!(y: u32);
}

#[kernel]
fn brace(mut out: Tensor<u32>) {
    out[0] = inline_ptx!("mov.b32 {y, 7;", y: u32);
}

#[kernel]
fn late_text(mut out: Tensor<u32>) {
    out[0] = inline_ptx!("mov.b32 {y}, 7;", y: u32, "mov.b32 {y}, 8;");
}

#[kernel]
fn word(mut out: Tensor<u32>) {
    out[0] = inline_ptx!("mov.b32 {y}, 7;", y: u32, volatile);
}

#[kernel]
fn model_path(x: Tensor<u32>, mut out: Tensor<u32>) {
    out[0] = inline_ptx!("not.b32 {y}, {x};", y: u32, x = x[0], model = popcount);
}

#[kernel]
fn model_arity(x: Tensor<u32>, mut out: Tensor<u32>) {
    out[0] = inline_ptx!("not.b32 {y}, {x};", y: u32, x = x[0], model = |a, b| a + b);
}

fn main() {}
