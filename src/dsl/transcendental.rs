//! Transcendental functions and activations: the words of `math` in a kernel's body.
//!
//! Each takes any number: integers as `f32`; f16 and bf16 are computed in f32 and rounded once; f64 is refused, because
//! no f64 sequence is defined. Error bounds and special values are those of the function in [`math`](crate::math).

use super::build::with;
use super::error::BuildError;
use super::math::float;
use super::real::Real;
use super::val::{IntoVal, Val};
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
    /// e^x.
    exp
    /// 2^x.
    exp2
}
