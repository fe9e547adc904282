//! Properties of random kernels; longer by `PROPTEST_CASES`.

#[allow(dead_code, reason = "each test binary uses its part")]
mod support;

use proptest::prelude::*;
use support::oracle;
use support::random_kernel::random_case;
use warpsmith::ir::parse::parse;
use warpsmith::ir::print::print;
use warpsmith::ir::validate::{validate, validate_for};
use warpsmith::oracle::compare::{Nan, compare_bits};
use warpsmith::passes::{self, Config};
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

/// A generator that never builds an operation proves nothing about it.
#[test]
fn random_kernels_reach_every_operation() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut text = String::new();
    for _ in 0..300 {
        let case = random_case().new_tree(&mut runner).expect("the strategy rejects nothing").current();
        text.push_str(&print(&case.kernel));
    }
    let words: std::collections::HashSet<&str> = text.split([' ', '\n']).collect();
    let missing: Vec<_> = EVERY_OPERATION.split_whitespace().filter(|word| !words.contains(word)).collect();
    assert!(missing.is_empty(), "never built: {missing:?}");
}

/// As the text form writes them.
const EVERY_OPERATION: &str = "
    const scalar program_id.x tid thread_id.x cta_dim.x grid_dim.x lane_id warp_id warps_per_cta
    neg abs not sqrt floor ceil trunc round popcount clz ctz
    add sub mul div rem min max min_nan max_nan and or xor shl shr mul_hi copysign
    fma eq ne lt le gt ge select cvt.bool cvt.i8 cvt.f16 cvt.bf16 cvt.f64 bitcast.u32 bitcast.f32 bitcast.bf16
    get set load load.x2 load.x4 load.x8 store if for loop break continue comment
    shuffle.idx shuffle.up shuffle.down shuffle.xor
    warp_reduce.sum warp_reduce.max warp_reduce.min warp_reduce.product warp_barrier cta_barrier
    shared private local";
