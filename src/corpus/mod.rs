//! The corpus: every registered case, run on a device and judged against the oracle and an independent reference.
//!
//! A case is a kernel for one dtype with arguments, a launch and a reference. [`run`] compiles it for the device,
//! makes the oracle's bits, launches it, and compares every byte of every buffer. A case that no wrong device could
//! fail is refused, and each case proves on corrupted results that its comparator rejects them. [`mutate`] proves the
//! same of the whole: it breaks emitted PTX in one place and looks whether a case notices.
//!
//! On entry: cases that `#[test_kernel]` registered, and a device. On exit: a [`Summary`] with one verdict a case.
//! Deliberately not here: text and colours (`cli`), what a case is made of (`case`).

mod catalog;
mod execute;
mod filter;
mod judge;
mod lookup;
mod matrix_unit;
mod measure;
pub mod mutate;
mod prepare;
mod regions;
mod runner;
mod sanitize;
mod selection;
mod self_test;
#[cfg(test)]
mod tests;
mod verdict;

pub use catalog::{Instance, KernelInfo, LookupError, catalog, find};
pub use filter::{Filter, NotAShard, Pattern, Shard, SizeLimit};
pub use lookup::{is_kernel, locate, locate_instance};
pub use measure::{largest, measure};
pub use prepare::Refusal;
pub use runner::{Config, Observer, run, run_case, run_case_edited};
pub use sanitize::{SanitizeConfig, SanitizeSummary, Sighting, Watch, sanitize};
pub use selection::{Selected, select};
pub use self_test::Corruption;
pub use verdict::{CaseId, CaseReport, DEAREST, Summary, Verdict};
