//! Cases, benchmarks and their registry: section 10.

use warpsmith::case::prelude::*;
use warpsmith::case::{TestEntry, benches, tests};
use warpsmith::dsl::prelude::*;

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
        .output("out", 2, dt)
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

fn mine() -> Vec<&'static TestEntry> {
    tests().into_iter().filter(|entry| entry.module == module_path!()).collect()
}

#[test]
fn a_case_is_a_function_a_dtype_and_a_variant() {
    let names: Vec<_> = mine().iter().map(|entry| (entry.name, entry.variant, entry.dtypes.len())).collect();
    assert_eq!(
        names,
        [("no_parameter", "", 2), ("scale_by_2", "_2", 1), ("scale_by_5", "_5", 1), ("scale_tail", "", 3)]
    );
    assert_eq!(benches().iter().filter(|entry| entry.function == "scale_bench").count(), 1);
}

#[test]
fn tolerances_and_setups_are_as_written() {
    let all = mine();
    let find = |name: &str| *all.iter().find(|entry| entry.name == name).unwrap();
    assert_eq!(find("scale_tail").tolerance(DType::F16), Some(rel(1e-3)));
    assert_eq!(find("scale_by_5").tolerance(DType::F32), Some(rel(1e-5)));
    assert_eq!(find("no_parameter").tolerance(DType::F16), Some(warpsmith::case::abs(1e-2)));
    find("scale_tail").make(DType::F16).check().unwrap();
    find("scale_by_5").make(DType::F32).check().unwrap();
    assert!(find("no_parameter").make(DType::F32).check().is_err(), "it binds nothing");
}
