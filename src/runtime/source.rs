//! What generated code says of its kernel, before the kernel is built.

use std::error::Error;
use std::fmt;

use crate::ir::{DType, Kernel};

/// Why a kernel could not be built, in the words of what built it.
pub type BuildError = Box<dyn Error + Send + Sync>;

/// A kernel that can be built for any dtypes.
#[derive(Clone, Copy)]
pub struct KernelSource {
    /// Path of its module.
    pub module: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How many type parameters it has.
    pub type_params: usize,
    /// Its parameters in source order.
    pub params: &'static [ParamSpec],
    /// Builds it for one dtype for each type parameter.
    pub build: fn(&[DType]) -> Result<Kernel, BuildError>,
}

impl KernelSource {
    /// `module::name`.
    pub fn path(&self) -> String {
        if self.module.is_empty() { self.name.to_owned() } else { format!("{}::{}", self.module, self.name) }
    }
}

impl fmt::Debug for KernelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KernelSource").field(&self.path()).finish()
    }
}

/// A parameter by name, and where its dtype comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamSpec {
    /// Its name.
    pub name: &'static str,
    /// Its element's type, or a scalar's.
    pub element: ElementSpec,
}

/// Where a parameter's dtype comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementSpec {
    /// The type parameter of this number, from 0.
    Type(usize),
    /// It is this one.
    Fixed(DType),
}
