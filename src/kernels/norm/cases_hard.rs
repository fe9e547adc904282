//! Rows at the ends of what `rms_norm` is defined on. What its formula gives there is in the family's table.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::rms_norm;
use super::reference;

fn rms_norm_rows(rows: &[Vec<f64>], cta: u32, eps: f32, dt: DType) -> TestSetup {
    let n = rows.first().map_or(0, Vec::len);
    let x = TestBuffer::from_f64("x", &rows.concat(), dt).shaped([rows.len(), n]);
    let gain = inputs("gain", [n], dt, Range(0.5, 1.5));
    let want = reference::rms_norm_f32(&x, &gain, eps);
    TestSetup::new(rms_norm::kernel_ir_for(dt))
        .input(x)
        .input(gain)
        .output("out", [rows.len(), n], dt)
        .scalar("eps", eps)
        .scalar("n", n as u32)
        .grid_3d(rows.len(), 1u32, 1u32, [cta, 1, 1])
        .expect("out", want)
}

fn ordinary(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i % 17) as f64 * 0.25 - 2.0).collect()
}

/// Zeros: NaN without eps, zeros with it.
#[test_kernel(
    dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)],
    variants(NAME = ["no_eps", "eps"], EPS = [0.0, 1e-6], suffix = "_{NAME}")
)]
fn rms_norm_zeros(dt: DType) -> TestSetup {
    let n = 70;
    rms_norm_rows(&[ordinary(n), vec![0.0; n], vec![-0.0; n], ordinary(n)], 64, EPS as f32, dt)
}

/// Σ 300² over 2048 is 1.8e8, which f16 hasn't: the sum must not be in the stored type.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)])]
fn rms_norm_of_300(dt: DType) -> TestSetup {
    rms_norm_rows(&[vec![300.0; 2048]], 256, 1e-6, dt)
}

/// Squares of 4.9e19, whose sum is far from f32's end but not from that of 64-bit integers.
#[test_kernel(dtypes = [f32, bf16], tol = [f32: rel(2e-6), bf16: ulp(1)])]
fn rms_norm_of_7e9(dt: DType) -> TestSetup {
    rms_norm_rows(&[vec![7e9; 513], vec![-7e9; 513], ordinary(513)], 128, 1e-6, dt)
}

/// A NaN, an infinity, squares that overflow (not in f16), squares that vanish.
#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: rel(2e-6), f16: ulp(1), bf16: ulp(1)])]
fn rms_norm_hard(dt: DType) -> TestSetup {
    let n = 45;
    let with = |at: usize, value: f64| {
        let mut row = ordinary(n);
        row[at] = value;
        row
    };
    let (huge, tiny) = if dt == DType::F16 { (65_504.0, 6e-8) } else { (3e38, 1e-39) };
    let rows = [
        with(3, f64::NAN),
        with(40, f64::INFINITY),
        with(0, f64::NEG_INFINITY),
        vec![huge; n],
        vec![tiny; n],
        ordinary(n),
    ];
    rms_norm_rows(&rows, 32, 1e-5, dt)
}
