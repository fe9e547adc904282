//! Functions of reals: each is one fixed sequence of IEEE and integer operations, the same bits on every target.
//!
//! A function is written once, generic over [`Ops`]. With `f32` it runs natively, which is what the sweeps over all
//! 2³² inputs measure; with a traced value it becomes operations of a kernel, whose oracle, PTX and MSL then agree by
//! construction. f16 and bf16 are computed in f32 and rounded once; that is done where the words are defined (`dsl`).
//!
//! What holds of every function of one operand:
//! - its error is at most 1 ulp for each of the 2³² inputs, subnormal results included (`docs/numerics.md` has the
//!   table; `cargo run --release --example ulp -- --all` measures it);
//! - special values are those of C99 Annex F; a NaN gives a NaN;
//! - no f64 is used, because Metal has none and some NVIDIA chips run it at 1/64.
//!
//! How they are written: ordinary inputs run straight-line code; what is rare stands in [`Ops::unless`] or an arm of
//! [`Ops::branch`], which a warp skips when none of its lanes needs it. A product that is rounded before a sum is
//! written with operators, one that isn't with [`Ops::fma`]; nothing else fuses. `double` has sums and products of two
//! f32 for where one isn't enough.
//!
//! Deliberately not here: what hardware approximates (`ex2.approx` and its like are an operation of the IR).

mod acos;
mod acosh;
mod arc;
mod asin;
mod asinh;
mod atan;
mod atan2;
mod atanh;
mod cbrt;
mod cos;
mod cosh;
mod double;
mod erf;
mod erfc;
mod erfinv;
mod exp;
mod exp2;
mod expm1;
mod exponential;
mod gaussian;
mod gelu;
mod gelu_erf;
mod graded;
mod hyperbolic;
mod log;
mod log10;
mod log1p;
mod log2;
mod log_reduce;
mod mish;
mod native;
mod ops;
mod pow;
mod reduction;
mod remainder;
mod rsqrt;
mod sigmoid;
mod silu;
mod sin;
mod sin_cos;
mod sinh;
mod softplus;
mod tan;
mod tanh;

pub use acos::acos;
pub use acosh::acosh;
pub use asin::asin;
pub use asinh::asinh;
pub use atan::atan;
pub use atan2::atan2;
pub use atanh::atanh;
pub use cbrt::cbrt;
pub use cos::cos;
pub use cosh::cosh;
pub use erf::erf;
pub use erfc::erfc;
pub use erfinv::erfinv;
pub use exp::exp;
pub use exp2::exp2;
pub use expm1::expm1;
pub use gelu::gelu;
pub use gelu_erf::gelu_erf;
pub use graded::{exp_p, exp_p_below, exp2_p, exp2_p_below};
pub use log::log;
pub use log1p::log1p;
pub use log2::log2;
pub use log10::log10;
pub use mish::mish;
pub use native::Bits;
pub use ops::{Ops, Word};
pub use pow::pow;
pub use remainder::remainder;
pub use rsqrt::rsqrt;
pub use sigmoid::sigmoid;
pub use silu::silu;
pub use sin::sin;
pub use sin_cos::sin_cos;
pub use sinh::sinh;
pub use softplus::softplus;
pub use tan::tan;
pub use tanh::tanh;
