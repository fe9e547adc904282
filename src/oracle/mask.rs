//! Which threads of a CTA are active.
//!
//! What holds: one byte per thread, 1 where active, and 0 everywhere outside [`range`](Mask::range); the range and the
//! count are those of the bytes. The range lets an operation skip the ends: code that one warp runs costs one warp.

use std::ops::Range;

/// A set of threads of one CTA.
#[derive(Clone, Debug)]
pub(crate) struct Mask {
    lanes: Vec<u8>,
    start: usize,
    end: usize,
    count: usize,
}

impl Mask {
    pub(crate) fn empty(threads: usize) -> Self {
        Self { lanes: vec![0; threads], start: 0, end: 0, count: 0 }
    }

    pub(crate) fn full(threads: usize) -> Self {
        Self { lanes: vec![1; threads], start: 0, end: threads, count: threads }
    }

    /// The smallest range with all active threads.
    #[inline]
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Active threads.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether every thread in the range is active.
    #[inline]
    pub(crate) fn is_dense(&self) -> bool {
        self.count == self.end - self.start
    }

    #[inline]
    pub(crate) fn has(&self, lane: usize) -> bool {
        self.lanes[lane] != 0
    }

    /// One byte per thread.
    #[inline]
    pub(crate) fn lanes(&self) -> &[u8] {
        &self.lanes
    }

    /// Sets each thread.
    pub(crate) fn set_each(&mut self, mut is_active: impl FnMut(usize) -> bool) {
        for (lane, byte) in self.lanes.iter_mut().enumerate() {
            *byte = u8::from(is_active(lane));
        }
        self.refresh(0..self.lanes.len());
    }

    pub(crate) fn clear(&mut self) {
        self.lanes[self.start..self.end].fill(0);
        (self.start, self.end, self.count) = (0, 0, 0);
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.lanes.copy_from_slice(&other.lanes);
        (self.start, self.end, self.count) = (other.start, other.end, other.count);
    }

    /// Keeps the threads where `keep` is `wanted`; its bytes are 0 or 1.
    pub(crate) fn retain(&mut self, keep: &[u8], wanted: bool) {
        let range = self.range();
        let flip = u8::from(!wanted);
        for (lane, &keep) in self.lanes[range.clone()].iter_mut().zip(&keep[range.clone()]) {
            *lane &= keep ^ flip;
        }
        self.refresh(range);
    }

    /// Keeps the threads that `keep` accepts.
    pub(crate) fn retain_words(&mut self, words: &[u64], keep: impl Fn(u64) -> bool) {
        let range = self.range();
        for (lane, &word) in self.lanes[range.clone()].iter_mut().zip(&words[range.clone()]) {
            *lane &= u8::from(keep(word));
        }
        self.refresh(range);
    }

    /// Drops the threads of another mask.
    pub(crate) fn remove(&mut self, other: &Self) {
        self.retain(&other.lanes, false);
    }

    /// Adds the threads of another mask.
    pub(crate) fn add(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        let range = if self.is_empty() {
            other.range()
        } else {
            self.start.min(other.start)..self.end.max(other.end)
        };
        for (lane, &byte) in self.lanes[range.clone()].iter_mut().zip(&other.lanes[range.clone()]) {
            *lane |= byte;
        }
        self.refresh(range);
    }

    /// The first active thread that satisfies `test`.
    pub(crate) fn find(&self, test: impl Fn(usize) -> bool) -> Option<usize> {
        self.range().find(|&lane| self.lanes[lane] != 0 && test(lane))
    }

    /// The range and count anew, all active threads being in `range`.
    fn refresh(&mut self, range: Range<usize>) {
        let bytes = &self.lanes[range.clone()];
        // Sums of 128 bytes fit a byte, which keeps this loop in vector registers.
        self.count = bytes.chunks(128).map(|chunk| usize::from(chunk.iter().sum::<u8>())).sum();
        match bytes.iter().position(|&byte| byte != 0) {
            Some(first) => {
                let last = bytes.iter().rposition(|&byte| byte != 0).unwrap_or(first);
                (self.start, self.end) = (range.start + first, range.start + last + 1);
            }
            None => (self.start, self.end) = (0, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_and_count_follow_the_bytes() {
        let mut mask = Mask::full(300);
        mask.set_each(|lane| (40..200).contains(&lane) && lane != 50);
        assert_eq!((mask.range(), mask.count(), mask.is_dense()), (40..200, 159, false));
        let mut other = Mask::empty(300);
        other.set_each(|lane| lane == 50 || lane == 250);
        mask.add(&other);
        assert_eq!((mask.range(), mask.count()), (40..251, 161));
        mask.remove(&other);
        assert_eq!((mask.range(), mask.count()), (40..200, 159));
        mask.retain(&[0; 300], true);
        assert!(mask.is_empty());
        mask.add(&other);
        assert_eq!((mask.range(), mask.count()), (50..251, 2));
        mask.clear();
        assert_eq!((mask.range(), mask.count()), (0..0, 0));
    }
}
