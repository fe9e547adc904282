//! Global memory: named buffers at 64-bit addresses, stored by pages that exist once they are touched.
//!
//! Entry: the host allocates buffers and fills them. Exit: each byte knows whether anything has written it; every
//! buffer begins on a page of its own with a gap of at least a page before the next, so that an access past an end
//! never lands in another buffer. A buffer may be larger than the host's memory as long as few of its pages are
//! touched. CTAs on several workers share it: words are relaxed atomics, which cost a plain load or store.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::shadow::{SPAN, Shadow};
use super::whereabouts::Located;
use super::writer::{Author, Writer};

/// Bytes of a page.
const PAGE: u64 = 1 << 16;

/// Where the first buffer begins: no truncation to 32 bits of an address leads into a buffer.
const FIRST: u64 = 1 << 33;

/// Highest address a buffer may reach: the windows of the other spaces lie above.
const LAST: u64 = 1 << 48;

/// Where the variables of a module begin: below every buffer, and again where no 32-bit address leads.
const MODULE_FIRST: u64 = 1 << 32;

/// Bytes of the largest variable that has a place: its contents are written anew at every launch.
const MODULE_LARGEST: u64 = 1 << 26;

/// A variable of a module in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModuleVariable {
    pub(super) name: String,
    /// Its address.
    pub(super) start: u64,
    /// What it holds when a launch begins.
    pub(super) contents: Vec<u8>,
}

impl ModuleVariable {
    /// Gives a variable its place behind another, and zeros; `None` for one that is too large.
    pub(super) fn place(name: &str, bytes: u64, after: Option<&Self>) -> Option<Self> {
        let start = after.map_or(MODULE_FIRST, |last| {
            last.start + (last.contents.len() as u64).next_multiple_of(PAGE) + PAGE
        });
        if bytes > MODULE_LARGEST || start + bytes > FIRST - PAGE {
            return None;
        }
        Some(Self { name: name.to_owned(), start, contents: vec![0; bytes as usize] })
    }
}

/// A page: contents, and one bit for each byte that was written.
#[derive(Debug)]
pub(super) struct Page {
    words: Box<[AtomicU32]>,
    initialised: Box<[AtomicU32]>,
    /// Held for an atomic step over two words.
    wide: Mutex<()>,
    /// Bytes that the running launch wrote; made only for a kernel that has read-only loads.
    stored: OnceLock<Box<[AtomicU32]>>,
    /// Who touched what in the running launch; made only with the sanitizer.
    shadows: OnceLock<Box<[Mutex<Shadow>]>>,
    /// Who wrote each byte last in the running launch; made only where that is asked for.
    writers: OnceLock<Box<[AtomicU64]>>,
}

fn zeros(count: u64) -> Box<[AtomicU32]> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

fn set(bits: &AtomicU32, mask: u32, parallel: bool) {
    let old = bits.load(Relaxed);
    if old & mask == mask {
        return;
    }
    if parallel {
        bits.fetch_or(mask, Relaxed);
    } else {
        bits.store(old | mask, Relaxed);
    }
}

/// The bits of `bytes` bytes from a position on, within the 32 bytes of one word of a bitmap.
pub(super) fn byte_bits(position: usize, bytes: u32) -> u32 {
    (((1_u64 << bytes) - 1) as u32) << (position % 32)
}

impl Page {
    fn new() -> Self {
        Self {
            words: zeros(PAGE / 4),
            initialised: zeros(PAGE / 32),
            wide: Mutex::new(()),
            stored: OnceLock::new(),
            shadows: OnceLock::new(),
            writers: OnceLock::new(),
        }
    }

    #[inline(always)]
    pub(super) fn load(&self, at: usize, bytes: u32) -> u64 {
        let word = u64::from(self.words[at / 4].load(Relaxed));
        match bytes {
            4 => word,
            8 => word | u64::from(self.words[at / 4 + 1].load(Relaxed)) << 32,
            2 => (word >> (8 * (at & 3))) & 0xffff,
            _ => (word >> (8 * (at & 3))) & 0xff,
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, at: usize, bytes: u32, value: u64, parallel: bool) {
        let word = &self.words[at / 4];
        match bytes {
            4 => word.store(value as u32, Relaxed),
            8 => {
                word.store(value as u32, Relaxed);
                self.words[at / 4 + 1].store((value >> 32) as u32, Relaxed);
            }
            _ => {
                let shift = 8 * (at & 3) as u32;
                let mask = (if bytes == 2 { 0xffff } else { 0xff }) << shift;
                let merge = |old: u32| (old & !mask) | (((value as u32) << shift) & mask);
                if parallel {
                    // Neighbours in the word may be stored by another worker at the same time.
                    word.fetch_update(Relaxed, Relaxed, |old| Some(merge(old)))
                        .expect("the update never declines");
                } else {
                    word.store(merge(word.load(Relaxed)), Relaxed);
                }
            }
        }
    }

    /// Replaces a value of 2, 4 or 8 bytes in one step, also for other workers, and gives the old one.
    pub(super) fn update(&self, at: usize, bytes: u32, parallel: bool, replace: impl Fn(u64) -> u64) -> u64 {
        if !parallel || bytes == 8 {
            // Nothing is left half done by a panic: the guard protects only the order of steps.
            let _step = parallel.then(|| self.wide.lock().unwrap_or_else(PoisonError::into_inner));
            let old = self.load(at, bytes);
            self.store(at, bytes, replace(old), parallel);
            return old;
        }
        let shift = 8 * (at & 3) as u32;
        let mask = (u32::MAX >> (32 - 8 * bytes)) << shift;
        let part = |word: u32| u64::from((word & mask) >> shift);
        let merge = |word: u32| (word & !mask) | (((replace(part(word)) as u32) << shift) & mask);
        let old = self.words[at / 4].fetch_update(Relaxed, Relaxed, |word| Some(merge(word)));
        part(old.expect("the update never declines"))
    }

    #[inline(always)]
    pub(super) fn is_initialised(&self, at: usize, bytes: u32) -> bool {
        let mask = byte_bits(at, bytes);
        self.initialised[at / 32].load(Relaxed) & mask == mask
    }

    #[inline(always)]
    pub(super) fn mark_initialised(&self, at: usize, bytes: u32, parallel: bool) {
        set(&self.initialised[at / 32], byte_bits(at, bytes), parallel);
    }

    pub(super) fn mark_stored(&self, at: usize, bytes: u32, parallel: bool) {
        let bits = self.stored.get_or_init(|| zeros(PAGE / 32));
        set(&bits[at / 32], byte_bits(at, bytes), parallel);
    }

    /// Notes who wrote bytes.
    pub(super) fn mark_writer(&self, at: usize, bytes: u32, author: Author, lane: usize) {
        let writers = self.writers.get_or_init(|| (0..PAGE).map(|_| AtomicU64::new(0)).collect());
        for writer in &writers[at..at + bytes as usize] {
            writer.store(author.lane(lane), Relaxed);
        }
    }

    /// The shadow that covers a byte. Who holds it may look at bytes and change them without being interrupted.
    pub(super) fn shadow(&self, at: usize) -> MutexGuard<'_, Shadow> {
        let make = || std::iter::repeat_with(Mutex::default).take(PAGE as usize / SPAN).collect();
        // A worker that panicked ends the launch, and its shadow with it.
        self.shadows.get_or_init(make)[at / SPAN].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn was_stored(&self, at: usize, bytes: u32) -> bool {
        self.stored.get().is_some_and(|bits| bits[at / 32].load(Relaxed) & byte_bits(at, bytes) != 0)
    }
}

#[derive(Debug)]
struct Buffer {
    name: String,
    start: u64,
    bytes: u64,
    pages: Vec<OnceLock<Page>>,
}

/// The part of a buffer that lies in one page.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    /// Address of the page.
    pub(super) base: u64,
    /// Bytes of the buffer from there on, within the page.
    pub(super) bytes: u64,
    /// The page, if anything has touched it.
    pub(super) page: Option<&'a Page>,
}

/// A host access outside every buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes at {address:#x} are not inside one buffer")]
pub struct OutsideBuffers {
    /// First address.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
}

/// The memory that kernels and host share.
#[derive(Debug, Default)]
pub struct GlobalMemory {
    /// In the order of their addresses.
    buffers: Vec<Buffer>,
    /// Whether it is noted who writes.
    writers: bool,
}

impl GlobalMemory {
    /// Memory without buffers.
    pub const fn new() -> Self {
        Self { buffers: Vec::new(), writers: false }
    }

    /// Makes a buffer and returns its address, a multiple of 64 KiB. Its bytes are uninitialised.
    ///
    /// # Panics
    /// Panics when the 2^48 bytes of address space are used up.
    pub fn allocate(&mut self, name: impl Into<String>, bytes: u64) -> u64 {
        let after = |buffer: &Buffer| buffer.start + buffer.bytes.next_multiple_of(PAGE) + PAGE;
        let start = self.buffers.last().map_or(FIRST, after).max(FIRST);
        assert!(bytes < LAST - start, "buffers of one launch fit 48 bits of address space");
        let pages = (0..bytes.div_ceil(PAGE)).map(|_| OnceLock::new()).collect();
        self.buffers.push(Buffer { name: name.into(), start, bytes, pages });
        start
    }

    /// Makes a buffer with contents.
    ///
    /// # Panics
    /// As [`allocate`](Self::allocate).
    pub fn allocate_with(&mut self, name: impl Into<String>, contents: &[u8]) -> u64 {
        let start = self.allocate(name, contents.len() as u64);
        self.write(start, contents).expect("a buffer of that length was made just now");
        start
    }

    fn host_pieces(&self, address: u64, bytes: u64) -> Result<(usize, u64), OutsideBuffers> {
        let outside = OutsideBuffers { address, bytes };
        let index = self.find(address).ok_or(outside)?;
        let buffer = &self.buffers[index];
        let offset = address - buffer.start;
        if offset.checked_add(bytes).is_none_or(|end| end > buffer.bytes) {
            return Err(outside);
        }
        Ok((index, offset))
    }

    /// Gives bytes their contents and marks them as initialised.
    ///
    /// # Errors
    /// The bytes are not inside one buffer.
    pub fn write(&mut self, address: u64, contents: &[u8]) -> Result<(), OutsideBuffers> {
        self.fill(address, contents, true)
    }

    /// Gives bytes their contents, but leaves them uninitialised: a canary that shows what was not written.
    ///
    /// # Errors
    /// The bytes are not inside one buffer.
    pub fn write_canary(&mut self, address: u64, contents: &[u8]) -> Result<(), OutsideBuffers> {
        self.fill(address, contents, false)
    }

    fn fill(&mut self, address: u64, contents: &[u8], initialise: bool) -> Result<(), OutsideBuffers> {
        let (index, start) = self.host_pieces(address, contents.len() as u64)?;
        let buffer = &mut self.buffers[index];
        let mut offset = start as usize;
        let mut rest = contents;
        while !rest.is_empty() {
            let at = offset % PAGE as usize;
            let (piece, after) = rest.split_at(rest.len().min(PAGE as usize - at));
            let slot = &mut buffer.pages[offset / PAGE as usize];
            slot.get_or_init(Page::new);
            let page = slot.get_mut().expect("it was made in the line above");
            for (position, &byte) in (at..).zip(piece) {
                let word = page.words[position / 4].get_mut();
                let mut bytes = word.to_le_bytes();
                bytes[position % 4] = byte;
                *word = u32::from_le_bytes(bytes);
                let bit = 1 << (position % 32);
                let bits = page.initialised[position / 32].get_mut();
                *bits = if initialise { *bits | bit } else { *bits & !bit };
            }
            offset += piece.len();
            rest = after;
        }
        Ok(())
    }

    /// Reads bytes; those never touched are 0.
    ///
    /// # Errors
    /// The bytes are not inside one buffer.
    pub fn read(&self, address: u64, contents: &mut [u8]) -> Result<(), OutsideBuffers> {
        let (index, start) = self.host_pieces(address, contents.len() as u64)?;
        let buffer = &self.buffers[index];
        for (offset, byte) in (start..).zip(contents) {
            let page = buffer.pages[(offset / PAGE) as usize].get();
            *byte = page.map_or(0, |page| page.load((offset % PAGE) as usize, 1) as u8);
        }
        Ok(())
    }

    /// Whether something has written each of the bytes.
    ///
    /// # Errors
    /// The bytes are not inside one buffer.
    pub fn is_initialised(&self, address: u64, bytes: u64) -> Result<bool, OutsideBuffers> {
        let (index, start) = self.host_pieces(address, bytes)?;
        let buffer = &self.buffers[index];
        Ok((start..start + bytes).all(|offset| {
            let page = buffer.pages[(offset / PAGE) as usize].get();
            page.is_some_and(|page| page.is_initialised((offset % PAGE) as usize, 1))
        }))
    }

    /// Notes from now on which thread writes each byte, at eight bytes for each byte of a page that is written.
    pub fn note_writers(&mut self) {
        self.writers = true;
    }

    pub(super) fn notes_writers(&self) -> bool {
        self.writers
    }

    /// Who wrote a byte last in the last launch; `None` for nobody, or where [`note_writers`](Self::note_writers) was not
    /// asked for. Atomic operations and copies count as stores of the thread that begins them.
    pub fn writer(&self, address: u64) -> Option<Writer> {
        let view = self.view(address, false)?;
        let writers = view.page?.writers.get()?;
        Writer::of(writers[(address - view.base) as usize].load(Relaxed))
    }

    /// Calls the buffer at an address by another name, for messages.
    pub fn rename(&mut self, address: u64, name: &str) {
        if let Some(index) = self.find(address) {
            name.clone_into(&mut self.buffers[index].name);
        }
    }

    /// Forgets what the last launch stored.
    pub(super) fn begin_launch(&mut self) {
        for page in self.buffers.iter_mut().flat_map(|buffer| &mut buffer.pages) {
            if let Some(page) = page.get_mut() {
                page.stored.take();
                page.shadows.take();
                page.writers.take();
            }
        }
    }

    /// Gives the variables of the module that runs next their place and contents, instead of those of the last.
    pub(super) fn place_module(&mut self, variables: &[ModuleVariable]) {
        let first_buffer = self.buffers.partition_point(|buffer| buffer.start < FIRST);
        let buffers = variables.iter().map(|variable| {
            let bytes = variable.contents.len() as u64;
            let pages = (0..bytes.div_ceil(PAGE)).map(|_| OnceLock::new()).collect();
            Buffer { name: variable.name.clone(), start: variable.start, bytes, pages }
        });
        self.buffers.splice(..first_buffer, buffers);
        for variable in variables {
            self.write(variable.start, &variable.contents).expect("its buffer was made just now");
        }
    }

    fn find(&self, address: u64) -> Option<usize> {
        self.buffers.partition_point(|buffer| buffer.start <= address).checked_sub(1)
    }

    /// The page of an address; a store makes it. `None` outside all buffers.
    pub(super) fn view(&self, address: u64, store: bool) -> Option<View<'_>> {
        let buffer = &self.buffers[self.find(address)?];
        let offset = address - buffer.start;
        if offset >= buffer.bytes {
            return None;
        }
        let slot = &buffer.pages[(offset / PAGE) as usize];
        let page = if store { Some(slot.get_or_init(Page::new)) } else { slot.get() };
        let base = offset - offset % PAGE;
        Some(View { base: buffer.start + base, bytes: (buffer.bytes - base).min(PAGE), page })
    }

    /// The buffer at an address, or else the nearest one.
    pub(super) fn locate(&self, address: u64) -> Option<Located> {
        let distance = |buffer: &&Buffer| {
            let end = buffer.start + buffer.bytes.max(1) - 1;
            buffer.start.saturating_sub(address).max(address.saturating_sub(end))
        };
        let Buffer { name, start, bytes, .. } = self.buffers.iter().min_by_key(distance)?;
        let offset = i128::from(address) - i128::from(*start);
        Some(Located { name: name.clone(), offset, bytes: *bytes })
    }

    /// The buffer that has an address with these lower 32 bits.
    pub(super) fn locate_half(&self, address: u32) -> Option<Located> {
        let offset = |buffer: &Buffer| u64::from(address.wrapping_sub(buffer.start as u32));
        let buffer = self.buffers.iter().find(|buffer| offset(buffer) < buffer.bytes)?;
        let (name, bytes) = (buffer.name.clone(), buffer.bytes);
        Some(Located { name, offset: offset(buffer).into(), bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_come_back_across_pages() {
        let mut memory = GlobalMemory::new();
        let bytes: Vec<u8> = (0..200_000_u32).map(|index| (index * 7) as u8).collect();
        let first = memory.allocate_with("first", &bytes);
        let second = memory.allocate("second", 16);
        assert!(second >= first + 200_000 + PAGE);
        let mut back = vec![0; bytes.len()];
        memory.read(first, &mut back).unwrap();
        assert_eq!(back, bytes);
        assert_eq!(memory.is_initialised(first, 200_000), Ok(true));
        assert_eq!(memory.is_initialised(second, 16), Ok(false));
        assert!(memory.read(first + 199_999, &mut [0; 2]).is_err());
    }

    #[test]
    fn a_buffer_may_be_larger_than_memory() {
        let mut memory = GlobalMemory::new();
        let start = memory.allocate("huge", 1 << 36);
        let last = start + (1 << 36) - 4;
        memory.write(last, &[1, 2, 3, 4]).unwrap();
        assert_eq!(memory.view(last, false).unwrap().page.unwrap().load(65_532, 4), 0x0403_0201);
        assert!(memory.view(last + 4, false).is_none());
    }

    #[test]
    fn a_canary_is_contents_that_nobody_wrote() {
        let mut memory = GlobalMemory::new();
        let start = memory.allocate("out", 8);
        memory.write_canary(start, &[0xee; 8]).unwrap();
        let mut back = [0; 8];
        memory.read(start, &mut back).unwrap();
        assert_eq!(back, [0xee; 8]);
        assert_eq!(memory.is_initialised(start, 1), Ok(false));
    }
}
