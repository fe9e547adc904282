//! Loads and stores.
//!
//! An access first works out who takes part, the element index of each, and whether all are in bounds and aligned;
//! then it moves words. Consecutive threads that access consecutive elements, the usual case, move as one block.
//! Threads that store different bits to one element in one instruction race, and are found out by reading back what
//! was stored. Races between instructions are not looked for.

use super::geometry::thread_of;
use super::{Done, Interp};
use crate::entity::EntityId;
use crate::ir::op::{Load, MemBase, Place, Store};
use crate::ir::{ArraySpace, DType, ValueId};
use crate::oracle::error::{Access, Fault, FaultKind};
use crate::oracle::memory::Buffer;
use crate::oracle::value::{Word, with_word};

/// Where the words of an access lie in its buffer.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// From an element to the next, in words.
    scale: u64,
    /// Whether those who take part have consecutive addresses.
    is_run: bool,
}

impl Interp<'_> {
    pub(super) fn load(&mut self, op: &Load, results: &[ValueId]) -> Done {
        self.gather_members();
        if let Some(guard) = op.guard.0 {
            self.members.retain(self.regs.words::<u8>(guard), true);
        }
        let layout = self.locate(op.place, op.width.elements(), Access::Load)?;
        let dtype = op.place.base.dtype(self.kernel);
        for (&result, part) in results.iter().zip(0..) {
            with_word!(dtype, W => self.load_words::<W>(op.place, result, part, layout))?;
            if let Some(storage) = dtype.storage() {
                // Bits that the format has not are ignored.
                let (range, mask) = (self.active.range(), storage.mask());
                with_word!(dtype, W => {
                    self.regs.words_mut::<W>(result)[range].iter_mut().for_each(|word| *word &= mask as W);
                });
            }
            if dtype == DType::Bool {
                // A byte of a bool other than 0 and 1 came from the host; everything here relies on those two.
                let range = self.active.range();
                self.regs.words_mut::<u8>(result)[range].iter_mut().for_each(|word| *word = (*word).min(1));
            }
        }
        Ok(())
    }

    pub(super) fn store(&mut self, op: &Store) -> Done {
        self.gather_members();
        let layout = self.locate(op.place, op.values.0.len() as u32, Access::Store)?;
        let dtype = op.place.base.dtype(self.kernel);
        for (&value, part) in op.values.0.iter().zip(0..) {
            with_word!(dtype, W => self.store_words::<W>(op.place, value, part, layout))?;
        }
        Ok(())
    }

    /// Fills `addresses` for the members, all of them in bounds and aligned.
    pub(super) fn locate(
        &mut self,
        place: Place,
        elements: u32,
        access: Access,
    ) -> Result<Layout, Box<Fault>> {
        let (len, is_private) = match place.base {
            MemBase::Param(param) => (self.args.buffers[self.args.index_of(param)].len(), false),
            MemBase::Array(array) => {
                let array = &self.kernel.arrays[array];
                (array.len.into(), array.space == ArraySpace::Private)
            }
        };
        self.read_index(place.index);
        let limit = len.saturating_sub(u64::from(elements) - 1);
        let wide = u64::from(elements);
        let range = self.members.range();
        let members = &self.members.lanes()[range.clone()];
        // A negative index became one above 2^63, which is past the end of everything.
        let is_bad =
            self.addresses[range.clone()].iter().zip(members).fold(false, |bad, (&index, &member)| {
                bad | ((member != 0) & ((index >= limit) | (index & (wide - 1) != 0)))
            });
        if is_bad {
            return Err(self.misplaced(place, elements, access, len));
        }
        let mut scale = 1;
        if is_private {
            scale = self.threads as u64;
            for (lane, address) in range.clone().zip(&mut self.addresses[range.clone()]) {
                // The index of a thread that takes no part may be anything.
                *address = address.wrapping_mul(scale).wrapping_add(lane as u64);
            }
        }
        let first = self.addresses.get(range.start).copied().unwrap_or(0);
        let is_run = !self.members.is_empty()
            && self.members.is_dense()
            && (first..)
                .zip(&self.addresses[range])
                .fold(true, |run, (wanted, &address)| run & (wanted == address));
        Ok(Layout { scale, is_run })
    }

    /// Fills `addresses` with an index value, sign-extended.
    fn read_index(&mut self, index: ValueId) {
        let range = self.members.range();
        let addresses = &mut self.addresses[range.clone()];
        let dtype = self.kernel.dtype(index);
        if dtype.bits() == 64 {
            return addresses.copy_from_slice(&self.regs.words::<u64>(index)[range]);
        }
        let words = &self.regs.words::<u32>(index)[range];
        if dtype.is_signed() {
            addresses.iter_mut().zip(words).for_each(|(address, &word)| *address = word as i32 as i64 as u64);
        } else {
            addresses.iter_mut().zip(words).for_each(|(address, &word)| *address = word.into());
        }
    }

    /// The fault of the first thread whose index is out of bounds or misaligned.
    #[cold]
    fn misplaced(&self, place: Place, elements: u32, access: Access, len: u64) -> Box<Fault> {
        let wide = u64::from(elements);
        let limit = len.saturating_sub(wide - 1);
        let is_bad =
            |lane: usize| self.addresses[lane] >= limit || !self.addresses[lane].is_multiple_of(wide);
        let lane = self.members.find(is_bad).expect("locate() saw a bad index");
        let index = self.addresses[lane];
        let buffer = place.base.name(self.kernel).to_owned();
        if index < limit {
            return self.fault(lane, FaultKind::Misaligned { access, buffer, index, elements });
        }
        let is_signed = self.kernel.dtype(place.index).is_signed();
        let index = if is_signed { i128::from(index as i64) } else { i128::from(index) };
        self.fault(lane, FaultKind::OutOfBounds { access, buffer, index, elements, len })
    }

    fn load_words<W: Word>(&mut self, place: Place, result: ValueId, part: u64, layout: Layout) -> Done {
        let mut lanes = self.regs.take(result);
        let words = W::lanes_mut(&mut lanes);
        let range = self.members.range();
        if self.members.count() < self.active.count() {
            words[self.active.range()].fill(W::default());
        }
        let buffer = match place.base {
            MemBase::Param(param) => &self.args.buffers[self.args.index_of(param)],
            MemBase::Array(array) => &self.arrays[array.index()],
        };
        let offset = part * layout.scale;
        let first = self.addresses.get(range.start).map_or(0, |&address| address.wrapping_add(offset));
        if layout.is_run && buffer.load_run(first, &mut words[range.clone()]) {
            // The usual case is done.
        } else if let Some(bytes) = buffer.dense() {
            let members = &self.members.lanes()[range.clone()];
            let places = self.addresses[range.clone()].iter().zip(members);
            for (word, (&address, _)) in
                words[range].iter_mut().zip(places).filter(|(_, (_, member))| **member != 0)
            {
                let at = (address + offset) as usize * W::BYTES;
                *word = W::read(&bytes[at..at + W::BYTES]);
            }
        } else {
            for lane in range.filter(|&lane| self.members.has(lane)) {
                let address = self.addresses[lane] + offset;
                let Some(word) = buffer.load(address) else {
                    let buffer = place.base.name(self.kernel).to_owned();
                    // A per-thread array holds element i of all threads before element i + 1 of any.
                    let index = address / layout.scale;
                    return Err(self.fault(lane, FaultKind::Uninitialised { buffer, index }));
                };
                words[lane] = word;
            }
        }
        self.regs.put(result, lanes);
        Ok(())
    }

    fn store_words<W: Word>(&mut self, place: Place, value: ValueId, part: u64, layout: Layout) -> Done {
        let range = self.members.range();
        let words = self.regs.words::<W>(value);
        let buffer: &mut Buffer = match place.base {
            MemBase::Param(param) => {
                let index = self.args.index_of(param);
                &mut self.args.buffers[index]
            }
            MemBase::Array(array) => &mut self.arrays[array.index()],
        };
        let offset = part * layout.scale;
        let first = self.addresses.get(range.start).map_or(0, |&address| address.wrapping_add(offset));
        if layout.is_run && buffer.store_run(first, &words[range.clone()]) {
            return Ok(());
        }
        let (members, addresses) = (&self.members, &self.addresses);
        for lane in range.clone().filter(|&lane| members.has(lane)) {
            buffer.store(addresses[lane] + offset, words[lane]);
        }
        let lost = members.find(|lane| buffer.load(addresses[lane] + offset) != Some(words[lane]));
        lost.map_or(Ok(()), |lane| Err(self.race(place, lane, layout, offset)))
    }

    /// The fault of a thread whose stored bits another one replaced at once.
    #[cold]
    fn race(&self, place: Place, lane: usize, layout: Layout, offset: u64) -> Box<Fault> {
        let address = self.addresses[lane];
        let others = self.members.range().rev();
        let other =
            others.filter(|&other| self.members.has(other)).find(|&other| self.addresses[other] == address);
        let buffer = place.base.name(self.kernel).to_owned();
        let index = (address + offset) / layout.scale;
        let other = thread_of(other.unwrap_or(lane), self.launch.cta);
        self.fault(lane, FaultKind::Race { buffer, index, other })
    }
}
