//! Properties of random kernels; longer by `PROPTEST_CASES`.

#[allow(dead_code, reason = "each test binary uses its part")]
mod support;

use proptest::prelude::*;
use support::random_kernel::random_case;
use support::{emulated, oracle};
use warpsmith::ir::parse::parse;
use warpsmith::ir::print::print;
use warpsmith::ir::validate::{validate, validate_for};
use warpsmith::oracle::Buffer;
use warpsmith::oracle::compare::{Nan, compare_bits};
use warpsmith::passes::{self, Config};
use warpsmith::ptx::lower::lower;
use warpsmith::ptx::{module, regalloc};
use warpsmith::runtime::{Device, EmuSettings, Schedule, compile};
use warpsmith::target::{Target, TargetProfile};

/// As many cases as take about a second, or as the variable says.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let set = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if set { default.cases } else { 1000 }, failure_persistence: None, ..default }
}

fn target() -> TargetProfile {
    TargetProfile::Ptx(Target::all().next().expect("there are targets"))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_kernels_are_valid(case in random_case()) {
        prop_assert_eq!(validate(&case.kernel), Ok(()), "{}", case);
        let class = case.launch.class(16);
        prop_assert_eq!(validate_for(&case.kernel, &class, target()), Ok(()), "{}", case);
    }

    #[test]
    fn the_text_form_round_trips(case in random_case()) {
        let text = print(&case.kernel);
        let again = parse(&text);
        prop_assert!(again.as_ref() == Ok(&case.kernel), "{:?} in\n{}", again.err(), text);
    }

    #[test]
    fn compact_is_idempotent(case in random_case()) {
        prop_assert_eq!(&case.kernel.compact(), &case.kernel);
    }

    #[test]
    fn passes_keep_kernels_valid_and_settle(case in random_case()) {
        let class = case.launch.class(16);
        let config = Config::new(class);
        let once = passes::run(&case.kernel, &config).map_err(|errors| TestCaseError::fail(format!("{errors:?}")))?;
        prop_assert_eq!(validate(&once), Ok(()), "{}\nbecomes\n{}", case, once);
        prop_assert_eq!(validate_for(&once, &class, target()), Ok(()), "{}\nbecomes\n{}", case, once);
        prop_assert!(once.insts.len() <= case.kernel.insts.len());
        prop_assert_eq!(&once.compact(), &once);
        let text = print(&once);
        prop_assert!(parse(&text).as_ref() == Ok(&once), "{}", text);
    }
}

proptest! {
    // Each case runs a kernel twice, so that fewer take the same second.
    #![proptest_config(ProptestConfig { cases: config().cases / 2, ..config() })]

    #[test]
    fn passes_keep_every_bit(case in random_case()) {
        let fail = |what: String| TestCaseError::fail(format!("{what}\n{case}"));
        let class = case.launch.class(16);
        let after = passes::run(&case.kernel, &Config::new(class)).map_err(|errors| fail(format!("{errors:?}")))?;
        let want = oracle::run(&case, &case.kernel).map_err(|failure| fail(failure.to_string()))?;
        let found = oracle::run(&case, &after).map_err(|failure| fail(format!("{failure}\n{after}")))?;
        for argument in &case.arguments {
            if let (Some(want), Some(found)) = (want.get(&argument.name), found.get(&argument.name)) {
                let same = compare_bits(found, want, Nan::Equal);
                prop_assert!(same.is_match(), "{}: {}\n{}\nbecomes\n{}", argument.name, same, case, after);
            }
        }
    }
}

fn emulator(schedule: Schedule) -> Device {
    Device::emulator(EmuSettings { schedule, workers: 1, ..EmuSettings::default() })
}

proptest! {
    // Each case is compiled, interpreted, and emulated twice.
    #![proptest_config(ProptestConfig { cases: config().cases / 4, ..config() })]

    #[test]
    fn random_structured_kernels_give_equal_bits_in_interpreter_and_emulator(case in random_case(), seed in 0..4u64) {
        let fail = |what: String| TestCaseError::fail(format!("{what}\n{case}"));
        let want = oracle::run(&case, &case.kernel).map_err(|failure| fail(failure.to_string()))?;
        for schedule in [Schedule::Default, Schedule::Adversarial(seed)] {
            let device = emulator(schedule);
            let emitted = compile(&case.kernel, &case.launch.class(16), device.target())
                .map_err(|error| fail(error.to_string()))?;
            let left = emulated::run(&case, &case.kernel, &emitted, device.backend())
                .map_err(|error| fail(format!("{error}\n{}", emitted.text)))?;
            for (name, found) in left {
                let Some(want) = want.get(&name) else { return Err(fail(format!("no `{name}`"))) };
                let same = compare_bits(&found, want, Nan::Equal);
                prop_assert!(same.is_match(), "{schedule:?}: `{name}` {same}\n{case}\n{}", emitted.text);
            }
        }
    }

    #[test]
    fn regalloc_s_checker_accepts_them_and_their_text_comes_back(case in random_case(), target in any::<prop::sample::Index>()) {
        let fail = |what: String| TestCaseError::fail(format!("{what}\n{case}"));
        let class = case.launch.class(16);
        let bound = passes::run(&case.kernel, &Config::new(class)).map_err(|errors| fail(format!("{errors:?}")))?;
        let targets: Vec<Target> = Target::all().collect();
        let target = targets[target.index(targets.len())];
        // Allocation inside `lower` checks itself in builds with debug assertions, which `[profile.test]` has.
        let lowered = lower(&bound, &class, target).map_err(|errors| fail(format!("{errors:?}")))?;
        let module = lowered.module;
        prop_assert_eq!(module.check(), Ok(()), "{}", case);
        let text = module.print();
        let again = module::parse(&text).map_err(|error| fail(format!("{error}\n{text}")))?;
        prop_assert!(again == module, "this does not come back as it is:\n{}", text);
        prop_assert_eq!(&again.print(), &text);
        // What is allocated once more has nothing left to join, and the checker proves that too, by name.
        let before = &module.entries[0];
        let mut after = before.clone();
        let allocation = regalloc::allocate(&mut after, &regalloc::Hints::new());
        prop_assert_eq!(regalloc::check(before, &after, &allocation), Ok(()), "{}", text);
        let colouring = regalloc::Colouring::of(&after);
        prop_assert_eq!(colouring.check(&after), Ok(()), "{}", text);
    }
}

/// A comparison that accepts wrong text proves nothing: with sums turned into differences, some kernels must differ.
#[test]
fn wrong_text_gives_other_bits_than_the_interpreter() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut noticed = 0;
    for _ in 0..200 {
        let case = random_case().new_tree(&mut runner).expect("the strategy rejects nothing").current();
        let device = emulator(Schedule::Default);
        let mut emitted =
            compile(&case.kernel, &case.launch.class(16), device.target()).expect("it compiles");
        emitted.text = emitted
            .text
            .replace("xor.b32", "or.b32")
            .replace("max.s32", "min.s32")
            .replace("fma.rn.f32", "fma.rz.f32")
            .replace("min.u32", "max.u32")
            .replace("shl.b32", "shr.u32")
            .replace("add.rn.f", "sub.rn.f");
        let want = oracle::run(&case, &case.kernel).expect("the case has a result");
        let left = emulated::run(&case, &case.kernel, &emitted, device.backend());
        let differs = |(name, found): &(String, Buffer)| {
            !compare_bits(found, want.get(name).expect("both have it"), Nan::Equal).is_match()
        };
        noticed += usize::from(left.is_err() || left.is_ok_and(|left| left.iter().any(differs)));
    }
    assert!(noticed >= 16, "only {noticed} of 200 broken texts are noticed");
}

/// A generator that never builds an operation proves nothing about it.
#[test]
fn random_kernels_reach_every_operation() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut text = String::new();
    for _ in 0..4000 {
        let case = random_case().new_tree(&mut runner).expect("the strategy rejects nothing").current();
        text.push_str(&print(&case.kernel));
    }
    let words: std::collections::HashSet<&str> = text.split([' ', '\n']).collect();
    let missing: Vec<_> = EVERY_OPERATION.split_whitespace().filter(|word| !words.contains(word)).collect();
    assert!(missing.is_empty(), "never built: {missing:?}");
}

/// As the text form writes them.
const EVERY_OPERATION: &str = "
    const scalar shape.0 shape.1 stride.0 stride.1 program_id.x program_id.y program_id.z tid thread_id.x cta_dim.x grid_dim.x lane_id warp_id warps_per_cta
    neg abs not sqrt floor ceil trunc round popcount clz ctz
    add sub mul div rem min max min_nan max_nan and or xor shl shr mul_hi copysign
    fma eq ne lt le gt ge select cvt.bool cvt.i8 cvt.f16 cvt.bf16 cvt.f64 cvt.e4m3 cvt.e5m2.nonsat cvt.e8m0.rp cvt.tf32.rz cvt.e2m1 bitcast.u32 bitcast.f32 bitcast.bf16
    get set load load.x2 load.x4 load.x8 store if for loop break continue comment
    shuffle.idx shuffle.up shuffle.down shuffle.xor
    warp_reduce.sum warp_reduce.max warp_reduce.min warp_reduce.product warp_reduce.and warp_reduce.xor
    warp_scan.inclusive.sum warp_scan.exclusive.max warp_scan.inclusive.product warp_scan.exclusive.or
    vote.any vote.all ballot match_any warp_barrier cta_barrier
    shared private local";
