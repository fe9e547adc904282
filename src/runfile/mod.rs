//! Runs a PTX file with files: any text that the parser knows, `.npy` arrays in, `.npy` arrays out.
//!
//! [`Request::prepare`] reads and checks everything that can be checked before a thread runs; the [`Job`] it gives runs on the
//! emulator ([`Job::emulate`]) or on a GPU ([`Job::launch`]), as often as wanted, and [`Job::save`] writes the results.
//! [`compare`](results::compare) says how two results differ.
//!
//! On entry: a path, and arguments as text. On exit: results in files, each replaced in one step, or an error that names
//! the file, the parameter or the limit. Files that are only read are never written. Deliberately not here: the kernels of this
//! crate, whose cases know their arguments (`corpus`), and what a finding means (`ptx::emu`).

mod argument;
mod bind;
mod emulate;
mod error;
mod gpu;
mod job;
pub mod npy;
pub mod results;
mod save;
#[cfg(test)]
mod tests;
mod warning;

pub use argument::{Argument, ArgumentSyntax, Scalar, ScalarArgument};
pub use bind::Buffer;
pub use emulate::EmuOptions;
pub use error::{Extent, Mismatch, RunError};
pub use job::{
    Job, Outcome, Overrun, Request, cta_of, device_target, dynamic_shared_of, load_module, load_partly,
    not_read,
};
pub use save::{Saved, writers_path};
pub use warning::Warning;
