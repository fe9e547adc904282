//! `cp.async.bulk`: what a copy reads is read when it begins; what it brings lands with the phase of its mbarrier.
//!
//! A store to global memory is done at once, but its source may not be written before its thread has waited for its
//! group. Not here: copies of tiles (`cp_tensor`).

use smallvec::SmallVec;

use super::asynchronous::Async;
use super::cp_async::Copies;
use super::decode::Planner;
use super::file::File;
use super::flight::Busy;
use super::load_store::{Fault, Wrong, lanes_of};
use super::micro::Kind;
use super::race::AccessKind;
use super::step::{Plan, Step, Unsupported};
use super::transfer::{Place, Refusal, Stage};
use crate::ptx::isa::modifier::Space;
use crate::ptx::isa::{
    Address, BulkCommit, BulkLoad, BulkLoadHint, BulkPrefetch, BulkPrefetchHint, BulkStore, BulkStoreHint,
    BulkWait, RegClass, Use,
};

/// Alignment of addresses and sizes.
const ALIGN: u32 = 16;

/// A bulk copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bulk {
    pub(super) global: Place,
    pub(super) shared: Place,
    /// The word that says how many bytes.
    pub(super) bytes: u32,
    /// The mbarrier of a copy into shared memory; one out of it has none.
    bar: Option<Place>,
}

/// Begins the copies of the lanes.
pub(super) fn run(
    bulk: &Bulk,
    file: &File,
    mask: u32,
    copies: &mut Copies,
    stage: &mut Stage<'_, '_>,
) -> Result<(), Refusal> {
    let (global, shared) = (bulk.global.addresses(file), bulk.shared.addresses(file));
    let bars = bulk.bar.map(|bar| bar.addresses(file));
    for lane in lanes_of(mask) {
        let (address, bytes) = (global[lane], file.read::<u32>(bulk.bytes)[lane]);
        let verb = if bars.is_some() { "load" } else { "store" };
        let refuse = |wrong| {
            let fault = Fault { lane: lane as u32, wrong, space: Space::Global, address };
            Refusal { fault, bytes, verb }
        };
        if !bytes.is_multiple_of(ALIGN) {
            return Err(refuse(Wrong::CopySize));
        }
        if address & u64::from(ALIGN - 1) != 0 {
            return Err(refuse(Wrong::Misaligned));
        }
        match bars {
            Some(bars) => load(lane, (address, shared[lane]), bytes, bars[lane], stage)?,
            None if bytes == 0 => {}
            None => {
                let source = shared[lane];
                stage.touch_shared(lane, source, (bytes, ALIGN), AccessKind::Load, "load")?;
                let data = stage.read_shared(lane, source, bytes)?;
                stage.write_global(lane, address, &data)?;
                let holder = stage.holder(lane, Busy::Read);
                let ticket = stage.flights.begin(source as usize, bytes as usize, SmallVec::new(), holder);
                copies.add(lane, ticket);
            }
        }
    }
    Ok(())
}

fn load(
    lane: usize,
    (from, to): (u64, u64),
    bytes: u32,
    bar: u64,
    stage: &mut Stage<'_, '_>,
) -> Result<(), Refusal> {
    let counts = stage.reach(lane, bar)?;
    if bytes != 0 {
        let mut data: SmallVec<[u8; 16]> = SmallVec::from_elem(0, bytes as usize);
        stage.read_global(lane, from, &mut data)?;
        stage.touch_shared(lane, to, (bytes, ALIGN), AccessKind::Store, "store")?;
        let holder = stage.holder(lane, Busy::Phase);
        let ticket = stage.flights.begin(to as usize, bytes as usize, data, holder);
        stage.tie(lane, counts, ticket);
    }
    count_bytes(lane, (bar, counts), bytes, stage)
}

/// Takes bytes that came off what the mbarrier at an address expects; it may complete its phase.
pub(super) fn count_bytes(
    lane: usize,
    (bar, counts): (u64, u32),
    bytes: u32,
    stage: &mut Stage<'_, '_>,
) -> Result<(), Refusal> {
    stage.expect(counts, -i64::from(bytes)).map_err(|problem| {
        let wrong = Wrong::Mbarrier(problem);
        let fault = Fault { lane: lane as u32, wrong, space: Space::Shared, address: bar };
        Refusal { fault, bytes: 8, verb: "mbarrier" }
    })?;
    stage.complete(counts);
    Ok(())
}

fn plan(
    planner: &mut Planner<'_>,
    (global, shared): (Address, Address),
    bytes: Use,
    bar: Option<Address>,
) -> Result<Plan, Unsupported> {
    let (global, shared) = (Place::global(planner, global)?, Place::shared(planner, shared, false)?);
    let bar = bar.map(|bar| Place::shared(planner, bar, false)).transpose()?;
    let bytes = planner.value(bytes, RegClass::B32);
    Ok(planner.asynchronous(Async::Bulk(Bulk { global, shared, bytes, bar })))
}

impl Step for BulkLoad {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, (self.src, self.dst), self.bytes, Some(self.bar))
    }
}

impl Step for BulkLoadHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, (self.src, self.dst), self.bytes, Some(self.bar))
    }
}

impl Step for BulkStore {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, (self.dst, self.src), self.bytes, None)
    }
}

impl Step for BulkStoreHint {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        plan(planner, (self.dst, self.src), self.bytes, None)
    }
}

impl Step for BulkCommit {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(planner.asynchronous(Async::BulkCommit))
    }
}

impl Step for BulkWait {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let pending = u32::try_from(self.pending.0).unwrap_or(u32::MAX);
        Ok(planner.asynchronous(Async::BulkWait { pending }))
    }
}

/// Rows without an effect that a program could see.
macro_rules! no_effect {
    ($($row:ident)*) => {$(
        impl Step for $row {
            fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
                Ok(Plan::of(Kind::Lanes))
            }
        }
    )*};
}

no_effect! { BulkPrefetch BulkPrefetchHint }
