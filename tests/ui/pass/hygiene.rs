//! Kernels written by `macro_rules!` templates: naming contexts, invisible groups, places.

use crate::body;
use warpsmith::dsl::prelude::*;

macro_rules! unary_kernel {
    ($name:ident, $ty:ty, |$v:ident| $value:expr, $factor:expr) => {
        #[kernel]
        pub fn $name(x: Tensor<$ty>, mut out: Tensor<$ty>) {
            let i = program_id::<0>();
            let $v = load(x[i]);
            let value = $value;
            store(out[i], value * $factor);
        }
    };
}

unary_kernel!(plus_one, f32, |v| v + 1.0, 1.0 + 1.0);
unary_kernel!(uses_outer, f16, |w| w * x[i], 2.0);

#[test]
fn a_template_and_its_arguments_share_names() {
    let plus = body(plus_one::kernel_ir());
    assert!(plus.contains("const 2.0f32"), "the factor is one group\n{plus}");
    assert_eq!(body(uses_outer::kernel_ir()).matches("load x").count(), 2);
}

#[test]
fn places_point_into_the_template() {
    let kernel = plus_one::kernel_ir().unwrap();
    let (_, last) = kernel.insts.iter().last().unwrap();
    let source = include_str!("hygiene.rs");
    let line = source.lines().position(|line| line.contains("store(out[i]")).unwrap() + 1;
    assert_eq!(last.span.line as usize, line);
}

macro_rules! parameters_inside {
    ($name:ident, $body:block) => {
        #[kernel]
        pub fn $name(x: Tensor<f32>, mut out: Tensor<f32>) $body
    };
}

parameters_inside!(outside_body, {
    let value = load(x[tid]);
    store(out[tid], value);
});

#[test]
fn a_body_from_outside_sees_the_templates_parameters() {
    assert!(body(outside_body::kernel_ir()).contains("store out"));
}
