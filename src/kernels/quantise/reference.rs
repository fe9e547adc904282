//! What the kernels should compute, to the bit.

use super::super::rounding::real;
use super::codec::{decode, emax, encode, power, tf32};
use crate::case::TestBuffer;
use crate::ir::DType;

/// Codes as a buffer.
fn codes(name: &str, codes: &[u32], dtype: DType) -> TestBuffer {
    let size = dtype.size() as usize;
    let bytes = codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(size)).collect();
    TestBuffer::from_vec(name, bytes, dtype)
}

/// Codes, and what they hold in f32.
fn held(found: Vec<u32>, dtype: DType) -> [TestBuffer; 2] {
    let numbers: Vec<f64> = found.iter().map(|&code| decode(code, dtype)).collect();
    [codes("q", &found, dtype), TestBuffer::from_f64("y", &numbers, DType::F32)]
}

pub(super) fn round_trip(x: &TestBuffer, dtype: DType, nonsat: bool) -> [TestBuffer; 2] {
    held(x.as_f64().into_iter().map(|x| encode(x, dtype, nonsat)).collect(), dtype)
}

pub(super) fn powers(x: &TestBuffer, up: bool) -> [TestBuffer; 2] {
    held(x.as_f64().into_iter().map(|x| power(x, up)).collect(), DType::E8M0)
}

pub(super) fn truncate(x: &TestBuffer) -> [TestBuffer; 2] {
    held(x.as_f64().into_iter().map(|x| tf32(x, true)).collect(), DType::TF32)
}

/// The numbers of a buffer of codes.
pub(super) fn dequantise(bytes: &[u8], from: DType, to: DType) -> TestBuffer {
    let words = bytes.chunks_exact(from.size() as usize);
    let code = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |code, &byte| code << 8 | u32::from(byte));
    let numbers: Vec<f64> = words.map(|bytes| real(decode(code(bytes), from), to)).collect();
    TestBuffer::from_f64("y", &numbers, to)
}

/// The largest magnitude; a NaN does not count.
fn largest(block: &[f64]) -> f64 {
    block.iter().fold(0.0, |most, x| if x.abs() > most { x.abs() } else { most })
}

/// What f32 arithmetic gives of f32 operands: f64 has 53 ≥ 2 · 24 + 2 digits, so the second rounding is harmless.
fn single(x: f64) -> f64 {
    real(x, DType::F32)
}

/// Scales, codes and numbers of a buffer in blocks.
pub(super) fn blocks(
    x: &TestBuffer,
    size: usize,
    dtype: DType,
    scale_type: DType,
    scale_of: impl Fn(f64) -> u32,
) -> [TestBuffer; 3] {
    let (mut scales, mut found, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for block in x.as_f64().chunks(size) {
        let code = scale_of(largest(block));
        let scale = decode(code, scale_type);
        scales.push(code);
        for &x in block {
            let quotient = if scale == 0.0 { 0.0 } else { single(x / scale) };
            let code = encode(quotient, dtype, false);
            found.push(code);
            numbers.push(single(decode(code, dtype) * scale));
        }
    }
    [
        codes("s", &scales, scale_type),
        codes("q", &found, dtype),
        TestBuffer::from_f64("y", &numbers, DType::F32),
    ]
}

pub(super) fn block_mx(x: &TestBuffer, dtype: DType) -> [TestBuffer; 3] {
    let inverse = 2f64.powi(-emax(dtype));
    blocks(x, 32, dtype, DType::E8M0, |largest| power(single(largest * inverse), false))
}

pub(super) fn block_nv(x: &TestBuffer) -> [TestBuffer; 3] {
    blocks(x, 16, DType::E2M1, DType::UE4M3, |largest| encode(single(largest / 6.0), DType::UE4M3, false))
}

/// Words of `count` codes each, and what the codes hold.
pub(super) fn packed(x: &TestBuffer, count: usize, dtype: DType) -> [TestBuffer; 2] {
    let found: Vec<u32> = x.as_f64().into_iter().map(|x| encode(x, dtype, false)).collect();
    let numbers: Vec<f64> = found.iter().map(|&code| decode(code, dtype)).collect();
    [codes("words", &in_words(&found, count), DType::U32), TestBuffer::from_f64("y", &numbers, DType::F32)]
}

fn in_words(codes: &[u32], count: usize) -> Vec<u32> {
    let bits = 32 / count as u32;
    let word = |codes: &[u32]| codes.iter().rev().fold(0u32, |word, code| word << bits | code);
    codes.chunks(count).map(word).collect()
}

/// The integers of `bits` bits nearest to x / scale, and their products with the scale.
fn integers(x: &TestBuffer, scale: f32, bits: u32) -> (Vec<i32>, Vec<f64>) {
    let scale = f64::from(scale);
    let (low, high) = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1);
    let nearest = |x: f64| {
        let quotient = single(x / scale).round_ties_even();
        if quotient.is_nan() { 0 } else { quotient.clamp(f64::from(low), f64::from(high)) as i32 }
    };
    let found: Vec<i32> = x.as_f64().into_iter().map(nearest).collect();
    let numbers = found.iter().map(|&code| single(f64::from(code) * scale)).collect();
    (found, numbers)
}

pub(super) fn int8(x: &TestBuffer, scale: f32) -> [TestBuffer; 2] {
    let (found, numbers) = integers(x, scale, 8);
    let found: Vec<u32> = found.into_iter().map(|code| code as u32 & 0xff).collect();
    [codes("q", &found, DType::I8), TestBuffer::from_f64("y", &numbers, DType::F32)]
}

pub(super) fn int4(x: &TestBuffer, scale: f32) -> [TestBuffer; 2] {
    let (found, numbers) = integers(x, scale, 4);
    let found: Vec<u32> = found.into_iter().map(|code| code as u32 & 0xf).collect();
    [codes("words", &in_words(&found, 8), DType::U32), TestBuffer::from_f64("y", &numbers, DType::F32)]
}
