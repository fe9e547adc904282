//! Runs of bytes that copies read and write, with the checks that loads and stores have.
//!
//! Entry: one lane's address and bytes. Exit: they are moved and noted for the race detector, or the first byte that
//! may not is reported. Not here: what is on its way (`flight`), and whole warps at once (`load_store`).

use smallvec::SmallVec;

use super::access::{AddressBase, Order};
use super::context::Launch;
use super::decode::{Planner, SHARED_BASE};
use super::file::{File, LANES};
use super::flight::{Flight, Flights, Holder};
use super::load_store::{Fault, Memories, Wrong, addresses_of};
use super::mbarrier::Mbarriers;
use super::memory::{SHARED_WINDOW, base};
use super::order::{Time, WarpOrder};
use super::race::{AccessKind, Race};
use super::shadow::{Record, SPAN, Shadow, Touch};
use super::space::Bytes;
use super::step::Unsupported;
use super::writer::Author;
use crate::ptx::isa::Address;
use crate::ptx::isa::modifier::{Scope, Space};

/// Bytes that are looked at together: no such piece of memory lies in two pages.
const PIECE: usize = 16;

/// An address operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    base: AddressBase,
    offset: i64,
    /// Whether a generic address of shared memory is meant.
    generic: bool,
}

impl Place {
    pub(super) fn global(planner: &Planner<'_>, address: Address) -> Result<Self, Unsupported> {
        let (base, offset) = base(planner, Some(Space::Global), address)?;
        Ok(Self { base, offset, generic: false })
    }

    pub(super) fn shared(
        planner: &Planner<'_>,
        address: Address,
        generic: bool,
    ) -> Result<Self, Unsupported> {
        let space = (!generic || address.is_symbol()).then_some(Space::Shared);
        let (base, offset) = base(planner, space, address)?;
        Ok(Self { base, offset, generic: generic && !address.is_symbol() })
    }

    /// The address of each lane in its space; outside the window of a generic one it is in no space's bounds.
    pub(super) fn addresses(&self, file: &File) -> [u64; LANES] {
        let addresses = addresses_of(self.base, self.offset, file);
        if self.generic { addresses.map(|address| address.wrapping_sub(SHARED_WINDOW)) } else { addresses }
    }
}

/// What a lane may not do, for a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refusal {
    pub(super) fault: Fault,
    pub(super) bytes: u32,
    pub(super) verb: &'static str,
}

/// What an asynchronous operation of a warp works on.
pub(super) struct Stage<'s, 'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) shared: &'s mut Bytes,
    pub(super) local: &'s mut Bytes,
    pub(super) shadows: &'s mut [Shadow],
    pub(super) time: &'s mut Time,
    pub(super) order: &'s mut WarpOrder,
    pub(super) flights: &'s mut Flights,
    pub(super) mbarriers: &'s mut Mbarriers,
    pub(super) pc: u32,
    pub(super) warp: u32,
}

/// Bytes that the race detector has one record for; a part of them has its own.
const GRANULE: usize = 4;

/// Cuts a run of memory into whole granules that lie in one [`PIECE`], and parts of one granule; gives the place of
/// each in the run, and its length.
fn pieces(address: u64, bytes: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let at = address.wrapping_add(offset as u64) as usize % PIECE;
        let (left, before) = (bytes - offset, at.next_multiple_of(GRANULE) - at);
        let length = match before {
            0 if left >= GRANULE => (PIECE - at).min(left & !(GRANULE - 1)),
            0 => left,
            _ => before.min(left),
        };
        let piece = (offset, length);
        offset += length;
        (length != 0).then_some(piece)
    })
}

impl Stage<'_, '_> {
    pub(super) fn sanitizes(&self) -> bool {
        self.launch.config.sanitize
    }

    fn memories(&mut self, strong: Option<(Order, Scope)>) -> Memories<'_> {
        let mut memories = super::warp::memories(self.launch, self.shared, self.local);
        memories.writer = self.launch.global.notes_writers().then(|| Author::new(self.time.cta, self.warp));
        // The order that an mbarrier makes is its own (see `mbarrier`), not that of atomic accesses.
        if self.launch.config.sanitize {
            let clocks = (&*self.time, &mut *self.order);
            memories.race = Some(Race::new(clocks, self.shadows, (self.pc, self.warp), strong, false));
        }
        memories
    }

    /// Reads bytes of global memory for a lane.
    pub(super) fn read_global(&mut self, lane: usize, address: u64, out: &mut [u8]) -> Result<(), Refusal> {
        let total = out.len() as u32;
        let memories = &mut self.memories(None);
        for (offset, length) in pieces(address, out.len()) {
            let piece = &mut out[offset..offset + length];
            let address = address.wrapping_add(offset as u64);
            let refuse = |wrong| {
                let fault = Fault { lane: lane as u32, wrong, space: Space::Global, address };
                Refusal { fault, bytes: total, verb: "load" }
            };
            let view = memories.global.view(address, false).ok_or(refuse(Wrong::OutOfBounds))?;
            let at = (address - view.base) as usize;
            if at + piece.len() > view.bytes as usize {
                return Err(refuse(Wrong::OutOfBounds));
            }
            let page = view.page.filter(|page| page.is_initialised(at, piece.len() as u32));
            if memories.sanitize && page.is_none() {
                return Err(refuse(Wrong::Uninitialised));
            }
            let Some(page) = view.page else {
                piece.fill(0);
                continue;
            };
            if let Some(race) = &mut memories.race {
                let mut shadow = page.shadow(at);
                let (at, bytes) = (at % SPAN, piece.len() as u32);
                let touch = Touch { lane, at, bytes, write: false, same: &|_| false };
                race.touch(&mut shadow, AccessKind::Load, &touch)
                    .map_err(|clash| refuse(Wrong::Race(clash)))?;
            }
            for (offset, byte) in piece.iter_mut().enumerate() {
                *byte = page.load(at + offset, 1) as u8;
            }
        }
        Ok(())
    }

    /// Writes bytes of global memory for a lane.
    pub(super) fn write_global(&mut self, lane: usize, address: u64, data: &[u8]) -> Result<(), Refusal> {
        let total = data.len() as u32;
        let memories = &mut self.memories(None);
        for (offset, length) in pieces(address, data.len()) {
            let piece = &data[offset..offset + length];
            let address = address.wrapping_add(offset as u64);
            let refuse = |wrong| {
                let fault = Fault { lane: lane as u32, wrong, space: Space::Global, address };
                Refusal { fault, bytes: total, verb: "store" }
            };
            let view = memories.global.view(address, true).ok_or(refuse(Wrong::OutOfBounds))?;
            let at = (address - view.base) as usize;
            if at + piece.len() > view.bytes as usize {
                return Err(refuse(Wrong::OutOfBounds));
            }
            let page = view.page.expect("a view for a store makes its page");
            if let Some(race) = &mut memories.race {
                let mut shadow = page.shadow(at);
                let same = |offset: usize| page.load(at + offset, 1) == u64::from(piece[offset]);
                let touch =
                    Touch { lane, at: at % SPAN, bytes: piece.len() as u32, write: true, same: &same };
                race.touch(&mut shadow, AccessKind::Store, &touch)
                    .map_err(|clash| refuse(Wrong::Race(clash)))?;
            }
            // A part of a word is stored byte by byte: another worker may store the rest.
            let width = if piece.len() < GRANULE { 1 } else { GRANULE };
            for (index, bytes) in piece.chunks(width).enumerate() {
                let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
                page.store(at + width * index, width as u32, value, memories.parallel);
            }
            page.mark_initialised(at, piece.len() as u32, memories.parallel);
            if let Some(writer) = memories.writer {
                page.mark_writer(at, piece.len() as u32, writer, lane);
            }
            if memories.track_stores {
                page.mark_stored(at, piece.len() as u32, memories.parallel);
            }
        }
        Ok(())
    }

    /// Checks bytes of shared memory for a lane, and notes the access. Whole words.
    pub(super) fn touch_shared(
        &mut self,
        lane: usize,
        address: u64,
        (bytes, align): (u32, u32),
        kind: AccessKind,
        verb: &'static str,
    ) -> Result<(), Refusal> {
        let refuse = |wrong| {
            let fault = Fault { lane: lane as u32, wrong, space: Space::Shared, address };
            Refusal { fault, bytes, verb }
        };
        if address & u64::from(align - 1) != 0 {
            return Err(refuse(Wrong::Misaligned));
        }
        let (start, end) = (u64::from(SHARED_BASE), u64::from(self.launch.shared_end()));
        if address < start || address >= end || address + u64::from(bytes) > end {
            return Err(refuse(Wrong::OutOfBounds));
        }
        let at = address as usize;
        let write = kind != AccessKind::Load;
        if self.sanitizes()
            && kind != AccessKind::Update
            && let Some(holder) = self.flights.holder(at, bytes, write)
        {
            return Err(refuse(Wrong::InFlight(holder)));
        }
        let strong = (kind == AccessKind::Update).then_some((Order::Relaxed, Scope::Cta));
        let Some(mut race) = self.memories(strong).race else { return Ok(()) };
        let end = at + bytes as usize;
        let mut from = at;
        while from < end {
            let to = end.min((from / SPAN + 1) * SPAN);
            let touch = Touch { lane, at: from, bytes: (to - from) as u32, write, same: &|_| false };
            race.touch_shared(kind, &touch).map_err(|clash| refuse(Wrong::Race(clash)))?;
            from = to;
        }
        Ok(())
    }

    /// Reads checked bytes of shared memory.
    pub(super) fn read_shared(
        &self,
        lane: usize,
        address: u64,
        bytes: u32,
    ) -> Result<SmallVec<[u8; 16]>, Refusal> {
        let at = address as usize;
        let is_read = |offset: usize| !self.sanitizes() || self.shared.is_initialised(at + offset, 4);
        if let Some(offset) = (0..bytes as usize).step_by(4).find(|&offset| !is_read(offset)) {
            let address = address + offset as u64;
            let fault =
                Fault { lane: lane as u32, wrong: Wrong::Uninitialised, space: Space::Shared, address };
            return Err(Refusal { fault, bytes, verb: "load" });
        }
        Ok((0..bytes as usize).map(|offset| self.shared.load(at + offset, 1) as u8).collect())
    }

    /// The holder of what a lane of this instruction begins.
    pub(super) fn holder(&self, lane: usize, busy: super::flight::Busy) -> Holder {
        Holder { busy, pc: self.pc, warp: self.warp, lane: lane as u32 }
    }

    /// Puts what a copy brought where it belongs, as a write of the lanes of `cta` that began it.
    pub(super) fn land(&mut self, flight: &Flight, cta: u32) {
        for (offset, word) in flight.data.chunks(4).enumerate() {
            let value = word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            self.shared.store(flight.start + 4 * offset, 4, value);
        }
        if !self.sanitizes() {
            return;
        }
        let Holder { pc, warp, lane, .. } = flight.holder;
        let written = Record::weak(self.time.now, 1 << lane, cta, (pc, warp));
        let end = flight.start + flight.data.len();
        let mut from = flight.start;
        while from < end {
            let to = end.min((from / SPAN + 1) * SPAN);
            self.shadows[from / SPAN].settle(from % SPAN, to - from, written);
            from = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_cut_at_granules_and_pieces() {
        let cut = |address: u64, bytes: usize| pieces(address, bytes).collect::<Vec<_>>();
        assert_eq!(cut(0x100, 0), []);
        assert_eq!(cut(0x100, 40), [(0, 16), (16, 16), (32, 8)]);
        assert_eq!(cut(0x108, 24), [(0, 8), (8, 16)]);
        assert_eq!(cut(0x103, 2), [(0, 1), (1, 1)]);
        assert_eq!(cut(0x101, 22), [(0, 3), (3, 12), (15, 4), (19, 3)]);
        assert_eq!(cut(0x10e, 5), [(0, 2), (2, 3)]);
    }
}
