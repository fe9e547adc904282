//! Rows of bits: the sets that liveness and interference are made of.
//!
//! Entry: columns below the width that a matrix was made with. Exit: plain words, so that a union or a test of a
//! whole row is a loop that the compiler vectorises. Not here: what a column stands for.

/// So many rows of so many columns, all zero at first.
#[derive(Clone, Debug)]
pub(super) struct BitMatrix {
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        let words = columns.div_ceil(64);
        Self { words, bits: vec![0; rows * words] }
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.bits[row * self.words..][..self.words]
    }

    /// Adds one row to another of the same matrix.
    pub(super) fn union_rows(&mut self, into: usize, from: usize) {
        for word in 0..self.words {
            self.bits[into * self.words + word] |= self.bits[from * self.words + word];
        }
    }
}

pub(super) fn set(row: &mut [u64], column: usize) {
    row[column / 64] |= 1 << (column % 64);
}

pub(super) fn clear(row: &mut [u64], column: usize) {
    row[column / 64] &= !(1 << (column % 64));
}

pub(super) fn has(row: &[u64], column: usize) -> bool {
    row[column / 64] >> (column % 64) & 1 != 0
}

/// Adds a row to another; whether that changed it.
pub(super) fn union(into: &mut [u64], from: &[u64]) -> bool {
    let mut changed = 0;
    for (into, from) in into.iter_mut().zip(from) {
        changed |= from & !*into;
        *into |= from;
    }
    changed != 0
}

pub(super) fn intersect(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// The columns that are set, in order.
pub(super) fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(at * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gives_back_what_was_set_across_words() {
        let mut matrix = BitMatrix::new(2, 130);
        for column in [0, 63, 64, 129] {
            set(matrix.row_mut(1), column);
        }
        clear(matrix.row_mut(1), 63);
        assert_eq!(ones(matrix.row(1)).collect::<Vec<_>>(), [0, 64, 129]);
        assert!(has(matrix.row(1), 129) && !has(matrix.row(1), 63) && !has(matrix.row(0), 129));
    }

    #[test]
    fn a_union_says_whether_it_added_anything() {
        let mut into = [0b0110, 0];
        assert!(!union(&mut into, &[0b0100, 0]));
        assert!(union(&mut into, &[0b0100, 1]));
        assert!(intersect(&into, &[0, 1]) && !intersect(&into, &[0b1001, 2]));
    }
}
