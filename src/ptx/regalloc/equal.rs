//! Which registers hold the very value that a copy copies.
//!
//! A variable read twice gives two copies of it that are live at once. They hold one value, so that they do not stand
//! in each other's way. Entry: scanned code, registers of interest. Exit: for each copy, the registers that are
//! known to equal its source just before it. Known means by copies since the last label, through a branch not taken
//! too. Not here: values that are equal for any other reason.

use super::bits;
use super::code::Code;
use super::liveness::Columns;

/// The columns that equal the source of each copy, the source among them; copies in the order of the text.
#[derive(Debug)]
pub(super) struct Equals {
    columns: Vec<u32>,
    ends: Vec<u32>,
}

impl Equals {
    pub(super) fn new(code: &Code, columns: &Columns) -> Self {
        let mut equals = Self { columns: Vec::new(), ends: Vec::new() };
        let mut rings = Rings::new(columns.len());
        for block in &code.blocks {
            if block.labelled {
                rings.part_all();
            }
            for step in &code.steps[block.steps.clone()] {
                let copy = code.copy(step).map(|(dst, src)| (columns.get(dst), columns.get(src)));
                if let Some((Some(dst), Some(src))) = copy {
                    rings.each(src, |column| equals.columns.push(column));
                    rings.join(dst, src);
                } else {
                    let written = code.operands(step).iter().filter(|operand| operand.is_def());
                    written.filter_map(|operand| columns.get(operand.number())).for_each(|it| rings.part(it));
                }
                if copy.is_some() {
                    equals
                        .ends
                        .push(u32::try_from(equals.columns.len()).expect("copies are fewer than 2^32"));
                }
            }
        }
        equals
    }

    /// Takes what equals the source of the `copy`-th copy out of a set.
    pub(super) fn clear_from(&self, copy: u32, set: &mut [u64]) {
        let copy = copy as usize;
        let start = copy.checked_sub(1).map_or(0, |before| self.ends[before]);
        for &column in &self.columns[start as usize..self.ends[copy] as usize] {
            bits::clear(set, column as usize);
        }
    }
}

/// Classes of columns, each a ring.
struct Rings {
    next: Vec<u32>,
    before: Vec<u32>,
    joined: Vec<u32>,
}

impl Rings {
    fn new(columns: usize) -> Self {
        let alone: Vec<u32> = (0..).take(columns).collect();
        Self { next: alone.clone(), before: alone, joined: Vec::new() }
    }

    fn part(&mut self, column: usize) {
        let (before, next) = (self.before[column], self.next[column]);
        self.next[before as usize] = next;
        self.before[next as usize] = before;
        self.next[column] = column as u32;
        self.before[column] = column as u32;
    }

    fn part_all(&mut self) {
        // Who is in a ring with another joined it, or had another join: parting the first leaves the second alone.
        while let Some(column) = self.joined.pop() {
            self.part(column as usize);
        }
    }

    fn join(&mut self, column: usize, to: usize) {
        if column == to {
            return;
        }
        self.part(column);
        let next = self.next[to];
        (self.next[to], self.before[next as usize]) = (column as u32, column as u32);
        (self.next[column], self.before[column]) = (next, to as u32);
        self.joined.push(column as u32);
    }

    fn each(&self, column: usize, mut see: impl FnMut(u32)) {
        let mut at = column;
        loop {
            see(at as u32);
            at = self.next[at] as usize;
            if at == column {
                return;
            }
        }
    }
}
