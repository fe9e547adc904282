//! `?` and `.await` in a body.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(mut out: Tensor<f32>) {
    let n: usize = "4".parse()?;
    out[n] = later().await;
}

fn main() {}
