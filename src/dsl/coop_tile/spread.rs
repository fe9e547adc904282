//! Which lane holds which elements of a tile's matrices.
//!
//! A lane's element `index` stands at its origin plus an offset that all lanes share. In IEEE order lanes form a grid of 4
//! rows and 8 columns, which is laid over a matrix again and again; for the matrix unit the fragments of m16n8k16 stand
//! side by side, and what a tile of 8 rows lacks of one has no element. Columns of B and C are those of one strip.

use super::super::geometry::simd_lane_id;
use super::super::lane::of_lane;
use super::super::val::Val;
use super::state::{STRIP, Size};
use crate::ir::op::Numerics;
use crate::numerics::tensor::{Accumulator, Element, Form, Kind, Layout, Operand, Shape};

/// Lanes beside each other in IEEE order.
pub(super) const ROWS: usize = 4;
/// Columns of lanes in IEEE order.
pub(super) const COLUMNS: usize = 8;

/// What a tile's fragments are: f16 factors, sums in f32.
pub(super) const FORM: Form = Form {
    shape: Shape { m: 16, n: 8, k: 16 },
    a: Element::F16,
    b: Element::F16,
    acc: Accumulator::F32,
    kind: Kind::Plain,
    saturates: false,
    rounding: crate::numerics::soft::Direction::Rn,
};

/// The elements that each lane holds of A, or of one strip of B or C.
pub(super) struct Spread {
    numerics: Numerics,
    operand: Operand,
    /// Row and column of a lane's elements, less those of its origin.
    pub(super) offsets: Vec<(usize, usize)>,
}

impl Spread {
    /// Of an operand; B and C from the first column of the strip `strip`.
    pub(super) fn of(numerics: Numerics, operand: Operand, size: Size, strip: usize) -> Self {
        let (rows, columns, first) = match operand {
            Operand::A => (size.m, size.k, 0),
            Operand::B => (size.k, STRIP, strip * STRIP),
            Operand::C => (size.m, STRIP, strip * STRIP),
        };
        let offsets = match numerics {
            Numerics::Ieee => grid(rows, columns, (ROWS, COLUMNS)).collect(),
            Numerics::TensorCore => {
                let layout = Layout::of(&FORM, operand);
                let fragments = grid(rows, columns, (layout.rows(), layout.columns()));
                let elements = |(row, column)| {
                    (0..layout.per_lane()).map(move |index| {
                        let (r, c) = layout.position(0, index);
                        (row + r, column + c)
                    })
                };
                fragments.flat_map(elements).filter(|&(row, _)| row < rows).collect::<Vec<_>>()
            }
        };
        let offsets = offsets.into_iter().map(|(row, column)| (row, column + first)).collect();
        Self { numerics, operand, offsets }
    }

    /// Row and column of the lane's origin.
    pub(super) fn origin(&self) -> (Val, Val) {
        let lane = simd_lane_id();
        let at = |lane: usize| match self.numerics {
            Numerics::Ieee => (lane / COLUMNS, lane % COLUMNS),
            Numerics::TensorCore => Layout::of(&FORM, self.operand).position(lane, 0),
        };
        (of_lane(lane, |lane| at(lane).0), of_lane(lane, |lane| at(lane).1))
    }

    /// The largest row and column of any lane's origin.
    pub(super) fn reach(&self) -> (usize, usize) {
        match (self.numerics, self.operand) {
            (Numerics::Ieee, _) => (ROWS - 1, COLUMNS - 1),
            (Numerics::TensorCore, operand) => Layout::of(&FORM, operand).position(31, 0),
        }
    }
}

/// Rows and columns at which pieces of a shape start, row by row.
fn grid(rows: usize, columns: usize, piece: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    (0..rows)
        .step_by(piece.0)
        .flat_map(move |row| (0..columns).step_by(piece.1).map(move |column| (row, column)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::tensor::LANES;

    #[test]
    fn every_element_of_a_matrix_has_one_lane() {
        for numerics in [Numerics::Ieee, Numerics::TensorCore] {
            for (m, n, k) in [(16, 16, 32), (16, 32, 16), (32, 32, 32), (8, 32, 16)] {
                let size = Size { m, n, k };
                for (operand, rows, columns) in [(Operand::A, m, k), (Operand::B, k, n), (Operand::C, m, n)] {
                    let mut seen = vec![0; rows * columns];
                    let strips = if operand == Operand::A { 1 } else { size.strips() };
                    for strip in 0..strips {
                        let spread = Spread::of(numerics, operand, size, strip);
                        for lane in 0..LANES {
                            let origin = match numerics {
                                Numerics::Ieee => (lane / COLUMNS, lane % COLUMNS),
                                Numerics::TensorCore => Layout::of(&FORM, operand).position(lane, 0),
                            };
                            for &(row, column) in &spread.offsets {
                                seen[(row + origin.0) * columns + column + origin.1] += 1;
                            }
                        }
                    }
                    assert!(seen.iter().all(|&count| count == 1), "{numerics:?} {operand:?} {size:?}");
                }
            }
        }
    }
}
