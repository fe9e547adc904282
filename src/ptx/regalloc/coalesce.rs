//! Copy coalescing: registers that a copy joins and that never hold two wanted values at once become one web.
//!
//! Entry: scanned code. Exit: the web of each register, named by one of its members; members of a web are of one
//! class. At every point the members of a web that are live hold the same value, which is what makes the copies
//! between them needless; [`super::check`] proves it. Copies in loops come first: they run most often.
//! Not here: splitting a register, or spilling, which is the assembler's.

use std::cmp::Reverse;

use super::bits::{self, BitMatrix};
use super::code::{Code, NONE};
use super::equal::Equals;
use super::liveness::{Columns, Liveness};

/// The web of each register: the number of one of its registers.
pub(super) fn run(code: &Code) -> Vec<u32> {
    let mut webs: Vec<u32> = (0..).take(code.numbering.len()).collect();
    let copies = copies(code);
    if copies.is_empty() {
        return webs;
    }
    // Only registers that a copy touches can merge, so that the sets need no other columns.
    let mut columns = Columns::none(code.numbering.len());
    for copy in &copies {
        columns.add(copy.dst);
        columns.add(copy.src);
    }
    let equals = Equals::new(code, &columns);
    let mut joined = Joined::new(interference(code, &columns, Some(&equals)), columns.len());
    for copy in &copies {
        let (dst, src) = (columns.add(copy.dst), columns.add(copy.src));
        joined.join(dst as usize, src as usize);
    }
    for column in 0..columns.len() {
        let web = joined.find(column);
        webs[columns.regs[column] as usize] = columns.regs[web];
    }
    webs
}

struct Copy {
    dst: usize,
    src: usize,
    depth: u32,
}

fn copies(code: &Code) -> Vec<Copy> {
    let depths = loop_depths(code);
    let mut copies = Vec::new();
    for (block, depth) in code.blocks.iter().zip(depths) {
        let within = code.steps[block.steps.clone()].iter().filter_map(|step| code.copy(step));
        copies.extend(within.map(|(dst, src)| Copy { dst, src, depth }));
    }
    copies.sort_by_key(|copy| Reverse(copy.depth));
    copies
}

/// How many backward jumps span each block: in a body made of structured loops, the depth of the loop.
fn loop_depths(code: &Code) -> Vec<u32> {
    let mut depths = vec![0; code.blocks.len()];
    for (at, block) in code.blocks.iter().enumerate() {
        for &next in block.next.iter().filter(|&&next| next as usize <= at) {
            depths[next as usize..=at].iter_mut().for_each(|depth| *depth += 1);
        }
    }
    depths
}

/// For each column, those that are wanted after an instruction that writes it. It is not symmetric: a pair interferes
/// if either has the other.
///
/// With `equals`, a copy leaves out what equals its source: after it, both hold the same value.
pub(super) fn interference(code: &Code, columns: &Columns, equals: Option<&Equals>) -> BitMatrix {
    let liveness = Liveness::new(code, columns);
    let mut rows = BitMatrix::new(columns.len(), columns.len());
    // What is read before it is written counts as written at the start.
    for column in bits::ones(liveness.at_entry()) {
        bits::union(rows.row_mut(column), liveness.at_entry());
    }
    let mut others = Vec::new();
    liveness.walk(code, columns, |step, live| {
        let written = || {
            let operands = code.operands(step).iter().filter(|operand| operand.is_def());
            operands.filter_map(|operand| columns.get(operand.number()))
        };
        if let Some(equals) = equals.filter(|_| step.copy != NONE) {
            others.clear();
            others.extend_from_slice(live);
            equals.clear_from(step.copy, &mut others);
            written().for_each(|column| _ = bits::union(rows.row_mut(column), &others));
            return;
        }
        for column in written() {
            let row = rows.row_mut(column);
            bits::union(row, live);
            // One instruction's results need a register each, even those that nobody reads.
            written().for_each(|other| bits::set(row, other));
        }
    });
    rows
}

/// Union-find over columns, each root with its members and what they interfere with.
struct Joined {
    parent: Vec<u32>,
    members: BitMatrix,
    interfering: BitMatrix,
}

impl Joined {
    fn new(interfering: BitMatrix, columns: usize) -> Self {
        let mut members = BitMatrix::new(columns, columns);
        (0..columns).for_each(|column| bits::set(members.row_mut(column), column));
        Self { parent: (0..).take(columns).collect(), members, interfering }
    }

    fn find(&mut self, mut column: usize) -> usize {
        while self.parent[column] as usize != column {
            let above = self.parent[self.parent[column] as usize];
            self.parent[column] = above;
            column = above as usize;
        }
        column
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b
            || bits::intersect(self.interfering.row(a), self.members.row(b))
            || bits::intersect(self.interfering.row(b), self.members.row(a))
        {
            return;
        }
        self.parent[b] = self.parent[a];
        self.members.union_rows(a, b);
        self.interfering.union_rows(a, b);
    }
}
