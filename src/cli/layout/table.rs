//! A grid as text for a terminal.
//!
//! On exit: lines of words that stand under each other; colour only where it is asked for, and never as the only bearer
//! of a meaning. Deliberately not here: whether a terminal is there.

use super::grid::Grid;

/// Foreground colours of the eight groups of lanes, of the 256.
const COLOURS: [u8; 8] = [203, 208, 178, 113, 44, 75, 141, 211];

/// The grid as lines.
pub(super) fn table(grid: &Grid, is_coloured: bool) -> Vec<String> {
    let corner = format!("{}\\{}", grid.row_axis, grid.column_axis);
    let columns = grid.shown_columns();
    let rows: Vec<_> = (0..grid.rows()).map(|row| grid.shown_row(row)).collect();
    let head = grid.row_names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let head = head.max(corner.chars().count());
    let texts = rows.iter().flatten().map(|shown| shown.text.len());
    let width = texts.chain(columns.iter().map(String::len)).max().unwrap_or_default();

    let mut lines = vec![grid.title.clone()];
    let names: Vec<String> = columns.iter().map(|name| format!("{name:>width$}")).collect();
    lines.push(format!("{corner:>head$}  {}", names.join(" ")));
    for (name, row) in grid.row_names.iter().zip(&rows) {
        let cells: Vec<String> = row
            .iter()
            .map(|shown| {
                let text = format!("{:>width$}", shown.text);
                if is_coloured { coloured(&text, shown.first.colour()) } else { text }
            })
            .collect();
        lines.push(format!("{name:>head$}  {}", cells.join(" ")));
    }
    lines.extend(grid.notes.iter().map(|note| format!("note: {note}")));
    lines
}

/// Lanes of one group have one colour; every other of them is bold.
fn coloured(text: &str, (hue, shade): (usize, usize)) -> String {
    let weight = if shade % 2 == 1 { "1;" } else { "" };
    format!("\x1b[{weight}38;5;{}m{text}\x1b[0m", COLOURS[hue])
}
