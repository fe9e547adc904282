//! The CPU oracle: runs a kernel's IR and gives the bits that every backend must give.
//!
//! ```
//! use warpsmith::ir::{DType, Launch, parse};
//! use warpsmith::oracle::{self, Arguments, Buffer, Config};
//!
//! let kernel = parse::parse(
//!     "kernel @double(x: global u32, mut out: global u32) {
//!         v0 = program_id.x
//!         v1 = load x[v0]
//!         v2 = add v1, v1
//!         store out[v0], v2
//!     }",
//! )?;
//! let mut args = Arguments::new(&kernel);
//! args.buffer("x", Buffer::from_u32(&[1, 2, 3]))?.buffer("out", Buffer::uninitialised(DType::U32, 3))?;
//! oracle::run(&kernel, &Launch::linear(3, 32), &mut args, &Config::default())?;
//! assert_eq!(args.get("out").and_then(Buffer::bytes), Some(&[2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An operation runs for all threads of a CTA at once, over one contiguous buffer per value; divergent control flow
//! is masks. CTAs run one after the other, x fastest.
//!
//! On entry: a kernel that `ir::validate` accepts. On exit: the written buffers hold the result, or the run ended in a
//! [`Failure`] and they hold what was written until then.
//!
//! Deliberately not here: races, but for threads that store different bits to one element in one instruction. Threads
//! of a CTA run in lockstep and CTAs in order, so a kernel that forgets a barrier may still give the bits it meant; the
//! emulator's sanitizer is the witness for that.

mod arguments;
pub mod compare;
mod error;
mod interp;
mod mask;
mod memory;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeSet;

pub use arguments::Arguments;
pub use error::{Access, ArgumentError, Failure, Fault, FaultKind, LaunchError};
pub use memory::{Background, Buffer, DENSE_LIMIT};

use crate::ir::{Kernel, Launch};
use crate::numerics::tensor::TensorModel;

/// How to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Instructions that one CTA may execute (each counts once, however many threads take part) before it is said to
    /// hang.
    pub step_budget: u64,
    /// The CTAs to run, by linear index with x fastest, or all of them. For samples of launches too large to run whole.
    pub ctas: Option<BTreeSet<u64>>,
    /// The chip whose matrix unit's bits products of `tensor` numerics have.
    pub tensor_model: TensorModel,
}

impl Default for Config {
    /// All CTAs, enough steps for minutes of work, and the matrix unit of sm_90, the one that was measured.
    fn default() -> Self {
        Self { step_budget: 1 << 26, ctas: None, tensor_model: TensorModel::default() }
    }
}

/// What a run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Instructions times the threads active at each; constants, parameters and geometry are not counted.
    pub lane_operations: u64,
    /// Instructions executed, each once for all threads of a CTA.
    pub steps: u64,
    /// CTAs run.
    pub ctas: u64,
}

/// Runs a kernel.
///
/// # Errors
/// The arguments or the launch don't fit the kernel, or a thread did something that has no defined result.
pub fn run(
    kernel: &Kernel,
    launch: &Launch,
    args: &mut Arguments,
    config: &Config,
) -> Result<Stats, Box<Failure>> {
    args.check(kernel).map_err(|error| Box::new(error.into()))?;
    interp::check_launch(kernel, launch).map_err(|error| Box::new(error.into()))?;
    interp::run(kernel, launch, args, config).map_err(|fault| Box::new(Failure::from(*fault)))
}
