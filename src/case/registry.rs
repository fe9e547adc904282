//! What the macros register, collected when the program starts.

use crate::dsl::BuildErrors;
use crate::ir::{DType, Kernel, Mode};

/// A kernel that `#[kernel]` registered.
#[derive(Debug)]
pub struct KernelEntry {
    /// The module that `#[kernel]` made: a path that ends in the kernel's name.
    pub module: &'static str,
    /// The kernel's name, with its variant's suffix.
    pub name: &'static str,
    /// How many dtypes a build takes.
    pub type_params: usize,
    /// The mode that the kernel fixes.
    pub mode: Option<Mode>,
    /// Whether no parameter says `mut`, so that those named like outputs are written.
    pub implicit_outputs: bool,
    /// The file it stands in.
    pub file: &'static str,
    /// The line of its name.
    pub line: u32,
    /// Builds it for as many dtypes.
    pub build: fn(&[DType]) -> Result<Kernel, BuildErrors>,
}

inventory::collect!(KernelEntry);
