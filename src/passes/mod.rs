//! Passes: what happens to a kernel between its validation and a backend.
//!
//! On entry a kernel has passed [`ir::validate`](crate::ir::validate). Each pass is one file with one `run`, states
//! what it needs and what it leaves, and keeps the kernel valid and its bits the same: a pass may drop work, never
//! change a result. On exit the kernel is compact. [`Pass::PIPELINE`] is the order. Deliberately not here: anything
//! that depends on a target.

pub mod dce;
pub mod fold;
pub mod specialise;

use crate::diag::Spanned;
use crate::ir::{Kernel, Keyword, LaunchClass};
/// Why a pass can't go on; only [`specialise`] has reasons.
pub use specialise::SpecialiseError as PassError;

/// A pass, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pass {
    /// [`specialise`]: binds the launch class.
    Specialise,
    /// [`fold`]: folds constants.
    Fold,
    /// [`dce`]: drops what nobody can notice.
    Dce,
}

impl Keyword for Pass {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Specialise, "specialise"), (Self::Fold, "fold"), (Self::Dce, "dce")];
}

impl Pass {
    /// The order in which the passes run.
    pub const PIPELINE: &'static [Self] = &[Self::Specialise, Self::Fold, Self::Dce];

    /// The name that `--dump-after` takes.
    pub fn name(self) -> &'static str {
        self.keyword()
    }

    fn run(self, kernel: &mut Kernel, config: &Config) -> Result<(), Vec<Spanned<PassError>>> {
        match self {
            Self::Specialise => specialise::run(kernel, config),
            Self::Fold => fold::run(kernel, config),
            Self::Dce => dce::run(kernel, config),
        }
    }
}

/// What the passes may assume, and which of them run.
#[derive(Clone, Debug)]
pub struct Config {
    /// The launches that the result is for.
    pub class: LaunchClass,
    /// The passes, in order.
    pub passes: Vec<Pass>,
}

impl Config {
    /// The whole pipeline, for launches of `class`.
    pub fn new(class: LaunchClass) -> Self {
        Self { class, passes: Pass::PIPELINE.to_vec() }
    }
}

/// The kernel after the passes of `config`.
///
/// # Errors
/// The class contradicts the kernel; `validate_for` reports the same, and more, with its place.
pub fn run(kernel: &Kernel, config: &Config) -> Result<Kernel, Vec<Spanned<PassError>>> {
    run_observed(kernel, config, &mut |_, _| {})
}

/// The same, showing `observe` the kernel after each pass, for `--dump-after`.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    kernel: &Kernel,
    config: &Config,
    observe: &mut dyn FnMut(Pass, &Kernel),
) -> Result<Kernel, Vec<Spanned<PassError>>> {
    let mut kernel = kernel.clone();
    for &pass in &config.passes {
        pass.run(&mut kernel, config)?;
        observe(pass, &kernel);
    }
    Ok(kernel.compact())
}
