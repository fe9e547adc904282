//! The cases of this program, made and filtered.
//!
//! On entry: what `#[test_kernel]` registered. On exit: cases in the order of their paths, which is the same in every
//! process, so that shards agree. A function that panics is a case whose verdict is an error. Not here: judging.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use super::filter::Filter;
use super::verdict::CaseId;
use crate::case::{self, Case, CaseBuffer, TestEntry};
use crate::ir::DType;

/// One case that may be run.
#[derive(Clone, Copy, Debug)]
pub struct Selected {
    entry: &'static TestEntry,
    pub(super) dtype: DType,
}

impl Selected {
    /// Which case.
    pub fn id(&self) -> CaseId {
        CaseId { path: self.entry.path(), dtype: self.dtype }
    }

    /// Where its function stands: file and line.
    pub fn place(&self) -> (&'static str, u32) {
        (self.entry.file, self.entry.line)
    }

    /// Makes it, with the inputs of a seed.
    ///
    /// # Errors
    /// What is wrong with it, as text: it does not fit its kernel, the kernel can't be built, or making it panicked.
    pub fn make(&self, seed: u64) -> Result<Case, String> {
        let made = catch(|| self.entry.make_seeded(self.dtype, seed).check())?;
        made.map_err(|errors| {
            format!("{errors}\n  the case stands at {}:{}", self.entry.file, self.entry.line)
        })
    }

    fn is_taken(&self, filter: &Filter) -> bool {
        if !filter.takes_dtype(self.dtype) {
            return false;
        }
        let path = self.id().to_string();
        match self.make(0) {
            Ok(case) => {
                filter.takes_name(&path, Some(&case.kernel.path()))
                    && filter.takes_size(case.size)
                    && filter.takes_shape(case.shape_class.name(), &shape_text(&case))
            }
            // What is broken belongs to every selection that its name doesn't exclude.
            Err(_) => filter.takes_name(&path, None),
        }
    }
}

/// All cases whose path begins so, unmade.
pub(super) fn below(prefix: &str) -> Vec<Selected> {
    let below = case::tests().into_iter().filter(|entry| entry.path().starts_with(prefix));
    below.flat_map(|entry| entry.dtypes.iter().map(move |&dtype| Selected { entry, dtype })).collect()
}

/// The cases that a filter takes.
pub fn select(filter: &Filter) -> Vec<Selected> {
    let all: Vec<_> = case::tests()
        .into_iter()
        .flat_map(|entry| entry.dtypes.iter().map(move |&dtype| Selected { entry, dtype }))
        .collect();
    let taken: Vec<_> = all.into_par_iter().filter(|selected| selected.is_taken(filter)).collect();
    match filter.shard {
        None => taken,
        Some(shard) => {
            let of_shard = taken.into_iter().enumerate().filter(|(position, _)| shard.takes(*position));
            of_shard.map(|(_, selected)| selected).collect()
        }
    }
}

/// What `work` gives, or the text of its panic.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What is captured is either only read or dropped here, so no broken state is seen afterwards.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        format!("panicked: {}", text.unwrap_or_else(|| "without a message".into()))
    })
}

/// The shape of a case in words: `out 3x1003, grid 3x1x1, cta 256x1x1`.
pub(crate) fn shape_text(case: &Case) -> String {
    let by = |axes: &[u64]| axes.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
    let written = case.buffers.iter().filter(|bound| bound.written);
    let named = |bound: &CaseBuffer| format!("{} {}", bound.buffer.name(), by(bound.buffer.shape()));
    let mut parts: Vec<_> = written.map(named).collect();
    match case.launch.extent {
        Some(extent) => parts.push(format!("threads {}", by(&extent))),
        None => parts.push(format!("grid {}", by(&case.launch.grid))),
    }
    parts.push(format!("cta {}", by(&case.launch.cta.map(u64::from))));
    parts.join(", ")
}
