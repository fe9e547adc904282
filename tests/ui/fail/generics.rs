//! Generics and qualifiers that a kernel has not.
use warpsmith::dsl::prelude::*;

#[kernel]
fn five<A, B, C, D, E>(mut out: Tensor<A>) {}

#[kernel]
fn lifetime<'a, T>(mut out: Tensor<T>)
where
    T: Copy,
{
}

#[kernel]
async unsafe extern "C" fn qualified(mut out: Tensor<f32>) {}

fn main() {}
