//! Shared and per-thread memory, grids and CTAs of three axes. Every result is some input's bits, or an exact number of
//! small integers, so every case compares bits.
//!
//! | kernel | formula |
//! | --- | --- |
//! | `transpose_tiled_x4`, `_x8` | out[(j, i)] = x[(i, j)], so many elements a thread and access, one vector an access |
//! | `transpose_staged_padded`, `_unpadded` | the same, an element a thread, with and without a column more in the tile |
//! | `permuted_axes` | out[(k, i, j)] = x[(i, j, k)] through a tile of three axes |
//! | `neighbour_sum` | each element with its four neighbours added, 0 beyond the edge, in order up, left, own, right, down |
//! | `reversed_rows` | `out[r, i] = x[r, n − 1 − i]` for n ≤ 4,096 |
//! | `reversed_pairs` | each CTA's pairs in reverse order, 2 elements an access in every memory |
//! | `rotated_through_BYTES` | `out[i] = x[(i + by) mod count]` for pieces of that many bytes held in shared memory |
//! | `below_row_max` | x − max of its row in f32, with 100 KB of the row kept in shared memory beside a reduction's own |
//! | `sorted_fours`, `swapped_pairs` | per-thread arrays with constant indices, which live in registers |
//! | `permuted_eights` | `out[8i + k] = x[8i + (3k + i) mod 8]`, a per-thread array with an index known at run time |
//! | `coordinates`, `cta_coordinates` | x + 3y + 5z of each thread, of each CTA |
//! | `added_in_place` | out = out + x, where x may be out |
//!
//! The tile of `transpose_tiled` has no padding: vector g of its row j lies at g xor (j / W). Eight neighbouring lanes
//! then meet 32 different banks both when they write a column of vectors and when they read a row of them, and every
//! vector stays aligned, which it would not with a column more.
//!
//! Kept simple: `transpose_tiled` takes whole tiles with vectors or a ragged tile element by element, nothing between;
//! `neighbour_sum` and the staged transposes move one element a thread.

mod cases;
mod cases_arrays;
pub mod kernel;
pub mod threads;
mod transpose;
