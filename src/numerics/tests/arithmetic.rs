//! Each float operation against the reference: exactly one rounding, and the special cases by the contract.

use half::{bf16, f16};
use proptest::prelude::*;

use super::super::*;
use super::big::Big;
use super::samples::{corners, operand, random};

fn is_nan(bits: u64, format: Format) -> bool {
    bits & format.magnitude_mask() > format.max_finite() + 1
}

fn nan(format: Format) -> u64 {
    format.magnitude_mask()
}

/// `a · b + c` by the reference; sums and products are cases of it.
fn reference_fma(a: u64, b: u64, c: u64, format: Format) -> u64 {
    if [a, b, c].iter().any(|bits| is_nan(*bits, format)) {
        return nan(format);
    }
    let infinity = format.max_finite() + 1;
    let sign = (a ^ b) & format.sign_mask();
    let is_infinite = |bits: u64| bits & format.magnitude_mask() == infinity;
    let is_zero = |bits: u64| bits & format.magnitude_mask() == 0;
    if is_infinite(a) || is_infinite(b) {
        let undefined = is_zero(a) || is_zero(b) || (is_infinite(c) && c & format.sign_mask() != sign);
        return if undefined { nan(format) } else { sign | infinity };
    }
    if is_infinite(c) {
        return c;
    }
    let big = |bits| Big::of_bits(bits, format).expect("finite here");
    let product = big(a).times(&big(b));
    let sum = product.plus(&big(c));
    if sum.is_zero() {
        // Like signs keep theirs; unlike ones, and a cancellation, give +0.
        let both_negative = sign != 0 && c & format.sign_mask() != 0 && product.is_zero();
        return if both_negative { format.sign_mask() } else { 0 };
    }
    sum.nearest(format)
}

fn reference_div(a: u64, b: u64, format: Format) -> u64 {
    let infinity = format.max_finite() + 1;
    let magnitudes = (a & format.magnitude_mask(), b & format.magnitude_mask());
    let sign = (a ^ b) & format.sign_mask();
    match magnitudes {
        (x, y) if x > infinity || y > infinity => nan(format),
        (0, 0) => nan(format),
        (x, y) if x == infinity && y == infinity => nan(format),
        (x, 0) if x != 0 => sign | infinity,
        (x, _) if x == infinity => sign | infinity,
        (_, y) if y == infinity => sign,
        (0, _) => sign,
        _ => {
            let big = |bits| Big::of_bits(bits, format).expect("finite here");
            big(a).over(&big(b)).nearest(format)
        }
    }
}

fn reference_sqrt(a: u64, format: Format) -> u64 {
    let infinity = format.max_finite() + 1;
    match a {
        _ if a & format.magnitude_mask() == 0 => a,
        _ if is_nan(a, format) || a & format.sign_mask() != 0 => nan(format),
        _ if a == infinity => infinity,
        _ => Big::of_bits(a, format).expect("finite here").root().nearest(format),
    }
}

fn check_triple<F: Float>(a: u64, b: u64, c: u64) {
    let format = F::FORMAT;
    let one = (format.bias as u64) << format.mantissa_bits;
    let (x, y, z) = (F::of_bits(a), F::of_bits(b), F::of_bits(c));
    let context = format!("{a:#x} {b:#x} {c:#x} {format:?}");
    assert_eq!(x.ffma(y, z).bits(), reference_fma(a, b, c, format), "fma {context}");
    assert_eq!(x.fadd(y).bits(), reference_fma(a, one, b, format), "add {context}");
    let minus_b = b ^ format.sign_mask();
    assert_eq!(x.fsub(y).bits(), reference_fma(a, one, minus_b, format), "sub {context}");
    // −0 is what adds nothing to either zero.
    assert_eq!(x.fmul(y).bits(), reference_fma(a, b, (a ^ b) & format.sign_mask(), format), "mul {context}");
    assert_eq!(x.fdiv(y).bits(), reference_div(a, b, format), "div {context}");
    assert_eq!(x.fsqrt().bits(), reference_sqrt(a, format), "sqrt {context}");
}

fn check_samples<F: Float>(count: u64) {
    for n in 0..count {
        let a = operand(F::FORMAT, 1, n, random(9, n) & F::FORMAT.magnitude_mask());
        let b = operand(F::FORMAT, 2, n, a);
        // An addend near the product's own exponent is where fused and split differ.
        let product = F::of_bits(a).fmul(F::of_bits(b)).bits();
        let c = operand(F::FORMAT, 3, n, product);
        check_triple::<F>(a, b, c);
    }
}

#[test]
fn every_operation_rounds_once_in_f16() {
    check_samples::<f16>(300_000);
}

#[test]
fn every_operation_rounds_once_in_bf16() {
    check_samples::<bf16>(300_000);
}

#[test]
fn every_operation_rounds_once_in_f32() {
    check_samples::<f32>(200_000);
}

#[test]
fn every_operation_rounds_once_in_f64() {
    check_samples::<f64>(50_000);
}

fn check_corners<F: Float>() {
    let corners = corners(F::FORMAT);
    for a in &corners {
        for b in &corners {
            for c in &corners {
                check_triple::<F>(*a, *b, *c);
            }
        }
    }
}

#[test]
fn corner_cases_meet_each_other() {
    check_corners::<f16>();
    check_corners::<bf16>();
    check_corners::<f32>();
    check_corners::<f64>();
}

#[test]
fn roots_and_integers_of_every_16_bit_number() {
    fn check<F: Float>() {
        for code in 0..=0xFFFF_u64 {
            let x = F::of_bits(code);
            assert_eq!(x.fsqrt().bits(), reference_sqrt(code, F::FORMAT), "{code:#x}");
            check_integral(x);
        }
    }
    check::<f16>();
    check::<bf16>();
}

/// Rounding to an integer, by what the results must satisfy in f64.
fn check_integral<F: Float>(x: F) {
    let results = [x.fround(), x.ffloor(), x.fceil(), x.ftrunc()];
    if x.is_nan_bits() {
        assert!(results.iter().all(|result| result.bits() == nan(F::FORMAT)));
        return;
    }
    let value = x.widen_f64();
    let [round, floor, ceil, trunc] = results.map(Float::widen_f64);
    let context = format!("{value:e}");
    if value.is_infinite() {
        assert_eq!([round, floor, ceil, trunc], [value; 4]);
        return;
    }
    assert!(floor <= value && value < floor + 1.0 || floor == value, "floor {context}");
    assert!(ceil >= value && value > ceil - 1.0 || ceil == value, "ceil {context}");
    assert_eq!(trunc, if value < 0.0 { ceil } else { floor }, "trunc {context}");
    let (below, above) = (value - floor, ceil - value);
    let even = if floor.rem_euclid(2.0) == 0.0 { floor } else { ceil };
    let nearest = if below < above { floor } else { ceil };
    assert_eq!(round, if below == above { even } else { nearest }, "round {context}");
    for result in [round, floor, ceil, trunc] {
        assert!(result != 0.0 || result.is_sign_negative() == value.is_sign_negative(), "zero {context}");
    }
}

#[test]
fn integers_near_f32_and_f64_numbers() {
    for n in 0..200_000 {
        check_integral(f32::of_bits(operand(Format::F32, 5, n, 1.0_f32.bits())));
        // Beyond 2^52 the check's own arithmetic would round; those f64 are integers already.
        let wide = f64::of_bits(operand(Format::F64, 6, n, 1.0_f64.bits()));
        if wide.abs() < 4e15 || wide.is_nan() {
            check_integral(wide);
        }
    }
}

proptest! {
    #[test]
    fn any_f16_fma_rounds_once(a: u16, b: u16, c: u16) {
        check_triple::<f16>(a.into(), b.into(), c.into());
    }

    #[test]
    fn any_bf16_fma_rounds_once(a: u16, b: u16, c: u16) {
        check_triple::<bf16>(a.into(), b.into(), c.into());
    }

    #[test]
    fn any_f32_fma_rounds_once(a: u32, b: u32, c: u32) {
        check_triple::<f32>(a.into(), b.into(), c.into());
    }

    #[test]
    fn any_f64_fma_rounds_once(a: u64, b: u64, c: u64) {
        check_triple::<f64>(a, b, c);
    }
}
