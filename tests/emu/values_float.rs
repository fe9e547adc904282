//! Floats: kinds, pairs, mixed sums, extremes of three, packed conversions.

use crate::values::{compare, word};

fn single(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// A result with the NaN that hardware gives.
fn bits(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

#[test]
fn kinds_of_floats() {
    let asked = |test: &str, formula: fn(f32) -> bool| {
        let body = format!("testp.{test}.f32 %p1, %r1;\nselp.u32 %r9, 1, 0, %p1;");
        word(&body, |[a, ..]| u32::from(formula(single(a))));
    };
    asked("finite", |value| value.abs() <= f32::MAX);
    asked("infinite", |value| value.abs() == f32::INFINITY);
    asked("number", |value| value == value);
    asked("notanumber", |value| value != value);
    asked("normal", |value| value == 0.0 || (value.abs() >= f32::MIN_POSITIVE && value.abs() <= f32::MAX));
    asked("subnormal", |value| value != 0.0 && value.abs() < f32::MIN_POSITIVE);
    let wide = "testp.infinite.f64 %p1, %rd1;\nselp.u32 %r9, 1, 0, %p1;";
    word(wide, |[a, b, ..]| u32::from(a == 0 && b & 0x7fff_ffff == 0x7ff0_0000));
}

#[test]
fn pairs_of_f32() {
    let unpacked = |op: &str| format!("{op}\nmov.b64 {{%r9, %r10}}, %rd3;");
    compare(&unpacked("add.rn.f32x2 %rd3, %rd1, %rd2;"), |[a, b, c, d]| {
        [bits(single(a) + single(c)), bits(single(b) + single(d))]
    });
    compare(&unpacked("sub.f32x2 %rd3, %rd1, %rd2;"), |[a, b, c, d]| {
        [bits(single(a) - single(c)), bits(single(b) - single(d))]
    });
    compare(&unpacked("mul.rn.f32x2 %rd3, %rd1, %rd2;"), |[a, b, c, d]| {
        [bits(single(a) * single(c)), bits(single(b) * single(d))]
    });
    compare(&unpacked("fma.rn.f32x2 %rd3, %rd1, %rd2, %rd1;"), |[a, b, c, d]| {
        [bits(single(a).mul_add(single(c), single(a))), bits(single(b).mul_add(single(d), single(b)))]
    });
    let flushed = |value: u32| if value & 0x7f80_0000 == 0 { value & 0x8000_0000 } else { value };
    compare(&unpacked("add.rn.ftz.f32x2 %rd3, %rd1, %rd2;"), |[a, b, c, d]| {
        let sum = |a: u32, b: u32| flushed(bits(single(flushed(a)) + single(flushed(b))));
        [sum(a, c), sum(b, d)]
    });
}

#[test]
fn mixed_sums() {
    let wide = |bits: u32| single(bits << 16);
    let body = "cvt.u16.u32 %h1, %r1;\ncvt.u16.u32 %h2, %r2;\n";
    word(&format!("{body}add.rn.f32.bf16 %r9, %h1, %r3;"), |[a, _, c, _]| bits(wide(a) + single(c)));
    word(&format!("{body}sub.f32.bf16 %r9, %h1, %r3;"), |[a, _, c, _]| bits(wide(a) - single(c)));
    word(&format!("{body}fma.rn.f32.bf16 %r9, %h1, %h2, %r3;"), |[a, b, c, _]| {
        bits(wide(a).mul_add(wide(b), single(c)))
    });
    word("mad.rn.f32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| bits(single(a).mul_add(single(b), single(c))));
}

/// Order of floats with −0 below +0.
fn less(a: f32, b: f32) -> bool {
    a < b || (a == 0.0 && b == 0.0 && a.is_sign_negative() && b.is_sign_positive())
}

#[test]
fn extremes_of_three() {
    let least = |values: &[f32]| {
        let numbers = values.iter().copied().filter(|value| !value.is_nan());
        bits(numbers.reduce(|a, b| if less(b, a) { b } else { a }).unwrap_or(f32::NAN))
    };
    word("min.f32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| least(&[single(a), single(b), single(c)]));
    let greatest = |values: [f32; 3]| {
        if values.iter().any(|value| value.is_nan()) {
            return 0x7fff_ffff;
        }
        bits(values.into_iter().reduce(|a, b| if less(a, b) { b } else { a }).unwrap())
    };
    word("max.NaN.abs.f32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| {
        greatest([single(a).abs(), single(b).abs(), single(c).abs()])
    });
}

#[test]
fn integers_packed_into_fields() {
    let clamp = |value: u32, least: i64, greatest: i64| i64::from(value.cast_signed()).clamp(least, greatest);
    word("cvt.pack.sat.s16.s32 %r9, %r1, %r2;", |[a, b, ..]| {
        let half = |value| clamp(value, -32_768, 32_767).rem_euclid(65_536) as u32;
        half(a) * 65_536 + half(b)
    });
    word("cvt.pack.sat.u8.s32.b32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| {
        let byte = |value| clamp(value, 0, 255) as u32;
        c.wrapping_mul(65_536) + byte(a) * 256 + byte(b)
    });
    word("cvt.pack.sat.s4.s32.b32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| {
        let nibble = |value| clamp(value, -8, 7).rem_euclid(16) as u32;
        c.wrapping_mul(256) + nibble(a) * 16 + nibble(b)
    });
    word("cvt.pack.sat.u2.s32.b32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| {
        c.wrapping_mul(16) + clamp(a, 0, 3) as u32 * 4 + clamp(b, 0, 3) as u32
    });
}

#[test]
fn packed_halves_become_fp8() {
    // 1.0 and 448 and what lies beyond; −0; NaN.
    let known = |halves: u32| match halves {
        0x3c00 => 0x38,
        0xbc00 => 0xb8,
        0x5f00 => 0x7e,
        0x7c00 | 0x7bff => 0x7e,
        0x8000 => 0x80,
        0x7e00 => 0x7f,
        _ => 0,
    };
    for high in [0x3c00, 0x7c00, 0x8000, 0x7e00, 0] {
        for low in [0xbc00, 0x5f00, 0x7bff, 0] {
            let body = format!(
                "mov.b32 %r5, {:#x};\ncvt.rn.satfinite.e4m3x2.f16x2 %h1, %r5;\ncvt.u32.u16 %r9, %h1;",
                high << 16 | low
            );
            word(&body, |_| known(high) << 8 | known(low));
        }
    }
    // Powers of two around 1.0, toward zero and up.
    let body = "mov.b32 %r5, 0x40403f80;\ncvt.rz.satfinite.ue8m0x2.bf16x2 %h1, %r5;\n\
                cvt.rp.satfinite.ue8m0x2.bf16x2 %h2, %r5;\nmov.b32 %r9, {%h1, %h2};";
    word(body, |_| 0x817f_807f);
}

#[test]
fn reductions_of_floats_over_a_warp() {
    // Lane l has l − 5, but lane 3 has NaN and lane 7 −100.
    let start = "mov.u32 %r5, %laneid;\ncvt.rn.f32.u32 %r6, %r5;\nadd.rn.f32 %r6, %r6, 0fC0A00000;\n\
                 setp.eq.u32 %p1, %r5, 3;\n@%p1 mov.b32 %r6, 0x7fc00000;\nsetp.eq.u32 %p1, %r5, 7;\n\
                 @%p1 mov.b32 %r6, 0fC2C80000;\n";
    let asked = |op: &str| format!("{start}redux.sync.{op}.f32 %r9, %r6, 0xffffffff;");
    word(&asked("min"), |_| (-100_f32).to_bits());
    word(&asked("max"), |_| 26_f32.to_bits());
    word(&asked("max.abs"), |_| 100_f32.to_bits());
    word(&asked("min.NaN"), |_| 0x7fff_ffff);
}
