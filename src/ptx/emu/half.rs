//! Lane arithmetic on float bits with the modifiers of PTX: flushing, saturation, `.relu`, canonical NaN.
//!
//! Exit: an f32 or 16-bit NaN is the canonical one (`7fffffff`, `7fff`), as measured; an f64 NaN keeps the payload of
//! the first NaN operand, quietened, and one that an operation makes is `fff8000000000000`, the constant of the
//! vendor's math header. Each operation rounds once.

use super::micro::Flags;
use crate::numerics::soft;
use crate::numerics::{Float, Format, bf16, f16};
use crate::ptx::isa::modifier::Rounding;

/// The NaN that an f64 operation makes without a NaN operand.
pub(super) const MADE_NAN: u64 = 0xfff8_0000_0000_0000;

const QUIET: u64 = 0x0008_0000_0000_0000;

/// A subnormal becomes zero of its sign.
#[inline(always)]
pub(super) fn flush_f32(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// The same for f16, where it is asked for.
#[inline(always)]
pub(super) fn flush_f16(bits: u16, ftz: bool) -> u16 {
    if ftz && bits & 0x7c00 == 0 { bits & 0x8000 } else { bits }
}

/// NaN → canonical.
#[inline(always)]
pub(super) fn canonical(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

fn flush(bits: u64, format: Format, ftz: bool) -> u64 {
    let exponent = format.magnitude_mask() & !format.mantissa_mask();
    if ftz && bits & exponent == 0 { bits & format.sign_mask() } else { bits }
}

/// Applies `.ftz`, `.sat` and `.relu` to a result.
fn finish(bits: u64, format: Format, flags: Flags) -> u64 {
    let infinity = format.max_finite() + 1;
    let magnitude = bits & format.magnitude_mask();
    let negative = bits & format.sign_mask() != 0;
    let is_nan = magnitude > infinity;
    let bits = flush(bits, format, flags.is_ftz());
    if flags.is_sat() {
        let one = (format.bias as u64) << format.mantissa_bits;
        return if is_nan || negative { 0 } else { bits.min(one) };
    }
    if flags.is_relu() && negative && !is_nan { 0 } else { bits }
}

/// An operation on one lane by format and flags: the slow path that knows every modifier.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
}

/// `a op b` with all modifiers.
pub(super) fn arith(operation: Operation, format: Format, a: u64, b: u64, flags: Flags) -> u64 {
    let a = flush(a, format, flags.is_ftz());
    let b = flush(b, format, flags.is_ftz());
    let rounding = flags.rounding();
    let result = match operation {
        Operation::Add => soft::add(format, a, b, rounding),
        // A NaN's sign does not matter: it becomes canonical.
        Operation::Sub => soft::add(format, a, b ^ format.sign_mask(), rounding),
        Operation::Mul => soft::mul(format, a, b, rounding),
        Operation::Div => soft::div(format, a, b, rounding),
    };
    let result = finish(result, format, flags);
    if format == Format::F64 { keep_payload(result, [a, b, b]) } else { result }
}

/// `a × b + c` with all modifiers.
pub(super) fn fma(format: Format, a: u64, b: u64, c: u64, flags: Flags) -> u64 {
    let [a, b, c] = [a, b, c].map(|bits| flush(bits, format, flags.is_ftz()));
    let result = finish(soft::fma(format, a, b, c, flags.rounding()), format, flags);
    if format == Format::F64 { keep_payload(result, [a, b, c]) } else { result }
}

/// `√a`, or `1 / a`, with all modifiers.
pub(super) fn root_or_reciprocal(root: bool, format: Format, a: u64, flags: Flags) -> u64 {
    let a = flush(a, format, flags.is_ftz());
    let one = (format.bias as u64) << format.mantissa_bits;
    let result = if root {
        soft::sqrt(format, a, flags.rounding())
    } else {
        soft::div(format, one, a, flags.rounding())
    };
    let result = finish(result, format, flags);
    if format == Format::F64 { keep_payload(result, [a; 3]) } else { result }
}

const fn is_nan_f64(bits: u64) -> bool {
    bits & 0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000
}

/// An f64 result with the NaN that hardware gives in place of the canonical one.
#[inline(always)]
pub(super) fn keep_payload(result: u64, operands: [u64; 3]) -> u64 {
    if !is_nan_f64(result) {
        return result;
    }
    operands.into_iter().find(|&operand| is_nan_f64(operand)).map_or(MADE_NAN, |nan| nan | QUIET)
}

/// f64 `fma` rounded to nearest; without hardware support the library's, which is exact too.
#[inline(always)]
pub(super) fn fma_f64<const FMA: bool>(a: u64, b: u64, c: u64) -> u64 {
    let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    keep_payload(x.mul_add(y, z).to_bits(), [a, b, c])
}

/// f32 `fma` rounded to nearest. Without hardware support the sum is taken in f64, rounded to odd: the product is
/// exact there, and f64 has the two bits more than f32 that rounding twice needs then.
#[inline(always)]
pub(super) fn fma_f32<const FMA: bool>(a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    if FMA {
        return canonical(a.mul_add(b, c));
    }
    let sum = crate::numerics::add_to_odd(f64::from(a) * f64::from(b), f64::from(c));
    canonical(sum as f32)
}

/// Applies an operation on 16-bit lanes to both halves.
#[inline(always)]
pub(super) fn packed(a: u32, b: u32, operation: impl Fn(u16, u16) -> u16) -> u32 {
    let low = operation(a as u16, b as u16);
    let high = operation((a >> 16) as u16, (b >> 16) as u16);
    u32::from(high) << 16 | u32::from(low)
}

/// A 16-bit result with `.ftz`, `.sat` and `.relu`.
#[inline(always)]
fn finish_half<F: Float>(value: F, flags: Flags) -> u16 {
    let bits = value.bits();
    if flags == Flags::default() { bits as u16 } else { finish(bits, F::FORMAT, flags) as u16 }
}

#[inline(always)]
fn read<F: Float>(bits: u16, flags: Flags) -> F {
    F::of_bits(flush(u64::from(bits), F::FORMAT, flags.is_ftz()))
}

/// `a op b` of 16-bit floats, which round to nearest only.
#[inline(always)]
pub(super) fn half_arith<F: Float>(operation: Operation, a: u16, b: u16, flags: Flags) -> u16 {
    let (x, y) = (read::<F>(a, flags), read::<F>(b, flags));
    let value = match operation {
        Operation::Add => x.fadd(y),
        Operation::Sub => x.fsub(y),
        Operation::Mul => x.fmul(y),
        Operation::Div => x.fdiv(y),
    };
    finish_half(value, flags)
}

/// `a × b + c` of 16-bit floats.
#[inline(always)]
pub(super) fn half_fma<F: Float>(a: u16, b: u16, c: u16, flags: Flags) -> u16 {
    finish_half(read::<F>(a, flags).ffma(read(b, flags), read(c, flags)), flags)
}

/// `min` or `max` of any format, with `.ftz`, `.NaN` and `.xorsign.abs`.
#[inline(always)]
pub(super) fn extreme<F: Float>(least: bool, a: u64, b: u64, flags: Flags) -> u64 {
    let a = flush(a, F::FORMAT, flags.is_ftz());
    let b = flush(b, F::FORMAT, flags.is_ftz());
    let (x, y, sign) = if flags.is_xorsign() {
        let sign = (a ^ b) & F::FORMAT.sign_mask();
        (F::of_bits(a).fabs(), F::of_bits(b).fabs(), sign)
    } else {
        (F::of_bits(a), F::of_bits(b), 0)
    };
    let result = match (least, flags.is_nan()) {
        (true, false) => x.fmin(y),
        (false, false) => x.fmax(y),
        (true, true) => x.fmin_nan(y),
        (false, true) => x.fmax_nan(y),
    };
    if result.is_nan_bits() { result.canonical().bits() } else { result.bits() | sign }
}

/// `abs` or `neg` of a 16- or 32-bit format: a NaN becomes canonical, sign and payload lost.
#[inline(always)]
pub(super) fn sign_change<F: Float>(negate: bool, a: u64, flags: Flags) -> u64 {
    let value = F::of_bits(flush(a, F::FORMAT, flags.is_ftz())).canonical();
    if value.is_nan_bits() {
        value.bits()
    } else if negate {
        value.fneg().bits()
    } else {
        value.fabs().bits()
    }
}

/// `abs` or `neg` of f64: a NaN is only quietened.
#[inline(always)]
pub(super) fn sign_change_f64(negate: bool, a: u64) -> u64 {
    if is_nan_f64(a) {
        a | QUIET
    } else if negate {
        a ^ (1 << 63)
    } else {
        a & !(1 << 63)
    }
}

/// Rounds an exact f64 to f32 in the direction of an approximation: to nearest.
pub(super) fn nearest_f32(value: f64, flags: Flags) -> u32 {
    let bits = u64::from(canonical(value as f32));
    finish(bits, Format::F32, flags) as u32
}

/// Rounds an f64 to a 16-bit format.
pub(super) fn nearest_half<F: Float>(value: f64, flags: Flags) -> u16 {
    finish_half(F::of_f64(value), flags)
}

/// Reads an f32 operand with `.ftz`.
#[inline(always)]
pub(super) fn read_f32(bits: u32, flags: Flags) -> f64 {
    f64::from(f32::from_bits(if flags.is_ftz() { flush_f32(bits) } else { bits }))
}

/// Reads a 16-bit operand with `.ftz`.
pub(super) fn read_half<F: Float>(bits: u16, flags: Flags) -> f64 {
    read::<F>(bits, flags).widen_f64()
}

/// The two 16-bit types by name, for code that is generic over them.
pub(super) type Half = f16;
/// See [`Half`].
pub(super) type Bfloat = bf16;

/// Whether the flags say no more than rounding to nearest.
pub(super) fn plain(flags: Flags) -> bool {
    flags == Flags::rounded(Rounding::Rn)
}
