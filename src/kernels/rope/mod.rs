//! Rotary position embeddings: pairs of a head's elements turned by an angle that grows with the token's position.
//!
//! | kernel | the pair | angle |
//! | --- | --- | --- |
//! | `rope_halves` | i and i + dim/2 | position · direction · base^(−2i/dim) |
//! | `rope_pairs` | 2i and 2i + 1 | the same |
//! | `rope_partial` | i and i + turning/2 of the first `turning` elements; the rest is copied | the same with dim = turning |
//! | `rope_llama3` | as `rope_halves` | the frequency divided by a factor where it turns seldom within the trained context, blended between |
//! | `rope_yarn` | as `rope_halves` | the frequency divided by a factor from a pair on, on a ramp between; the result stretched |
//! | `rope_2d` | as `rope_halves` in each half of the head | by the row of an image in the first half, by the column in the second |
//!
//! x is `[token, head, dim]`. (a, b) becomes (a·cos − b·sin, b·cos + a·sin); a negative direction undoes it.
//!
//! Roundings, all in f32: 2i/dim; times log₂ base, which the launch gives; the exponential of 2; times the position, an
//! integer that is exact below 2²⁴. Cosine and sine are the reproducible ones, whose reduction is right for any angle; their
//! products with the stretch, the two products and the sum each round, and T is rounded to once.
//!
//! | result | tolerance | reason |
//! | --- | --- | --- |
//! | f32, frequencies that are powers of two | rel(2e-6) | the angle is exact; sine and cosine 1.2e-7, product and sum 6e-8 each, on operands up to six times the result |
//! | other f32 | rel(2e-5) | the frequency may be an ulp off the reference's, 1.2e-7 of an angle of at most 12, and the product rounds to another neighbour: 3e-6, times six |
//! | f16, bf16 | ulp(1) | the f32 value may lie on the other side of a tie of the stored type |
//!
//! The larger an angle, the more an ulp of its frequency moves its sine: so long contexts are tested with exact frequencies,
//! and inexact ones with short contexts.
//!
//! Kept simple: a thread computes the sine and cosine of its own pair, though every head of a token needs the same.

mod cases;
pub mod kernel;
mod reference;
