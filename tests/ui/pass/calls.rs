//! Other kernels called as functions: section 8.

use crate::body;
use warpsmith::dsl::prelude::*;

mod library {
    use warpsmith::dsl::prelude::*;

    /// out = max(x, 0) · scale
    #[kernel]
    pub fn scaled_relu<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] scale: f32) {
        let i = program_id::<0>();
        let v = load(x[i]);
        let w = select(v > 0.0, v, 0.0);
        store(out[i], w * scale);
    }
}

use library::scaled_relu;

#[kernel]
pub fn fused<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let i = program_id::<0>();
    let v = load(x[i]) + 1.0;
    let a = scaled_relu(v, 2.0);
    let b = scaled_relu(x, 3.0);
    out[i] = a + b;
}

#[test]
fn a_call_inlines_the_callee() {
    let body = body(fused::kernel_ir_for(DType::F16));
    // The value replaces the callee's load; the buffer keeps it.
    assert_eq!(body.matches("load x").count(), 2, "{body}");
    assert_eq!(body.matches("store").count(), 1, "{body}");
    assert_eq!(body.matches("select").count(), 2, "{body}");
    assert!(body.contains("cvt.f16"), "the result has the output's type\n{body}");
}
