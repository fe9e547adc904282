//! Bytes of shared memory that an asynchronous copy or an mbarrier has to itself.
//!
//! Entry: a copy that has begun, in bounds and aligned. Exit: whoever touches its bytes before it has ended is told who
//! has them; what it brings lands when it ends. One entry a granule of four bytes says which flight has it. Not here:
//! when a copy ends (`cp_async`, `mbarrier`).

use smallvec::SmallVec;

/// Bytes of a granule: the least that a copy moves.
const GRANULE: usize = 4;

/// Why bytes are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Busy {
    /// A copy writes them; its thread will wait for its group.
    Group,
    /// A copy writes them; an mbarrier will tell.
    Phase,
    /// A bulk copy reads them.
    Read,
    /// They are an mbarrier.
    Barrier,
}

/// Who has bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) busy: Busy,
    /// The instruction.
    pub(super) pc: u32,
    pub(super) warp: u32,
    pub(super) lane: u32,
}

/// A copy on its way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) holder: Holder,
    /// First byte.
    pub(super) start: usize,
    bytes: usize,
    /// What lands there.
    pub(super) data: SmallVec<[u8; 16]>,
}

/// Names a flight, also after it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    slot: u32,
    serial: u32,
}

/// All flights of a CTA.
#[derive(Debug, Default)]
pub(super) struct Flights {
    /// With the number of flights that have had the slot.
    slots: Vec<(u32, Option<Flight>)>,
    free: Vec<u32>,
    /// For each granule one more than the slot of the flight that has it; made with the first flight.
    table: Vec<u32>,
}

impl Flights {
    /// Forgets all.
    pub(super) fn reset(&mut self) {
        if !self.slots.is_empty() {
            *self = Self::default();
        }
    }

    /// The table, if anything is on its way.
    pub(super) fn watched(&self) -> Option<&Self> {
        (self.free.len() < self.slots.len()).then_some(self)
    }

    fn granules(start: usize, bytes: usize) -> std::ops::Range<usize> {
        start / GRANULE..(start + bytes).div_ceil(GRANULE)
    }

    /// Begins one. Nobody else has its bytes, or all only read them.
    pub(super) fn begin(
        &mut self,
        start: usize,
        bytes: usize,
        data: SmallVec<[u8; 16]>,
        holder: Holder,
    ) -> Ticket {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, None));
            self.slots.len() as u32 - 1
        });
        let granules = Self::granules(start, bytes);
        if self.table.len() < granules.end {
            self.table.resize(granules.end, 0);
        }
        self.table[granules].fill(slot + 1);
        let (serial, held) = &mut self.slots[slot as usize];
        *serial += 1;
        *held = Some(Flight { holder, start, bytes, data });
        Ticket { slot, serial: *serial }
    }

    /// Who keeps an access off.
    #[inline]
    pub(super) fn holder(&self, at: usize, bytes: u32, write: bool) -> Option<Holder> {
        let granules = Self::granules(at, bytes as usize);
        let end = granules.end.min(self.table.len());
        let taken = self.table.get(granules.start..end)?;
        taken.iter().filter(|&&entry| entry != 0).find_map(|&entry| {
            let holder = self.slots[entry as usize - 1].1.as_ref()?.holder;
            (write || holder.busy != Busy::Read).then_some(holder)
        })
    }

    fn flight_mut(&mut self, ticket: Ticket) -> Option<&mut Flight> {
        let (serial, flight) = &mut self.slots[ticket.slot as usize];
        flight.as_mut().filter(|_| *serial == ticket.serial)
    }

    /// Whether it has not ended.
    pub(super) fn is_flying(&self, ticket: Ticket) -> bool {
        let (serial, flight) = &self.slots[ticket.slot as usize];
        *serial == ticket.serial && flight.is_some()
    }

    /// Lets an mbarrier tell when a copy ends. Returns whether it is still on its way, and who began it.
    pub(super) fn leave_to_phase(&mut self, ticket: Ticket) -> bool {
        let flight = self.flight_mut(ticket);
        flight.is_some_and(|flight| std::mem::replace(&mut flight.holder.busy, Busy::Phase) != Busy::Phase)
    }

    /// Ends one, if it has not ended.
    pub(super) fn end(&mut self, ticket: Ticket) -> Option<Flight> {
        self.flight_mut(ticket)?;
        let flight = self.slots[ticket.slot as usize].1.take()?;
        self.free.push(ticket.slot);
        for entry in &mut self.table[Self::granules(flight.start, flight.bytes)] {
            if *entry == ticket.slot + 1 {
                *entry = 0;
            }
        }
        Some(flight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLDER: Holder = Holder { busy: Busy::Group, pc: 7, warp: 0, lane: 3 };

    #[test]
    fn bytes_are_taken_until_the_flight_ends() {
        let mut flights = Flights::default();
        assert!(flights.watched().is_none());
        let first = flights.begin(1024, 16, SmallVec::new(), HOLDER);
        let reads = Holder { busy: Busy::Read, ..HOLDER };
        let second = flights.begin(1040, 16, SmallVec::new(), reads);
        assert_eq!(flights.holder(1036, 4, false), Some(HOLDER));
        assert_eq!(flights.holder(1020, 4, true), None);
        assert_eq!(flights.holder(1040, 4, false), None);
        assert_eq!(flights.holder(1040, 4, true), Some(reads));
        assert!(flights.end(first).is_some() && flights.end(first).is_none());
        assert_eq!(flights.holder(1024, 16, true), None);
        // The slot is used again, but the old ticket is not good for it.
        let third = flights.begin(1024, 4, SmallVec::new(), HOLDER);
        assert!(!flights.is_flying(first) && flights.is_flying(third));
        assert!(flights.end(first).is_none());
        assert!(flights.end(second).is_some() && flights.end(third).is_some());
        assert!(flights.watched().is_none());
    }
}
