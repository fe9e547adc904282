//! Arguments of the attributes.
use warpsmith::dsl::prelude::*;

#[kernel(mode = Sideways)]
fn a(mut out: Tensor<f32>) {}

#[kernel(speed = 3)]
fn b(mut out: Tensor<f32>) {}

#[kernel(variants(A = [1, 2]))]
fn c(mut out: Tensor<f32>) {}

#[kernel(variants(A = [1, 2], B = [1], suffix = "_{A}"))]
fn d(mut out: Tensor<f32>) {}

#[kernel(variants(A = [1, 2], suffix = "_x"))]
fn e(mut out: Tensor<f32>) {}

#[kernel(variants(A = [Vec::new()], suffix = "_x"))]
fn f(mut out: Tensor<f32>) {}

#[kernel_fn(fast)]
fn g() {}

#[inline]
#[kernel]
fn h(mut out: Tensor<f32>) {}

#[kernel]
#[inline]
fn i(mut out: Tensor<f32>) {}

fn main() {}
