//! What the lanes of an emulated launch did, by lines of the source.
//!
//! Entry: the emulator's profile of a launch. Exit: sums over the instructions of each line, those of functions included.
//! Operations are those of lanes that were active; those of matrix products are the warp's.
//! Not here: caches, and time.

use std::collections::BTreeMap;

use super::place::Place;
use super::work::flops;
use crate::ptx::emu::{Count, Profile, ProfileLine};

/// Lanes of a warp.
const LANES: f64 = 32.0;

/// A line of a run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct LineRun {
    /// The line; `None` for all together.
    pub place: Option<Place>,
    /// Instructions issued: executions by a warp or a part of one.
    pub issued: u64,
    /// Active lanes for each of the 32 of an issue.
    pub active: f64,
    /// Operations done.
    pub flops: f64,
    /// Bytes that lanes asked of global memory.
    pub global_bytes: u64,
    /// Bytes that they asked of shared memory.
    pub shared_bytes: u64,
    /// Operations for each byte asked of global memory.
    pub intensity: Option<f64>,
    /// Sectors of 32 bytes for each request to global memory: an execution in which a lane asks it for anything.
    pub sectors_per_request: Option<f64>,
    /// Bytes asked for, as a part of those that the sectors hold.
    pub sector_use: Option<f64>,
    /// Wavefronts for each one that there would be without bank conflicts: 1 is none.
    pub conflict_ways: Option<f64>,
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Run {
    /// All lines together.
    pub total: LineRun,
    /// Lines that ran, in the order of the files and lines.
    pub lines: Vec<LineRun>,
}

/// Sums of a line.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: Count,
    flops: f64,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.count.add(&other.count);
        self.flops += other.flops;
    }

    fn line(&self, place: Option<Place>) -> LineRun {
        let Count { executions, lanes, wavefronts, conflicts, requests, sectors, global_bytes, shared_bytes } =
            self.count;
        let ratio = |part: f64, of: u64| (of > 0).then(|| part / of as f64);
        LineRun {
            place,
            issued: executions,
            active: ratio(lanes as f64 / LANES, executions).unwrap_or(0.0),
            flops: self.flops,
            global_bytes,
            shared_bytes,
            intensity: ratio(self.flops, global_bytes),
            sectors_per_request: ratio(sectors as f64, requests),
            sector_use: ratio(global_bytes as f64 / 32.0, sectors),
            conflict_ways: ratio(wavefronts as f64, wavefronts - conflicts),
        }
    }
}

/// Sums a profile up; what functions did is in their own lines, however often they were called.
pub fn run(profile: &Profile) -> Run {
    let mut total = Sum::default();
    let mut sums: BTreeMap<Place, Sum> = BTreeMap::new();
    for ProfileLine { site, count } in profile.lines.iter().filter(|line| line.count.executions > 0) {
        let sum = Sum { count: *count, flops: flops(opcode(&site.text)) * count.lanes as f64 };
        total.add(&sum);
        let place = match &site.source {
            Some((file, line)) => Place { file: Some(file.clone()), line: *line },
            None => Place { file: None, line: site.line },
        };
        sums.entry(place).or_default().add(&sum);
    }
    Run {
        total: total.line(None),
        lines: sums.into_iter().map(|(place, sum)| sum.line(Some(place))).collect(),
    }
}

/// The opcode of an instruction in a line of text, which may have a guard.
fn opcode(text: &str) -> &str {
    let mut words = text.split_whitespace().filter(|word| !word.starts_with('@'));
    words.next().unwrap_or_default().trim_end_matches(';')
}
