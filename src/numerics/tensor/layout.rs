//! Which lane holds which element of a fragment, in which register.
//!
//! One formula gives every fragment of `mma.sync` (PTX facts, section 5: assembled and read off the hardware for each
//! form that it has). With g = lane / 4, t = lane % 4 and e elements a register, element p of register j is
//!
//! | operand | row or k | k or column |
//! | --- | --- | --- |
//! | A, 16 rows | g + 8·(j mod 2) | (j / 2)·4e + t·e + p |
//! | A, 8 rows | g | j·4e + t·e + p |
//! | B | j·4e + t·e + p | g |
//! | C, D, 16 rows, element i | g + 8·(i / 2) | 2t + (i mod 2) |
//! | C, D, 8 rows, element i | g | 2t + i |
//!
//! Four products of quad pairs (`m8n8k4` of f16) are spread otherwise: quads q and q + 4 hold product q, whose A and C
//! begin at row 8q, and whose B at column 8q. With h = 4 in the upper half of the warp, else 0:
//!
//! | operand, element i | row or k | k or column |
//! | --- | --- | --- |
//! | A by rows | 8q + h + t | i |
//! | A by columns | 8q + h + i | t |
//! | B by columns | i | 8q + h + t |
//! | B by rows | t | 8q + h + i |
//! | C, D of f16 | 8q + h + t | i |
//! | C, D of f32 | 8q + h + (t mod 2) + (i & 2) | (i & 4) + (t & 2) + (i mod 2) |
//!
//! Lowering, the emulator, the oracle and the pictures all ask [`Layout`]; nobody writes a lane map of their own.
//! `m8n8` blocks of `ldmatrix` have the C layout of 16-bit pairs, which [`Layout::eights`] gives.

use super::form::{Form, Kind, Major};

/// Lanes of a warp.
pub const LANES: usize = 32;

/// An operand of a matrix multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The left factor: rows × depth.
    A,
    /// The right factor: depth × columns.
    B,
    /// What is added, and the result: rows × columns.
    C,
}

/// How the elements of one operand are spread over the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    operand: Operand,
    /// Rows and columns of the operand.
    rows: usize,
    columns: usize,
    element_bits: u32,
    register_bits: u32,
    /// What a lane of a quad pair holds.
    pair: Option<Major>,
}

/// Consecutive bits of a lane's number, `count` of them from bit `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneBits {
    /// The lowest.
    pub first: u32,
    /// How many.
    pub count: u32,
}

const fn lane_bits(first: u32, count: u32) -> LaneBits {
    LaneBits { first, count }
}

impl Layout {
    /// The layout of an operand of a form.
    pub const fn of(form: &Form, operand: Operand) -> Self {
        let (m, n, k) = (form.shape.m as usize, form.shape.n as usize, form.shape.k as usize);
        let products = form.kind.products();
        let (rows, columns, element_bits) = match operand {
            Operand::A => (products * m, k, form.container_bits(form.a)),
            Operand::B => (k, products * n, form.container_bits(form.b)),
            Operand::C => (products * m, n, form.acc.bits()),
        };
        let register_bits = if element_bits == 64 { 64 } else { 32 };
        let [of_a, of_b] = form.kind.majors();
        let pair = match operand {
            _ if form.kind.products() == 1 => None,
            Operand::A => Some(of_a),
            Operand::B => Some(of_b),
            Operand::C => Some(Major::Row),
        };
        Self { operand, rows, columns, element_bits, register_bits, pair }
    }

    /// The layout of an 8×8 matrix of 16-bit elements as `ldmatrix` loads it: a register a lane.
    pub const fn eights() -> Self {
        Self { operand: Operand::A, rows: 8, columns: 8, element_bits: 16, register_bits: 32, pair: None }
    }

    /// Rows of the operand.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the operand.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Bits that an element takes in its register.
    pub const fn element_bits(&self) -> u32 {
        self.element_bits
    }

    /// Bits of a register: 64 for f64, else 32.
    pub const fn register_bits(&self) -> u32 {
        self.register_bits
    }

    /// Elements in one register, the first in the lowest bits.
    pub const fn per_register(&self) -> usize {
        (self.register_bits / self.element_bits) as usize
    }

    /// Elements that a lane holds.
    pub const fn per_lane(&self) -> usize {
        self.rows * self.columns / LANES
    }

    /// Registers that a lane holds.
    pub const fn registers(&self) -> usize {
        self.per_lane() / self.per_register()
    }

    /// The parts of a lane's number that rows and columns are sums of multiples of.
    pub const fn lane_bits(&self) -> &'static [LaneBits] {
        const QUAD_AND_PLACE: &[LaneBits] = &[lane_bits(2, 3), lane_bits(0, 2)];
        const PAIR: &[LaneBits] = &[lane_bits(4, 1), lane_bits(2, 2), lane_bits(1, 1), lane_bits(0, 1)];
        if self.pair.is_some() { PAIR } else { QUAD_AND_PLACE }
    }

    /// Row and column of a lane's element `index`, which is element `index % per_register` of register
    /// `index / per_register`.
    pub const fn position(&self, lane: usize, index: usize) -> (usize, usize) {
        let (group, thread) = (lane / 4, lane % 4);
        let each = self.per_register();
        let (register, part) = (index / each, index % each);
        if let Some(major) = self.pair {
            return self.position_in_pair(major, lane, index);
        }

        match self.operand {
            Operand::A if self.rows == 16 => {
                (group + 8 * (register % 2), register / 2 * 4 * each + thread * each + part)
            }
            Operand::A => (group, register * 4 * each + thread * each + part),
            Operand::B => (register * 4 * each + thread * each + part, group),
            Operand::C if self.rows == 16 => (group + 8 * (index / 2), 2 * thread + index % 2),
            Operand::C => (group, 2 * thread + index),
        }
    }

    /// The lane that holds an element, and its index there: the inverse of [`Self::position`].
    pub const fn holder(&self, row: usize, column: usize) -> (usize, usize) {
        if let Some(major) = self.pair {
            return self.holder_in_pair(major, row, column);
        }
        let each = self.per_register();
        let (group, upper, depth) = match self.operand {
            Operand::A => (row % 8, row / 8, column),
            Operand::B => (column, 0, row),
            Operand::C => return ((row % 8) * 4 + column / 2, (row / 8) * 2 + column % 2),
        };
        let step = depth / (4 * each);
        let register =
            if matches!(self.operand, Operand::A) && self.rows == 16 { 2 * step + upper } else { step };
        (group * 4 + depth / each % 4, register * each + depth % each)
    }

    const fn position_in_pair(&self, major: Major, lane: usize, index: usize) -> (usize, usize) {
        let thread = lane % 4;
        let start = 8 * (lane / 4 % 4) + 4 * (lane / 16);
        match (self.operand, major) {
            (Operand::C, _) if self.element_bits == 32 => {
                (start + thread % 2 + (index & 2), (index & 4) + (thread & 2) + index % 2)
            }
            (Operand::A, Major::Row) | (Operand::C, _) => (start + thread, index),
            (Operand::A, Major::Column) => (start + index, thread),
            (Operand::B, Major::Column) => (index, start + thread),
            (Operand::B, Major::Row) => (thread, start + index),
        }
    }

    const fn holder_in_pair(&self, major: Major, row: usize, column: usize) -> (usize, usize) {
        let (line, other) = match self.operand {
            Operand::A | Operand::C => (row, column),
            Operand::B => (column, row),
        };
        let first = 4 * (line / 8) + 16 * (line / 4 % 2);
        match (self.operand, major) {
            (Operand::C, _) if self.element_bits == 32 => {
                (first + line % 2 + (other & 2), (other & 4) + (line & 2) + other % 2)
            }
            (Operand::A, Major::Row) | (Operand::B, Major::Column) | (Operand::C, _) => {
                (first + line % 4, other)
            }
            (Operand::A, Major::Column) | (Operand::B, Major::Row) => (first + other, line % 4),
        }
    }
}

/// The lane that gives the scales of a row of A.
///
/// Scales of A come from the lanes of `thread_id` 2·`selector` and the next of each quad, those of B from the lane
/// `selector` of a quad. A scale word is four bytes; which of them hold the scales follows from `byte`.
pub const fn scale_holder(operand: Operand, index: usize, selector: usize) -> usize {
    match operand {
        Operand::A | Operand::C => 4 * (index % 8) + 2 * selector + index / 8,
        Operand::B => 4 * index + selector,
    }
}

/// Row, as memory holds it, and column of byte `index` that a lane gets from `ldmatrix.m16n16.trans` of 8-bit elements.
///
/// Both registers of a lane come from four rows: the bytes of a register alternate between two of them, and its upper
/// half is eight columns further. (Concluded from a public description of the instruction, not measured.)
pub const fn byte_position(lane: usize, index: usize) -> (usize, usize) {
    let (group, thread) = (lane / 4, lane % 4);
    (4 * thread + 2 * (index / 4) + index % 2, group + 8 * (index / 2 % 2))
}

/// The bit within its byte at which an element of a byte-wide container starts: e2m1 stands in bits 5 to 2.
pub const fn container_shift(form: &Form, element: super::form::Element) -> u32 {
    match (form.kind, element) {
        (Kind::F8F6F4 | Kind::MxF8F6F4, super::form::Element::E2M1) => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_place() {
        for form in Form::all() {
            for operand in [Operand::A, Operand::B, Operand::C] {
                let layout = Layout::of(&form, operand);
                let mut seen = vec![false; layout.rows() * layout.columns()];
                for lane in 0..LANES {
                    for index in 0..layout.per_lane() {
                        let (row, column) = layout.position(lane, index);
                        assert_eq!(layout.holder(row, column), (lane, index), "{form} {operand:?}");
                        let place = &mut seen[row * layout.columns() + column];
                        assert!(!std::mem::replace(place, true), "{form} {operand:?} {row} {column}");
                    }
                }
                assert!(seen.iter().all(|&is_seen| is_seen), "{form} {operand:?}");
            }
        }
    }

    #[test]
    fn places_are_sums_over_parts_of_the_lane() {
        for form in Form::all() {
            for operand in [Operand::A, Operand::B, Operand::C] {
                let layout = Layout::of(&form, operand);
                for (lane, index) in
                    (0..LANES).flat_map(|lane| (0..layout.per_lane()).map(move |i| (lane, i)))
                {
                    let (mut row, mut column) = layout.position(0, index);
                    let (first_row, first_column) = (row, column);
                    for part in layout.lane_bits() {
                        let (value, one) = (lane >> part.first & ((1 << part.count) - 1), 1 << part.first);
                        let next = layout.position(one, index);
                        row += value * (next.0 - first_row);
                        column += value * (next.1 - first_column);
                    }
                    assert_eq!(
                        layout.position(lane, index),
                        (row, column),
                        "{form} {operand:?} {lane} {index}"
                    );
                }
            }
        }
    }

    /// Places written down by hand from the manual's figures, not by the formula: of each shape a first and a last element,
    /// and one that tells rows from columns.
    #[test]
    fn elements_are_where_the_manual_draws_them() {
        use Operand::{A, B, C};
        for (name, operand, lane, index, place) in [
            // a0,a1 | a2,a3 | a4,a5 | a6,a7 of lane 5 (group 1, thread 1).
            ("m16n8k16.f32.bf16.bf16.f32", A, 5, 0, (1, 2)),
            ("m16n8k16.f32.bf16.bf16.f32", A, 5, 2, (9, 2)),
            ("m16n8k16.f32.bf16.bf16.f32", A, 5, 5, (1, 11)),
            ("m16n8k16.f32.bf16.bf16.f32", A, 31, 7, (15, 15)),
            ("m16n8k16.f32.bf16.bf16.f32", B, 5, 1, (3, 1)),
            ("m16n8k16.f32.bf16.bf16.f32", B, 5, 2, (10, 1)),
            ("m16n8k16.f32.bf16.bf16.f32", C, 5, 1, (1, 3)),
            ("m16n8k16.f32.bf16.bf16.f32", C, 5, 2, (9, 2)),
            ("m16n8k8.f32.f16.f16.f32", A, 6, 3, (9, 5)),
            ("m16n8k8.f32.f16.f16.f32", B, 6, 1, (5, 1)),
            ("m16n8k4.f32.tf32.tf32.f32", A, 6, 1, (9, 2)),
            ("m16n8k8.f32.tf32.tf32.f32", A, 6, 2, (1, 6)),
            ("m16n8k8.f32.tf32.tf32.f32", B, 6, 1, (6, 1)),
            ("m16n8k32.s32.s8.s8.s32", A, 7, 5, (9, 13)),
            ("m16n8k32.s32.s8.s8.s32", A, 7, 8, (1, 28)),
            ("m16n8k32.s32.s8.s8.s32", B, 7, 6, (30, 1)),
            ("m8n8k16.s32.s8.s8.s32", A, 9, 3, (2, 7)),
            ("m8n8k16.s32.s8.s8.s32", C, 9, 1, (2, 3)),
            ("m16n8k64.s32.s4.s4.s32", A, 3, 17, (0, 57)),
            ("m16n8k64.s32.s4.s4.s32", B, 3, 8, (56, 0)),
            ("m8n8k4.f64.f64.f64.f64", A, 6, 0, (1, 2)),
            ("m8n8k4.f64.f64.f64.f64", B, 6, 0, (2, 1)),
            ("m16n8k8.f64.f64.f64.f64", A, 6, 3, (9, 6)),
            ("m16n8k32.f8f6f4.f32.e2m1.e4m3.f32", A, 7, 5, (9, 13)),
            ("m16n8k64.mxf4.f32.e2m1.e2m1.f32", A, 3, 17, (0, 57)),
            ("m16n8k16.f16.f16.f16.f16", C, 5, 3, (9, 3)),
            // Lane 22 is thread 2 of the upper quad of the second pair.
            ("m8n8k4.row.col.f32.f16.f16.f32", A, 22, 1, (14, 1)),
            ("m8n8k4.row.col.f32.f16.f16.f32", B, 22, 3, (3, 14)),
            ("m8n8k4.row.col.f32.f16.f16.f32", C, 22, 7, (14, 7)),
            ("m8n8k4.row.col.f32.f16.f16.f32", C, 1, 4, (1, 4)),
            ("m8n8k4.col.row.f16.f16.f16.f16", A, 22, 1, (13, 2)),
            ("m8n8k4.col.row.f16.f16.f16.f16", B, 22, 1, (2, 13)),
            ("m8n8k4.col.row.f16.f16.f16.f16", C, 22, 6, (14, 6)),
        ] {
            let form: Form = name.parse().unwrap();
            assert_eq!(
                Layout::of(&form, operand).position(lane, index),
                place,
                "{name} {operand:?} {lane} {index}"
            );
        }
    }

    #[test]
    fn registers_are_those_of_the_manual() {
        let registers = |name: &str| {
            let form: Form = name.parse().unwrap();
            [Operand::A, Operand::B, Operand::C].map(|operand| Layout::of(&form, operand).registers())
        };
        assert_eq!(registers("m16n8k16.f32.bf16.bf16.f32"), [4, 2, 4]);
        assert_eq!(registers("m16n8k16.f16.f16.f16.f16"), [4, 2, 2]);
        assert_eq!(registers("m16n8k4.f32.tf32.tf32.f32"), [2, 1, 4]);
        assert_eq!(registers("m8n8k16.s32.s8.s8.s32"), [1, 1, 2]);
        assert_eq!(registers("m16n8k64.s32.s4.u4.s32"), [4, 2, 4]);
        assert_eq!(registers("m16n8k16.f64.f64.f64.f64"), [8, 4, 4]);
        assert_eq!(registers("m8n8k4.f64.f64.f64.f64"), [1, 1, 2]);
        assert_eq!(registers("m16n8k32.f8f6f4.f32.e2m1.e4m3.f32"), [4, 2, 4]);
        assert_eq!(registers("m16n8k64.mxf4.f32.e2m1.e2m1.f32"), [4, 2, 4]);
        assert_eq!(registers("m8n8k4.row.row.f32.f16.f16.f32"), [2, 2, 8]);
        assert_eq!(registers("m8n8k4.row.row.f16.f16.f16.f16"), [2, 2, 4]);
    }
}
