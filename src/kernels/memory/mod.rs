//! Moves: every result is some input's bits, so every case compares bits.
//!
//! | kernel | formula |
//! | --- | --- |
//! | `copy` | `out[i] = x[i]` |
//! | `copy_x4`, `copy_x8` | the same, so many elements a thread and access |
//! | `copy_range` | `out[i] = x[i]` for from ≤ i < from + threads, with 64-bit indices |
//! | `copied_at_TYPE` | the same, with an index of that type |
//! | `gather` | `out[i] = x[index[i]]` |
//! | `copy_2d`, `copy_3d` | out[(i, …)] = x[(i, …)] on views: permutes, skips and (with a stride of 0) repeats |
//! | `transpose` | out[(j, i)] = x[(i, j)], both row after row, through a shared tile |
//!
//! The tile of `transpose` is 32 × 33 elements: with rows of 33 the 32 lanes that read a column meet 32 banks.
//!
//! Kept simple: one access a thread in the copies, one tile a CTA in `transpose`, no vectors in `gather`.

mod cases;
pub mod kernel;
mod large;
pub(super) mod reference;
