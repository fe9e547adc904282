//! What the macros register, collected when the program starts.
//!
//! The order of registration is the linker's; every listing here is sorted, so that shards and reports are stable.

use super::bench::BenchSetup;
use super::input::with_case;
use super::setup::TestSetup;
use super::tolerance::Tolerance;
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

/// A function that `#[test_kernel]` registered.
#[derive(Debug)]
pub struct TestEntry {
    /// The module that the function stands in.
    pub module: &'static str,
    /// The function's name, with its variant's suffix.
    pub function: &'static str,
    /// The case's name.
    pub name: &'static str,
    /// The variant's suffix, or nothing.
    pub variant: &'static str,
    /// The dtypes it has cases for.
    pub dtypes: &'static [DType],
    /// Tolerances by dtype; `None` stands for every dtype.
    pub tolerances: &'static [(Option<DType>, Tolerance)],
    /// The file it stands in.
    pub file: &'static str,
    /// The line of its name.
    pub line: u32,
    /// Describes the case of a dtype.
    pub setup: fn(DType) -> TestSetup,
}

/// A function that `#[bench_kernel]` registered.
#[derive(Debug)]
pub struct BenchEntry {
    /// The module that the function stands in.
    pub module: &'static str,
    /// The function's name, with its variant's suffix.
    pub function: &'static str,
    /// The benchmark's name.
    pub name: &'static str,
    /// The variant's suffix, or nothing.
    pub variant: &'static str,
    /// The dtypes it is measured for.
    pub dtypes: &'static [DType],
    /// The file it stands in.
    pub file: &'static str,
    /// The line of its name.
    pub line: u32,
    /// Describes the benchmark of a dtype.
    pub setup: fn(DType) -> BenchSetup,
}

inventory::collect!(KernelEntry);
inventory::collect!(TestEntry);
inventory::collect!(BenchEntry);

/// One case: a registered function and a dtype.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The function.
    pub entry: &'static TestEntry,
    /// The dtype.
    pub dtype: DType,
}

impl KernelEntry {
    /// The path that names it: module and name.
    pub fn path(&self) -> &'static str {
        self.module
    }
}

impl TestEntry {
    /// The tolerance of a dtype, if the function gives one.
    pub fn tolerance(&self, dtype: DType) -> Option<Tolerance> {
        let named = self.tolerances.iter().find(|(of, _)| *of == Some(dtype));
        let any = || self.tolerances.iter().find(|(of, _)| of.is_none());
        named.or_else(any).map(|(_, tolerance)| *tolerance)
    }
}

impl Case {
    /// The name that no other case has: `module::name/f16`.
    pub fn key(&self) -> String {
        format!("{}::{}/{}", self.entry.module, self.entry.name, self.dtype)
    }

    /// Describes the case, with inputs that the seed varies.
    pub fn setup(&self, seed: u64) -> TestSetup {
        with_case(&self.key(), seed, || (self.entry.setup)(self.dtype))
    }

    /// The tolerance: the setup's own, else the function's, else exact.
    pub fn tolerance(&self, setup: &TestSetup) -> Tolerance {
        setup.tolerance.or_else(|| self.entry.tolerance(self.dtype)).unwrap_or(Tolerance::EXACT)
    }
}

/// Every registered kernel, by path.
pub fn kernels() -> Vec<&'static KernelEntry> {
    let mut all: Vec<_> = inventory::iter::<KernelEntry>().collect();
    all.sort_by_key(|entry| (entry.module, entry.name));
    all
}

/// Every registered case, by key; dtypes in the order in which the function lists them.
pub fn cases() -> Vec<Case> {
    let mut entries: Vec<_> = inventory::iter::<TestEntry>().collect();
    entries.sort_by_key(|entry| (entry.module, entry.name, entry.function));
    entries.into_iter().flat_map(|entry| entry.dtypes.iter().map(move |&dtype| Case { entry, dtype })).collect()
}

/// Every registered benchmark, by name.
pub fn benches() -> Vec<&'static BenchEntry> {
    let mut all: Vec<_> = inventory::iter::<BenchEntry>().collect();
    all.sort_by_key(|entry| (entry.module, entry.name));
    all
}

/// Keys that more than one kernel or case has: each is an error of the crate that holds them.
pub fn collisions() -> Vec<String> {
    let kernels = kernels().into_iter().map(|entry| entry.path().to_owned());
    let cases = cases().into_iter().map(|case| case.key());
    let mut found = repeated(kernels.collect());
    found.extend(repeated(cases.collect()));
    found
}

fn repeated(mut keys: Vec<String>) -> Vec<String> {
    keys.sort();
    let mut found: Vec<_> = keys.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone()).collect();
    found.dedup();
    found
}
