//! The functions that are measured, a file a family.

mod exp;
mod special;

use astro_float::BigFloat;

use crate::precise::Precise;

/// A function of one operand.
pub struct Unary {
    /// Its name in `warpsmith::math`.
    pub name: &'static str,
    /// The function on many inputs.
    pub block: fn(&[f32], &mut [f32]),
    /// The right result to about the last place of f64.
    pub reference: fn(f64) -> f64,
    /// The right result to 192 bits.
    pub precise: fn(&mut Precise, f32) -> BigFloat,
    /// The bound that CUDA publishes for its accurate function, in ulps.
    pub cuda_bound: Option<f64>,
}

/// A function of two operands.
pub struct Binary {
    /// Its name in `warpsmith::math`.
    pub name: &'static str,
    /// The function on many pairs.
    pub block: fn(&[(f32, f32)], &mut [f32]),
    /// The right result to about the last place of f64.
    pub reference: fn(f64, f64) -> f64,
    /// The right result to 192 bits.
    pub precise: fn(&mut Precise, f32, f32) -> BigFloat,
    /// A pair by its number, so that the cases that matter are all met.
    pub pair: fn(u64) -> (f32, f32),
    /// The bound that CUDA publishes for its accurate function, in ulps.
    pub cuda_bound: Option<f64>,
}

/// `unary!(exp, f64::exp, |p, x| …, Some(1.0))`: a row, with the loop compiled for what the processor has.
macro_rules! unary {
    ($name:ident, $reference:expr, $precise:expr, $bound:expr) => {{
        #[multiversion::multiversion(targets("x86_64+avx+avx2+fma"))]
        fn block(inputs: &[f32], results: &mut [f32]) {
            for (result, &input) in results.iter_mut().zip(inputs) {
                *result = warpsmith::math::$name(input);
            }
        }
        $crate::functions::Unary {
            name: stringify!($name),
            block,
            reference: $reference,
            precise: $precise,
            cuda_bound: $bound,
        }
    }};
}
pub(crate) use unary;

/// Those of one operand.
#[expect(non_snake_case, reason = "a table made of several")]
pub fn UNARIES() -> impl Iterator<Item = &'static Unary> {
    exp::UNARIES.iter().chain(special::UNARIES)
}

/// Those of two.
pub const BINARIES: &[Binary] = special::BINARIES;
