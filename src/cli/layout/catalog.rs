//! Everything that has a layout, and the pictures of it.
//!
//! On entry: a form of `mma.sync`, a move of matrices, a swizzle. On exit: its name, and grids that ask `numerics::tensor` about every element, so that a picture can't differ from what is
//! emitted and emulated. Deliberately not here: a lane map, and what else a user may call a layout (`spelling`).

use super::grid::{Cell, Grid, Part};
use crate::numerics::tensor::{
    CHUNK, Form, LINE, Layout, Operand, SIMDGROUP_ELEMENTS, SIMDGROUP_SIDE, Swizzle, byte_position,
    scale_holder, simdgroup_position,
};

/// Something whose layout can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Mma(Form),
    Move(Move),
    Simdgroup,
    Swizzle(Swizzle),
}

/// A move of matrices between shared memory and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    verb: &'static str,
    rows: MoveRows,
    count: usize,
    is_transposed: bool,
}

/// What a matrix that is moved is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MoveRows {
    /// 8 rows of eight 16-bit elements.
    Eights,
    /// 8 rows of 16 elements that are a byte each in registers.
    Bytes8x16,
    /// 16 rows of 16 bytes.
    Bytes16x16,
    /// 8 rows of 16 bytes that are the columns of 16 × 8 accumulators made narrow.
    Accumulators,
    /// No memory: from registers to registers.
    Registers,
}

impl Subject {
    /// Every one, in the order in which they are listed.
    pub(super) fn all() -> Vec<Self> {
        let forms = Form::all().map(Self::Mma);
        let moves = moves().into_iter().map(Self::Move);
        let swizzles = Swizzle::ALL.map(Self::Swizzle);
        forms.chain(moves).chain([Self::Simdgroup]).chain(swizzles).collect()
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Mma(form) => form.to_string(),
            Self::Move(moved) => moved.name(),
            Self::Simdgroup => "simdgroup.8x8".into(),
            Self::Swizzle(Swizzle::None) => "swizzle.none".into(),
            Self::Swizzle(Swizzle::B32) => "swizzle.32B".into(),
            Self::Swizzle(Swizzle::B64) => "swizzle.64B".into(),
            Self::Swizzle(Swizzle::B128) => "swizzle.128B".into(),
        }
    }

    /// Its pictures.
    pub(super) fn grids(&self) -> Vec<Grid> {
        match self {
            Self::Mma(form) => of_form(form),
            Self::Move(moved) => moved.grids(),
            Self::Simdgroup => vec![simdgroup()],
            Self::Swizzle(swizzle) => vec![of_swizzle(*swizzle)],
        }
    }
}

fn of_form(form: &Form) -> Vec<Grid> {
    let operand = |operand: Operand| {
        let layout = Layout::of(form, operand);
        let (part, axes, element) = match operand {
            Operand::A => (Part::A, ("row", "k"), form.a.name()),
            Operand::B => (Part::B, ("k", "column"), form.b.name()),
            Operand::C => (Part::C, ("row", "column"), form.acc.name()),
        };
        let letter = if operand == Operand::C { "C and D" } else { &*part.name().to_uppercase() };
        let title = format!(
            "{letter} of {form}: {} × {} of {element} in {} bits, {} a lane",
            layout.rows(),
            layout.columns(),
            layout.element_bits(),
            registers(layout.registers(), layout.register_bits())
        );
        let each = (layout.per_lane(), layout.per_register());
        let mut grid = Grid::of_registers((layout.rows(), layout.columns()), each, |lane, index| {
            layout.position(lane, index)
        })
        .titled(Some(part), title)
        .axes(axes.0, axes.1);
        if form.kind.products() > 1 {
            let lines = if operand == Operand::B { "columns" } else { "rows" };
            grid.notes = vec![
                format!(
                    "four independent products of 8 × 8 × 4, stacked: {lines} 8p to 8p + 7 are of quad pair p"
                ),
                "quad pair p is threads 4p to 4p + 3 and 4p + 16 to 4p + 19".into(),
            ];
        }
        grid
    };
    let operands = [Operand::A, Operand::B, Operand::C].map(operand);
    let scaled = form.kind.scales() > 0;
    let scales = scaled.then(|| [Operand::A, Operand::B].map(|operand| scales(form, operand)));
    operands.into_iter().chain(scales.into_iter().flatten()).collect()
}

fn registers(count: usize, bits: u32) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} register{plural} of {bits} bits")
}

/// Who gives the scales of each row of A or column of B, for each selector of threads; from byte 0 on.
fn scales(form: &Form, operand: Operand) -> Grid {
    let (part, lines, selectors, axis) = match operand {
        Operand::A | Operand::C => (Part::ScaleA, usize::from(form.shape.m), 2, "row"),
        Operand::B => (Part::ScaleB, usize::from(form.shape.n), 4, "column"),
    };
    let count = form.kind.scales();
    let columns: Vec<(usize, usize)> =
        (0..selectors).flat_map(|selector| (0..count).map(move |scale| (selector, scale))).collect();
    let cells = (0..lines).flat_map(|line| {
        columns
            .iter()
            .map(move |&(selector, byte)| Cell::Scale { thread: scale_holder(operand, line, selector), byte })
    });
    let letter = if operand == Operand::B { "B" } else { "A" };
    let title = format!("scales of {letter} of {form}: {lines} × {count}, by the thread selector");
    let mut grid = Grid::new((lines, columns.len()), cells.collect()).titled(Some(part), title);
    (grid.row_axis, grid.column_axis) = (axis, "selector.scale");
    grid.column_names = columns.iter().map(|(selector, scale)| format!("{selector}.{scale}")).collect();
    grid.notes = vec![byte_selectors(count).into()];
    grid
}

/// Which byte selectors a form of so many scales takes, and what they do to the picture.
const fn byte_selectors(scales: usize) -> &'static str {
    match scales {
        1 => "the byte selector is 0 here; this form takes 0 to 3, and the scale is the byte of that number",
        2 => "the byte selector is 0 here; this form takes 0 and 2, and with 2 the scales are bytes 2 and 3",
        _ => "the byte selector is 0; this form takes no other, since its scales are the whole word",
    }
}

fn moves() -> Vec<Move> {
    let of = |verb, rows, counts: &[usize], is_transposed| {
        let one = move |&count: &usize| Move { verb, rows, count, is_transposed };
        counts.iter().map(one).collect::<Vec<_>>()
    };
    [
        of("ldmatrix", MoveRows::Eights, &[1, 2, 4], false),
        of("ldmatrix", MoveRows::Eights, &[1, 2, 4], true),
        of("ldmatrix", MoveRows::Bytes8x16, &[1, 2, 4], false),
        of("ldmatrix", MoveRows::Bytes16x16, &[1, 2], true),
        of("stmatrix", MoveRows::Eights, &[1, 2, 4], false),
        of("stmatrix", MoveRows::Eights, &[1, 2, 4], true),
        of("stmatrix", MoveRows::Accumulators, &[1, 2, 4], true),
        of("movmatrix", MoveRows::Registers, &[1], true),
    ]
    .concat()
}

impl Move {
    fn name(&self) -> String {
        let shape = match self.rows {
            MoveRows::Eights | MoveRows::Registers => "",
            MoveRows::Bytes8x16 => ".m8n16",
            MoveRows::Bytes16x16 => ".m16n16",
            MoveRows::Accumulators => ".m16n8",
        };
        let count =
            if self.rows == MoveRows::Registers { String::new() } else { format!(".x{}", self.count) };
        let trans = if self.is_transposed { ".trans" } else { "" };
        format!("{}{shape}{count}{trans}", self.verb)
    }

    /// Rows and columns of one matrix in memory, registers of a lane for it, and elements of a register.
    const fn size(&self) -> (usize, usize, usize, usize) {
        match self.rows {
            MoveRows::Eights | MoveRows::Registers => (8, 8, 1, 2),
            MoveRows::Bytes8x16 | MoveRows::Accumulators => (8, 16, 1, 4),
            MoveRows::Bytes16x16 => (16, 16, 2, 4),
        }
    }

    /// Row, as memory holds it, and column of element `index` that a lane has of one matrix.
    fn position(&self, lane: usize, index: usize) -> (usize, usize) {
        let eights = Layout::eights();
        match self.rows {
            MoveRows::Eights | MoveRows::Registers if self.is_transposed => {
                let (column, row) = eights.position(lane, index);
                (row, column)
            }
            MoveRows::Eights | MoveRows::Registers => eights.position(lane, index),
            // Two bytes are what one 16-bit element is.
            MoveRows::Bytes8x16 => {
                let (row, column) = eights.position(lane, index / 2);
                (row, 2 * column + index % 2)
            }
            MoveRows::Bytes16x16 => byte_position(lane, index),
            MoveRows::Accumulators => {
                let (column, row) = accumulators().position(lane, index);
                (row, column)
            }
        }
    }

    fn grids(&self) -> Vec<Grid> {
        if self.rows == MoveRows::Registers {
            let source = Self { is_transposed: false, ..*self };
            let title = |which| format!("{} of {}: 8 × 8 of 16 bits", which, self.name());
            return vec![
                source.grid().titled(None, title("source")),
                self.grid().titled(None, title("result, by the source's rows and columns,")),
            ];
        }
        vec![self.grid()]
    }

    fn grid(&self) -> Grid {
        let (rows, columns, registers_each, each) = self.size();
        let (held, bits) = (registers_each * each, 32 / each);
        let place = |lane, index: usize| {
            let (row, column) = self.position(lane, index % held);
            (index / held * rows + row, column)
        };
        let title = format!(
            "{}: {} of {rows} × {columns} of {bits} bits as shared memory holds them, {} a lane",
            self.name(),
            if self.count == 1 { "one matrix".into() } else { format!("{} matrices", self.count) },
            registers(self.count * registers_each, 32)
        );
        let mut grid = Grid::of_registers((self.count * rows, columns), (self.count * held, each), place)
            .titled(None, title);
        if self.rows != MoveRows::Registers {
            grid.row_axis = "matrix.row@address";
            // Lane `rows`·j + r gives the address of row r of matrix j.
            grid.row_names = (0..self.count * rows)
                .map(|lane| format!("{}.{}@T{lane}", lane / rows, lane % rows))
                .collect();
        }
        grid
    }
}

/// The accumulators whose columns, a byte each, `stmatrix.m16n8` stores as rows.
fn accumulators() -> Layout {
    let form: Form = "m16n8k16.f32.f16.f16.f32".parse().expect("it is in the list of forms");
    Layout::of(&form, Operand::C)
}

fn simdgroup() -> Grid {
    let title = "A, B and C of a portable 8×8 matrix, 2 elements a lane".into();
    Grid::of_registers((SIMDGROUP_SIDE, SIMDGROUP_SIDE), (SIMDGROUP_ELEMENTS, 1), simdgroup_position)
        .titled(None, title)
}

/// 1,024 bytes of shared memory, line by line: which chunk of the tile stands at each place.
fn of_swizzle(swizzle: Swizzle) -> Grid {
    let (line, chunk) = (1_usize << LINE, 1_usize << CHUNK);
    let row_bytes = match swizzle {
        Swizzle::None | Swizzle::B128 => 128,
        Swizzle::B64 => 64,
        Swizzle::B32 => 32,
    };
    let (lines, places) = (8, line / chunk);
    let mut cells = vec![Cell::Chunk { row: 0, chunk: 0 }; lines * places];
    for offset in (0..lines * line).step_by(chunk) {
        let cell = Cell::Chunk { row: offset / row_bytes, chunk: offset % row_bytes / chunk };
        cells[swizzle.apply(offset) / chunk] = cell;
    }
    let title = format!(
        "{}: rows of {row_bytes} bytes in shared memory, chunks of {chunk}",
        Subject::Swizzle(swizzle).name()
    );
    let mut grid = Grid::new((lines, places), cells).titled(None, title).axes("line", "place");
    grid.notes = vec![
        format!("a place is {chunk} bytes, 4 banks: place p of any line lies in banks 4p to 4p + 3"),
        format!("the pattern repeats every {} bytes", lines * line),
    ];
    grid
}
