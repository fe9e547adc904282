//! Values, literals, operators, promotion: section 4.

use crate::{body, refused, text};
use warpsmith::dsl::prelude::*;

#[kernel]
pub fn promote<T, U>(x: Tensor<T>, y: Tensor<U>, mut out: Tensor<f64>) {
    let sum = load(x[0]) + load(y[0]);
    out[0] = sum;
}

#[test]
fn there_is_one_promotion_table() {
    use DType::*;
    let type_of = |a, b| {
        let kernel = promote::kernel_ir_for(a, b).unwrap();
        kernel.values.values().find(|value| value.name.as_deref() == Some("sum")).unwrap().dtype
    };
    for (a, b, want) in [
        (F32, F32, F32),
        (I32, F16, F16),
        (F16, F32, F32),
        (F16, BF16, F32),
        (F64, BF16, F64),
        (U8, U32, U32),
        (I8, U32, U32),
        (U32, I32, U32),
        (I64, U32, I64),
        (U64, I64, U64),
        (Bool, I16, I16),
        (Bool, F16, F16),
        (Bool, Bool, U32),
        (U64, F16, F16),
    ] {
        assert_eq!(type_of(a, b), want, "{a} with {b}");
        assert_eq!(type_of(b, a), want, "{b} with {a}");
    }
}

#[kernel]
pub fn literals<T>(x: Tensor<T>, mut out: Tensor<f32>) {
    let a = load(x[0]) + 1;
    let b = load(x[0]) * 0.5;
    let c = 0u32 - 1u32;
    let d = 3;
    let e = -3;
    out[c] = a + b + d + e + 0xFFFFFFFFu32;
}

#[test]
fn an_unsuffixed_literal_takes_the_other_type() {
    let half = body(literals::kernel_ir_for(DType::F16));
    assert!(half.contains("const 1.0f16") && half.contains("const 0.5f16"), "{half}");
    assert!(half.contains("const 4294967295u32"), "{half}");
    let int = body(literals::kernel_ir_for(DType::I32));
    assert!(int.contains("const 1i32") && int.contains("const 0.5f32"), "{int}");
}

#[kernel]
pub fn integers(x: Tensor<i32>, y: Tensor<u8>, mut out: Tensor<i32>) {
    let (a, b) = (load(x[0]), load(y[0]));
    out[0] = a >> 3u32;
    out[1] = b << 8u32;
    out[2] = a % 7;
    out[3] = !a;
    out[4] = max(a, -1);
    out[5] = min(b, 200);
    out[6] = (a & 0xFF) | (a ^ 1);
    out[7] = 1 << b;
    out[8] = !(a < 0);
}

#[test]
fn integer_operations_stay_integer() {
    let text = text(integers::kernel_ir());
    // `>>` of a signed value stays signed beside an unsigned count.
    assert!(!text.contains("f32"), "{text}");
    let kernel = integers::kernel_ir().unwrap();
    let mut shifts = Vec::new();
    kernel.walk(kernel.body, &mut |_, inst| {
        if let warpsmith::ir::Op::Binary(binary) = &inst.op
            && matches!(binary.op, warpsmith::ir::op::BinaryOp::Shr | warpsmith::ir::op::BinaryOp::Shl)
        {
            shifts.push(kernel.dtype(inst.results[0]));
        }
    });
    assert_eq!(shifts, [DType::I32, DType::U32, DType::U8]);
}

#[kernel]
pub fn functions<T>(x: Tensor<T>, mut out: Tensor<T>) {
    let v = load(x[0]);
    let mut s = sqrt(v) + rsqrt(v) + recip(v) + abs(v) + sign(v) + floor(v) + ceil(v) + trunc(v) + round(v);
    s = s + fma(v, 2.0, 1.0) + copysign(v, -1.0) + max_nan(v, 0.0) + min_nan(v, s) + relu(v);
    s = select(v > 0.0, s, neg_infinity());
    s = select(v == 0.0, infinity(), s) + nan();
    out[0] = s;
}

#[test]
fn functions_of_reals_keep_the_type() {
    let body = body(functions::kernel_ir_for(DType::F16));
    for op in [
        "sqrt", "div", "abs", "floor", "ceil", "trunc", "round", "fma", "copysign", "max_nan", "min_nan",
        "max ",
    ] {
        assert!(body.contains(&format!("= {op}")), "{op}\n{body}");
    }
    assert!(body.contains("const f32:0x7fc00000") && body.contains("const f32:0xff800000"), "{body}");
}

#[kernel]
pub fn bits(x: Tensor<u32>, y: Tensor<i32>, mut out: Tensor<u32>) {
    let (v, w) = (load(x[0]), load(y[0]));
    out[0] = popcount(v) + clz(v) + ctz(w);
    out[1] = bitfield_extract(v, 3, 5);
    out[2] = bitfield_extract(w, 3u32, 5u32);
    out[3] = bitfield_insert(v, w, 8, 4);
    out[4] = byte_perm(v, w, 0x3210);
    out[5] = mul_hi(v, 10u32);
    out[6] = bitcast::<u32>(w) + bitcast::<u32>(w.cast::<f32>());
}

#[test]
fn bit_operations_build() {
    let body = body(bits::kernel_ir());
    for op in ["popcount", "clz", "ctz", "mul_hi", "bitcast.u32", "shl", "shr"] {
        assert!(body.contains(op), "{op}\n{body}");
    }
}

#[kernel]
pub fn casts<T>(x: Tensor<T>, mut out: Tensor<u8>) {
    let v = load(x[0]);
    out[0] = v.cast::<u8>();
    out[1] = cast::<u8>(v);
    out[2] = v;
    out[3] = v.cast::<T>().cast::<bf16>().cast::<f16>();
    out[4] = 300.5f32.cast::<u8>();
    out[5] = 255u8;
}

#[test]
fn a_store_converts_to_the_buffer() {
    let body = body(casts::kernel_ir_for(DType::F32));
    assert_eq!(body.matches("cvt.u8").count(), 5, "{body}");
    assert!(body.contains("cvt.bf16") && body.contains("cvt.f16"), "{body}");
}

#[kernel]
pub fn too_large(x: Tensor<u8>, mut out: Tensor<u8>) {
    out[0] = load(x[0]) + 300;
    out[1] = load(x[0]) + (-1);
}

#[test]
fn a_literal_that_does_not_fit_is_an_error() {
    assert_eq!(refused(too_large::kernel_ir()), "`300` does not fit `u8`");
}
