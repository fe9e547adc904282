//! Literals that do not fit their suffix.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(mut out: Tensor<u8>) {
    out[0] = 256u8;
    out[1] = 5_000_000_000u32;
}

fn main() {}
