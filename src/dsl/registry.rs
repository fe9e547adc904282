//! The kernels that `#[kernel]` registers, collected when the program starts.
//!
//! The order of registration is the linker's; [`kernels`] sorts, so that listings and shards are stable.

use super::BuildErrors;
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

impl KernelEntry {
    /// The path that names it: module and name.
    pub fn path(&self) -> &'static str {
        self.module
    }
}

/// Every registered kernel, by path.
pub fn kernels() -> Vec<&'static KernelEntry> {
    let mut all: Vec<_> = inventory::iter::<KernelEntry>().collect();
    all.sort_by_key(|entry| (entry.module, entry.name));
    all
}
