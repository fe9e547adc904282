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
//! written with operators, one that isn't with [`Ops::fma`]; nothing else fuses. [`double`] has sums and products of two
//! f32 for where one isn't enough.
//!
//! Deliberately not here: what hardware approximates (`ex2.approx` and its like are an operation of the IR).

mod cbrt;
pub mod double;
mod erf;
mod erfc;
mod erfinv;
mod exp;
mod exp2;
mod gaussian;
mod gelu_erf;
mod native;
mod ops;
mod remainder;
mod rsqrt;

pub use cbrt::cbrt;
pub use erf::erf;
pub use erfc::erfc;
pub use erfinv::erfinv;
pub use exp::exp;
pub use exp2::{exp2, scale};
pub use gelu_erf::gelu_erf;
pub use native::Bits;
pub use ops::{Ops, Word};
pub use remainder::remainder;
pub use rsqrt::rsqrt;
