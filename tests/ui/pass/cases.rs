//! Cases, benchmarks and their registry: section 10.

use warpsmith::case::prelude::*;
use warpsmith::case::{Expected, cases};
use warpsmith::ir::Launch;

#[kernel]
pub fn scale<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] by: f32) {
    let i = program_id::<0>();
    store(out[i], load(x[i]) * by);
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(1), f16: rel(1e-3), bf16: abs(0.5)])]
fn scale_tail(dt: DType) -> TestSetup {
    let n = 1003;
    let x = inputs("x", n, dt, Range(-2.0, 2.0));
    let want: Vec<f64> = x.as_f64().iter().map(|v| v * 3.0).collect();
    TestSetup::new(scale::kernel_ir_for(dt))
        .input(x)
        .scalar("by", 3.0)
        .output("out", n, dt)
        .grid_1d(n, 256)
        .expect("out", want)
}

#[test_kernel(dtypes = [f32], tol = 1e-5, name = "scale_by", variants(BY = [2, 5], suffix = "_{BY}"))]
fn scale_variants(dt: DType) -> TestSetup {
    let x = TestBuffer::from_f64("x", &[1.0, 2.0], dt);
    TestSetup::new(scale::kernel_ir_for(dt))
        .input(x)
        .input(TestBuffer::scalar("by", BY))
        .grid_1d(2, 32)
        .expect(TestBuffer::from_f64("out", &[BY as f64, 2.0 * BY as f64], dt))
}

#[test_kernel(dtypes = [f32, f16], tol = [1e-6, 1e-2])]
fn no_parameter() -> TestSetup {
    TestSetup::new(scale::kernel_ir()).guard().size(Large).unordered("because").mode(Elementwise)
}

#[bench_kernel(dtypes = [f16])]
fn scale_bench(dt: DType) -> BenchSetup {
    BenchSetup::new(scale::kernel_ir_for(dt))
        .bytes(1 << 20)
        .flops(1)
        .shape_label("1M")
        .peer("copy")
        .grid_1d(1 << 20, 256)
}

fn mine() -> Vec<warpsmith::case::Case> {
    cases().into_iter().filter(|case| case.entry.module == module_path!()).collect()
}

#[test]
fn a_case_is_a_function_a_dtype_and_a_variant() {
    let keys: Vec<_> = mine().iter().map(|case| case.key().replace("ui::pass::cases::", "")).collect();
    assert_eq!(
        keys,
        [
            "no_parameter/f32",
            "no_parameter/f16",
            "scale_by_2/f32",
            "scale_by_5/f32",
            "scale_tail/f32",
            "scale_tail/f16",
            "scale_tail/bf16"
        ]
    );
    assert!(warpsmith::case::collisions().is_empty());
    assert_eq!(warpsmith::case::benches().iter().filter(|entry| entry.function == "scale_bench").count(), 1);
}

#[test]
fn tolerances_and_setups_are_as_written() {
    let all = mine();
    let find = |key: &str| *all.iter().find(|case| case.key().ends_with(key)).unwrap();
    let tail = find("scale_tail/f16");
    let setup = tail.setup(0);
    assert_eq!(tail.tolerance(&setup), Tolerance::Rel(1e-3));
    assert_eq!(setup.launch().unwrap(), Launch::linear(1003, 256));
    assert_eq!(setup.find("x").unwrap().len(), 1003);
    assert_eq!(setup.inputs, tail.setup(0).inputs);
    assert_ne!(setup.inputs, tail.setup(1).inputs);
    let by = find("scale_by_5/f32");
    let setup = by.setup(0);
    assert_eq!(by.tolerance(&setup), Tolerance::Rel(1e-5));
    assert_eq!(setup.expected[0].values, Expected::Numbers(vec![5.0, 10.0]));
    assert_eq!(setup.outputs[0].name, "out");
    let plain = find("no_parameter/f16");
    let setup = plain.setup(0);
    assert_eq!(plain.tolerance(&setup), Tolerance::Abs(1e-2));
    assert!(setup.guard && setup.unordered.is_some() && setup.size == SizeClass::Large);
    assert!(setup.launch().is_err());
}
