//! For every tempting detour that rounds twice, one input on which it is wrong.
//!
//! Each test shows both: that the detour misses, and that our direct way hits.

use half::{bf16, f16};

use super::super::*;

#[test]
fn f64_to_f16_through_f32() {
    // The `half` crate's own `from_f64` goes this way on most hosts, which is why storage is all we take from it.
    // Just above the midpoint of 1 and the next f16; f32 forgets by how much.
    let value = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    assert_eq!(f16_from_f32(value as f32).to_bits(), 0x3C00);
    assert_eq!(f16_from_f64(value).to_bits(), 0x3C01);
    assert_eq!(f16_from_f32(f32_from_f64_with(value, Rounding::ToOdd)).to_bits(), 0x3C01);
}

#[test]
fn f64_to_bf16_through_f32() {
    let value = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
    assert_eq!(bf16_from_f32(value as f32).to_bits(), 0x3F80);
    assert_eq!(bf16_from_f64(value).to_bits(), 0x3F81);
    assert_eq!(bf16_from_f32(f32_from_f64_with(value, Rounding::ToOdd)).to_bits(), 0x3F81);
}

#[test]
fn u64_to_f32_through_f64() {
    // 2^63 + half a unit of f32 + 1: f64 has units of 2^11 there.
    let value = (1_u64 << 63) + (1 << 39) + 1;
    assert_eq!((value as f64 as f32).to_bits(), 0x5F00_0000);
    assert_eq!(Convert::<f32>::convert(value).to_bits(), 0x5F00_0001);
}

#[test]
fn u32_to_bf16_through_f32() {
    let value = (1_u32 << 31) + (1 << 23) + 1;
    assert_eq!(bf16_from_f32(value as f32).to_bits(), 0x4F00);
    assert_eq!(Convert::<bf16>::convert(value).to_bits(), 0x4F01);
    assert_eq!(Convert::<bf16>::convert(-(value as i64)).to_bits(), 0xCF01);
}

#[test]
fn u64_to_bf16_through_f64_and_f32() {
    let value = (1_u64 << 63) + (1 << 55) + 1;
    assert_eq!(bf16_from_f64(value as f64).to_bits(), 0x5F00, "through f64 alone it is wrong too");
    assert_eq!(bf16_from_f32(value as f32).to_bits(), 0x5F00);
    assert_eq!(Convert::<bf16>::convert(value).to_bits(), 0x5F01);
}

#[test]
fn integers_to_f16_have_no_witness() {
    // f32 holds integers up to 2^24 exactly, and from 65,520 on f16 is infinite: through f32 is safe for every
    // width. The midpoints and their neighbours, which are all there is below, agree.
    for value in 0..=70_000_u32 {
        assert_eq!(f16_from_f32(value as f32), Convert::<f16>::convert(value), "{value}");
    }
}

#[test]
fn f16_fma_through_f32() {
    // 3 · 683/128 = 16 + 2^-7 is the midpoint above 16; the smallest subnormal decides, and f32 forgets it.
    let (a, b, c) = (f16::from_bits(0x4200), f16::from_bits(0x4556), f16::from_bits(1));
    assert_eq!(f16_from_f32(f16_to_f32(a) * f16_to_f32(b) + f16_to_f32(c)).to_bits(), 0x4C00);
    assert_eq!(a.ffma(b, c).to_bits(), 0x4C01);
}

#[test]
fn f16_fma_as_product_and_sum() {
    let a = f16::from_bits(0x3C01);
    let c = f16::from_bits(0xBC02);
    assert_eq!(a.fmul(a).fadd(c).to_bits(), 0x0000);
    assert_eq!(a.ffma(a, c).to_bits(), 0x0010, "the square's last place, 2^-20, is kept");
}

#[test]
fn bf16_fma_through_f64() {
    // The product 1.0078125 · 1.5 = 1 + 2^-1 + 2^-7 + 2^-8 is a midpoint; an addend 2^-60 decides it.
    let (a, b) = (bf16::from_bits(0x3F81), bf16::from_bits(0x3FC0));
    let c = bf16_from_f64(2f64.powi(-60));
    let detour = bf16_from_f64(bf16_to_f32(a) as f64 * bf16_to_f32(b) as f64 + bf16_to_f32(c) as f64);
    assert_eq!(detour.to_bits(), 0x3FC2);
    assert_eq!(a.ffma(b, c).to_bits(), 0x3FC2);
    let minus = c.fneg();
    let detour = bf16_from_f64(bf16_to_f32(a) as f64 * bf16_to_f32(b) as f64 + bf16_to_f32(minus) as f64);
    assert_eq!(detour.to_bits(), 0x3FC2, "f64 forgets the addend and the tie goes up");
    assert_eq!(a.ffma(b, minus).to_bits(), 0x3FC1, "just below the midpoint");
}

#[test]
fn f32_fma_through_f64() {
    let a = f32::from_bits(0x3F80_0001);
    let b = f32::from_bits(0x3FC0_0000);
    let c = -2f32.powi(-100);
    let detour = (a as f64 * b as f64 + c as f64) as f32;
    assert_ne!(detour, a.ffma(b, c));
    assert_eq!(add_to_odd(a as f64 * b as f64, c as f64) as f32, a.ffma(b, c));
}

#[test]
fn bf16_to_f16_and_back_need_one_step_only() {
    // f32 holds both exactly, so these go through it without a witness; all codes, against the codec.
    for code in 0..=0xFFFF_u16 {
        let brain: f16 = bf16::from_bits(code).convert();
        let half: bf16 = f16::from_bits(code).convert();
        let codec =
            |from, to| encode(decode(code.into(), from), to, Rounding::NearestEven, Overflow::Special);
        assert_eq!(brain.bits(), codec(Format::BF16, Format::F16), "{code:#x}");
        assert_eq!(half.bits(), codec(Format::F16, Format::BF16), "{code:#x}");
    }
}
