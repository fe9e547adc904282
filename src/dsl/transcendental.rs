//! Transcendental functions and activations: the words of `math` in a kernel's body.
//!
//! Each takes any number: integers as `f32`; f16 and bf16 are computed in f32 and rounded once; f64 is refused, because
//! no f64 sequence is defined. Error bounds and special values are those of the function in [`math`](crate::math).

use super::build::with;
use super::error::BuildError;
use super::math::float;
use super::real::Real;
use super::val::{IntoVal, Val};
use crate::ir::op::BinaryOp;
use crate::ir::{DType, Literal};
use crate::math;

/// An operand as an f32, and the type that the result is rounded to.
fn operand(name: &'static str, value: impl IntoVal) -> (Real, DType) {
    let value = value.val();
    let dtype = float(value.dtype());
    let wide = with(|build| {
        if dtype == DType::F64 {
            build.error(BuildError::Refused {
                what: format!("`{name}` of `f64`"),
                help: "cast to f32 first: functions of reals are defined in f32, so that every target has the same bits",
            });
            return Val::constant(Literal::f32(0.0));
        }
        let value = build.adopt(value, dtype);
        build.convert(value, DType::F32)
    });
    (Real(wide), dtype)
}

fn rounded(name: &'static str, result: Real, dtype: DType) -> Val {
    let result = result.0.named(name);
    with(|build| build.convert(result, dtype))
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub fn $name(x: impl IntoVal) -> Val {
            let (x, dtype) = operand(stringify!($name), x);
            rounded(stringify!($name), math::$name(x), dtype)
        }
    )*};
}

functions! {
    /// The angle in [0, π] whose cosine is x.
    acos
    /// The number ≥ 0 whose hyperbolic cosine is x.
    acosh
    /// The angle in [−π/2, π/2] whose sine is x.
    asin
    /// The number whose hyperbolic sine is x.
    asinh
    /// The angle in [−π/2, π/2] whose tangent is x.
    atan
    /// The number whose hyperbolic tangent is x.
    atanh
    /// Cube root.
    cbrt
    /// Cosine; the argument in radians, of any size.
    cos
    /// Hyperbolic cosine.
    cosh
    /// Error function.
    erf
    /// 1 − erf(x), accurate where that is small.
    erfc
    /// The number whose error function is x.
    erfinv
    /// e^x.
    exp
    /// 2^x.
    exp2
    /// e^x − 1, accurate where that is small.
    expm1
    /// 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), the argument clamped to ±15.
    gelu
    /// 0.5·x·(1 + erf(x/√2)).
    gelu_erf
    /// Natural logarithm.
    log
    /// Decimal logarithm.
    log10
    /// log(1 + x), accurate where that is small.
    log1p
    /// Binary logarithm.
    log2
    /// x·tanh(log(1 + e^x)).
    mish
    /// 1/(1 + e^−x).
    sigmoid
    /// x/(1 + e^−x).
    silu
    /// Sine; the argument in radians, of any size.
    sin
    /// Hyperbolic sine.
    sinh
    /// log(1 + e^x).
    softplus
    /// Tangent; the argument in radians, of any size.
    tan
    /// Hyperbolic tangent.
    tanh
}

/// Sine and cosine of one argument, for less than the two cost apart.
pub fn sin_cos(x: impl IntoVal) -> (Val, Val) {
    let (x, dtype) = operand("sin_cos", x);
    let (sin, cos) = math::sin_cos(x);
    (rounded("sin", sin, dtype), rounded("cos", cos, dtype))
}

/// 1/√x. Of an f64 the quotient, which rounds twice.
pub fn rsqrt(x: impl IntoVal) -> Val {
    let x = x.val();
    if x.dtype() == DType::F64 {
        return super::ops::arithmetic(BinaryOp::Div, 1.0f64, super::math::sqrt(x));
    }
    let (x, dtype) = operand("rsqrt", x);
    rounded("rsqrt", math::rsqrt(x), dtype)
}

macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub fn $name(a: impl IntoVal, b: impl IntoVal) -> Val {
            let (a, b) = (a.val(), b.val());
            let dtype = float(super::promote::common_of(a, b));
            let both = [a, b].map(|operand| with(|build| build.adopt(operand, dtype)));
            let [(a, dtype), (b, _)] = both.map(|both| operand(stringify!($name), both));
            rounded(stringify!($name), math::$name(a, b), dtype)
        }
    )*};
}

of_two! {
    /// The angle in [−π, π] of the point (second, first): `atan2(y, x)`.
    atan2
    /// The first to the power of the second.
    pow
    /// What is left of the first after whole multiples of the second, with the first's sign: C's `fmod`, exactly.
    remainder
}

/// e^x with a relative error of at most 2^−`BITS`, for less: for what is rounded to fewer bits next.
pub fn exp_p<const BITS: u32>(x: impl IntoVal) -> Val {
    let (x, dtype) = operand("exp_p", x);
    rounded("exp", math::exp_p::<BITS, _>(x), dtype)
}

/// 2^x with a relative error of at most 2^−`BITS`, for less: for what is rounded to fewer bits next.
pub fn exp2_p<const BITS: u32>(x: impl IntoVal) -> Val {
    let (x, dtype) = operand("exp2_p", x);
    rounded("exp2", math::exp2_p::<BITS, _>(x), dtype)
}

/// As [`exp_p`], for less still, where x is below 173: above, the result is not defined beyond being some number.
pub fn exp_p_below<const BITS: u32>(x: impl IntoVal) -> Val {
    let (x, dtype) = operand("exp_p_below", x);
    rounded("exp", math::exp_p_below::<BITS, _>(x), dtype)
}

/// As [`exp2_p`], for less still, where x is below 250: above, the result is not defined beyond being some number.
pub fn exp2_p_below<const BITS: u32>(x: impl IntoVal) -> Val {
    let (x, dtype) = operand("exp2_p_below", x);
    rounded("exp2", math::exp2_p_below::<BITS, _>(x), dtype)
}
