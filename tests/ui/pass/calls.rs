//! Other kernels called as functions: section 8.

use super::host::halved;
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

#[kernel]
pub fn halves(x: Tensor<f32>, mut out: Tensor<f32>) {
    let i = program_id::<0>();
    out[i] = halved(load(x[i])) + 1.0;
    out[i + 1] = scaled_relu(x, 3.0);
}

#[test]
fn what_stands_in_another_file_keeps_its_place() {
    let text = halves::kernel_ir().unwrap().to_string();
    let line = |source: &str, part: &str| source.lines().position(|line| line.contains(part)).unwrap() + 1;
    let of = |word: &str| {
        let line = text.lines().find(|line| line.contains(word)).unwrap();
        line.rsplit_once('@').unwrap().1.rsplit_once(':').unwrap().0.to_owned()
    };
    let helper = line(include_str!("host.rs"), "v * 0.5;");
    let call = line(include_str!("calls.rs"), "halved(load(x[i])) + 1.0;");
    let (mul, add, store) = (of("mul"), of("add"), of("store"));
    assert!(mul.ends_with(&format!(":{helper}")), "{mul}\n{text}");
    assert_eq!((add, store), (call.to_string(), call.to_string()), "{text}");
    let source = text.lines().find(|line| line.contains("host.rs")).unwrap_or_default();
    assert!(source.contains(mul.split(':').next().unwrap()), "{source}\n{text}");
    // After a callee's body the caller's place holds again.
    let call = line(include_str!("calls.rs"), "out[i + 1] = scaled_relu");
    let last = text.lines().rfind(|line| line.contains("store")).unwrap();
    assert!(last.contains(&format!("@{call}:")), "{last}\n{text}");
}
