//! One row per operation and type: operands, and the bits that must come out, written by hand.

use super::*;
use crate::ir::DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// What an operation gives, the operands coming from buffers.
fn apply(op: &str, from: DType, to: DType, operands: &[u64]) -> u64 {
    let names = ["a", "b", "c"];
    let count = operands.len();
    let params: String = names[..count].iter().map(|name| format!("{name}: global {from}, ")).collect();
    let loads: String = (1..=count).map(|at| format!("v{at} = load {}[v0]\n", names[at - 1])).collect();
    let uses: Vec<_> = (1..=count).map(|at| format!("v{at}")).collect();
    let text = format!(
        "kernel @k({params}mut out: global {to}) {{ v0 = program_id.x\n{loads} v9 = {op} {}\n store out[v0], v9 }}",
        uses.join(", ")
    );
    let literal = |bits: u64| Literal::from_bits(from, bits);
    let mut buffers: Vec<_> = names
        .into_iter()
        .zip(operands)
        .map(|(name, &operand)| (name, Buffer::from_literals(from, &[literal(operand)])))
        .collect();
    buffers.push(("out", Buffer::uninitialised(to, 1)));
    let args = run_text(&text, Launch::linear(1, 32), buffers).unwrap();
    written(&args, "out")[0]
}

/// The bits of an integer, sign-extended; each use masks them to the type.
fn int(value: i64) -> u64 {
    value as u64
}

fn f32s(value: f32) -> u64 {
    value.to_bits().into()
}

fn check(rows: &[(&str, DType, DType, &[u64], u64)]) {
    for &(op, from, to, operands, expected) in rows {
        let found = apply(op, from, to, operands);
        let expected = expected & to.mask();
        assert_eq!(found, expected, "{op} {from}→{to} of {operands:x?}: {found:#x}, not {expected:#x}");
    }
}

const NAN: u64 = 0x7fff_ffff;

#[test]
fn integers_wrap_and_never_trap() {
    check(&[
        ("add", U8, U8, &[255, 2], 1),
        ("sub", U16, U16, &[0, 1], 0xffff),
        ("mul", I32, I32, &[int(i32::MIN.into()), int(-1)], int(i32::MIN.into())),
        ("add", I64, I64, &[int(i64::MAX), 1], int(i64::MIN)),
        ("div", I32, I32, &[int(-7), 2], int(-3)),
        ("div", U32, U32, &[7, 0], int(-1)),
        ("div", I8, I8, &[7, 0], int(-1)),
        ("div", I64, I64, &[int(i64::MIN), int(-1)], int(i64::MIN)),
        ("rem", I32, I32, &[int(-7), 2], int(-1)),
        ("rem", U64, U64, &[7, 0], 7),
        ("rem", I8, I8, &[int(-128), int(-1)], 0),
        ("min", I8, I8, &[int(-1), 1], int(-1)),
        ("min", U8, U8, &[int(-1), 1], 1),
        ("max", I64, I64, &[int(-1), 1], 1),
        ("max", U64, U64, &[int(-1), 1], int(-1)),
        ("mul_hi", U32, U32, &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe),
        ("mul_hi", I32, I32, &[int(-1), int(-1)], 0),
        ("mul_hi", U64, U64, &[1 << 63, 4], 2),
        ("neg", I16, I16, &[0x8000], 0x8000),
        ("abs", I32, I32, &[int(-5)], 5),
        ("abs", I8, I8, &[0x80], 0x80),
    ]);
}

#[test]
fn bits_shift_and_count() {
    check(&[
        ("not", U8, U8, &[0x0f], 0xf0),
        ("not", Bool, Bool, &[1], 0),
        ("and", Bool, Bool, &[1, 1], 1),
        ("xor", Bool, Bool, &[1, 1], 0),
        ("or", U64, U64, &[1 << 40, 1], (1 << 40) | 1),
        ("xor", I16, I16, &[0x00ff, 0x0ff0], 0x0f0f),
        ("shl", U32, U32, &[1, 31], 1 << 31),
        ("shl", U32, U32, &[1, 32], 0),
        ("shl", U64, U64, &[1, 1 << 32], 0),
        ("shl", U8, U8, &[1, 8], 0),
        ("shl", I32, I32, &[1, int(-1)], 0),
        ("shr", U32, U32, &[0x8000_0000, 32], 0),
        ("shr", I32, I32, &[int(-8), 1], int(-4)),
        ("shr", I32, I32, &[int(-8), 40], int(-1)),
        ("shr", I64, I64, &[int(-8), 1 << 33], int(-1)),
        ("shr", I64, I64, &[8, int(-1)], 0),
        ("popcount", U64, U32, &[u64::MAX], 64),
        ("clz", U8, U32, &[1], 7),
        ("clz", U32, U32, &[0], 32),
        ("ctz", I16, U32, &[0], 16),
        ("ctz", U64, U32, &[1 << 63], 63),
    ]);
}

#[test]
fn floats_round_once_to_nearest_even() {
    check(&[
        ("add", F32, F32, &[f32s(16_777_216.0), f32s(1.0)], f32s(16_777_216.0)),
        ("mul", F32, F32, &[1, f32s(0.5)], 0),
        ("mul", F32, F32, &[3, f32s(0.5)], 2),
        ("div", F32, F32, &[f32s(1.0), f32s(0.0)], f32s(f32::INFINITY)),
        ("div", F32, F32, &[f32s(0.0), f32s(0.0)], NAN),
        ("sub", F32, F32, &[f32s(f32::INFINITY), f32s(f32::INFINITY)], NAN),
        ("sqrt", F32, F32, &[f32s(-0.0)], f32s(-0.0)),
        ("sqrt", F32, F32, &[f32s(-1.0)], NAN),
        ("sqrt", F64, F64, &[2.0f64.to_bits()], 0x3ff6_a09e_667f_3bcd),
        // 1 + 2^-11 is half way between 1 and its successor in f16.
        ("add", F16, F16, &[0x3c00, 0x1000], 0x3c00),
        ("add", F16, F16, &[0x3c01, 0x1000], 0x3c02),
        ("mul", F16, F16, &[0x7bff, 0x4000], 0x7c00),
        ("add", BF16, BF16, &[0x3f80, 0x3b80], 0x3f80),
        ("add", BF16, BF16, &[0x3f81, 0x3b80], 0x3f82),
        // (1 + 2^-12)² = 1 + 2^-11 + 2^-24: the last term decides, and only a fused operation sees it.
        (
            "fma",
            F32,
            F32,
            &[f32s(1.0 + 1.0 / 4096.0), f32s(1.0 + 1.0 / 4096.0), f32s(-1.0 - 1.0 / 2048.0)],
            f32s(2f32.powi(-24)),
        ),
        ("round", F32, F32, &[f32s(2.5)], f32s(2.0)),
        ("round", F32, F32, &[f32s(-0.5)], f32s(-0.0)),
        ("floor", F16, F16, &[0xb800], 0xbc00),
        ("ceil", F64, F64, &[0.25f64.to_bits()], 1.0f64.to_bits()),
        ("trunc", BF16, BF16, &[0xbfc0], 0xbf80),
    ]);
}

#[test]
fn extremes_take_the_other_operand_for_a_nan_and_order_the_zeros() {
    let (one, zero, minus_zero) = (f32s(1.0), f32s(0.0), f32s(-0.0));
    check(&[
        ("min", F32, F32, &[NAN, one], one),
        ("max", F32, F32, &[one, 0xffc0_0001], one),
        ("max", F32, F32, &[NAN, NAN], NAN),
        ("min_nan", F32, F32, &[one, 0xffc0_0001], NAN),
        ("max_nan", F16, F16, &[0x3c00, 0xfe00], 0x7fff),
        ("min", F32, F32, &[zero, minus_zero], minus_zero),
        ("max", F32, F32, &[minus_zero, zero], zero),
        ("min_nan", F64, F64, &[0, 1 << 63], 1 << 63),
        ("max_nan", BF16, BF16, &[0x8000, 0], 0),
    ]);
}

#[test]
fn bit_operations_keep_a_nan_as_it_is() {
    check(&[
        ("neg", F32, F32, &[0x7f80_0001], 0xff80_0001),
        ("abs", F32, F32, &[0xffc1_2345], 0x7fc1_2345),
        ("copysign", F32, F32, &[0x7f80_0001, f32s(-0.0)], 0xff80_0001),
        ("neg", F16, F16, &[0x7c01], 0xfc01),
        ("abs", BF16, BF16, &[0xff81], 0x7f81),
        ("bitcast.u32", F32, U32, &[0x7f80_0001], 0x7f80_0001),
        ("bitcast.f32", U32, F32, &[0x7f80_0001], 0x7f80_0001),
        ("bitcast.bf16", F16, BF16, &[0x7c01], 0x7c01),
    ]);
}

#[test]
fn a_bitcast_of_a_computed_nan_is_canonical() {
    let bitcast = |op: &str| {
        let text = format!(
            "kernel @k(x: global f32, mut out: global u32) {{ v0 = program_id.x v1 = load x[v0] {op} store out[v0], v9 }}"
        );
        let x = Buffer::from_literals(F32, &[Literal::from_bits(F32, 0xff80_0001)]);
        written(&run_text(&text, Launch::linear(1, 1), vec![("x", x), ("out", u32s(1))]).unwrap(), "out")[0]
    };
    assert_eq!(bitcast("v9 = bitcast.u32 v1"), 0xff80_0001);
    assert_eq!(bitcast("v2 = abs v1 v9 = bitcast.u32 v2"), NAN);
    assert_eq!(bitcast("v2 = add v1, v1 v9 = bitcast.u32 v2"), NAN);
    assert_eq!(bitcast("v2 = select true, v1, v1 v9 = bitcast.u32 v2"), NAN);
    assert_eq!(bitcast("v2 = bitcast.u32 v1 v3 = bitcast.f32 v2 v9 = bitcast.u32 v3"), 0xff80_0001);
    assert_eq!(bitcast("v2 = const f32:0x7f800001 v9 = bitcast.u32 v2"), 0x7f80_0001);
}

#[test]
fn comparisons_follow_ieee_and_the_sign_of_the_type() {
    let (one, zero, minus_zero) = (f32s(1.0), f32s(0.0), f32s(-0.0));
    check(&[
        ("eq", F32, Bool, &[zero, minus_zero], 1),
        ("lt", F32, Bool, &[minus_zero, zero], 0),
        ("eq", F32, Bool, &[NAN, NAN], 0),
        ("ne", F32, Bool, &[NAN, NAN], 1),
        ("lt", F32, Bool, &[one, NAN], 0),
        ("ge", F32, Bool, &[one, NAN], 0),
        ("le", F16, Bool, &[0xbc00, 0x3c00], 1),
        ("gt", BF16, Bool, &[0x3f80, 0xff80], 1),
        ("eq", F16, Bool, &[0x0000, 0x8000], 1),
        ("lt", I8, Bool, &[0xff, 0], 1),
        ("lt", U8, Bool, &[0xff, 0], 0),
        ("gt", U64, Bool, &[1 << 63, 0], 1),
        ("gt", I64, Bool, &[1 << 63, 0], 0),
        ("ne", Bool, Bool, &[1, 0], 1),
    ]);
}

#[test]
fn conversions_round_saturate_and_wrap() {
    check(&[
        ("cvt.i32", F32, I32, &[f32s(-2.7)], int(-2)),
        ("cvt.i32", F32, I32, &[f32s(3e9)], int(i32::MAX.into())),
        ("cvt.u8", F32, U8, &[f32s(-1.0)], 0),
        ("cvt.u8", F16, U8, &[0x7c00], 255),
        ("cvt.i64", F64, I64, &[f64::NAN.to_bits()], 0),
        ("cvt.i8", F32, I8, &[f32s(-1000.0)], 0x80),
        ("cvt.u64", F32, U64, &[f32s(f32::INFINITY)], u64::MAX),
        ("cvt.u8", I32, U8, &[int(-1)], 255),
        ("cvt.i64", I8, I64, &[0xff], int(-1)),
        ("cvt.i64", U8, I64, &[0xff], 255),
        ("cvt.f32", U32, F32, &[0xffff_ffff], f32s(4_294_967_296.0)),
        ("cvt.f32", I64, F32, &[int(-16_777_217)], f32s(-16_777_216.0)),
        ("cvt.f16", U32, F16, &[65_520], 0x7c00),
        ("cvt.f16", F32, F16, &[f32s(1e-7)], 0x0002),
        ("cvt.bf16", F32, BF16, &[f32s(f32::MAX)], 0x7f80),
        ("cvt.f32", F16, F32, &[0x0001], f32s(2f32.powi(-24))),
        ("cvt.f32", F16, F32, &[0x7c01], NAN),
        ("cvt.f16", F16, F16, &[0xfc01], 0xfc01),
        // Just above half way between two bf16 numbers; through f32 it would become the half and round down.
        ("cvt.bf16", F64, BF16, &[(1.0 + 2f64.powi(-8) + 2f64.powi(-40)).to_bits()], 0x3f81),
        ("cvt.bool", F32, Bool, &[NAN], 1),
        ("cvt.bool", F32, Bool, &[f32s(-0.0)], 0),
        ("cvt.bool", U64, Bool, &[1 << 40], 1),
        ("cvt.bf16", Bool, BF16, &[1], 0x3f80),
        ("cvt.u16", Bool, U16, &[1], 1),
    ]);
}

#[test]
fn select_moves_bits_and_a_foreign_bool_counts_as_true() {
    let text = "kernel @k(c: global bool, x: global f32, mut out: global f32) {
        v0 = program_id.x v1 = load c[v0] v2 = load x[v0] v3 = const -1.0f32
        v4 = select v1, v2, v3 store out[v0], v4 }";
    let x = Buffer::from_literals(F32, &[Literal::from_bits(F32, 0x7f80_0001); 3]);
    let c = Buffer::from_bytes(Bool, vec![0, 1, 0xfe]);
    let out = Buffer::uninitialised(F32, 3);
    let args = run_text(text, Launch::linear(3, 32), vec![("c", c), ("x", x), ("out", out)]).unwrap();
    assert_eq!(written(&args, "out"), [f32s(-1.0), 0x7f80_0001, 0x7f80_0001]);
}
