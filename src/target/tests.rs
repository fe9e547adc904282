//! The tables against the facts sheet, and the choices made from them.

use expect_test::expect;

use super::*;
use crate::diag::Help;

#[test]
fn names_round_trip_and_have_a_version_floor() {
    let names: Vec<String> = Target::all().map(|target| format!("{target}:{}", target.ptx_floor())).collect();
    expect![
        "sm_80:7.0 sm_86:7.1 sm_87:7.4 sm_89:7.8 sm_90:7.8 sm_90a:8.0 sm_100:8.6 sm_100a:8.6 sm_120:8.7 sm_120f:8.8 \
         sm_120a:8.7 sm_121:8.8 sm_121f:8.8 sm_121a:8.8"
    ]
    .assert_eq(&names.join(" "));
    for target in Target::all() {
        assert_eq!(Target::parse(&target.to_string()), Ok(target));
        assert!(target.ptx_floor() <= PtxVersion::CEILING);
    }
    for profile in TargetProfile::all() {
        assert_eq!(profile.to_string().parse(), Ok(profile));
    }
}

#[test]
fn the_named_constants_are_all_in_the_table() {
    let constants = [
        Target::SM_80,
        Target::SM_86,
        Target::SM_87,
        Target::SM_89,
        Target::SM_90,
        Target::SM_90A,
        Target::SM_100,
        Target::SM_100A,
        Target::SM_120,
        Target::SM_120F,
        Target::SM_120A,
        Target::SM_121,
        Target::SM_121F,
        Target::SM_121A,
    ];
    assert_eq!(Target::all().collect::<Vec<_>>(), constants);
    assert!(Chip::ALL.iter().all(|chip| Target::of(*chip, Suffix::Plain).is_some()));
}

#[test]
fn an_unknown_name_lists_what_is_known_and_what_is_near() {
    let error = Target::parse("sm121").expect_err("not a target");
    assert_eq!(error.to_string(), "unknown target `sm121`");
    expect![[r"
        did you mean `sm_121`?
        known targets: sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_120, sm_120f, sm_120a, sm_121, sm_121f, sm_121a"]]
    .assert_eq(&error.help().unwrap_or_default());
    assert_eq!(Target::parse("vulkan").expect_err("not a target").nearest, None);
    let apple = TargetProfile::parse("Apple8").expect_err("names are lower case");
    assert_eq!(apple.nearest.as_deref(), Some("apple8"));
}

#[test]
fn a_device_takes_its_own_target_or_the_highest_below() {
    let exact = Target::for_device(12, 1).expect("known");
    assert_eq!((exact.target, exact.notice()), (Target::SM_121, None));
    let lower = |major, minor| Target::for_device(major, minor).expect("not too old");
    assert_eq!(lower(11, 0).target, Target::SM_100);
    assert_eq!(lower(10, 3).target, Target::SM_100);
    assert_eq!(lower(8, 8).target, Target::SM_87);
    assert_eq!(
        lower(13, 0).notice().as_deref(),
        Some("compute capability 13.0 is not known; compiling for sm_121, the highest below it")
    );
    let old = Target::for_device(7, 5).expect_err("too old");
    assert_eq!(old.to_string(), "a device of compute capability 7.5 is too old; the oldest target is sm_80");
}

#[test]
fn a_plain_name_gets_the_suffix_it_needs_and_a_pinned_one_keeps_its_own() {
    let resolve = |target: Target, needs| target.resolve(needs).ok();
    assert_eq!(resolve(Target::SM_121, Feature::empty()), Some(Target::SM_121));
    assert_eq!(resolve(Target::SM_121, Feature::BF16_ARITH | Feature::TMA), Some(Target::SM_121));
    assert_eq!(resolve(Target::SM_121, Feature::BLOCK_SCALED_MMA), Some(Target::SM_121F));
    assert_eq!(resolve(Target::SM_121, Feature::SPARSE_NVFP4_MMA), Some(Target::SM_121A));
    assert_eq!(resolve(Target::SM_120F, Feature::SPARSE_NVFP4_MMA), None);
    assert_eq!(resolve(Target::SM_121A, Feature::empty()), Some(Target::SM_121A));
    assert_eq!(resolve(Target::SM_90, Feature::WGMMA), Some(Target::SM_90A));
    assert!(!Target::SM_121.has(Feature::BLOCK_SCALED_MMA) && Target::SM_121.can(Feature::BLOCK_SCALED_MMA));
}

#[test]
fn a_refusal_names_the_feature_and_who_has_it() {
    let refused =
        Target::SM_90.require(Feature::CP_ASYNC | Feature::BLOCK_SCALED_MMA).expect_err("no such unit");
    assert_eq!(
        refused.to_string(),
        "block-scaled mma needs sm_120f, sm_120a, sm_121f or sm_121a; target is sm_90"
    );
    let old = Target::SM_80.require(Feature::BF16_ARITH).expect_err("sm_90 and later");
    assert_eq!(old.to_string(), "bf16 add, sub and mul needs sm_90 or later; target is sm_80");
    let wgmma = Target::SM_121.require(Feature::WGMMA).expect_err("one chip only");
    assert_eq!(wgmma.to_string(), "wgmma needs sm_90a; target is sm_121");
}

#[test]
fn the_two_chips_of_family_12_answer_alike() {
    for suffix in Suffix::ALL {
        let of = |chip| Target::of(chip, suffix).map(Target::features);
        assert_eq!(of(Chip::Sm120), of(Chip::Sm121));
    }
    assert_eq!(Chip::Sm120.family(), Chip::Sm121.family());
}

#[test]
fn a_suffix_only_adds() {
    for target in Target::all() {
        let plain = Target::of(target.chip(), Suffix::Plain).expect("every chip has a plain target");
        assert!(target.has(plain.features()), "{target} lacks something of {plain}");
    }
}

#[test]
fn the_module_version_is_the_lowest_that_serves() {
    assert_eq!(Target::SM_80.ptx_version_for(Feature::empty()), PtxVersion::new(7, 0));
    assert_eq!(Target::SM_89.ptx_version_for(Feature::FP8_MMA), PtxVersion::new(8, 4));
    assert_eq!(Target::SM_121F.ptx_version_for(Feature::BLOCK_SCALED_MMA), PtxVersion::new(8, 8));
    assert!(Feature::all().names().count() == Feature::all().bits().count_ones() as usize);
}

#[test]
fn ptx_loads_where_the_sheet_says() {
    assert!(Target::SM_80.loads_on(12, 1) && !Target::SM_90.loads_on(8, 9));
    assert!(Target::SM_120F.loads_on(12, 0) && Target::SM_120F.loads_on(12, 1));
    assert!(!Target::SM_121F.loads_on(12, 0) && !Target::SM_120A.loads_on(12, 1));
}

#[test]
fn limits_are_those_of_the_sheet() {
    let shared = |target: Target| (target.limits().shared_static_bytes, target.limits().shared_max_bytes);
    assert_eq!(shared(Target::SM_80), (49152, 163 * 1024));
    assert_eq!(shared(Target::SM_121), (49152, 101_376));
    assert_eq!(shared(Target::SM_90), (49152, 232_448));
    assert_eq!(Target::SM_90.limits().grid.as_array(), [2_147_483_647, 65535, 65535]);
    assert_eq!(PtxVersion::new(8, 0).param_bytes(), 4352);
    assert_eq!(PtxVersion::new(8, 1).param_bytes(), 32764);
    assert_eq!(TargetProfile::Metal(MetalFamily::Apple9).limits().shared_max_bytes, 32768);
}

#[test]
fn versions_are_ordered_and_parsed_as_versions() {
    assert!(PtxVersion::new(8, 8) < PtxVersion::new(8, 10) && PtxVersion::new(8, 10) < PtxVersion::new(9, 0));
    assert_eq!("8.8".parse(), Ok(PtxVersion::new(8, 8)));
    for bad in ["8", "8.", ".8", "8.8.1", "+8.8", "8.900", ""] {
        assert!(bad.parse::<PtxVersion>().is_err(), "{bad}");
    }
}
