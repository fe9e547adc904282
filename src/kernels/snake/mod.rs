//! Snake: a periodic activation of audio models, x and a squared sine.
//!
//! | kernel | formula |
//! | --- | --- |
//! | `snake` | x + sin²(alpha · x) / alpha |
//! | `snake_beta` | x + sin²(alpha · x) / beta |
//! | `snake_beta_log` | x + sin²(e^alpha · x) / e^beta |
//!
//! x is `[item, channel, place]`, alpha and beta are by channel; a thread makes one element. Each operation rounds to f32,
//! and T is rounded to once. An alpha (or beta) of 0 is not special: where the sine is 0 too, 0/0 is NaN. An infinite x,
//! and one whose product with alpha overflows, gives NaN.
//!
//! | result | tolerance | reason |
//! | --- | --- | --- |
//! | f32 | rel(1e-6) | the sine 1.2e-7, which the square doubles; square and quotient 6e-8 each; the sum cancels to at least 0.28 of \|x\| where beta ≥ alpha. The product with alpha rounds in the reference too |
//! | f32 `snake_beta_log` | rel(4e-6) | the two powers are 1.2e-7 off, the argument with them: up to 3.6e-7 of the sine |
//! | f16, bf16 | ulp(1) | the f32 value may lie on the other side of a tie of the stored type |
//!
//! Kept simple: no vector access.

mod cases;
pub mod kernel;
mod reference;
