//! The functions that are measured, a file a family.

mod activation;
mod exp;
mod log;
mod special;
mod trig;

use astro_float::BigFloat;

use crate::precise::Precise;

/// A function of one operand.
pub(crate) struct Unary {
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
pub(crate) struct Binary {
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

/// `binary!(pow, f64::powf, |p, x, y| …, pair, Some(4.0))`: the same for two operands, with where the pairs come from.
macro_rules! binary {
    ($name:ident, $reference:expr, $precise:expr, $pair:expr, $bound:expr) => {{
        #[multiversion::multiversion(targets("x86_64+avx+avx2+fma"))]
        fn block(inputs: &[(f32, f32)], results: &mut [f32]) {
            for (result, &(x, y)) in results.iter_mut().zip(inputs) {
                *result = warpsmith::math::$name(x, y);
            }
        }
        $crate::functions::Binary {
            name: stringify!($name),
            block,
            reference: $reference,
            precise: $precise,
            pair: $pair,
            cuda_bound: $bound,
        }
    }};
}
pub(crate) use binary;

/// Those of one operand.
pub(crate) fn unaries() -> impl Iterator<Item = &'static Unary> {
    [activation::UNARIES, exp::UNARIES, log::UNARIES, special::UNARIES, trig::UNARIES].into_iter().flatten()
}

/// Those of two.
pub(crate) fn binaries() -> impl Iterator<Item = &'static Binary> {
    [log::BINARIES, special::BINARIES, trig::BINARIES].into_iter().flatten()
}
