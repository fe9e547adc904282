//! Embeddings: rows of a table, positions and timesteps as waves.
//!
//! | kernel | formula | rounding | judged by |
//! | --- | --- | --- | --- |
//! | `token_embedding` | `table[ids[r]]`, zeros for an id outside | none | bits |
//! | `token_embedding_scaled` | the same times a number | the product in f32, then to T | bits |
//! | `sinusoidal_embedding` | columns 2i, 2i + 1: sine, cosine of position · base^(−2i/dim) | see below | tolerance |
//! | `timestep_embedding` | columns i, dim/2 + i: sine, cosine (or the other way) of scale · (t · period^(−i/(dim/2 − shift))); 0 in the last column of an odd dim | see below | tolerance |
//!
//! An id is compared as unsigned, so that a negative one is outside too, and the table is read only for those inside.
//!
//! Waves are in f32: the share 2i/dim (or i/(dim/2 − shift)), its product with log₂ of the base, which the launch gives, the
//! exponential of 2, the products with t or position and with scale each round; sine and cosine are the reproducible ones;
//! T is rounded to once.
//!
//! | result | tolerance | reason |
//! | --- | --- | --- |
//! | frequencies that are powers of two | f32 ulp(2), f16 and bf16 ulp(1) | the angle is exact; sine and cosine are 1 ulp, which may be two where the reference is rounded from a smaller binade, or lie on the other side of a tie |
//! | other frequencies | abs(3e-6), f16 abs(5e-4), bf16 abs(4e-3) | a frequency may be an ulp off the reference's: 1.2e-7 of an angle of at most 12, and its product a neighbour's; waves cross 0, so that this is no part of the result. f16 and bf16 add half a step at 1 |
//!
//! Kept simple: a thread computes one wave, though its neighbour needs the other of the same angle.

mod cases;
pub mod kernel;
mod reference;
