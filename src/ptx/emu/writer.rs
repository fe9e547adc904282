//! Who writes a byte of global memory, in one word.

/// A CTA and a warp, as a word that lacks only the lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Author(u64);

/// Bits of a lane, and of a warp in its CTA.
const LANE_BITS: u32 = 5;
const THREAD_BITS: u32 = 2 * LANE_BITS;

/// Set in every word that names someone.
const SOMEBODY: u64 = 1 << 63;

impl Author {
    pub(super) fn new(cta: u32, warp: u32) -> Self {
        Self(SOMEBODY | u64::from(cta) << THREAD_BITS | u64::from(warp) << LANE_BITS)
    }

    /// The word of one lane.
    pub(super) fn lane(self, lane: usize) -> u64 {
        self.0 | lane as u64
    }
}

/// The thread that wrote a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The CTA by its index in the grid, x fastest; of a grid of more than 2^32 CTAs its low 32 bits.
    pub cta: u32,
    /// The warp in the CTA.
    pub warp: u32,
    /// The lane in the warp.
    pub lane: u32,
}

impl Writer {
    /// Whom a word names.
    pub(super) fn of(word: u64) -> Option<Self> {
        let part = |shift: u32| (word >> shift) as u32 & ((1 << LANE_BITS) - 1);
        let cta = ((word & !SOMEBODY) >> THREAD_BITS) as u32;
        (word != 0).then(|| Self { cta, warp: part(LANE_BITS), lane: part(0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_its_thread() {
        assert_eq!(Writer::of(0), None);
        for (cta, warp, lane) in [(0, 0, 0), (7, 31, 31), (u32::MAX, 1, 30)] {
            let word = Author::new(cta, warp).lane(lane as usize);
            assert_eq!(Writer::of(word), Some(Writer { cta, warp, lane }));
        }
    }
}
