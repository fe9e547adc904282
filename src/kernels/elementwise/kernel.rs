//! The kernels of the family.

use warpsmith::dsl::prelude::*;

/// c = a + b.
#[kernel]
pub fn vector_add<T>(a: Tensor<T>, b: Tensor<T>, mut c: Tensor<T>) {
    let i = program_id::<0>();
    store(c[i], load(a[i]) + load(b[i]));
}
