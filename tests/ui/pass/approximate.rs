//! Approximations: by call, for a whole body, and where they are refused.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;
use warpsmith::ir::op::ApproxOp;

#[kernel]
pub fn by_call<T>(x: Tensor<T>, mut out: Tensor<T>) {
    out[0] = approx::exp2(load(x[0]));
    out[1] = rsqrt(load(x[0]));
}

#[test]
fn a_call_is_approximate_and_its_neighbour_is_not() {
    let text = body(by_call::kernel_ir_for(DType::F32));
    assert_eq!(text.matches("approx.").count(), 1, "{text}");
    assert!(text.contains("fma"), "the reciprocal root is a sequence of operations: {text}");
    let kernel = by_call::kernel_ir_for(DType::F32).unwrap();
    assert_eq!(kernel.approximation(), Some(ApproxOp::Exp2));
}

#[test]
fn a_narrow_float_is_computed_in_f32_and_rounded_once() {
    for (dtype, name) in [(DType::F16, "f16"), (DType::BF16, "bf16")] {
        let text = body(by_call::kernel_ir_for(dtype));
        let at = text.find("approx.exp2").unwrap();
        assert!(text[..at].contains("cvt.f32"), "{text}");
        assert!(text[at..].contains(&format!("cvt.{name}")), "{text}");
    }
}

#[kernel]
pub fn by_kernel(x: Tensor<f32>, mut out: Tensor<f32>) {
    use approx::*;
    let v = load(x[0]);
    out[0] = sqrt(v) + rsqrt(v) * sigmoid(v);
    out[1] = abs(v);
}

#[kernel]
pub fn by_name(x: Tensor<f32>, mut out: Tensor<f32>) {
    use approx::rsqrt;
    let v = load(x[0]);
    out[0] = sqrt(v) * rsqrt(v);
}

#[test]
fn an_import_makes_the_plain_words_approximate() {
    let all = body(by_kernel::kernel_ir());
    for op in ["approx.sqrt", "approx.rsqrt", "approx.exp2", "approx.recip", " abs "] {
        assert!(all.contains(op), "{op}\n{all}");
    }
    let named = body(by_name::kernel_ir());
    assert!(named.contains("= sqrt ") && named.contains("approx.rsqrt"), "{named}");
}

#[kernel]
pub fn literals(mut out: Tensor<f32>) {
    out[0] = approx::exp(1);
    out[1] = approx::log(2.5);
    out[2] = approx::sin(3u8);
}

#[test]
fn literals_and_integers_count_as_f32() {
    let text = body(literals::kernel_ir());
    assert!(text.contains("const 2.5f32") && text.matches("approx.").count() == 3, "{text}");
}

#[kernel]
pub fn pure_arm(x: Tensor<f32>, mut out: Tensor<f32>) {
    let v = load(x[0]);
    out[0] = select(v > 0, approx::log2(v), 0.0);
}

#[test]
fn an_arm_of_a_selection_may_approximate() {
    let text = body(pure_arm::kernel_ir());
    assert!(text.contains("select") && !text.contains("if "), "{text}");
}

#[kernel]
pub fn wide(x: Tensor<f64>, mut out: Tensor<f64>) {
    out[0] = approx::tanh(load(x[0]));
}

#[test]
fn an_f64_is_refused() {
    assert_eq!(refused(wide::kernel_ir()), "an approximation of an `f64`");
}
