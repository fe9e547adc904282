//! What each line of the source asks for.

use std::collections::BTreeMap;

use super::place::{Place, located};
use super::work::Work;
use crate::ptx::module::{Entry, Module};

/// What one thread does by going through a line once.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct LineWork {
    /// The line.
    pub place: Place,
    /// What its instructions do, each once.
    pub work: Work,
    /// Operations for each byte asked of global memory.
    pub intensity: Option<f64>,
}

/// The lines of an entry, in the order of the files and lines.
pub fn lines(module: &Module, entry: &Entry) -> Vec<LineWork> {
    let mut sums: BTreeMap<Place, Work> = BTreeMap::new();
    for located in located(module, entry) {
        let sum = sums.entry(located.place).or_default();
        *sum = sum.plus(&Work::of(located.inst));
    }
    sums.into_iter().map(|(place, work)| LineWork { place, work, intensity: work.intensity() }).collect()
}
