//! Each rule of the model is broken alone, and recorded results show it.
//!
//! Counts are of the results that differ; where the published table has one, it stands here as that table has it.

use super::super::compute::{Problem, compute};
use super::super::rows::{Steps, Way, find, find_wgmma};
use super::super::step::{Corners, Rules, Source};
use super::super::{Golden, Operands, Operation, Row};
use super::golden::FILE;
use crate::numerics::Rounding;

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
fn explore() {
    println!("F24 {:?}", FORMS.map(|f| with_steps(f, |s| Steps { fraction: 24, ..s })));
    println!("F26 {:?}", FORMS.map(|f| with_steps(f, |s| Steps { fraction: 26, ..s })));
    println!("two {:?}", FORMS.map(|f| with_steps(f, |s| Steps { group: s.group / 2, ..s })));
    println!("zero {:?}", counts(Corners { zero_has_exponent: true, ..RIGHT }));
    for floor in [-100000, -132, -134] {
        println!("floor {floor} {:?}", counts(Corners { floor, ..RIGHT }));
    }
    println!("normprod {:?}", counts(Corners { normalises_products: true, ..RIGHT }));
    println!("normop {:?}", counts(Corners { normalises_operands: true, ..RIGHT }));
    println!("floors {:?}", counts(Corners { floors_terms: true, ..RIGHT }));
    println!("last {:?}", counts(Corners { adds_c_last: true, ..RIGHT }));
    println!("rn {:?}", counts(Corners { rounding: Rounding::NearestEven, ..RIGHT }));
    println!("flush in {:?}", counts(Corners { flushes_operands: true, ..RIGHT }));
    println!("flush out {:?}", counts(Corners { flushes_results: true, ..RIGHT }));
    println!("neg0 {:?}", counts(Corners { keeps_negative_zero: true, ..RIGHT }));
    println!("low {:?}", counts(Corners { reads_low_bits: true, ..RIGHT }));
    println!("0inf {:?}", counts(Corners { zero_times_infinity_is_nan: false, ..RIGHT }));
    println!("infs {:?}", counts(Corners { unlike_infinities_are_nan: false, ..RIGHT }));
    println!("nan {:?}", counts(Corners { nan_is_canonical: false, ..RIGHT }));
    println!("checks {:?}", counts(Corners { checks_products: true, ..RIGHT }));
    println!("clamps {:?}", with_corners("m16n8k32.sat.s32.s8.s8.s32", Corners { clamps_each: true, ..RIGHT }));
    for order in [[Source::A, Source::B, Source::Sum], [Source::B, Source::A, Source::Sum], [Source::Sum, Source::B, Source::A]] {
        println!("f64 {:?}", with_corners("m8n8k4.f64.f64.f64.f64", Corners { f64_nan: order, ..RIGHT }));
    }
    let converted = |first: u64, c: bool| differing(E4M3, |_| Way::Converted { first, fraction: 25, starts_from_c: c }, RIGHT);
    println!("C first {} halves {} swapped {}", converted(0x3333_3333, true), converted(0xFFFF, false), converted(0xCCCC_CCCC, false));
    println!("one {} wgmma {}", differing(E4M3, |_| Way::Steps(Steps { group: 32, fraction: 25, keep: 23 }), RIGHT), differing(E4M3, |_| Way::Steps(Steps { group: 32, fraction: 13, keep: 13 }), RIGHT));
}
