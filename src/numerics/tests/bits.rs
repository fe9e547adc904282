//! Bit operations, minimum and maximum, order and distance.

use std::cmp::Ordering;

use half::{bf16, f16};

use super::super::*;
use super::samples::{corners, operand};

fn canonical<F: Float>() -> u64 {
    F::CANONICAL_NAN.bits()
}

#[test]
fn canonical_nans_are_those_of_the_contract() {
    assert_eq!(canonical::<f32>(), 0x7FFF_FFFF);
    assert_eq!((canonical::<f16>(), canonical::<bf16>()), (0x7FFF, 0x7FFF));
    assert_eq!(canonical::<f64>(), 0x7FFF_FFFF_FFFF_FFFF);
}

fn check_pair<F: Float>(a: F, b: F) {
    let context = format!("{:#x} {:#x}", a.bits(), b.bits());
    let is_number = |x: F| !x.is_nan_bits();
    // A number and its sign as a pair orders −0 below +0.
    let key = |x: F| (x.widen_f64(), x.bits() & F::FORMAT.sign_mask() == 0);
    let smaller = if key(a) <= key(b) { a } else { b };
    let larger = if key(a) <= key(b) { b } else { a };
    let expected = match (is_number(a), is_number(b)) {
        (true, true) => [smaller.bits(), larger.bits(), smaller.bits(), larger.bits()],
        (true, false) => [a.bits(), a.bits(), canonical::<F>(), canonical::<F>()],
        (false, true) => [b.bits(), b.bits(), canonical::<F>(), canonical::<F>()],
        (false, false) => [canonical::<F>(); 4],
    };
    let found = [a.fmin(b), a.fmax(b), a.fmin_nan(b), a.fmax_nan(b)].map(Float::bits);
    assert_eq!(found, expected, "{context}");
    assert_eq!(a.fcompare(b), a.widen_f64().partial_cmp(&b.widen_f64()), "{context}");
    let magnitude = F::FORMAT.magnitude_mask();
    assert_eq!(a.fabs().bits(), a.bits() & magnitude);
    assert_eq!(a.fneg().bits(), a.bits() ^ F::FORMAT.sign_mask());
    assert_eq!(a.fcopysign(b).bits(), a.bits() & magnitude | b.bits() & F::FORMAT.sign_mask());
}

fn check_pairs<F: Float>() {
    for a in corners(F::FORMAT) {
        for b in corners(F::FORMAT) {
            check_pair(F::of_bits(a), F::of_bits(b));
        }
    }
    for n in 0..50_000 {
        let a = operand(F::FORMAT, 11, n, 0);
        check_pair(F::of_bits(a), F::of_bits(operand(F::FORMAT, 12, n, a)));
    }
}

#[test]
fn minimum_maximum_order_and_sign_follow_the_contract() {
    check_pairs::<f16>();
    check_pairs::<bf16>();
    check_pairs::<f32>();
    check_pairs::<f64>();
}

#[test]
fn distances_count_steps_and_never_join_what_differs_in_kind() {
    let step = |a: f32, b: f32| ulp_distance(a, b);
    assert_eq!(step(1.0, 1.0 + f32::EPSILON), 1);
    assert_eq!(step(0.0, -0.0), 0);
    assert_eq!(step(f32::from_bits(3), -f32::from_bits(2)), 5);
    assert_eq!(step(f32::INFINITY, f32::INFINITY), 0);
    assert_eq!(step(f32::INFINITY, f32::NEG_INFINITY), FAR);
    assert_eq!(step(f32::INFINITY, f32::MAX), FAR);
    assert_eq!(step(f32::NAN, -f32::NAN), 0);
    assert_eq!(step(f32::NAN, f32::from_bits(0x7FFF_FFFF)), 0);
    assert_eq!(step(f32::NAN, f32::INFINITY), FAR);
    assert_eq!(step(f32::NAN, 0.0), FAR);
    assert_eq!(ulp_distance(f64::MAX, -f64::MAX), 2 * f64::MAX.to_bits());
    assert_eq!(ulp_distance(f16::from_bits(0x3C00), f16::from_bits(0x3C05)), 5);
}

#[test]
fn a_distance_is_symmetric_and_one_between_neighbours() {
    for code in 0..0x7C00_u16 {
        let (a, b) = (f16::from_bits(code), f16::from_bits(code + 1));
        let expected = if code + 1 == 0x7C00 { FAR } else { 1 };
        assert_eq!((ulp_distance(a, b), ulp_distance(b, a)), (expected, expected), "{code:#x}");
        assert_eq!(ulp_distance(a.fneg(), b.fneg()), expected);
    }
}

#[test]
fn comparison_of_zeros_and_nans() {
    assert_eq!(0.0_f32.fcompare(-0.0), Some(Ordering::Equal));
    assert_eq!(f16::from_bits(0x7E01).fcompare(f16::from_bits(0x7E01)), None);
}
