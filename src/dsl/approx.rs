//! Approximate functions: few instructions of hardware each, bits that differ between chips, and a stated error.
//!
//! A kernel chooses them call by call, `approx::exp(x)`, or for a whole body by naming them at its head,
//! `use approx::{exp, silu};`: an import by name goes before the vocabulary's. A case of such a kernel declares
//! `.approx("why", tolerance)` and is counted apart.
//!
//! They work on `f32`. `f16`, `bf16` and integers go through `f32`, and the result is rounded once to the float type; an
//! `f64` is refused, for no chip approximates it. The error of each word is that of its PTX instruction as the PTX ISA
//! manual (section Floating Point Instructions) bounds it, plus the roundings around it, counted; Metal's bounds
//! (Metal Shading Language Specification, ULP values of `fast` math) stand beside where they are wider. An error is
//! relative unless it says otherwise. Deliberately not here: the reproducible functions of the same names.

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
    /// 2^x, within 2 ulp (`ex2.approx.f32`); on Metal 3 + ⌊2·|x|⌋ ulp.
    exp2 = Exp2;
    /// The binary logarithm (`lg2.approx.f32`): within 2^−22 of the result for x below 0.5 or above 2, and by 2^−22
    /// absolutely between. On Metal 3 ulp, and 2^−21 absolutely between.
    log2 = Log2;
    /// The sine (`sin.approx.f32`): within 2^−20.5 absolutely for |x| ≤ 2π and 2^−14.7 for |x| ≤ 100π; beyond that
    /// nothing is promised. On Metal 2^−13 absolutely for |x| ≤ π.
    sin = Sin;
    /// The cosine (`cos.approx.f32`), with the sine's bounds.
    cos = Cos;
    /// The hyperbolic tangent (`tanh.approx.f32`), within 2^−11; its bound on Metal is not stated.
    tanh = Tanh;
    /// 1/√x (`rsqrt.approx.f32`), within 2^−22.9; on Metal 2 ulp.
    rsqrt = Rsqrt;
    /// 1/x (`rcp.approx.f32`), within 1 ulp.
    recip = Recip;
    /// √x (`sqrt.approx.f32`), within 2^−23; on Metal as x · rsqrt(x).
    sqrt = Sqrt;
}

/// e^x as 2^(x · log₂ e): within 2^−22 + |x| · 2^−23, which is 2^−16.5 at the ends of the range. The product's rounding
/// and the constant's, 2^−24 each of |x| · log₂ e, become an error of the result multiplied by ln 2.
pub fn exp(value: impl IntoVal) -> Val {
    through_f32(value, |x| apply(ApproxOp::Exp2, times(x, std::f32::consts::LOG2_E)))
}

/// The natural logarithm as log₂ x · ln 2: `log2`'s bounds and two roundings, 2^−23, more.
pub fn log(value: impl IntoVal) -> Val {
    through_f32(value, |x| times(apply(ApproxOp::Log2, x), std::f32::consts::LN_2))
}

/// 1 / (1 + e^−x): within 2^−21 + |x| · 2^−23 for x ≥ −87, and 0 below −89.
pub fn sigmoid(value: impl IntoVal) -> Val {
    through_f32(value, logistic)
}

/// x · sigmoid(x), with `sigmoid`'s bound and one rounding more; NaN of −∞, which is the product of −∞ and 0.
pub fn silu(value: impl IntoVal) -> Val {
    through_f32(value, |x| arithmetic(BinaryOp::Mul, x, logistic(x)))
}
