//! Setups against signatures.

use expect_test::{Expect, expect};

use super::prelude::*;
use super::{Case, Expected, ShapeClass};
use crate::ir::{DType, Kernel, Launch, parse};

const SCALE: &str = "kernel @scale(x: global f32, mut out: global f32, s: f32) {
    v0 = program_id.x
    v1 = load x[v0]
    v2 = scalar s
    v3 = mul v1, v2
    store out[v0], v3
}";

fn kernel(text: &str) -> Kernel {
    match parse::parse(text) {
        Ok(kernel) => kernel,
        Err(error) => panic!("{error}"),
    }
}

fn good() -> TestSetup {
    let x = inputs("x", 100, DType::F32, Range(-2.0, 2.0));
    let want: Vec<f64> = x.as_f64().iter().map(|x| x * 0.5).collect();
    TestSetup::new(kernel(SCALE))
        .input(x)
        .scalar("s", 0.5f32)
        .output("out", 100, DType::F32)
        .threads_1d(100, 32)
        .expect("out", want)
}

fn case(setup: TestSetup) -> Case {
    match setup.check() {
        Ok(case) => case,
        Err(errors) => panic!("{errors}"),
    }
}

fn refused(setup: TestSetup, expected: Expect) {
    match setup.check() {
        Ok(_) => panic!("the case was accepted"),
        Err(errors) => expected.assert_eq(&errors.to_string()),
    }
}

#[test]
fn a_good_case_binds_each_parameter_once() {
    let case = case(good().tol(rel(1e-6)));
    assert_eq!(case.launch, Launch::linear(100, 32));
    assert_eq!(case.buffers.len(), 2);
    assert!(!case.buffers[0].written && case.buffers[1].written);
    assert_eq!(case.scalars.iter().map(|(_, literal)| literal.to_string()).collect::<Vec<_>>(), ["0.5f32"]);
    let [expectation] = &case.expectations[..] else { panic!("one is expected") };
    assert_eq!((expectation.len(), expectation.tolerance), (100, Some(Tolerance::Rel(1e-6))));
    assert!(matches!(expectation.expected, Expected::Values(_)));
}

#[test]
fn scalars_come_as_buffers_and_buffers_as_scalars() {
    let setup = TestSetup::new(kernel(SCALE))
        .scalar("x", 3)
        .input(TestBuffer::scalar("s", 2.0f64))
        .output("out", 1, DType::F32)
        .threads_1d(1, 32)
        .expect("out", [6.0]);
    let case = case(setup);
    assert_eq!(case.buffers[0].buffer.as_f64(), [3.0]);
    assert_eq!(case.scalars[0].1.to_string(), "2.0f32");
    assert_eq!(case.shape_class, ShapeClass::Scalar);
}

#[test]
fn every_mistake_is_reported_at_once() {
    let setup = TestSetup::new(kernel(SCALE))
        .input(inputs("x", 100, DType::F16, Hard))
        .input(inputs("y", 100, DType::F32, Fill(1.0)))
        .output("out", 100, DType::F32)
        .scalar("s", true)
        .threads_1d(-1, 32);
    refused(
        setup,
        expect![[r#"
            [W1006] a grid can't be negative
              help: count from 0
            [W1002] `scale` has no parameter `y`
              help: its parameters are x, out, s
            [W1002] `x` takes f32, but the buffer holds f16
              help: make it of f32
            [W0808] `s`: true can't be given for a scalar of type f32
              help: give a value of type f32
            [W1005] the case expects nothing
              help: add `.expect(name, values)`, or `.guard()` where nothing may be written"#]],
    );
}

#[test]
fn each_mistake_has_its_words() {
    let kernel = || kernel(SCALE);
    refused(
        TestSetup::new(kernel()).guard(),
        expect![[r#"
            [W1006] the case has no grid
              help: add `.threads_1d(n, cta)` or `.grid_3d(x, y, z, [tx, ty, tz])`
            [W1002] parameter `x` of `scale` has no argument
              help: give it by `.input(…)`, `.output(…)` or `.scalar("x", …)`
            [W1002] parameter `out` of `scale` has no argument
              help: give it by `.input(…)`, `.output(…)` or `.scalar("out", …)`
            [W1002] parameter `s` of `scale` has no argument
              help: give it by `.input(…)`, `.output(…)` or `.scalar("s", …)`"#]],
    );
    refused(
        good().scalar("s", 1.0f32),
        expect![[r#"
            [W1002] `s` is given twice
              help: remove one"#]],
    );
    refused(
        good().expect("x", [1.0]),
        expect![[r#"
            [W1005] expectation of `x`: it is no written buffer
              help: expect each element of an output once, in its type"#]],
    );
    refused(
        good().expect_at("out", 98, [1.0, 2.0, 3.0]),
        expect![[r#"
            [W1005] expectation of `out`: 3 values from element 98, but it has 100
              help: expect each element of an output once, in its type"#]],
    );
    refused(
        good().expect_bits(TestBuffer::from_slice("out", &[1u32; 100])),
        expect![[r#"
            [W1005] expectation of `out`: it is of u32, the output of f32
              help: expect each element of an output once, in its type"#]],
    );
    let swapped = TestSetup::new(kernel())
        .output("x", 4, DType::F32)
        .output_buffer(TestBuffer::uninitialised("out", 4, DType::F32).strided([2, 2], [2, 1]))
        .input(TestBuffer::zeros("s", 1, DType::F32))
        .threads_1d(4, 32)
        .guard();
    refused(
        swapped,
        expect![[r#"
            [W1003] `x` is declared an output, but `scale` does not write it
              help: give it contents by `.input(…)`, or declare `mut x`
            [W1004] `out`: the kernel takes a flat buffer, not a strided one
              help: the last element of the view must lie in the buffer
            [W1002] `s` is a scalar, but a buffer is given for it
              help: give it by `.scalar("s", …)`"#]],
    );
}

#[test]
fn a_broken_kernel_is_an_error_and_no_panic() {
    let broken: Result<Kernel, std::io::Error> = Err(std::io::Error::other("`%` needs integers"));
    refused(
        TestSetup::new(broken).threads_1d(1, 1),
        expect!["[W1001] the kernel could not be built: `%` needs integers"],
    );
}

#[test]
fn a_mode_of_the_kernel_can_not_be_contradicted() {
    let mut rows = kernel(SCALE);
    rows.mode = Some(Mode::Reduction);
    let setup = |mode| TestSetup { kernel: Ok(rows.clone()), ..good().mode(mode) };
    assert_eq!(case(setup(Reduction)).launch.mode, Mode::Reduction);
    refused(
        setup(Grid3D),
        expect![[r#"
            [W1009] `scale` is of mode Reduction, but the case launches it in Grid3D
              help: leave out `.mode(…)`"#]],
    );
}

#[test]
fn integers_are_expected_exactly() {
    let copy = kernel(
        "kernel @copy(x: global i8, mut out: global i8) {
        v0 = program_id.x
        v1 = load x[v0]
        store out[v0], v1
    }",
    );
    let setup = |want: i32| {
        TestSetup::new(copy.clone())
            .input(inputs("x", 2, DType::I8, Ints(-3, 3)))
            .output("out", 2, DType::I8)
            .threads_1d(2, 32)
            .expect("out", [want, -1])
    };
    assert_eq!(case(setup(3)).expectations[0].expected, Expected::Bits(vec![3, 0xff]));
    refused(
        setup(300),
        expect![[r#"
            [W1005] expectation of `out`: 300 is no i8
              help: expect each element of an output once, in its type"#]],
    );
}

#[test]
fn the_attribute_gives_the_tolerance_unless_the_case_does() {
    let entry = |setup| super::TestEntry {
        module: "m",
        function: "f",
        name: "f",
        variant: "",
        dtypes: &[DType::F32],
        tolerances: &[(Some(DType::F16), Tolerance::Ulp(1)), (None, Tolerance::Rel(1e-3))],
        file: "f.rs",
        line: 1,
        setup,
    };
    let tolerance = |setup: TestSetup| case(setup).expectations[0].tolerance;
    let plain = entry(|_| good());
    assert_eq!(tolerance(plain.make(DType::F32)), Some(Tolerance::Rel(1e-3)));
    assert_eq!(tolerance(plain.make(DType::F16)), Some(Tolerance::Ulp(1)));
    assert_eq!(tolerance(entry(|_| good().tol(0.5)).make(DType::F32)), Some(Tolerance::Rel(0.5)));
    assert_eq!(
        tolerance(entry(|_| good().tol_of("out", Tolerance::Abs(0.1))).make(DType::F32)),
        Some(Tolerance::Abs(0.1))
    );
    let inputs_of = |setup: TestSetup| case(setup).buffers[0].buffer.clone();
    assert_ne!(inputs_of(plain.make(DType::F32)), inputs_of(plain.make_seeded(DType::F32, 1)));
    assert_eq!(inputs_of(plain.make(DType::F32)), inputs_of(plain.make(DType::F32)));
}

#[test]
fn shape_classes_follow_from_the_sizes() {
    let class = |rows: usize, n: usize, threads: usize| {
        let len = rows * n;
        let setup = TestSetup::new(kernel(SCALE))
            .input(TestBuffer::zeros("x", [rows, n], DType::F32))
            .scalar("s", 0.5f32)
            .output("out", [rows, n], DType::F32)
            .threads_1d(threads, 256)
            .expect("out", vec![0.0; len]);
        case(setup).shape_class
    };
    assert_eq!(class(1, 0, 0), ShapeClass::Empty);
    assert_eq!(class(1, 1, 1), ShapeClass::Scalar);
    assert_eq!(class(1, 1003, 1003), ShapeClass::Tail);
    assert_eq!(class(1, 1024, 1024), ShapeClass::Aligned);
    assert_eq!(class(1, 7, 7), ShapeClass::Odd);
    assert_eq!(class(1, 5000, 5000), ShapeClass::Wide);
    assert_eq!(class(100, 10, 1000), ShapeClass::ManyRow);
    assert_eq!(case(good().shape_class(ShapeClass::Odd)).shape_class, ShapeClass::Odd);
}

#[test]
fn a_bench_is_a_case_with_counts() {
    let bench = BenchSetup::new(kernel(SCALE))
        .bytes(800)
        .flops(100)
        .shape_label("100")
        .peer("copy")
        .threads_1d(100, 32);
    assert_eq!(
        (bench.launch_bytes(), bench.launch_flops(), bench.label()),
        (Some(800), Some(100), Some("100"))
    );
    assert_eq!(bench.peers(), ["copy"]);
    assert!(bench.case().kernel().is_ok());
}

const EXP2: &str = "kernel @exp2(x: global f32, mut out: global f32) {
    v0 = program_id.x
    v1 = load x[v0]
    v2 = approx.exp2 v1
    store out[v0], v2
}";

#[test]
fn a_case_says_that_its_kernel_approximates_and_no_other_says_so() {
    let exp2 = || {
        TestSetup::new(kernel(EXP2))
            .input(TestBuffer::from_f64("x", &[1.0, 2.0], DType::F32))
            .output("out", 2, DType::F32)
            .threads_1d(2, 32)
            .expect("out", vec![2.0, 4.0])
    };
    assert!(case(exp2().approx("ex2.approx", ulp(2))).approx.is_some());
    refused(
        exp2(),
        expect![[r#"
            [W1007] `exp2` holds `approx.exp2`, but the case is not declared approximate
              help: add `.approx("why", tolerance)`, or use the reproducible function"#]],
    );
    refused(
        good().approx("no reason", ulp(2)),
        expect![[r#"
            [W1007] the case is declared approximate, but `scale` holds no approximation
              help: leave out `.approx(…)`: its bits are defined"#]],
    );
}

#[test]
fn a_case_says_that_its_kernel_adds_floats_in_no_order() {
    let sum = || {
        TestSetup::new(kernel(
            "kernel @sum(x: global f32, mut out: global f32) {
                v0 = program_id.x
                v1 = load x[v0]
                v2 = const 0u32
                v3 = atomic.add.relaxed.gpu out[v2], v1
            }",
        ))
        .input(TestBuffer::from_f64("x", &[1.0, 2.0], DType::F32))
        .input(TestBuffer::zeros("out", 1, DType::F32))
        .threads_1d(2, 32)
        .expect_bits(TestBuffer::from_f64("out", &[3.0], DType::F32))
    };
    assert!(case(sum().unordered("who comes first")).unordered.is_some());
    refused(
        sum(),
        expect![[r#"
            [W1008] `sum` adds floats atomically, but the case is not declared unordered
              help: add `.unordered("why")`: the order of additions decides bits"#]],
    );
}
