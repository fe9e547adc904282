//! Bodies built from `#[kernel]`, checked by the IR's text.

use super::prelude::*;

#[kernel]
fn vector_add<T>(a: Tensor<T>, b: Tensor<T>, mut c: Tensor<T>) {
    let i = program_id::<0>();
    store(c[i], load(a[i]) + load(b[i]));
}

#[test]
fn vector_add_builds() {
    let kernel = vector_add::kernel_ir_for(DType::BF16).unwrap();
    println!("{kernel}");
}
