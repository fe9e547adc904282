//! What the kernels should compute, to the bit.

use super::super::rounding::{integer, multiply_add, real, rounded, wrapped};
use crate::case::TestBuffer;
use crate::ir::DType;

/// a + b: exact for integers, and for floats harmless to round twice, since f64 has 53 ≥ 2 · 24 + 2 digits.
pub(super) fn add(name: &str, a: &TestBuffer, b: &TestBuffer) -> TestBuffer {
    let dtype = a.dtype();
    if dtype.is_float() {
        let sums: Vec<_> = a.as_f64().iter().zip(b.as_f64()).map(|(a, b)| a + b).collect();
        return rounded(name, &sums, dtype);
    }
    let sums: Vec<_> = a.as_int().iter().zip(b.as_int()).map(|(a, b)| a + b).collect();
    wrapped(name, &sums, dtype)
}

/// alpha · x + y with product and sum in f32.
pub(super) fn axpy(alpha: f32, x: &TestBuffer, y: &TestBuffer) -> TestBuffer {
    let product = |x: f64| real(f64::from(alpha) * x, DType::F32);
    let values: Vec<_> =
        x.as_f64().iter().zip(y.as_f64()).map(|(&x, y)| real(product(x) + y, DType::F32)).collect();
    rounded("y", &values, y.dtype())
}

/// a · b + c, rounded once.
pub(super) fn fma(a: &TestBuffer, b: &TestBuffer, c: &TestBuffer) -> TestBuffer {
    let terms = a.as_f64().into_iter().zip(b.as_f64()).zip(c.as_f64());
    let values: Vec<_> = terms.map(|((x, y), z)| multiply_add(x, y, z, a.dtype())).collect();
    TestBuffer::from_f64("out", &values, a.dtype())
}

/// x held between two numbers, NaN kept.
pub(super) fn clamp(x: &TestBuffer, low: f64, high: f64) -> TestBuffer {
    let hold = |x: f64| match x {
        x if x.is_nan() => x,
        x if x < low => low,
        x if x > high => high,
        x => x,
    };
    let values: Vec<_> = x.as_f64().into_iter().map(hold).collect();
    TestBuffer::from_f64("out", &values, x.dtype())
}

/// a or b, byte for byte.
pub(super) fn choose(c: &TestBuffer, a: &TestBuffer, b: &TestBuffer) -> TestBuffer {
    let size = a.dtype().size() as usize;
    let elements = |buffer: &TestBuffer| -> Vec<Vec<u8>> {
        buffer.bytes().unwrap_or_default().chunks(size).map(<[u8]>::to_vec).collect()
    };
    let arms = elements(a).into_iter().zip(elements(b)).zip(c.as_int());
    let chosen = arms.flat_map(|((a, b), c)| if c != 0 { a } else { b }).collect();
    TestBuffer::from_vec("out", chosen, a.dtype())
}

/// start + i · step for n elements.
pub(super) fn arange(n: usize, start: i64, step: i64, dtype: DType) -> TestBuffer {
    let values: Vec<i128> = (0..n as i128).map(|i| i128::from(start) + i * i128::from(step)).collect();
    if dtype.is_float() {
        let values: Vec<_> = values.into_iter().map(|value| integer(value, dtype)).collect();
        return TestBuffer::from_f64("out", &values, dtype);
    }
    wrapped("out", &values, dtype)
}

/// start + i · step for n elements, fused in f32. Below 2²⁴ an index is exact in f32.
pub(super) fn linspace(n: usize, start: f32, step: f32, dtype: DType) -> TestBuffer {
    let value = |i: usize| multiply_add(i as f64, step.into(), start.into(), DType::F32);
    rounded("out", &(0..n).map(value).collect::<Vec<_>>(), dtype)
}

/// x in another type.
pub(super) fn cast(x: &TestBuffer, to: DType) -> TestBuffer {
    let (reals, integers) = (x.as_f64(), x.as_int());
    match (x.dtype().is_float(), to.is_float()) {
        (true, true) => rounded("out", &reals, to),
        (true, false) => wrapped("out", &reals.into_iter().map(|x| truncated(x, to)).collect::<Vec<_>>(), to),
        (false, true) => {
            let values: Vec<_> = integers.into_iter().map(|x| integer(x, to)).collect();
            TestBuffer::from_f64("out", &values, to)
        }
        (false, false) if to == DType::Bool => {
            wrapped("out", &integers.into_iter().map(|x| i128::from(x != 0)).collect::<Vec<_>>(), to)
        }
        (false, false) => wrapped("out", &integers, to),
    }
}

/// Toward zero, held to the range, NaN to 0: what `as` means in Rust.
fn truncated(x: f64, to: DType) -> i128 {
    match to {
        DType::Bool => i128::from(x != 0.0),
        DType::I8 => i128::from(x as i8),
        DType::I16 => i128::from(x as i16),
        DType::I32 => i128::from(x as i32),
        DType::I64 => i128::from(x as i64),
        DType::U8 => i128::from(x as u8),
        DType::U16 => i128::from(x as u16),
        DType::U32 => i128::from(x as u32),
        DType::U64 => i128::from(x as u64),
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 | DType::Storage(_) => x as i128,
    }
}
