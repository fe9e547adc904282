//! `variants(…)`: one kernel for each zipped tuple.

use crate::body;
use warpsmith::dsl::prelude::*;

#[kernel(variants(N = [2, 4], S = [f16, f32], SCALE = [0.5, 2.0], LABEL = ["half", "single"], suffix = "_{LABEL}_{N}"))]
pub fn stamped<T>(x: Tensor<T>, mut out: Tensor<S>) {
    comment(LABEL);
    let mut acc = [0.0; N];
    for k in 0..N {
        acc[k] = load(x[k]).cast::<S>() * SCALE;
    }
    if N == 4u32 {
        out[1] = 1;
    }
    out[0] = acc[N - 1];
}

#[test]
fn each_variant_is_a_kernel() {
    let half = stamped_half_2::kernel_ir_for(DType::F32).unwrap();
    assert_eq!(half.name, "stamped_half_2");
    let half = body(Ok(half));
    assert!(half.contains("comment \"half\"") && half.contains("const 0.5f16"), "{half}");
    assert_eq!((half.matches("load x").count(), half.matches("store").count()), (2, 1), "{half}");
    let single = body(stamped_single_4::kernel_ir());
    assert_eq!((single.matches("load x").count(), single.matches("store").count()), (4, 2), "{single}");
}

#[test]
fn variants_are_registered() {
    let names: Vec<_> = warpsmith::dsl::kernels()
        .into_iter()
        .filter(|entry| entry.module.starts_with("ui::pass::variants"))
        .map(|entry| (entry.name, entry.type_params))
        .collect();
    assert_eq!(names, [("stamped_half_2", 1), ("stamped_single_4", 1)]);
}
