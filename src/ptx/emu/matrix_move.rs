//! `ldmatrix`, `stmatrix`, `movmatrix`: matrices between shared memory and the fragments of a warp.
//!
//! Entry: all 32 lanes have met (see [`sync`](super::sync)). A row of 16 bytes is read or written by the lane that gives
//! its address, and the checks of shared memory (bounds, alignment, what is initialised, races) are about that lane; lanes
//! beyond the rows give no address. Exit: fragments as [`Layout`] says. Of a padded row only the bytes that hold
//! elements are looked at.

use smallvec::{SmallVec, smallvec};

use super::access::{Access, AddressBase, Element};
use super::context::Context;
use super::decode::Planner;
use super::file::{FULL, File, LANES};
use super::finding::Finding;
use super::load_store::{self, Fault, Wrong, addresses_of, lanes_of};
use super::memory::{SHARED_WINDOW, WINDOW, base};
use super::mma::Multiply;
use super::race::Race;
use super::step::{Plan, Step, Unsupported};
use super::warp::{Warp, memories};
use crate::numerics::soft::Direction;
use crate::numerics::tensor::{Accumulator, Form, Kind, Layout, Operand, Shape, byte_position};
use crate::ptx::isa::matrix_move::{MatrixElement, MatrixShape};
use crate::ptx::isa::modifier::Space;
use crate::ptx::isa::{Address, LdMatrix, MovMatrix, Reg, RegClass, StMatrix};

/// An operation on matrices that a warp does as a whole.
pub(super) enum Matrix {
    Multiply(Box<Multiply>),
    Load(Box<Move>),
    Store(Box<Move>),
    Transpose { d: u32, a: u32 },
}

/// A load or store of matrices.
pub(super) struct Move {
    /// What one lane does with the row whose address it gives; registers are not among it.
    row: Access,
    is_generic: bool,
    /// Lanes that give addresses.
    lanes: u32,
    spread: Spread,
    element: MatrixElement,
    registers: SmallVec<[u32; 4]>,
}

/// How the rows of a matrix are spread over lanes.
#[derive(Clone, Copy)]
enum Spread {
    /// A register of a lane holds two neighbours of a row of eight 16-bit elements.
    Rows,
    /// The same of the matrix transposed.
    Columns,
    /// 16 rows of bytes, transposed.
    Bytes,
    /// 8 rows of 16 bytes, transposed: a fragment of accumulators made narrow.
    Accumulators,
}

/// The rows that lanes give, 16 bytes each, in two halves.
type Rows = [[u64; LANES]; ROW_PARTS];

/// Parts in which a row moves at most: two of 8 bytes, or three of 4.
const ROW_PARTS: usize = 3;

/// Alignment of a row.
const ROW_BYTES: u64 = 16;

/// Row and column of the two elements that each lane holds of an 8 × 8 matrix of 16-bit elements.
const PAIRS: [[(usize, usize); 2]; LANES] = {
    let (layout, mut pairs) = (Layout::eights(), [[(0, 0); 2]; LANES]);
    let mut lane = 0;
    while lane < LANES {
        pairs[lane] = [layout.position(lane, 0), layout.position(lane, 1)];
        lane += 1;
    }
    pairs
};

/// The accumulators of 16 rows that `stmatrix.m16n8` stores, a byte each.
const SIXTEEN_ROWS: Layout = {
    let element = crate::numerics::tensor::Element::F16;
    let shape = Shape { m: 16, n: 8, k: 16 };
    let (acc, kind) = (Accumulator::F32, Kind::Plain);
    Layout::of(
        &Form { shape, a: element, b: element, acc, kind, saturates: false, rounding: Direction::Rn },
        Operand::C,
    )
};

impl Move {
    fn new(
        planner: &Planner<'_>,
        (space, address): (Option<Space>, Address),
        (shape, count): (MatrixShape, usize),
        (element, spread): (MatrixElement, Spread),
        (registers, store): (&[Reg], bool),
    ) -> Result<Self, Unsupported> {
        let (base, offset) = base(planner, space, address)?;
        // Bytes of a part, and parts.
        let (bytes, parts) = match element {
            MatrixElement::B16 | MatrixElement::B8 => (8, 2),
            MatrixElement::B4Padded => (8, 1),
            MatrixElement::B6Padded => (4, 3),
        };
        let part = Element { class: RegClass::B64, index: 0 };
        let row = Access {
            store,
            space: Some(Space::Shared),
            bytes,
            signed: false,
            elements: smallvec![part; parts],
            base,
            offset,
            strong: None,
            nc: false,
        };
        Ok(Self {
            row,
            is_generic: space.is_none(),
            lanes: FULL >> (LANES - shape.rows() * count),
            spread,
            element,
            registers: registers.iter().map(|&reg| planner.reg(reg)).collect(),
        })
    }

    /// Addresses of the rows in shared memory.
    fn addresses(&self, file: &File) -> Result<[u64; LANES], Fault> {
        let mut addresses = addresses_of(self.row.base, self.row.offset, file);
        let is_fixed = matches!(self.row.base, AddressBase::Fixed);
        for lane in lanes_of(self.lanes) {
            let address = &mut addresses[lane];
            let fault = |wrong, space, address| Fault { lane: lane as u32, wrong, space, address };
            if self.is_generic && !is_fixed {
                let inside = address.wrapping_sub(SHARED_WINDOW);
                if inside >= WINDOW {
                    return Err(fault(Wrong::OutOfBounds, Space::Global, *address));
                }
                *address = inside;
            }
            if !address.is_multiple_of(ROW_BYTES) {
                return Err(fault(Wrong::Misaligned, Space::Shared, *address));
            }
        }
        Ok(addresses)
    }
}

impl Step for LdMatrix {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let spread = match self.shape {
            MatrixShape::M16N16 => Spread::Bytes,
            MatrixShape::M8N8 | MatrixShape::M8N16 | MatrixShape::M16N8 if self.trans.0 => Spread::Columns,
            MatrixShape::M8N8 | MatrixShape::M8N16 | MatrixShape::M16N8 => Spread::Rows,
        };
        let (place, size) = ((self.space, self.addr), (self.shape, self.count.count()));
        let load = Move::new(planner, place, size, (self.element, spread), (&self.dst.0, false))?;
        Ok(planner.matrix(Matrix::Load(Box::new(load))))
    }
}

impl Step for StMatrix {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let spread = match self.element {
            MatrixElement::B8 => Spread::Accumulators,
            MatrixElement::B16 | MatrixElement::B4Padded | MatrixElement::B6Padded if self.trans.0 => {
                Spread::Columns
            }
            MatrixElement::B16 | MatrixElement::B4Padded | MatrixElement::B6Padded => Spread::Rows,
        };
        let (place, size) = ((self.space, self.addr), (self.shape, self.count.count()));
        let store = Move::new(planner, place, size, (self.element, spread), (&self.src.0, true))?;
        Ok(planner.matrix(Matrix::Store(Box::new(store))))
    }
}

impl Step for MovMatrix {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (d, a) = (planner.reg(self.dst.0), planner.value(self.src, RegClass::B32));
        Ok(planner.matrix(Matrix::Transpose { d, a }))
    }
}

impl Warp {
    /// Does an operation on matrices; all lanes have come to the instruction.
    pub(super) fn matrix(
        &mut self,
        index: u32,
        pc: u32,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let program = context.launch.program;
        match &program.matrices[index as usize] {
            Matrix::Multiply(multiply) => multiply.run(&mut self.file, context),
            Matrix::Load(load) => {
                let mut rows = [[0; LANES]; ROW_PARTS];
                self.move_rows(load, &mut rows, pc, context)?;
                expand(load.element, &mut rows);
                for (at, &register) in load.registers.iter().enumerate() {
                    let words = std::array::from_fn(|lane| load.spread.word(&rows, lane, at));
                    self.file.write::<u32>(register, &words, FULL);
                }
            }
            Matrix::Store(store) => {
                let mut rows = [[0; LANES]; ROW_PARTS];
                for (at, &register) in store.registers.iter().enumerate() {
                    let words = self.file.read::<u32>(register);
                    for (lane, &word) in words.iter().enumerate() {
                        store.spread.put(&mut rows, lane, at, word);
                    }
                }
                self.move_rows(store, &mut rows, pc, context)?;
            }
            &Matrix::Transpose { d, a } => {
                let mut rows = [[0; LANES]; ROW_PARTS];
                for (lane, &word) in self.file.read::<u32>(a).iter().enumerate() {
                    Spread::Rows.put(&mut rows, lane, 0, word);
                }
                let words = std::array::from_fn(|lane| Spread::Columns.word(&rows, lane, 0));
                self.file.write::<u32>(d, &words, FULL);
            }
        }
        Ok(())
    }

    fn move_rows(
        &mut self,
        moved: &Move,
        rows: &mut Rows,
        pc: u32,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let launch = context.launch;
        let mut memories = memories(launch, &mut context.shared, &mut self.local);
        memories.race = launch.config.sanitize.then(|| {
            let clocks = (&context.time, &mut self.order);
            Race::new(clocks, &mut context.shadows, (pc, self.index), None, launch.program.ordered)
        });
        memories.flights = context.flights.watched().filter(|_| launch.config.sanitize);
        let count = context.stats.profile.get_mut(pc as usize);
        let done = moved.addresses(&self.file).and_then(|addresses| {
            if let Some(count) = count {
                // Each matrix of eight rows is a request of its own, as a quarter of a warp is in a load of 16 bytes.
                count.note_shared(&addresses, moved.lanes, ROW_BYTES as u32);
            }
            load_store::shared(&moved.row, &addresses, moved.lanes, rows, &mut memories)
        });
        let Access { store, .. } = moved.row;
        let verb = if store { "store" } else { "load" };
        done.map_err(|fault| context.fault(&fault, pc, self.index, ROW_BYTES as u32, verb))
    }
}

impl Spread {
    /// A lane's register `at`.
    fn word(self, rows: &Rows, lane: usize, at: usize) -> u32 {
        let half = |(row, column): (usize, usize)| (byte_pair(rows, 8 * at + row, column)) as u32;
        match self {
            Self::Rows => {
                let [low, high] = PAIRS[lane];
                half(low) | half(high) << 16
            }
            Self::Columns => {
                let [(row, low), (_, high)] = PAIRS[lane];
                half((low, row)) | half((high, row)) << 16
            }
            Self::Bytes | Self::Accumulators => (0..4).fold(0, |word, part| {
                let (row, column) = self.byte_place(lane, at, part);
                word | u32::from(byte(rows, row, column)) << (8 * part)
            }),
        }
    }

    /// Row and column of byte `part` of a lane's register `at`, for elements of a byte.
    fn byte_place(self, lane: usize, at: usize, part: usize) -> (usize, usize) {
        if matches!(self, Self::Bytes) {
            // A matrix of 16 rows takes two registers.
            let (row, column) = byte_position(lane, at % 2 * 4 + part);
            return (at / 2 * 16 + row, column);
        }
        let (column, row) = SIXTEEN_ROWS.position(lane, part);
        (8 * at + row, column)
    }

    /// Puts a lane's register `at` into rows of zeros: the inverse.
    fn put(self, rows: &mut Rows, lane: usize, at: usize, word: u32) {
        let mut half = |(row, column): (usize, usize), half: u32| {
            rows[column / 4][8 * at + row] |= u64::from(half & 0xffff) << (16 * (column % 4));
        };
        match self {
            Self::Rows => {
                let [low, high] = PAIRS[lane];
                half(low, word);
                half(high, word >> 16);
            }
            Self::Columns => {
                let [(row, low), (_, high)] = PAIRS[lane];
                half((low, row), word);
                half((high, row), word >> 16);
            }
            Self::Bytes | Self::Accumulators => {
                for (part, byte) in word.to_le_bytes().into_iter().enumerate() {
                    let (row, column) = self.byte_place(lane, at, part);
                    rows[column / 8][row] |= u64::from(byte) << (8 * (column % 8));
                }
            }
        }
    }
}

fn byte(rows: &Rows, row: usize, column: usize) -> u8 {
    (rows[column / 8][row] >> (8 * (column % 8))) as u8
}

/// A 16-bit element.
fn byte_pair(rows: &Rows, row: usize, column: usize) -> u16 {
    (rows[column / 4][row] >> (16 * (column % 4))) as u16
}

/// Gives each of the 16 elements of padded rows a byte.
fn expand(element: MatrixElement, rows: &mut Rows) {
    let bits = match element {
        MatrixElement::B16 | MatrixElement::B8 => return,
        MatrixElement::B4Padded => 4,
        MatrixElement::B6Padded => 6,
    };
    let [first, second, third] = rows;
    for ((first, second), third) in first.iter_mut().zip(second).zip(third) {
        let packed = match element {
            MatrixElement::B6Padded => {
                u128::from(*first) | u128::from(*second) << 32 | u128::from(*third) << 64
            }
            MatrixElement::B16 | MatrixElement::B8 | MatrixElement::B4Padded => u128::from(*first),
        };
        let half = |start: u32| {
            (0..8).fold(0, |all, at| {
                let element = (packed >> (bits * (start + at))) as u64 & ((1 << bits) - 1);
                all | element << (8 * at)
            })
        };
        (*first, *second) = (half(0), half(8));
    }
}
