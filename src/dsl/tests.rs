//! Bodies built from `#[kernel]`, checked by the IR's text.

use super::prelude::*;

#[kernel]
fn vector_add<T>(a: Tensor<T>, b: Tensor<T>, mut c: Tensor<T>) {
    let i = program_id::<0>();
    store(c[i], load(a[i]) + load(b[i]));
}

#[test]
fn vector_add_builds() {
    let kernel = vector_add::kernel_ir_for(DType::BF16).expect("it builds");
    assert_eq!(
        kernel.to_string(),
        "kernel @warpsmith::dsl::tests::vector_add<bf16>(a: global bf16 @6:18, b: global bf16 @6:32, mut c: global bf16 @6:50) @6:4 {
    source s0 \"src/dsl/tests.rs\"
    v0:i = program_id.x @7:5
    v1 = load a[v0] @8:5
    v2 = load b[v0] @8:5
    v3 = add v1, v2 @8:5
    store c[v0], v3 @8:5
}
"
    );
}
