//! The runner against devices of known honesty, and the refusal of cases that could not fail.

mod fakes;

use fakes::{Flaw, fake};

use super::filter::Filter;
use super::prepare::{Refusal, prepare};
use super::runner::{Config, judge_case, run};
use super::self_test::Corruption;
use super::verdict::{CaseId, CaseReport, Summary, Verdict};
use crate::case::prelude::*;
use crate::case::{self, Case};
use crate::ir::parse::parse;
use crate::numerics::tensor::{Golden, Recorded, TensorModel, check};
use crate::runtime::{Device, EmuSettings};
use crate::target::Target;

const SCALE: &str = "kernel @scale(x: global f32, mut out: global f32, s: f32) {
    v0 = program_id.x
    v1 = load x[v0]
    v2 = scalar s
    v3 = mul v1, v2
    store out[v0], v3
}";

fn setup() -> TestSetup {
    let x = inputs("x", 5, DType::F32, FromSlice(&[1.0, -2.0, 3.5, 0.0, 100.0]));
    let want: Vec<f64> = x.as_f64().iter().map(|x| x * 3.0).collect();
    TestSetup::new(parse(SCALE))
        .input(x)
        .output("out", 5, DType::F32)
        .scalar("s", 3.0f32)
        .grid_1d(5, 32)
        .expect("out", want)
}

fn checked(setup: TestSetup) -> Case {
    setup.check().unwrap()
}

fn verdict(case: &Case, flaw: Flaw) -> CaseReport {
    let mut report = CaseReport::of(CaseId { path: "test".into(), dtype: DType::F32 });
    let device = fake(flaw);
    if let Err(panic) = super::selection::catch(|| judge_case(case, &device, &|_| (), &mut report)) {
        report.detail = panic;
    }
    report
}

/// One product whose last bits tell 24 bits of a matrix unit from 25: 1 + 16 · 2⁻²⁵.
#[test]
fn an_unmeasured_matrix_unit_is_asked_before_its_kernel_is_blamed() {
    let text = include_str!("../../../tests/filetests/run/mma_m16n8k16_f32_bf16_bf16_f32.ir");
    let setup = TestSetup::new(parse(text))
        .input(TestBuffer::from_slice("a", &[0x3f80_3f80u32; 512]))
        .input(TestBuffer::from_slice("b", &[0x3300_3300u32; 256]))
        .input(TestBuffer::from_slice("c", &[1.0f32; 512]))
        .output("out", 512, DType::F32)
        .grid_3d(2, 1, 1, [64, 1, 1])
        .tol(1e-6)
        .expect("out", vec![1.0; 512]);
    let case = checked(setup);
    let judged = |tensor_model| {
        let device =
            Device::emulator(EmuSettings { target: Target::SM_121, tensor_model, ..EmuSettings::default() });
        let mut report = CaseReport::of(CaseId { path: "test".into(), dtype: DType::F32 });
        judge_case(&case, &device, &|_| (), &mut report);
        report
    };
    let honest = judged(None);
    assert_eq!(honest.verdict, Verdict::Pass, "{}", honest.detail);
    let known = "m16n8k16.f32.bf16.bf16.f32 by the model of sm_121 (row sm_120): inferred";
    assert!(honest.selection.iter().any(|line| line == known), "{:?}", honest.selection);
    let other = judged(TensorModel::of(80));
    assert_eq!(other.verdict, Verdict::Mismatch);
    assert!(
        other.detail.contains("of 6144 results differ on the device, which are saved in"),
        "{}",
        other.detail
    );
    let saved = other.detail.rsplit_once("saved in ").unwrap().1.trim();
    let bytes = std::fs::read(saved).unwrap();
    let file = Golden::read(&bytes).unwrap();
    let [checked] = &check(&file, &Recorded, &TensorModel::of(80).unwrap())[..] else {
        panic!("one form is saved")
    };
    assert!(checked.is_match(), "{checked:?}");
}

#[test]
fn only_an_honest_device_passes() {
    let case = checked(setup());
    for (flaw, wanted, said) in [
        (Flaw::None, Verdict::Pass, ""),
        (Flaw::Idle, Verdict::Mismatch, "`out` differs from the oracle"),
        (Flaw::AllOnes, Verdict::Mismatch, "`out` differs from the reference"),
        (Flaw::LastByte, Verdict::Mismatch, "`out` differs from the oracle: 1 of 5 elements differ"),
        (Flaw::Overrun, Verdict::Mismatch, "behind the end of `x`"),
        (Flaw::Input, Verdict::Mismatch, "`x` is only read, but was written"),
        (Flaw::Panic, Verdict::Error, "this device panics"),
    ] {
        let report = verdict(&case, flaw);
        assert_eq!(report.verdict, wanted, "{flaw:?}: {}", report.detail);
        assert!(report.detail.contains(said), "{flaw:?}: {}", report.detail);
    }
}

#[test]
fn a_reference_that_disagrees_with_the_oracle_is_a_mismatch() {
    let wrong = checked(setup().expect_at("out", 0, vec![3.0f64, -6.0, 10.5, 0.0, 301.0]));
    let report = verdict(&wrong, Flaw::None);
    assert_eq!(report.verdict, Verdict::Mismatch);
    assert!(report.detail.contains("differs from the reference"), "{}", report.detail);
}

const EXP2: &str = "kernel @exp2(x: global f32, mut out: global f32) {
    v0 = program_id.x
    v1 = load x[v0]
    v2 = approx.exp2 v1
    store out[v0], v2
}";

fn approximate() -> TestSetup {
    let x = inputs("x", 5, DType::F32, FromSlice(&[1.5, -2.0, 3.5, 0.0, 100.0]));
    let want: Vec<f64> = x.as_f64().iter().map(|x| x.exp2()).collect();
    TestSetup::new(parse(EXP2)).input(x).output("out", 5, DType::F32).grid_1d(5, 32).expect("out", want)
}

#[test]
fn a_declared_approximation_is_judged_by_its_tolerance() {
    let near = checked(approximate().approx("a test", ulp(2)));
    for (flaw, wanted) in [
        (Flaw::None, Verdict::Pass),
        (Flaw::LastPlace, Verdict::Pass),
        (Flaw::LastByte, Verdict::Mismatch),
        (Flaw::AllOnes, Verdict::Mismatch),
        (Flaw::Input, Verdict::Mismatch),
    ] {
        let report = verdict(&near, flaw);
        assert_eq!(report.verdict, wanted, "{flaw:?}: {}", report.detail);
    }
    let report = verdict(&near, Flaw::LastByte);
    assert!(report.detail.contains("`out` differs from the oracle"), "{}", report.detail);
    // Without the declaration the same last place is a fault.
    assert_eq!(verdict(&checked(setup()), Flaw::LastPlace).verdict, Verdict::Mismatch);
}

#[test]
fn guard_cases_assert_that_nothing_is_written() {
    let none = TestSetup::new(parse(SCALE))
        .input(TestBuffer::zeros("x", 4, DType::F32))
        .output("out", 4, DType::F32)
        .scalar("s", 1.0f32)
        .guard();
    let empty = checked(none.clone().grid_1d(0, 32));
    assert_eq!(verdict(&empty, Flaw::None).verdict, Verdict::Pass);
    assert_eq!(verdict(&empty, Flaw::AllOnes).verdict, Verdict::Mismatch);
    assert_eq!(verdict(&empty, Flaw::LastByte).verdict, Verdict::Mismatch);
    let writes = checked(none.grid_1d(4, 32));
    assert_eq!(
        prepare(&writes, TensorModel::default()).unwrap_err(),
        Refusal::GuardWrites { name: "out".into() }
    );
}

#[test]
fn cases_that_could_not_fail_are_refused() {
    let refusal = |setup: TestSetup| prepare(&checked(setup), TensorModel::default()).unwrap_err();
    assert_eq!(refusal(setup().grid_1d(0, 32)), Refusal::NothingChanges);
    let nan = |s: f32| {
        TestSetup::new(parse(SCALE))
            .input(inputs("x", 4, DType::F32, FromSlice(&[1.0, 2.0, 3.0, 4.0])))
            .output("out", 4, DType::F32)
            .scalar("s", s)
            .grid_1d(4, 32)
    };
    assert_eq!(refusal(nan(f32::NAN).expect("out", vec![f64::NAN; 4])), Refusal::OnlyNan);
    // An expectation of no element is no reference.
    assert_eq!(refusal(nan(1.0).expect("out", Vec::<f64>::new())), Refusal::NoReference);
    let Refusal::Oracle(text) = refusal(nan(1.0).grid_1d(5, 32).expect("out", vec![1.0])) else { panic!() };
    assert!(text.contains("out of bounds"), "{text}");
}

#[test]
fn comparators_that_accept_wrong_results_are_refused() {
    let lenient = |setup: TestSetup| match prepare(&checked(setup), TensorModel::default()) {
        Err(Refusal::Lenient { name, corruption }) => {
            assert_eq!(name, "out");
            corruption
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(lenient(setup().tol(Tolerance::Abs(1e20))), Corruption::Canary);
    // Values from 2.7 to 3.3 times 1e-3: within 1 of zero and of each other, but not of the canary.
    let small = |tolerance: Tolerance| {
        let x = inputs("x", 3, DType::F32, FromSlice(&[1e-3, 1.1e-3, 0.9e-3]));
        let want: Vec<f64> = x.as_f64().iter().map(|x| x * 3.0).collect();
        TestSetup::new(parse(SCALE))
            .input(x)
            .output("out", 3, DType::F32)
            .scalar("s", 3.0f32)
            .grid_1d(3, 32)
            .tol(tolerance)
            .expect("out", want)
    };
    assert_eq!(lenient(small(Tolerance::Abs(1.0))), Corruption::Zeros);
    assert!(prepare(&checked(small(rel(1e-6))), TensorModel::default()).is_ok());
    assert!(prepare(&checked(small(ulp(1))), TensorModel::default()).is_ok());
}

#[test]
fn zeros_may_be_the_right_result() {
    let zeros = TestSetup::new(parse(SCALE))
        .input(TestBuffer::zeros("x", 4, DType::F32))
        .output("out", 4, DType::F32)
        .scalar("s", 1.0f32)
        .grid_1d(4, 32)
        .expect("out", vec![0.0; 4]);
    let case = checked(zeros);
    assert_eq!(verdict(&case, Flaw::None).verdict, Verdict::Pass);
    assert_eq!(verdict(&case, Flaw::Idle).verdict, Verdict::Mismatch);
}

#[test]
fn a_sparse_buffer_is_compared_where_it_has_contents() {
    let far = (1u64 << 33) + 5;
    let kernel = "kernel @far(x: global f32, mut out: global f32) {
        v0 = const 8589934597u64
        v1 = load x[v0]
        v2 = add v1, v1
        v3 = program_id.x
        store out[v3], v2
    }";
    let setup = TestSetup::new(parse(kernel))
        .input(TestBuffer::sparse("x", far + 1, DType::F32, &[(far, vec![1.5])]))
        .output("out", 1, DType::F32)
        .grid_1d(1, 32)
        .expect("out", vec![3.0f64]);
    let expected = prepare(&checked(setup), TensorModel::default()).unwrap();
    assert_eq!(expected.buffers[0].regions.len(), 1);
    assert_eq!(expected.buffers[0].regions[0], far..far + 1);
    assert_eq!(expected.buffers[1].after, [3.0f32.to_le_bytes()]);
}

fn whole(flaw: Flaw) -> Summary {
    assert!(!case::tests().is_empty(), "no case is registered");
    run(&Filter::default(), &fake(flaw), &Config::default(), &())
}

#[test]
fn noop_backend_passes_nothing() {
    let summary = whole(Flaw::Idle);
    assert!(summary.cases() > 0);
    assert_eq!((summary.pass, summary.bit_equal), (0, 0));
}

#[test]
fn nan_backend_passes_nothing() {
    let summary = whole(Flaw::AllOnes);
    assert!(summary.cases() > 0);
    assert_eq!((summary.pass, summary.bit_equal, summary.guard), (0, 0, 0));
}

#[test]
fn shards_part_the_corpus() {
    let all = super::select(&Filter::default());
    let mut parts = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let filter = Filter { shard: Some(shard.parse().unwrap()), ..Filter::default() };
        parts.extend(super::select(&filter).iter().map(super::Selected::id));
    }
    parts.sort();
    let mut ids: Vec<_> = all.iter().map(super::Selected::id).collect();
    ids.sort();
    assert_eq!(parts, ids);
}
