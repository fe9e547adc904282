//! Bitonic sorting networks: of rows in shared memory, with and without the places of the elements, and of warps by
//! shuffles.
//!
//! | kernel | result | shape of the work |
//! | --- | --- | --- |
//! | `sort_rows` | each row in ascending order, in place | a CTA a row of at most 2,048, of any CTA size |
//! | `sort_rows_places` | the row in order, and where each element stood; equals keep their order | the same |
//! | `sort_warps` | every 32 elements in order | a warp each, CTAs of whole warps |
//!
//! `K` is the type that is compared: T for integers; for f32 an i32 whose order is IEEE's total order: −NaN, −∞, …, −0, +0,
//! …, ∞, NaN, and NaN by their bits. A row is padded to a power of two with the greatest key, which by its place is
//! behind every element. `sort_rows` has no places to keep: its equals are the same bits.
//!
//! Everything is judged by bits: an element is moved, never computed.
//!
//! Kept simple: a row fits shared memory; longer ones would be merged.

mod cases;
pub mod kernel;
mod reference;
