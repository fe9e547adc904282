//! What a launch did, instruction by instruction: executions, lanes, bytes, sectors and bank conflicts.
//!
//! Entry: [`Config::profile`](super::Config::profile) is on; off, nothing is counted and nothing costs. Exit: a
//! [`Count`] for each instruction, and a [`Profile`] of them by line. Shared memory has 32 banks of 4 bytes. A request
//! of at most 4 bytes a lane goes for the whole warp at once, one of 8 for half a warp, one of 16 for a quarter; each
//! part takes as many wavefronts as its busiest bank has different words, for lanes that ask for one word share it.
//! Global memory moves in sectors of 32 bytes: each that a request touches counts once. Deliberately not here: caches,
//! and anything else that takes time.

use smallvec::SmallVec;

use super::asynchronous::Async;
use super::context::Context;
use super::decode::Program;
use super::file::LANES;
use super::load_store::{addresses_of, lanes_of, lanes_within};
use super::micro::Kind;
use super::space::{SHARED_WINDOW, WINDOWS};
use super::warp::Warp;
use super::{Site, Stats};
use crate::ptx::isa::modifier::Space;

/// Banks of shared memory, each a word of [`WORD`] bytes wide.
const BANKS: u64 = 32;

/// Bytes of a word.
const WORD: u64 = 4;

/// Bytes that one wavefront moves.
const WAVEFRONT: u32 = 128;

/// Bytes of a sector of global memory.
const SECTOR: u64 = 32;

/// What one instruction did over a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Executions by a warp or a part of one.
    pub executions: u64,
    /// Lanes active in them, together.
    pub lanes: u64,
    /// Wavefronts that its requests to shared memory take.
    pub wavefronts: u64,
    /// Those of them that there would not be without bank conflicts.
    pub conflicts: u64,
    /// Requests to global memory: executions in which a lane asks it for anything.
    pub requests: u64,
    /// Sectors of 32 bytes that its requests to global memory touch.
    pub sectors: u64,
    /// Bytes that its lanes ask global memory for.
    pub global_bytes: u64,
    /// Bytes that its lanes ask shared memory for.
    pub shared_bytes: u64,
}

impl Count {
    /// Adds what the same instruction did elsewhere.
    pub fn add(&mut self, other: &Self) {
        let Self { executions, lanes, wavefronts, conflicts, requests, sectors, global_bytes, shared_bytes } =
            other;
        self.executions += executions;
        self.lanes += lanes;
        self.wavefronts += wavefronts;
        self.conflicts += conflicts;
        self.requests += requests;
        self.sectors += sectors;
        self.global_bytes += global_bytes;
        self.shared_bytes += shared_bytes;
    }

    /// Sectors of one request on average; 0 for an instruction that global memory does not see.
    pub fn sectors_per_request(&self) -> f64 {
        if self.requests == 0 { 0.0 } else { self.sectors as f64 / self.requests as f64 }
    }

    pub(super) fn note_shared(&mut self, addresses: &[u64; LANES], mask: u32, bytes: u32) {
        let request = shared_request(addresses, mask, bytes);
        self.wavefronts += u64::from(request.wavefronts);
        self.conflicts += u64::from(request.conflicts);
        self.shared_bytes += u64::from(mask.count_ones() * bytes);
    }

    fn note_global(&mut self, addresses: &[u64; LANES], mask: u32, bytes: impl Fn(usize) -> u32) {
        self.note_runs(lanes_of(mask).map(|lane| (addresses[lane], u64::from(bytes(lane)))));
    }

    /// Notes runs of global memory, each its address and bytes, that one request asks for.
    fn note_runs(&mut self, runs: impl Iterator<Item = (u64, u64)>) {
        let mut sectors: SmallVec<[u64; 2 * LANES]> = SmallVec::new();
        for (address, bytes) in runs.filter(|(_, bytes)| *bytes != 0) {
            sectors.extend(address / SECTOR..=address.saturating_add(bytes - 1) / SECTOR);
            self.global_bytes += bytes;
        }
        sectors.sort_unstable();
        sectors.dedup();
        self.requests += u64::from(!sectors.is_empty());
        self.sectors += sectors.len() as u64;
    }

    /// Notes bytes that a bulk copy moves in shared memory. It fills all banks: it takes what its bytes take.
    fn note_bulk(&mut self, bytes: u64) {
        self.shared_bytes += bytes;
        self.wavefronts += bytes.div_ceil(u64::from(WAVEFRONT));
    }

    /// Sorts the lanes by where their address lies; local memory and parameters are not counted.
    fn note(&mut self, space: Option<Space>, addresses: &[u64; LANES], mask: u32, bytes: u32) {
        match space {
            Some(Space::Global) => self.note_global(addresses, mask, |_| bytes),
            Some(Space::Shared | Space::SharedCta | Space::SharedCluster) => {
                self.note_shared(addresses, mask, bytes)
            }
            Some(Space::Local | Space::Const | Space::Param) => {}
            None => {
                let within = |start: u64| lanes_within(addresses, mask, start);
                let shared = within(SHARED_WINDOW);
                let elsewhere = WINDOWS.iter().fold(0, |lanes, &(_, start)| lanes | within(start));
                if shared != 0 {
                    self.note_shared(addresses, shared, bytes);
                }
                self.note_global(addresses, mask & !elsewhere, |_| bytes);
            }
        }
    }
}

/// What a request to shared memory costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SharedRequest {
    /// Wavefronts that it takes.
    pub(super) wavefronts: u32,
    /// Those beyond one for each part of the warp.
    pub(super) conflicts: u32,
}

/// What a request of `bytes` bytes for each lane of the mask costs.
pub(super) fn shared_request(addresses: &[u64; LANES], active: u32, bytes: u32) -> SharedRequest {
    let width = (WAVEFRONT / bytes.max(WORD as u32)).clamp(1, LANES as u32) as usize;
    let mut request = SharedRequest::default();
    for first in (0..LANES).step_by(width) {
        let mut words: SmallVec<[u64; LANES]> = SmallVec::new();
        for lane in (first..first + width).filter(|&lane| active >> lane & 1 != 0) {
            let end = (addresses[lane] + u64::from(bytes)).div_ceil(WORD);
            words.extend(addresses[lane] / WORD..end);
        }
        words.sort_unstable();
        words.dedup();
        let mut asked = [0; BANKS as usize];
        words.iter().for_each(|word| asked[(word % BANKS) as usize] += 1);
        let wavefronts = asked.into_iter().max().unwrap_or(0);
        request.wavefronts += wavefronts;
        request.conflicts += u32::saturating_sub(wavefronts, 1);
    }
    request
}

impl Warp {
    /// Counts what an instruction asks of memory, before it does it.
    pub(super) fn profile_memory(&self, kind: Kind, mask: u32, pc: u32, context: &mut Context<'_>) {
        let program = context.launch.program;
        let count = &mut context.stats.profile[pc as usize];
        match kind {
            Kind::Access(index) => {
                let access = &program.accesses[index as usize];
                let addresses = addresses_of(access.base, access.offset, &self.file);
                count.note(access.space, &addresses, mask, access.total());
            }
            Kind::Atomic(index) => {
                let atomic = &program.atomics[index as usize];
                let addresses = addresses_of(atomic.base, atomic.offset, &self.file);
                count.note(atomic.space, &addresses, mask, atomic.total);
            }
            Kind::Async(index) => match &program.asyncs[index as usize] {
                Async::Copy(copy) => {
                    let counts = copy.counts(&self.file);
                    count.note_shared(&copy.dst.addresses(&self.file), mask, copy.bytes);
                    count.note_global(&copy.src.addresses(&self.file), mask, |lane| counts[lane]);
                }
                Async::Bulk(bulk) => {
                    let counts = self.file.read::<u32>(bulk.bytes);
                    count.note_global(&bulk.global.addresses(&self.file), mask, |lane| counts[lane]);
                    count.note_bulk(lanes_of(mask).map(|lane| u64::from(counts[lane])).sum());
                }
                Async::Tensor(copy) => {
                    let asked =
                        lanes_of(mask).filter_map(|lane| copy.asked(lane, &self.file, context.launch));
                    let asked: Vec<_> = asked.collect();
                    count.note_runs(asked.iter().flat_map(|(_, runs)| runs.iter().copied()));
                    count.note_bulk(asked.iter().map(|(bytes, _)| bytes).sum());
                }
                Async::Commit
                | Async::Wait { .. }
                | Async::Mbarrier(_)
                | Async::BulkCommit
                | Async::BulkWait { .. } => {}
            },
            Kind::Lanes
            | Kind::Branch { .. }
            | Kind::Exit
            | Kind::Trap(_)
            | Kind::Print
            | Kind::Special(_)
            | Kind::Sync(_)
            | Kind::ActiveMask
            | Kind::Barrier { .. }
            | Kind::Fence(_) => {}
        }
    }
}

/// What one line of the text did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileLine {
    /// The instruction.
    pub site: Site,
    /// What it did.
    pub count: Count,
}

/// What a launch did, by the lines of the PTX text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// One for each instruction, in the order of the text; also those that nothing executed.
    pub lines: Vec<ProfileLine>,
}

impl Profile {
    /// The counts of a launch of this program; without lines if [`Config::profile`](super::Config::profile) was off.
    pub fn new(program: &Program, stats: &Stats) -> Self {
        let line =
            |(pc, count): (usize, &Count)| ProfileLine { site: program.site(pc as u32), count: *count };
        Self { lines: stats.profile.iter().enumerate().map(line).collect() }
    }

    /// All instructions together.
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        self.lines.iter().for_each(|line| total.add(&line.count));
        total
    }

    /// The counts of the instructions at a line of the PTX text.
    pub fn at(&self, line: u32) -> Count {
        let mut total = Count::default();
        self.lines.iter().filter(|met| met.site.line == line).for_each(|met| total.add(&met.count));
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflicts(bytes: u32, active: u32, address: impl Fn(u64) -> u64) -> (u32, u32) {
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        let SharedRequest { wavefronts, conflicts } = shared_request(&addresses, active, bytes);
        (wavefronts, conflicts)
    }

    #[test]
    fn words_conflict_in_their_bank_only() {
        let all = u32::MAX;
        assert_eq!(conflicts(4, all, |lane| 1024 + 4 * lane), (1, 0), "one word after the other");
        assert_eq!(conflicts(4, all, |lane| 4 * 32 * lane), (32, 31), "a column of rows of 32 words");
        assert_eq!(conflicts(4, all, |lane| 4 * 33 * lane), (1, 0), "the same with rows of 33");
        assert_eq!(conflicts(4, all, |lane| 8 * lane), (2, 1), "every second word");
        assert_eq!(conflicts(4, all, |_| 1024), (1, 0), "all lanes share one word");
        assert_eq!(
            conflicts(4, 0x0000_ffff, |lane| 8 * lane),
            (1, 0),
            "half of the lanes, every second word"
        );
        assert_eq!(conflicts(4, 0, |lane| 4 * lane), (0, 0), "nobody");
        assert_eq!(conflicts(1, all, |lane| lane), (1, 0), "four lanes share a word");
        assert_eq!(conflicts(2, all, |lane| 128 * lane), (32, 31), "halves of a column");
    }

    #[test]
    fn wide_accesses_go_in_parts() {
        let all = u32::MAX;
        assert_eq!(conflicts(8, all, |lane| 8 * lane), (2, 0), "a half warp moves 128 bytes");
        assert_eq!(conflicts(8, all, |lane| 128 * lane), (32, 30), "a column of pairs");
        assert_eq!(conflicts(16, all, |lane| 16 * lane), (4, 0), "a quarter moves 128 bytes");
        assert_eq!(conflicts(16, all, |lane| 128 * lane), (32, 28), "rows of 128 bytes, one column");
        assert_eq!(conflicts(16, all, |lane| 144 * lane), (4, 0), "the same with rows of 144 bytes");
        assert_eq!(conflicts(16, 0xff, |lane| 16 * lane), (1, 0), "one quarter only");
        let swizzled = |lane: u64| 128 * (lane % 8) + 16 * ((lane % 8) ^ (lane / 8));
        assert_eq!(conflicts(16, all, swizzled), (4, 0), "columns of a swizzled tile");
    }

    #[test]
    fn sectors_count_once_a_request() {
        let of = |bytes: u32, address: fn(u64) -> u64| {
            let mut count = Count::default();
            let addresses = std::array::from_fn(|lane| address(lane as u64));
            count.note(Some(Space::Global), &addresses, u32::MAX, bytes);
            (count.sectors, count.global_bytes)
        };
        assert_eq!(of(4, |lane| 4 * lane), (4, 128));
        assert_eq!(of(4, |lane| 128 * lane), (32, 128));
        assert_eq!(of(4, |_| 0), (1, 128));
        assert_eq!(of(4, |lane| 16 + 4 * lane), (5, 128));
        assert_eq!(of(16, |lane| 16 * lane), (16, 512));
    }
}
