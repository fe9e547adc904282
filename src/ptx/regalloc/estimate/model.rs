//! The constants of the model.
//!
//! They are the least sum of relative errors over half of the corpus: each kernel for all its dtypes falls to one half
//! by a hash of its name, and the numbers of `ptxas -v` (CUDA 13.0) for sm_90 and sm_121 are in
//! `tests/data/registers`. `cargo test --test register_estimate` fits them again, refuses constants that are not those
//! of the fit, and states the error on the other half; `UPDATE_EXPECT=1` with an assembler measures afresh. Deliberately
//! not here: one set of constants for each target: the numbers of one and the other differ by less than the model errs.

use super::features::Features;

/// The least number of registers: no kernel of the corpus gets fewer.
pub const FLOOR: u32 = 8;

/// What each feature weighs.
pub const MODEL: [f64; Features::COUNT] =
    [6.895, 0.822, -2.646, -0.681, 0.780, 0.844, 0.566, 0.365, 1.739, 5.549];
