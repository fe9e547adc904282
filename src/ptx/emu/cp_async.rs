//! `cp.async`: what a copy reads is read when it begins, and lands when its thread waits for its group.
//!
//! So code that forgets the wait reads old bytes, and with the sanitizer a read or write by anybody of bytes on their
//! way is a finding. A landing is a write of the thread at its wait; whoever else reads needs a barrier after it. What
//! came before the copy must be ordered before it begins. Copies that are never waited for land never. What is missed:
//! a write of the source between the copy and the wait.

use smallvec::SmallVec;

use super::asynchronous::Async;
use super::decode::Planner;
use super::file::{File, LANES};
use super::flight::{Busy, Flights, Ticket};
use super::load_store::{Fault, Wrong, lanes_of};
use super::race::AccessKind;
use super::step::{Plan, Step, Unsupported, pred_use};
use super::transfer::{Place, Refusal, Stage};
use crate::ptx::isa::modifier::Space;
use crate::ptx::isa::{
    Address, CopySize, CpAsync, CpAsyncCommit, CpAsyncHint, CpAsyncIgnore, CpAsyncIgnoreHint, CpAsyncWait,
    CpAsyncWaitAll, PredUse, RegClass, Use,
};

/// How many bytes of a copy are read; the others are zeros.
#[derive(Clone, Copy, Debug)]
enum Sourced {
    All,
    /// As many as the word says.
    Count(u32),
    /// None where the predicate is true.
    Unless(u32),
}

/// A copy by each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyAsync {
    pub(super) dst: Place,
    pub(super) src: Place,
    pub(super) bytes: u32,
    sourced: Sourced,
}

impl CopyAsync {
    /// Bytes that each lane reads.
    pub(super) fn counts(&self, file: &File) -> [u32; LANES] {
        match self.sourced {
            Sourced::All => [self.bytes; LANES],
            Sourced::Count(word) => *file.read::<u32>(word),
            Sourced::Unless(packed) => {
                let ignore = file.pred_source(packed);
                std::array::from_fn(|lane| if ignore >> lane & 1 != 0 { 0 } else { self.bytes })
            }
        }
    }
}

/// The copies that the lanes of a warp have begun and not waited for.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Groups that each lane has made; the open one has this number.
    groups: [u32; LANES],
    list: Vec<Copied>,
}

#[derive(Clone, Copy, Debug)]
struct Copied {
    lane: u32,
    group: u32,
    ticket: Ticket,
}

impl Copies {
    /// Forgets all.
    pub(super) fn begin(&mut self) {
        self.groups = [0; LANES];
        self.list.clear();
    }

    pub(super) fn add(&mut self, lane: usize, ticket: Ticket) {
        self.list.push(Copied { lane: lane as u32, group: self.groups[lane], ticket });
    }

    /// Ends the open group of each lane.
    pub(super) fn commit(&mut self, mask: u32) {
        lanes_of(mask).for_each(|lane| self.groups[lane] += 1);
    }

    /// Takes the copies that lanes wait for, oldest first: all but those of the newest groups, or all.
    pub(super) fn take(&mut self, mask: u32, pending: Option<u32>) -> Vec<Ticket> {
        let groups = &self.groups;
        let is_due = |copied: &Copied| {
            let newest = pending.map(|pending| groups[copied.lane as usize].saturating_sub(pending));
            mask >> copied.lane & 1 != 0 && newest.is_none_or(|newest| copied.group < newest)
        };
        let due = self.list.iter().filter(|copied| is_due(copied)).map(|copied| copied.ticket).collect();
        self.list.retain(|copied| !is_due(copied));
        due
    }

    /// The copies of a lane that are on their way; those that an mbarrier has seen end are forgotten.
    pub(super) fn of_lane(&mut self, lane: usize, flights: &Flights) -> Vec<Ticket> {
        self.list.retain(|copied| flights.is_flying(copied.ticket));
        let mine = self.list.iter().filter(|copied| copied.lane == lane as u32);
        mine.map(|copied| copied.ticket).collect()
    }
}

/// Begins the copies of the lanes.
pub(super) fn run(
    copy: &CopyAsync,
    file: &File,
    mask: u32,
    copies: &mut Copies,
    stage: &mut Stage<'_, '_>,
) -> Result<(), Refusal> {
    let (to, from) = (copy.dst.addresses(file), copy.src.addresses(file));
    let counts = copy.counts(file);
    for lane in lanes_of(mask) {
        let (count, address) = (counts[lane], from[lane]);
        let refuse = |wrong| {
            let fault = Fault { lane: lane as u32, wrong, space: Space::Global, address };
            Refusal { fault, bytes: count, verb: "load" }
        };
        if count > copy.bytes {
            return Err(refuse(Wrong::CopySize));
        }
        if address & u64::from(copy.bytes - 1) != 0 {
            return Err(refuse(Wrong::Misaligned));
        }
        let mut data: SmallVec<[u8; 16]> = SmallVec::from_elem(0, copy.bytes as usize);
        stage.read_global(lane, address, &mut data[..count as usize])?;
        stage.touch_shared(lane, to[lane], (copy.bytes, copy.bytes), AccessKind::Store, "store")?;
        let holder = stage.holder(lane, Busy::Group);
        let ticket = stage.flights.begin(to[lane] as usize, copy.bytes as usize, data, holder);
        copies.add(lane, ticket);
    }
    Ok(())
}

/// Lets the copies land that lanes wait for.
pub(super) fn wait(mask: u32, pending: Option<u32>, copies: &mut Copies, stage: &mut Stage<'_, '_>) {
    for ticket in copies.take(mask, pending) {
        if let Some(flight) = stage.flights.end(ticket) {
            let cta = stage.time.cta;
            stage.land(&flight, cta);
        }
    }
}

fn plan(
    planner: &mut Planner<'_>,
    (dst, src): (Address, Address),
    size: CopySize,
    sourced: Sourced,
) -> Result<Plan, Unsupported> {
    let (dst, src) = (Place::shared(planner, dst, false)?, Place::global(planner, src)?);
    Ok(planner.asynchronous(Async::Copy(CopyAsync { dst, src, bytes: size.bytes(), sourced })))
}

fn counted(planner: &mut Planner<'_>, count: Option<Use>) -> Sourced {
    count.map_or(Sourced::All, |count| Sourced::Count(planner.value(count, RegClass::B32)))
}

fn unless(ignore: PredUse) -> Sourced {
    Sourced::Unless(pred_use(ignore))
}

impl Step for CpAsync {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let sourced = counted(planner, self.src_bytes.0);
        plan(planner, (self.dst, self.src), self.bytes, sourced)
    }
}

impl Step for CpAsyncHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let sourced = counted(planner, self.src_bytes.0.0);
        plan(planner, (self.dst, self.src), self.bytes, sourced)
    }
}

impl Step for CpAsyncIgnore {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, (self.dst, self.src), self.bytes, unless(self.ignore))
    }
}

impl Step for CpAsyncIgnoreHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, (self.dst, self.src), self.bytes, unless(self.ignore))
    }
}

impl Step for CpAsyncCommit {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(planner.asynchronous(Async::Commit))
    }
}

impl Step for CpAsyncWait {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let pending = u32::try_from(self.pending.0).unwrap_or(u32::MAX);
        Ok(planner.asynchronous(Async::Wait { pending: Some(pending) }))
    }
}

impl Step for CpAsyncWaitAll {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(planner.asynchronous(Async::Wait { pending: None }))
    }
}
