//! Cooperative tiles, portable: C = A · B or C += A · B of small matrices that a warp, or the warps of a CTA, hold.
//!
//! A tile is set up by name; the words on it find it by that name. C lies in registers from the setup on, as zeros; A and
//! B from their load on, or, loaded `direct`, in memory until the product reads them. A setup named `X_acc` has the C of
//! `X`. Which lane holds what can't be seen, so that each numerics has a spread of its own ([`spread`]): IEEE order on
//! values that lanes exchange, or fragments of the matrix unit.
//!
//! With the scope `threadgroup` each strip of 8 columns belongs to one warp of the CTA, which loads, multiplies and stores
//! it; nothing is exchanged between warps, so these words hold no barrier. In either scope every warp that comes by comes
//! with all its lanes. Deliberately not here: staging, and barriers for it.

mod memory;
mod product;
mod setup;
mod spread;
mod state;

pub use memory::{coop_tile_load_a, coop_tile_load_b, coop_tile_store_c};
pub use product::{coop_tile_run, coop_tile_zero};
pub use setup::{coop_tile_numerics, coop_tile_setup, coop_tile_share};
pub(crate) use state::Tiles;

use super::build::with;
use super::error::BuildError;

/// Records that a word is refused.
fn refuse(what: String, help: &'static str) {
    with(|build| build.error(BuildError::Refused { what, help }));
}
