//! Where the attributes register cases, and how a case is made from its entry.

use super::generator::keyed;
use super::{BenchSetup, TestSetup, Tolerance};
use crate::ir::DType;

/// A function under `#[test_kernel]`.
#[derive(Debug)]
pub struct TestEntry {
    /// Path of its module.
    pub module: &'static str,
    /// The function.
    pub function: &'static str,
    /// The name of its cases.
    pub name: &'static str,
    /// The suffix of the variant, or nothing.
    pub variant: &'static str,
    /// The dtypes it is made for.
    pub dtypes: &'static [DType],
    /// The tolerance of a dtype, or of all that are not named.
    pub tolerances: &'static [(Option<DType>, Tolerance)],
    /// Where the function stands.
    pub file: &'static str,
    /// Where in the file.
    pub line: u32,
    /// The function, for a dtype.
    pub setup: fn(DType) -> TestSetup,
}

/// A function under `#[bench_kernel]`.
#[derive(Debug)]
pub struct BenchEntry {
    /// Path of its module.
    pub module: &'static str,
    /// The function.
    pub function: &'static str,
    /// The name of its cases.
    pub name: &'static str,
    /// The suffix of the variant, or nothing.
    pub variant: &'static str,
    /// The dtypes it is made for.
    pub dtypes: &'static [DType],
    /// Where the function stands.
    pub file: &'static str,
    /// Where in the file.
    pub line: u32,
    /// The function, for a dtype.
    pub setup: fn(DType) -> BenchSetup,
}

inventory::collect!(TestEntry);
inventory::collect!(BenchEntry);

impl TestEntry {
    /// `module::name`.
    pub fn path(&self) -> String {
        format!("{}::{}", self.module, self.name)
    }

    /// The tolerance for outputs of a case of that dtype, if the attribute gives one.
    pub fn tolerance(&self, dtype: DType) -> Option<Tolerance> {
        let named = |wanted: Option<DType>| self.tolerances.iter().find(|(name, _)| *name == wanted);
        named(Some(dtype)).or_else(|| named(None)).map(|&(_, tolerance)| tolerance)
    }

    /// The case of that dtype, with the inputs of seed 0.
    pub fn make(&self, dtype: DType) -> TestSetup {
        self.make_seeded(dtype, 0)
    }

    /// The case of that dtype, with the inputs of a seed.
    pub fn make_seeded(&self, dtype: DType, seed: u64) -> TestSetup {
        let setup = keyed(&self.path(), seed, || (self.setup)(dtype));
        match self.tolerance(dtype) {
            Some(tolerance) => setup.default_tolerance(tolerance),
            None => setup,
        }
    }
}

impl BenchEntry {
    /// `module::name`.
    pub fn path(&self) -> String {
        format!("{}::{}", self.module, self.name)
    }

    /// The bench of that dtype.
    pub fn make(&self, dtype: DType) -> BenchSetup {
        keyed(&self.path(), 0, || (self.setup)(dtype))
    }
}

/// All test entries of this program, by path.
pub fn tests() -> Vec<&'static TestEntry> {
    let mut all: Vec<_> = inventory::iter::<TestEntry>.into_iter().collect();
    all.sort_by_key(|entry| (entry.module, entry.name, entry.file, entry.line));
    all
}

/// All bench entries of this program, by path.
pub fn benches() -> Vec<&'static BenchEntry> {
    let mut all: Vec<_> = inventory::iter::<BenchEntry>.into_iter().collect();
    all.sort_by_key(|entry| (entry.module, entry.name, entry.file, entry.line));
    all
}
