//! The subtests of `tests/filetests.rs`: each is one function in a file of its own, and one line here.

mod passes;
mod ptx;
mod round_trip;
mod run;
mod settings;
mod validate;
mod witness;

use libtest_mimic::Failed;

use crate::File;

/// What a subtest found, to be compared with what the file says.
#[derive(Default)]
pub(crate) struct Found {
    /// Errors with their line; 0 where there is none.
    pub(crate) errors: Vec<(usize, String)>,
    /// What it printed, if it prints anything.
    pub(crate) output: Option<String>,
}

/// A subtest: the file and what stands behind the subtest's name. An `Err` is a failure that no expectation excuses.
pub(crate) type Subtest = fn(&File, &str) -> Result<Found, Failed>;

/// All subtests by name.
pub(crate) const SUBTESTS: &[(&str, Subtest)] = &[
    ("validate", validate::run),
    ("round-trip", round_trip::run),
    ("passes", passes::run),
    ("ptx", ptx::run),
    ("assemble", ptx::assemble),
    ("run", run::run),
];
