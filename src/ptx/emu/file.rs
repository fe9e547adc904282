//! The register file of one warp: each register holds the values of 32 lanes side by side.
//!
//! Entry: a [`Layout`] that says how many registers each width has, and the immediates of the program. Exit: the
//! first predicates are no registers ([`ALWAYS`], the [`SINK`] for results that are thrown away, the [`CARRY`]); immediates
//! stand after the registers of their width, so that an instruction reads every operand the same way. 8-bit
//! registers live among the 16-bit ones, with zeros above. Not here: which lanes execute.

/// Lanes of a warp.
pub(super) const LANES: usize = 32;

/// The mask of a whole warp.
pub(super) const FULL: u32 = u32::MAX;

/// The predicate that is true in every lane: the guard of an instruction without one.
pub(super) const ALWAYS: u32 = 0;

/// Where a predicate result goes that nobody asked for.
pub(super) const SINK: u32 = 1;

/// The carry of each lane.
pub(super) const CARRY: u32 = 2;

/// Predicates before the first one of the program.
pub(super) const FIRST_PRED: u32 = 3;

/// One register in all lanes, aligned so that a vector access never crosses a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes<T>(pub(super) [T; LANES]);

/// How large a register file is, and the constants in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Predicates, with the two constant ones.
    pub(super) preds: usize,
    /// Registers of 16 bits, with those of 8.
    pub(super) halves: usize,
    /// Registers of 32 bits.
    pub(super) words: usize,
    /// Registers of 64 bits.
    pub(super) longs: usize,
    /// Immediates of 16 bits.
    pub(super) half_constants: Vec<u16>,
    /// Immediates of 32 bits.
    pub(super) word_constants: Vec<u32>,
    /// Immediates of 64 bits.
    pub(super) long_constants: Vec<u64>,
}

/// The registers of one warp.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) preds: Vec<u32>,
    pub(super) halves: Vec<Lanes<u16>>,
    pub(super) words: Vec<Lanes<u32>>,
    pub(super) longs: Vec<Lanes<u64>>,
}

/// A width of registers: where its file is.
pub(super) trait Width: Copy + Default + 'static {
    fn file(file: &File) -> &[Lanes<Self>];
    fn file_mut(file: &mut File) -> &mut [Lanes<Self>];
}

macro_rules! widths {
    ($($ty:ty: $field:ident)*) => {$(
        impl Width for $ty {
            #[inline(always)]
            fn file(file: &File) -> &[Lanes<Self>] {
                &file.$field
            }

            #[inline(always)]
            fn file_mut(file: &mut File) -> &mut [Lanes<Self>] {
                &mut file.$field
            }
        }
    )*};
}

widths! { u16: halves u32: words u64: longs }

fn with_constants<T: Width>(registers: usize, constants: &[T]) -> Vec<Lanes<T>> {
    let zeros = std::iter::repeat_n(Lanes([T::default(); LANES]), registers);
    zeros.chain(constants.iter().map(|&value| Lanes([value; LANES]))).collect()
}

impl File {
    pub(super) fn new(layout: &Layout) -> Self {
        let mut preds = vec![0; layout.preds];
        preds[ALWAYS as usize] = FULL;
        Self {
            preds,
            halves: with_constants(layout.halves, &layout.half_constants),
            words: with_constants(layout.words, &layout.word_constants),
            longs: with_constants(layout.longs, &layout.long_constants),
        }
    }

    /// Zeros the registers again; the constants stay. A program that reads a register before it writes one then
    /// sees the same on every run, whatever ran on this file before.
    pub(super) fn reset(&mut self, layout: &Layout) {
        self.preds[CARRY as usize..].fill(0);
        self.halves[..layout.halves].fill(Lanes([0; LANES]));
        self.words[..layout.words].fill(Lanes([0; LANES]));
        self.longs[..layout.longs].fill(Lanes([0; LANES]));
    }

    #[inline(always)]
    pub(super) fn read<T: Width>(&self, index: u32) -> &[T; LANES] {
        &T::file(self)[index as usize].0
    }

    /// Writes the lanes of the mask.
    #[inline(always)]
    pub(super) fn write<T: Width>(&mut self, index: u32, values: &[T; LANES], mask: u32) {
        let target = &mut T::file_mut(self)[index as usize].0;
        if mask == FULL {
            *target = *values;
            return;
        }
        for lane in 0..LANES {
            target[lane] = if (mask >> lane) & 1 != 0 { values[lane] } else { target[lane] };
        }
    }

    #[inline(always)]
    pub(super) fn pred(&self, index: u32) -> u32 {
        self.preds[index as usize]
    }

    #[inline(always)]
    pub(super) fn write_pred(&mut self, index: u32, values: u32, mask: u32) {
        let target = &mut self.preds[index as usize];
        *target = (*target & !mask) | (values & mask);
    }
}
