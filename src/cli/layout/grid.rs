//! A picture of who holds what, as data: a grid of cells with the names of its rows and columns.
//!
//! On entry: a layout of `numerics::tensor`, asked element by element; no lane map is written here. On exit: every cell
//! says who holds it. Deliberately not here: how a grid looks (`table`, `svg`), and which names there are (`catalog`).

use std::fmt;

use clap::ValueEnum;

use crate::numerics::tensor::LANES;

/// Which part of an instruction a grid shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Part {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// What is added, and the result.
    #[value(alias = "d")]
    C,
    /// The scales of the rows of A.
    ScaleA,
    /// The scales of the columns of B.
    ScaleB,
}

impl Part {
    /// As the command line spells it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
            Self::ScaleA => "scale-a",
            Self::ScaleB => "scale-b",
        }
    }
}

/// What an element's place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Bits of a register of a lane; `part` counts from the lowest, and is missing where an element fills the register.
    Register { thread: usize, register: usize, part: Option<usize> },
    /// A byte of a lane's word of scales.
    Scale { thread: usize, byte: usize },
    /// A chunk of 16 bytes of a tile: its row in the tile, and its number in the row.
    Chunk { row: usize, chunk: usize },
}

impl Cell {
    /// Hue and shade by which cells of one owner look alike: 8 of the one, 4 of the other.
    pub(super) const fn colour(self) -> (usize, usize) {
        match self {
            Self::Register { thread, .. } | Self::Scale { thread, .. } => (thread / 4, thread % 4),
            Self::Chunk { chunk, .. } => (chunk % 8, 0),
        }
    }

    /// Whether `next` stands `distance` parts behind this in the same register.
    fn goes_on(self, next: Self, distance: usize) -> bool {
        match (self, next) {
            (
                Self::Register { thread, register, part: Some(part) },
                Self::Register { thread: other, register: same, part: Some(behind) },
            ) => thread == other && register == same && behind == part + distance,
            (Self::Register { .. } | Self::Scale { .. } | Self::Chunk { .. }, _) => false,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register { thread, register, part: Some(part) } => {
                write!(f, "T{thread}:r{register}.{part}")
            }
            Self::Register { thread, register, part: None } => write!(f, "T{thread}:r{register}"),
            Self::Scale { thread, byte } => write!(f, "T{thread}:b{byte}"),
            Self::Chunk { row, chunk } => write!(f, "R{row}:c{chunk}"),
        }
    }
}

/// Who holds which element of one matrix.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) part: Option<Part>,
    pub(super) title: String,
    /// What the rows are, and the name of each.
    pub(super) row_axis: &'static str,
    pub(super) row_names: Vec<String>,
    /// What the columns are, and the name of each.
    pub(super) column_axis: &'static str,
    pub(super) column_names: Vec<String>,
    /// Row by row.
    pub(super) cells: Vec<Cell>,
    /// What the picture can't say.
    pub(super) notes: Vec<String>,
}

/// Columns beyond which neighbours in one register share a cell of the picture.
const WIDE: usize = 16;

/// Some neighbours of a row in one cell of a picture.
pub(super) struct Shown {
    pub(super) first: Cell,
    pub(super) text: String,
}

impl Grid {
    /// A grid whose cells follow from where each element of each lane stands; `each` elements share a register.
    pub(super) fn of_registers(
        (rows, columns): (usize, usize),
        (per_lane, each): (usize, usize),
        position: impl Fn(usize, usize) -> (usize, usize),
    ) -> Self {
        let mut cells = vec![None; rows * columns];
        for (lane, index) in (0..LANES).flat_map(|lane| (0..per_lane).map(move |index| (lane, index))) {
            let (row, column) = position(lane, index);
            let part = (each > 1).then_some(index % each);
            cells[row * columns + column] =
                Some(Cell::Register { thread: lane, register: index / each, part });
        }
        let cells = cells.into_iter().map(|cell| cell.expect("a layout gives every element a place"));
        Self::new((rows, columns), cells.collect())
    }

    /// A grid of given cells, whose rows and columns are numbered.
    pub(super) fn new((rows, columns): (usize, usize), cells: Vec<Cell>) -> Self {
        let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect();
        Self {
            part: None,
            title: String::new(),
            row_axis: "row",
            row_names: numbers(rows),
            column_axis: "column",
            column_names: numbers(columns),
            cells,
            notes: Vec::new(),
        }
    }

    pub(super) fn titled(self, part: Option<Part>, title: String) -> Self {
        Self { part, title, ..self }
    }

    pub(super) fn axes(self, row_axis: &'static str, column_axis: &'static str) -> Self {
        Self { row_axis, column_axis, ..self }
    }

    pub(super) fn rows(&self) -> usize {
        self.row_names.len()
    }

    pub(super) fn columns(&self) -> usize {
        self.column_names.len()
    }

    /// The cells of a row.
    pub(super) fn row(&self, row: usize) -> &[Cell] {
        let columns = self.columns();
        &self.cells[row * columns..(row + 1) * columns]
    }

    /// How many neighbours of a row share a cell of the picture.
    pub(super) fn width(&self) -> usize {
        if self.columns() <= WIDE {
            return 1;
        }
        let all_go_on = |width: usize| {
            self.cells
                .chunks_exact(width)
                .all(|run| run.iter().enumerate().skip(1).all(|(at, &cell)| run[0].goes_on(cell, at)))
        };
        let widths = (2..=self.columns()).rev().filter(|width| self.columns().is_multiple_of(*width));
        widths.into_iter().find(|&width| all_go_on(width)).unwrap_or(1)
    }

    /// The names of the columns of the picture.
    pub(super) fn shown_columns(&self) -> Vec<String> {
        self.column_names.chunks(self.width()).map(|names| ends(&names[0], &names[names.len() - 1])).collect()
    }

    /// The cells of a row of the picture.
    pub(super) fn shown_row(&self, row: usize) -> Vec<Shown> {
        let shown = |run: &[Cell]| {
            let (first, last) = (run[0], run[run.len() - 1]);
            let text = match last {
                Cell::Register { part: Some(part), .. } if run.len() > 1 => format!("{first}-{part}"),
                Cell::Register { .. } | Cell::Scale { .. } | Cell::Chunk { .. } => first.to_string(),
            };
            Shown { first, text }
        };
        self.row(row).chunks(self.width()).map(shown).collect()
    }
}

fn ends(first: &str, last: &str) -> String {
    if first == last { first.to_owned() } else { format!("{first}-{last}") }
}
