//! Buffers on the host side: dense, or in pages for those declared larger than memory.
//!
//! What holds: each byte knows whether it was written. A byte that was not may still have contents (the canary of an
//! output), which the host sees and a kernel may not read. Elements are little-endian; a `bool` takes a byte.
//! Deliberately not here: shapes and strides, which belong to an argument.

use std::collections::HashMap;
use std::ops::Range;

use super::value::Word;
use crate::ir::{DType, Literal};

/// Buffers above this many bytes are kept in pages.
pub const DENSE_LIMIT: u64 = 1 << 28;

const PAGE: u64 = 1 << 16;

/// What the pages of a sparse buffer hold before they are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Background {
    /// Nothing: reading is an error.
    Uninitialised,
    /// Zeros.
    Zeros,
}

/// A buffer of elements of one type.
#[derive(Clone, Debug)]
pub struct Buffer {
    dtype: DType,
    len: u64,
    storage: Storage,
}

#[derive(Clone, Debug)]
enum Storage {
    Dense(Block),
    Sparse { pages: HashMap<u64, Block>, background: Background },
}

/// Bytes, and which of them were written.
#[derive(Clone, Debug)]
struct Block {
    bytes: Vec<u8>,
    /// 1 for each byte that was written; empty where all were from the start.
    written: Vec<u8>,
    /// Zeros in `written`: at 0 nobody needs to look there.
    missing: usize,
}

impl Block {
    fn written(bytes: Vec<u8>) -> Self {
        Self { bytes, written: Vec::new(), missing: 0 }
    }

    fn unwritten(bytes: Vec<u8>) -> Self {
        let missing = bytes.len();
        Self { written: vec![0; missing], bytes, missing }
    }

    #[inline]
    fn is_written(&self, range: Range<usize>) -> bool {
        self.missing == 0 || self.written[range].iter().all(|&byte| byte != 0)
    }

    #[inline]
    fn mark(&mut self, range: Range<usize>) {
        if self.missing == 0 {
            return;
        }
        for byte in &mut self.written[range] {
            self.missing -= usize::from(*byte ^ 1);
            *byte = 1;
        }
    }
}

impl Buffer {
    /// A buffer with contents, little-endian. A trailing part of an element is dropped.
    pub fn from_bytes(dtype: DType, mut bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64 / u64::from(dtype.size());
        bytes.truncate((len * u64::from(dtype.size())) as usize);
        Self { dtype, len, storage: Storage::Dense(Block::written(bytes)) }
    }

    /// The same, but the contents count as unwritten: an output that starts as a canary.
    pub fn canary(dtype: DType, bytes: Vec<u8>) -> Self {
        let mut buffer = Self::from_bytes(dtype, bytes);
        buffer.forget();
        buffer
    }

    /// A buffer that nobody wrote; in pages above [`DENSE_LIMIT`].
    pub fn uninitialised(dtype: DType, len: u64) -> Self {
        let bytes = len.saturating_mul(u64::from(dtype.size()));
        if bytes > DENSE_LIMIT {
            return Self::sparse(dtype, len, Background::Uninitialised);
        }
        Self { dtype, len, storage: Storage::Dense(Block::unwritten(vec![0; bytes as usize])) }
    }

    /// A buffer in pages, of which only those written take memory.
    pub fn sparse(dtype: DType, len: u64, background: Background) -> Self {
        Self { dtype, len, storage: Storage::Sparse { pages: HashMap::new(), background } }
    }

    /// A buffer of these constants, all of one type; `dtype` says which where there are none.
    pub fn from_literals(dtype: DType, values: &[Literal]) -> Self {
        let size = dtype.size() as usize;
        let bytes = values.iter().flat_map(|value| value.bits.to_le_bytes().into_iter().take(size)).collect();
        Self::from_bytes(dtype, bytes)
    }

    /// A buffer of f32.
    pub fn from_f32(values: &[f32]) -> Self {
        Self::from_bytes(DType::F32, values.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect())
    }

    /// A buffer of u32.
    pub fn from_u32(values: &[u32]) -> Self {
        Self::from_bytes(DType::U32, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Elements.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All bytes of a dense buffer; `None` where they are in pages.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.storage {
            Storage::Dense(block) => Some(&block.bytes),
            Storage::Sparse { .. } => None,
        }
    }

    /// The element, as it stands there, written or not; `None` out of bounds.
    pub fn get(&self, index: u64) -> Option<Literal> {
        let mut bits = [0; 8];
        let size = self.dtype.size() as usize;
        bits[..size].copy_from_slice(&self.read(index..index.checked_add(1)?)?);
        Some(Literal::from_bits(self.dtype, u64::from_le_bytes(bits)))
    }

    /// Writes an element's bits; `false` out of bounds.
    pub fn set(&mut self, index: u64, bits: u64) -> bool {
        let size = self.dtype.size() as usize;
        self.write(index, &bits.to_le_bytes()[..size])
    }

    /// The bytes of a range of elements; `None` out of bounds.
    pub fn read(&self, elements: Range<u64>) -> Option<Vec<u8>> {
        if elements.start > elements.end || elements.end > self.len {
            return None;
        }
        let size = u64::from(self.dtype.size());
        match &self.storage {
            Storage::Dense(block) => {
                Some(block.bytes[(elements.start * size) as usize..(elements.end * size) as usize].to_vec())
            }
            Storage::Sparse { pages, .. } => {
                let bytes = (elements.start * size..elements.end * size)
                    .map(|at| pages.get(&(at / PAGE)).map_or(0, |page| page.bytes[(at % PAGE) as usize]));
                Some(bytes.collect())
            }
        }
    }

    /// Writes bytes from an element on; `false`, and nothing written, where they don't fit.
    pub fn write(&mut self, first: u64, bytes: &[u8]) -> bool {
        let size = u64::from(self.dtype.size());
        let elements = (bytes.len() as u64).div_ceil(size);
        if first.checked_add(elements).is_none_or(|end| end > self.len) {
            return false;
        }
        let start = first * size;
        match &mut self.storage {
            Storage::Dense(block) => {
                let range = start as usize..start as usize + bytes.len();
                block.bytes[range.clone()].copy_from_slice(bytes);
                block.mark(range);
            }
            Storage::Sparse { pages, background } => {
                for (at, &byte) in (start..).zip(bytes) {
                    let page = page_of(pages, at / PAGE, *background);
                    let offset = (at % PAGE) as usize;
                    page.bytes[offset] = byte;
                    page.mark(offset..offset + 1);
                }
            }
        }
        true
    }

    /// Whether every byte of the element was written; `false` out of bounds.
    pub fn is_initialised(&self, index: u64) -> bool {
        let size = u64::from(self.dtype.size());
        if index >= self.len {
            return false;
        }
        let start = index * size;
        match &self.storage {
            Storage::Dense(block) => block.is_written(start as usize..(start + size) as usize),
            Storage::Sparse { pages, background } => {
                let offset = (start % PAGE) as usize;
                match pages.get(&(start / PAGE)) {
                    Some(page) => page.is_written(offset..offset + size as usize),
                    None => *background == Background::Zeros,
                }
            }
        }
    }

    /// The elements that were written, in order; of a buffer in pages over zeros, those in pages that were touched.
    pub fn written(&self) -> impl Iterator<Item = u64> {
        let per_page = PAGE / u64::from(self.dtype.size());
        let mut ranges: Vec<Range<u64>> = match &self.storage {
            Storage::Dense(_) => std::iter::once(0..self.len).collect(),
            Storage::Sparse { pages, .. } => {
                pages.keys().map(|page| page * per_page..((page + 1) * per_page).min(self.len)).collect()
            }
        };
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.into_iter().flatten().filter(|&index| self.is_initialised(index))
    }

    /// Makes everything count as unwritten again; the contents stay.
    pub fn forget(&mut self) {
        match &mut self.storage {
            Storage::Dense(block) => {
                let len = block.bytes.len();
                block.written.clear();
                block.written.resize(len, 0);
                block.missing = len;
            }
            Storage::Sparse { pages, background } => {
                *background = Background::Uninitialised;
                for page in pages.values_mut() {
                    *page = Block::unwritten(std::mem::take(&mut page.bytes));
                }
            }
        }
    }

    /// One element that is in bounds; `None` where it was never written.
    #[inline]
    pub(crate) fn load<W: Word>(&self, index: u64) -> Option<W> {
        match &self.storage {
            Storage::Dense(block) => {
                let range = index as usize * W::BYTES..(index as usize + 1) * W::BYTES;
                block.is_written(range.clone()).then(|| W::read(&block.bytes[range]))
            }
            Storage::Sparse { pages, background } => {
                // A page is a whole number of elements, so an element never straddles two.
                let at = index * W::BYTES as u64;
                let range = (at % PAGE) as usize..(at % PAGE) as usize + W::BYTES;
                match pages.get(&(at / PAGE)) {
                    Some(page) => page.is_written(range.clone()).then(|| W::read(&page.bytes[range])),
                    None => (*background == Background::Zeros).then(W::default),
                }
            }
        }
    }

    /// Writes one element that is in bounds.
    #[inline]
    pub(crate) fn store<W: Word>(&mut self, index: u64, word: W) {
        match &mut self.storage {
            Storage::Dense(block) => {
                let range = index as usize * W::BYTES..(index as usize + 1) * W::BYTES;
                word.write(&mut block.bytes[range.clone()]);
                block.mark(range);
            }
            Storage::Sparse { pages, background } => {
                let at = index * W::BYTES as u64;
                let range = (at % PAGE) as usize..(at % PAGE) as usize + W::BYTES;
                let page = page_of(pages, at / PAGE, *background);
                word.write(&mut page.bytes[range.clone()]);
                page.mark(range);
            }
        }
    }

    /// Makes elements count as unwritten: something is on its way to them.
    pub(crate) fn unwrite(&mut self, first: u64, count: u64) {
        let size = self.dtype.size() as usize;
        let range = first as usize * size..(first + count) as usize * size;
        let Storage::Dense(block) = &mut self.storage else { return };
        // Where everything was written nobody may have kept a byte each.
        block.written.resize(block.bytes.len(), 1);
        for byte in &mut block.written[range] {
            block.missing += usize::from(*byte);
            *byte = 0;
        }
    }

    /// All bytes, where they lie dense and all were written.
    #[inline]
    pub(crate) fn dense(&self) -> Option<&[u8]> {
        match &self.storage {
            Storage::Dense(block) if block.missing == 0 => Some(&block.bytes),
            Storage::Dense(_) | Storage::Sparse { .. } => None,
        }
    }

    /// Consecutive elements, in bounds; `false`, and nothing read, unless they lie dense and all were written.
    pub(crate) fn load_run<W: Word>(&self, first: u64, out: &mut [W]) -> bool {
        let Storage::Dense(block) = &self.storage else { return false };
        let range = first as usize * W::BYTES..(first as usize + out.len()) * W::BYTES;
        if !block.is_written(range.clone()) {
            return false;
        }
        for (out, bytes) in out.iter_mut().zip(block.bytes[range].chunks_exact(W::BYTES)) {
            *out = W::read(bytes);
        }
        true
    }

    /// Writes consecutive elements, in bounds; `false`, and nothing written, where they don't lie dense.
    pub(crate) fn store_run<W: Word>(&mut self, first: u64, words: &[W]) -> bool {
        let Storage::Dense(block) = &mut self.storage else { return false };
        let range = first as usize * W::BYTES..(first as usize + words.len()) * W::BYTES;
        for (word, bytes) in words.iter().zip(block.bytes[range.clone()].chunks_exact_mut(W::BYTES)) {
            word.write(bytes);
        }
        block.mark(range);
        true
    }
}

fn page_of(pages: &mut HashMap<u64, Block>, page: u64, background: Background) -> &mut Block {
    pages.entry(page).or_insert_with(|| {
        let bytes = vec![0; PAGE as usize];
        match background {
            Background::Uninitialised => Block::unwritten(bytes),
            Background::Zeros => Block::written(bytes),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_is_seen_by_the_host_and_not_by_a_kernel() {
        let mut buffer = Buffer::canary(DType::U32, vec![7, 0, 0, 0, 8, 0, 0, 0]);
        assert_eq!(buffer.get(1), Some(Literal::u32(8)));
        assert_eq!(buffer.load::<u32>(1), None);
        buffer.store(1, 9u32);
        assert_eq!((buffer.load::<u32>(1), buffer.load::<u32>(0)), (Some(9), None));
        assert!(!buffer.load_run(0, &mut [0u32; 2]));
        buffer.store(0, 5u32);
        let mut both = [0u32; 2];
        assert!(buffer.load_run(0, &mut both));
        assert_eq!((both, buffer.get(2)), ([5, 9], None));
    }

    #[test]
    fn a_buffer_larger_than_memory_keeps_only_what_was_written() {
        let mut buffer = Buffer::uninitialised(DType::F64, 1 << 50);
        let last = (1 << 50) - 1;
        assert_eq!(buffer.load::<u64>(last), None);
        assert!(buffer.set(last, 5));
        assert!(!buffer.set(last + 1, 5));
        assert_eq!(buffer.load::<u64>(last), Some(5));
        assert_eq!(buffer.get(last).map(|value| value.bits), Some(5));
        assert!(buffer.set(3, 7));
        assert_eq!(buffer.written().collect::<Vec<_>>(), [3, last]);
        assert!(buffer.is_initialised(last) && !buffer.is_initialised(last - 1));
        let zeros = Buffer::sparse(DType::U8, 1 << 40, Background::Zeros);
        assert_eq!(zeros.load::<u8>(12345), Some(0));
    }
}
