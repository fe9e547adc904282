//! Integer operations against 128-bit arithmetic.

use super::super::*;
use super::samples::random;

macro_rules! check {
    ($int:ident, $unsigned:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a as $int, $b as $int);
        let (x, y) = (a as i128, b as i128);
        let context = format!("{a} {b} {}", stringify!($int));
        assert_eq!(a.iadd(b), (x + y) as $int, "add {context}");
        assert_eq!(a.isub(b), (x - y) as $int, "sub {context}");
        assert_eq!(a.imul(b), x.wrapping_mul(y) as $int, "mul {context}");
        let product = if $int::MIN == 0 {
            ((a as u128 * b as u128) >> $int::BITS) as i128
        } else {
            (x * y) >> $int::BITS
        };
        assert_eq!(a.imul_hi(b), product as $int, "mul_hi {context}");
        let (quotient, rest) = if y == 0 { (-1, x) } else { (x / y, x % y) };
        assert_eq!(a.idiv(b), quotient as $int, "div {context}");
        assert_eq!(a.irem(b), rest as $int, "rem {context}");
        assert_eq!((a.imin(b) as i128, a.imax(b) as i128), (x.min(y), x.max(y)), "{context}");
        assert_eq!((a.ineg(), a.iabs()), (-x as $int, x.unsigned_abs() as $int), "{context}");
        let count = b.bits();
        assert_eq!(count, b as $unsigned as u64, "bits {context}");
        let places = count.min(100) as u32;
        let left = if places >= $int::BITS { 0 } else { (x << places) as $int };
        assert_eq!(a.ishl(count), left, "shl {context}");
        assert_eq!(a.ishr(count), (x >> places) as $int, "shr {context}");
        assert_eq!(a.ipopcount(), (a as $unsigned as u64).count_ones(), "{context}");
        assert_eq!(
            a.iclz(),
            (0..$int::BITS).rev().take_while(|bit| a >> bit & 1 == 0).count() as u32,
            "{context}"
        );
        assert_eq!(a.ictz(), (0..$int::BITS).take_while(|bit| a >> bit & 1 == 0).count() as u32, "{context}");
        assert_eq!($int::of_bits(a.bits()), a);
    }};
}

macro_rules! check_all {
    ($a:expr, $b:expr) => {{
        check!(i8, u8, $a, $b);
        check!(u8, u8, $a, $b);
        check!(i16, u16, $a, $b);
        check!(u16, u16, $a, $b);
        check!(i32, u32, $a, $b);
        check!(u32, u32, $a, $b);
        check!(i64, u64, $a, $b);
        check!(u64, u64, $a, $b);
    }};
}

#[test]
fn every_pair_of_8_bit_integers() {
    for a in 0..=u8::MAX {
        for b in 0..=u8::MAX {
            check!(i8, u8, a, b);
            check!(u8, u8, a, b);
        }
    }
}

#[test]
fn corners_meet_each_other() {
    let corners: Vec<u64> = [0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 255, 256]
        .into_iter()
        .flat_map(|value: u64| [value, value.wrapping_neg(), !(value << 7)])
        .chain([8, 16, 32, 64].map(|bits| 1_u64 << (bits - 1)))
        .collect();
    for a in &corners {
        for b in &corners {
            check_all!(*a, *b);
        }
    }
}

#[test]
fn random_pairs_of_all_lengths() {
    for n in 0..50_000 {
        let lengths = random(61, n);
        let (a, b) = (random(62, n) >> (lengths & 63), random(63, n) >> (lengths >> 6 & 63));
        check_all!(a, b);
        check_all!(a.wrapping_neg(), b);
    }
}

#[test]
fn the_contract_by_name() {
    assert_eq!((7_u32.idiv(0), 7_i32.idiv(0), 7_u32.irem(0)), (u32::MAX, -1, 7));
    assert_eq!((i64::MIN.idiv(-1), i64::MIN.irem(-1)), (i64::MIN, 0));
    assert_eq!((-1_i32).ishr(u64::MAX), -1);
    assert_eq!((-1_i32).ishl((-1_i32).bits()), 0);
    assert_eq!(1_u64.ishl(1 << 32), 0, "a 64-bit count is clamped, not cut");
}
