//! To narrow formats and back: by element, in scaled blocks, and packed into words.
//!
//! | kernel | formula | rounding | judged by |
//! | --- | --- | --- | --- |
//! | `round_trip` | q = x as D; y = q | once to D, the largest number for what is beyond it; y exact | bits |
//! | `round_trip_nonsat` | the same | beyond the largest number ∞ (e5m2) or NaN (e4m3, ue4m3) | bits |
//! | `power_rz`, `power_rp` | q = x as e8m0; y = q | toward zero, up; 00 for x ≤ 0 | bits |
//! | `truncate` | q = x as tf32; y = q | toward zero | bits |
//! | `dequantise` | y = q as T | once to T | bits |
//! | `block_mx` | blocks of 32: s = 2^⌊log₂ max abs x⌋ / 2^emax; q = x / s as D; y = q · s | s down to e8m0, quotient in f32, then to D; product in f32 | bits |
//! | `block_nv` | blocks of 16: s = max abs x / 6 as ue4m3; q = x / s as e2m1, 0 where s is 0; y = q · s | each step in f32 | bits |
//! | `pack_4`, `pack_8` | four (eight) x as codes of D in a word, the first lowest; y = the codes unpacked | once to D | bits |
//! | `int8` | q = x / s to the nearest i8, ties to even, clamped, NaN → 0; y = q · s | quotient and product in f32 | bits |
//! | `int4` | the same in −8…7, eight to a word | the same | bits |
//!
//! `emax` is the exponent of D's largest number, so that a block's largest number fits D's range (OCP MX 1.0, 6.3). The
//! largest ignores NaN. Kept simple: one thread a block, one thread a word.

mod cases;
mod codec;
pub mod kernel;
mod reference;
