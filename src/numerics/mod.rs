//! What every scalar operation gives, to the bit: number formats, conversions, arithmetic, and distances.
//!
//! The oracle and the emulator both compute with these functions, so they are the numerics contract in code;
//! `docs/semantics.md` is the same in words. The traits [`Float`] and [`Int`] hold the operations, [`Convert`] the
//! conversions, and [`ulp_distance`] what the comparator counts in. Method names carry a prefix (`fadd`, `imul_hi`)
//! because the standard library's own `f32::min` or `f32::round` would win over a trait method of the same name and
//! mean something else.
//!
//! What holds:
//! - each operation rounds exactly once, to nearest even, and keeps subnormals;
//! - a NaN that an operation makes is the canonical one of its format (sign 0, all other bits 1); `fabs`, `fneg` and
//!   `fcopysign` are bit operations and leave a NaN's payload alone;
//! - nothing panics and nothing depends on the host: f32 and f64 use the host's IEEE operations, which Rust
//!   defines; everything else is integer work or an f32/f64 step proved not to round twice.
//!
//! [`decode`] and [`encode`] are the slow, format-driven codec: a further format is a further [`Format`] value. The
//! fast paths must give its bits, and the tests compare them.
//!
//! [`Storage`] and the types beside it are the formats that only hold numbers: 8 bits and narrower, and tf32.
//!
//! [`tensor`] has the matrix units. Deliberately not here: transcendentals (`math`).

pub mod approx;
mod codec;
mod convert;
mod float;
mod format;
mod int;
mod narrow;
mod round;
pub mod soft;
pub mod storage;
pub mod tensor;
#[cfg(test)]
mod tests;
mod ulp;

pub use half::{bf16, f16};

pub use codec::{Exact, Overflow, decode, encode, encode_power};
pub use convert::Convert;
pub use float::Float;
pub use format::{Format, Specials};
pub use int::Int;
pub use narrow::{
    bf16_from_f32, bf16_from_f64, bf16_to_f32, f16_from_f32, f16_from_f64, f16_to_f32, f32_from_f64,
    f32_from_f64_with, narrow_bits, odd_f32_from_f64, widen_bits,
};
pub use round::{Rounding, add_to_odd, shift_right};
pub use storage::{
    CastMode, Odd, Storage, e2m1, e2m3, e3m2, e4m3, e5m2, e8m0, int_decode, int_encode, tf32, ue4m3,
};
pub use ulp::{FAR, ulp_distance, ulp_distance_bits};
