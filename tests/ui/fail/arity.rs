//! Words of several arities with a wrong count, and a reduction that is none.
use warpsmith::dsl::prelude::*;

#[kernel]
fn k(x: Tensor<f32>, mut out: Tensor<f32>) {
    for i in range(4) {
        out[i] = 1.0;
    }
    threadgroup_alloc("s");
    out[0] = strided_reduce(x, 0, 4);
    out[1] = strided_reduce(x, 0, 4, mean);
    store(out[0]);
    store(x, 1.0);
}

fn main() {}
