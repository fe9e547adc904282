//! Approximate functions: few instructions of hardware each, bits that differ between chips, and a stated error.
//!
//! A kernel chooses them call by call, `approx::exp(x)`, or for a whole body by naming them at its head,
//! `use approx::{exp, silu};`: an import by name goes before the vocabulary's. A case of such a kernel declares
//! `.approx("why", tolerance)` and is counted apart.
//!
//! They work on `f32`. `f16`, `bf16` and integers go through `f32`, and the result is rounded once to the float type; an
//! `f64` is refused, for no chip approximates it. Bounds are relative unless they say otherwise. The first is what a
//! kernel may count on: the PTX ISA manual's (section Floating Point Instructions), and where that is not above the
//! measured one, the next power of two; the second was measured on an sm_90 over 2²⁴ inputs.
//!
//! | word | bound | measured | on Metal (`fast` functions, Metal Shading Language Specification) |
//! | --- | --- | --- | --- |
//! | `exp2` | 2 ulp, subnormal results too | 2 ulp | 3 + ⌊2·abs(x)⌋ ulp |
//! | `log2` | 2^−22; absolutely for 0.5 < x < 2 | 2^−22.96; absolutely 2^−22.15 | 3 ulp; absolutely 2^−21 |
//! | `sin`, `cos` | 2^−20 absolutely for abs(x) ≤ 2π, 2^−14 for abs(x) ≤ 100π, beyond that none | 2^−20.4, 2^−14.74 | 2^−13 absolutely for abs(x) ≤ π |
//! | `tanh` | 2^−11 | 2^−16.5 | not stated |
//! | `rsqrt` | 2^−22.9 | 2^−22.94 | 2 ulp |
//! | `recip` | 1 ulp | 1 ulp | 1 ulp |
//! | `sqrt` | 2^−23 | 2^−23.25 | as x · rsqrt(x) |
//! | `exp` | 2^−22 + abs(x) · 2^−23 | 2^−22.5, 2^−20.9, 2^−18 for abs(x) ≤ 1, 9, 87 | |
//! | `log` | 2^−21; absolutely for 0.5 < x < 2 | 2^−22.6 | |
//! | `sigmoid`, `silu` | 2^−21 + abs(x) · 2^−23 for x ≥ −87 | 2^−22, 2^−20.75, 2^−17.97 for abs(x) ≤ 1, 9, 87 | |
//!
//! Deliberately not here: the reproducible functions of the same names.

use super::build::with;
use super::error::BuildError;
use super::ops::arithmetic;
use super::val::{IntoVal, Val};
use crate::ir::op::{Approx, ApproxOp, BinaryOp};
use crate::ir::{DType, Literal};

/// The operand in `f32`, and the type of the result.
fn single(value: impl IntoVal) -> (Val, DType) {
    let value = value.val();
    let dtype = value.dtype();
    let weak = !value.is_strong();
    with(|build| {
        if dtype == DType::F64 && !weak {
            build.error(BuildError::Refused {
                what: "an approximation of an `f64`".into(),
                help: "cast to `f32` first, or use the reproducible function",
            });
        }
        let result = if dtype.is_float() && dtype != DType::F64 { dtype } else { DType::F32 };
        (build.adopt(value, DType::F32), result)
    })
}

/// Computes in `f32` and rounds once.
fn through_f32(value: impl IntoVal, body: impl FnOnce(Val) -> Val) -> Val {
    let (x, dtype) = single(value);
    let result = body(x);
    with(|build| build.adopt(result, dtype))
}

fn apply(op: ApproxOp, x: Val) -> Val {
    with(|build| {
        let a = build.id(x);
        build.value(Approx { op, a })
    })
}

fn constant(value: f32) -> Val {
    Val::constant(Literal::f32(value))
}

fn times(x: Val, factor: f32) -> Val {
    arithmetic(BinaryOp::Mul, x, constant(factor))
}

/// 1 / (1 + e^−x).
fn logistic(x: Val) -> Val {
    let power = apply(ApproxOp::Exp2, times(x, -std::f32::consts::LOG2_E));
    apply(ApproxOp::Recip, arithmetic(BinaryOp::Add, power, constant(1.0)))
}

macro_rules! hardware {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(value: impl IntoVal) -> Val {
            through_f32(value, |x| apply(ApproxOp::$op, x))
        }
    )*};
}

hardware! {
    /// 2^x, within 2 ulp (`ex2.approx.f32`, which is all that CUDA's `exp2f` is).
    exp2 = Exp2;
    /// The binary logarithm (`lg2.approx.f32`): within 2^−22, absolutely for 0.5 < x < 2.
    log2 = Log2;
    /// The sine (`sin.approx.f32`): within 2^−20 absolutely for |x| ≤ 2π, 2^−14 for |x| ≤ 100π.
    sin = Sin;
    /// The cosine (`cos.approx.f32`), with the sine's bounds.
    cos = Cos;
    /// The hyperbolic tangent (`tanh.approx.f32`), within 2^−11.
    tanh = Tanh;
    /// 1/√x (`rsqrt.approx.f32`), within 2^−22.9.
    rsqrt = Rsqrt;
    /// 1/x (`rcp.approx.f32`), within 1 ulp.
    recip = Recip;
    /// √x (`sqrt.approx.f32`), within 2^−23.
    sqrt = Sqrt;
}

/// e^x as 2^(x · log₂ e): within 2^−22 + |x| · 2^−23. The product's rounding and the constant's, 2^−24 and 2^−26 of
/// |x| · log₂ e, become an error of the result multiplied by ln 2.
pub fn exp(value: impl IntoVal) -> Val {
    through_f32(value, |x| apply(ApproxOp::Exp2, times(x, std::f32::consts::LOG2_E)))
}

/// The natural logarithm as log₂ x · ln 2: within 2^−21, which is `log2`'s bound and two roundings; absolutely for
/// 0.5 < x < 2.
pub fn log(value: impl IntoVal) -> Val {
    through_f32(value, |x| times(apply(ApproxOp::Log2, x), std::f32::consts::LN_2))
}

/// 1 / (1 + e^−x): within 2^−21 + |x| · 2^−23 for x ≥ −87, and 0 below −89.
pub fn sigmoid(value: impl IntoVal) -> Val {
    through_f32(value, logistic)
}

/// x · sigmoid(x), with `sigmoid`'s bound; NaN of −∞, which is the product of −∞ and 0.
pub fn silu(value: impl IntoVal) -> Val {
    through_f32(value, |x| arithmetic(BinaryOp::Mul, x, logistic(x)))
}
