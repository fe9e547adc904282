//! Each rule of the model is broken alone, and recorded results show it.
//!
//! Counts are of the results that differ; where the published table has one, it stands here as that table has it.

use super::super::compute::{Problem, compute};
use super::super::rows::{Steps, Way, find, find_wgmma};
use super::super::step::{Corners, Rules, Source};
use super::super::{Form, Golden, Operands, Operation, Row, TensorModel};
use super::golden::{FILE, PAIRS_AND_F64};
use crate::numerics::soft::Direction;
use crate::numerics::{Rounding, f16};

impl Rules for Corners {
    fn corners(&self) -> Corners {
        *self
    }
}

const F16: &str = "m16n8k16.f32.f16.f16.f32";
const BF16: &str = "m16n8k16.f32.bf16.bf16.f32";
const HALF: &str = "m16n8k16.f16.f16.f16.f16";
const TF32: &str = "m16n8k8.f32.tf32.tf32.f32";
const E4M3: &str = "m16n8k32.f32.e4m3.e4m3.f32";
/// The columns of the published table.
const FORMS: [&str; 4] = [F16, BF16, HALF, TF32];

/// How many results of a form differ with another way or other corners.
fn differing(name: &str, way: impl Fn(Way) -> Way, corners: Corners) -> usize {
    let file = Golden::read(FILE).unwrap();
    let section = file.sections().iter().find(|section| section.name() == name).unwrap();
    let (problem, found) = match section.operation().unwrap() {
        Operation::Mma(form) => (Problem::of(&form), find(Row::Sm90, &form)),
        Operation::Wgmma(form) => (Problem::of_wgmma(&form), find_wgmma(&form)),
    };
    let way = way(found.unwrap().0);
    let tiles = section.each().map(|tile| {
        let operands = Operands::plain(&tile.a, &tile.b, &tile.c);
        let d = compute(&problem, way, corners, &operands);
        d.iter().zip(&tile.d).filter(|(ours, theirs)| ours != theirs).count()
    });
    tiles.sum()
}

fn with_corners(name: &str, corners: Corners) -> usize {
    differing(name, |way| way, corners)
}

fn with_steps(name: &str, change: impl Fn(Steps) -> Steps) -> usize {
    let changed = |way| match way {
        Way::Steps(steps) => Way::Steps(change(steps)),
        other => panic!("{name} goes {other:?}"),
    };
    differing(name, changed, Corners::MEASURED)
}

fn counts(corners: Corners) -> [usize; 4] {
    FORMS.map(|name| with_corners(name, corners))
}

const RIGHT: Corners = Corners::MEASURED;

#[test]
fn nothing_broken_shows_nothing() {
    assert_eq!(counts(RIGHT), [0; 4]);
}

#[test]
fn the_grid_has_25_bits() {
    let with = |fraction| FORMS.map(|form| with_steps(form, |steps| Steps { fraction, ..steps }));
    assert_eq!(with(24), [1561, 968, 22, 861]);
    assert_eq!(with(26), [1019, 609, 19, 503]);
}

#[test]
fn a_step_takes_all_of_k() {
    let halves = |form| with_steps(form, |steps| Steps { group: steps.group / 2, ..steps });
    assert_eq!(FORMS.map(halves), [1629, 1212, 1128, 1193]);
}

#[test]
fn a_zero_product_has_no_exponent() {
    assert_eq!(counts(Corners { zero_has_exponent: true, ..RIGHT }), [53, 17, 2, 41]);
}

#[test]
fn the_largest_exponent_has_a_floor() {
    assert_eq!(counts(Corners { floor: -100_000, ..RIGHT }), [0, 4, 0, 4]);
    assert_eq!(counts(Corners { floor: -132, ..RIGHT }), [0, 2, 0, 2]);
    assert_eq!(counts(Corners { floor: -134, ..RIGHT }), [0, 4, 0, 4]);
}

#[test]
fn nothing_is_normalised_before_it_is_aligned() {
    assert_eq!(counts(Corners { normalises_products: true, ..RIGHT }), [533, 289, 14, 266]);
    assert_eq!(counts(Corners { normalises_operands: true, ..RIGHT }), [50, 3, 0, 13]);
}

#[test]
fn terms_are_cut_by_magnitude() {
    // The published count of the first form is 3204.
    assert_eq!(counts(Corners { floors_terms: true, ..RIGHT }), [3231, 1747, 164, 1680]);
}

#[test]
fn c_is_a_term_among_the_others() {
    // The published counts of the second and fourth form are one less.
    assert_eq!(counts(Corners { adds_c_last: true, ..RIGHT }), [1123, 1037, 422, 1018]);
}

#[test]
fn f32_is_rounded_toward_zero() {
    // The published counts are 1966, 1392 and 1374, of an experiment that is not described.
    assert_eq!(counts(Corners { rounding: Rounding::NearestEven, ..RIGHT }), [1546, 1334, 0, 1244]);
}

#[test]
fn subnormals_are_kept() {
    assert_eq!(counts(Corners { flushes_operands: true, ..RIGHT }), [1280, 176, 691, 282]);
    assert_eq!(counts(Corners { flushes_results: true, ..RIGHT }), [0, 556, 150, 388]);
}

#[test]
fn a_zero_is_positive() {
    assert_eq!(counts(Corners { keeps_negative_zero: true, ..RIGHT }), [64, 0, 0, 66]);
}

#[test]
fn low_bits_of_tf32_do_not_count() {
    assert_eq!(with_corners(TF32, Corners { reads_low_bits: true, ..RIGHT }), 3831);
}

#[test]
fn special_values() {
    assert_eq!(counts(Corners { zero_times_infinity_is_nan: false, ..RIGHT }), [24, 12, 8, 0]);
    assert_eq!(counts(Corners { unlike_infinities_are_nan: false, ..RIGHT }), [1, 2, 1, 12]);
    assert_eq!(counts(Corners { nan_is_canonical: false, ..RIGHT }), [160, 149, 253, 112]);
    assert_eq!(counts(Corners { checks_products: true, ..RIGHT }), [0, 401, 0, 378]);
}

#[test]
fn fp8_of_sm_90_is_two_steps_of_f16_and_a_sum() {
    let converted = |first| differing(E4M3, |_| Way::Converted { first, fraction: 25 }, RIGHT);
    assert_eq!(converted(0x3333_3333), 0);
    assert_eq!(converted(0x0000_FFFF), 321, "halves of k");
    assert_eq!(converted(0xCCCC_CCCC), 339, "the steps swapped");
    assert_eq!(with_corners(E4M3, Corners { converted_starts_from_c: true, ..RIGHT }), 1390);
    let steps = |fraction, keep| differing(E4M3, |_| Way::Steps(Steps { group: 32, fraction, keep }), RIGHT);
    assert_eq!(steps(25, 23), 1283, "one step");
    assert_eq!(steps(13, 13), 4864, "wgmma's");
}

#[test]
fn fp8_of_wgmma_is_narrow() {
    for name in ["wgmma.m64n8k32.f32.e4m3.e4m3", "wgmma.m64n8k32.f32.e5m2.e5m2"] {
        for (group, fraction, keep) in [(32, 12, 13), (32, 14, 13), (32, 13, 12), (32, 13, 14), (16, 13, 13)]
        {
            let differing = with_steps(name, |_| Steps { group, fraction, keep });
            assert!(differing > 0, "{name} as {group} {fraction} {keep}");
        }
    }
}

#[test]
fn a_saturating_sum_is_clamped_once() {
    assert_eq!(with_corners("m16n8k32.sat.s32.s8.s8.s32", Corners { clamps_each: true, ..RIGHT }), 72);
}

#[test]
fn the_nan_of_an_f64_step_is_first_bs_then_the_sums_then_as() {
    let with = |f64_nan| {
        ["m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"]
            .map(|shape| with_corners(&format!("{shape}.f64.f64.f64.f64"), Corners { f64_nan, ..RIGHT }))
    };
    assert_eq!(with([Source::B, Source::Sum, Source::A]), [0; 4]);
    assert_eq!(with([Source::B, Source::A, Source::Sum]), [0, 1, 0, 0]);
    assert_eq!(with([Source::A, Source::B, Source::Sum]), [0, 1, 0, 0]);
    assert_eq!(with([Source::Sum, Source::B, Source::A]), [0, 0, 16, 0]);
}

/// How many recorded results of four products differ from what another order of the sum gives.
fn differing_pairs(name: &str, sum: impl Fn(f32, [f32; 4], [f32; 4]) -> f32) -> usize {
    let file = Golden::read(PAIRS_AND_F64).unwrap();
    let section = file.sections().iter().find(|section| section.name() == name).unwrap();
    let is_narrow = name.ends_with("f16");
    let single = |bits: u64| f16::from_bits(bits as u16).to_f32();
    let mut differing = 0;
    for tile in section.each() {
        for (at, (&c, &d)) in tile.c.iter().zip(&tile.d).enumerate() {
            let (row, column) = (at / 8, at / 64 * 8 + at % 8);
            let a = std::array::from_fn(|k| single(tile.a[row * 4 + k]));
            let b = std::array::from_fn(|k| single(tile.b[k * 32 + column]));
            let c = if is_narrow { single(c) } else { f32::from_bits(c as u32) };
            let sum = sum(c, a, b);
            let bits = match (sum.is_nan(), is_narrow) {
                (true, true) => 0x7FFF,
                (true, false) => 0x7FFF_FFFF,
                (false, true) => u64::from(f16::from_f32(sum).to_bits()),
                (false, false) => u64::from(sum.to_bits()),
            };
            differing += usize::from(bits != d);
        }
    }
    differing
}

#[test]
fn a_product_of_quad_pairs_is_a_chain_and_then_c() {
    for order in ["row.col", "row.row", "col.col", "col.row"] {
        let name = format!("m8n8k4.{order}.f32.f16.f16.f32");
        let chain =
            |from: f32, a: [f32; 4], b: [f32; 4]| a.iter().zip(b).fold(from, |sum, (a, b)| a.mul_add(b, sum));
        let from_c = differing_pairs(&name, chain);
        let from_zero = differing_pairs(&name, |c, a, b| c + chain(0.0, a, b));
        let from_negative_zero = differing_pairs(&name, |c, a, b| c + chain(-0.0, a, b));
        let backwards = differing_pairs(&name, |c, mut a, mut b| {
            a.reverse();
            b.reverse();
            c + chain(0.0, a, b)
        });
        let flush = |x: f32| if x.is_subnormal() { 0.0 * x } else { x };
        let flushes = differing_pairs(&name, |c, a, b| flush(flush(c) + chain(0.0, a, b)));
        assert_eq!(from_zero, 0);
        assert!(flushes > 100, "{flushes}");
        assert!([from_c, from_negative_zero, backwards].iter().all(|&differing| differing > 0));
    }
}

#[test]
fn a_narrow_product_of_quad_pairs_is_c_and_two_pairs() {
    for order in ["row.col", "row.row", "col.col", "col.row"] {
        let name = format!("m8n8k4.{order}.f16.f16.f16.f16");
        let pair = |a: [f32; 4], b: [f32; 4], at: usize| a[at + 1].mul_add(b[at + 1], a[at] * b[at]);
        let pairs = differing_pairs(&name, |c, a, b| (c + pair(a, b, 0)) + pair(a, b, 2));
        let other_pair_first = differing_pairs(&name, |c, a, b| (c + pair(a, b, 2)) + pair(a, b, 0));
        let c_last = differing_pairs(&name, |c, a, b| c + (pair(a, b, 0) + pair(a, b, 2)));
        let chain = differing_pairs(&name, |c, a, b| {
            c + a.iter().zip(b).fold(0.0_f32, |sum, (a, b)| a.mul_add(b, sum))
        });
        let rounded_twice =
            differing_pairs(&name, |c, a, b| f16::from_f32(c + pair(a, b, 0)).to_f32() + pair(a, b, 2));
        assert_eq!(pairs, 0);
        let others = [other_pair_first, c_last, chain, rounded_twice];
        assert!(others.iter().all(|&differing| differing > 0), "{others:?}");
    }
}

#[test]
fn f64_is_rounded_in_the_direction_that_its_name_has() {
    let file = Golden::read(PAIRS_AND_F64).unwrap();
    let sections = file.sections().iter().filter(|section| section.name().contains("f64"));
    for section in sections {
        let Some(Operation::Mma(form)) = section.operation() else { panic!("{}", section.name()) };
        for &rounding in Direction::ALL {
            let other = Form { rounding, ..form };
            let differing = section.each().any(|tile| {
                let operands = Operands::plain(&tile.a, &tile.b, &tile.c);
                TensorModel::of(90).unwrap().multiply(&other, &operands) != tile.d
            });
            assert_eq!(differing, rounding != form.rounding, "{form} as {other}");
        }
    }
}
