//! Rows on which a softmax goes wrong if it is written carelessly. What each gives is in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::cases::on_rows;
use super::kernel::{row_softmax, row_softmax_online};
use super::reference;

/// Pairs: exponentials that overflow unless the greatest is subtracted, and numbers whose squares or sums would.
pub(super) fn pairs(dt: DType) -> TestBuffer {
    let far = if dt == DType::F16 { 65_504.0 } else { 1e30 };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let values = [
        [2000.0, 1999.0],
        [1999.0, 2000.0],
        [-far, -far],
        [far, far],
        [far, -far],
        [-inf, 0.0],
        [-inf, -inf],
        [inf, 1.0],
        [inf, inf],
        [-inf, inf],
        [nan, 1.0],
        [1.0, nan],
        [nan, -inf],
        [-0.0, 0.0],
    ];
    TestBuffer::from_f64("x", values.as_flattened(), dt).shaped([values.len(), 2])
}

/// Rows of 67: masked in part, in whole, with a NaN, an infinity, differences whose exponential is subnormal or
/// vanishes, subnormal and huge numbers.
pub(super) fn rows(dt: DType) -> TestBuffer {
    let (n, inf) = (67, f64::INFINITY);
    let (huge, tiny) = if dt == DType::F16 { (65_504.0, 6e-8) } else { (3e38, 1e-40) };
    let value = |i: usize| match (i / n, i % n) {
        (0, i) => {
            if i % 3 == 0 {
                -inf
            } else {
                (i % 7) as f64
            }
        }
        (1, _) => -inf,
        (2, 66) => f64::NAN,
        (3, 0) => inf,
        (4, i) => -1.75 * i as f64,
        (5, i) => {
            if i % 2 == 0 {
                tiny
            } else {
                -tiny
            }
        }
        (6, i) => {
            if i == 40 {
                huge
            } else {
                -huge
            }
        }
        (7, i) => {
            if i == 66 {
                -3.0
            } else {
                -inf
            }
        }
        (_, i) => (i % 13) as f64 * 0.5 - 2.0,
    };
    let values: Vec<f64> = (0..9 * n).map(value).collect();
    TestBuffer::from_f64("x", &values, dt).shaped([9, n])
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(16), f16: ulp(1), bf16: ulp(1)])]
fn row_softmax_pairs(dt: DType) -> TestSetup {
    let x = pairs(dt);
    let want = reference::softmax(&x, 2);
    on_rows(row_softmax::kernel_ir_for(dt), x, 32).expect("out", want)
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(16), f16: ulp(1), bf16: ulp(1)])]
fn row_softmax_online_pairs(dt: DType) -> TestSetup {
    let x = pairs(dt);
    let want = reference::softmax_online(&x, 2);
    on_rows(row_softmax_online::kernel_ir_for(dt), x, 32).expect("out", want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: ulp(16), f16: ulp(1), bf16: ulp(1)],
    variants(CTA = [32, 96], suffix = "_{CTA}")
)]
fn row_softmax_rows(dt: DType) -> TestSetup {
    let x = rows(dt);
    let want = reference::softmax(&x, 67);
    on_rows(row_softmax::kernel_ir_for(dt), x, CTA).expect("out", want)
}

#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: ulp(16), f16: ulp(1), bf16: ulp(1)],
    variants(CTA = [32, 96], suffix = "_{CTA}")
)]
fn row_softmax_online_rows(dt: DType) -> TestSetup {
    let x = rows(dt);
    let want = reference::softmax_online(&x, 67);
    on_rows(row_softmax_online::kernel_ir_for(dt), x, CTA).expect("out", want)
}
