//! A scalar that is declared to overlap.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(
    mut out: Tensor<u32>,
    #[alias]
    #[scalar]
    n: u32,
) {
    out[0] = n;
}

fn main() {}
