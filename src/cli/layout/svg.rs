//! Grids as one picture: self-contained SVG, with a legend.
//!
//! On exit: the same text for the same grids. Each cell is a `<g>` whose `<title>`, which a browser shows as a tooltip,
//! says row, column and holder in full. Deliberately not here: writing the file.

use std::fmt::Write as _;

use super::grid::{Cell, Grid};

/// Width and height of a cell, and of the margins.
const CELL: (usize, usize) = (66, 22);
const MARGIN: usize = 16;
/// Height of a line of text.
const TEXT: usize = 20;
/// Width of a character of a row's name.
const LETTER: usize = 7;

/// Base colours of the eight groups of lanes.
const BASES: [[u32; 3]; 8] = [
    [222, 95, 80],
    [230, 140, 50],
    [205, 185, 40],
    [95, 175, 85],
    [50, 170, 165],
    [75, 140, 215],
    [140, 110, 215],
    [215, 100, 170],
];

/// The picture of some grids, one below the other.
pub(super) fn svg(name: &str, grids: &[Grid]) -> String {
    let head = grids.iter().map(head_width).max().unwrap_or_default();
    let columns = grids.iter().map(|grid| grid.columns() / grid.width()).max().unwrap_or_default();
    let titles = grids.iter().flat_map(|grid| grid.notes.iter().chain([&grid.title]));
    let longest = titles.map(|text| text.chars().count() * LETTER).max().unwrap_or_default();
    let width = (2 * MARGIN + head + columns.max(8) * CELL.0).max(2 * MARGIN + longest);
    let mut body = String::new();
    let mut y = MARGIN;
    for grid in grids {
        y = draw(grid, (head, y), &mut body);
    }
    let y = legend(grids, (head, y), &mut body);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" viewBox=\"0 0 {width} {y}\" role=\"img\" \
         font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n<title>{}</title>\n<style>\n",
        escaped(name)
    );
    line(
        &mut out,
        "rect { stroke: #fff; } .t { font-weight: bold; font-size: 12px; text-anchor: start; } .n { text-anchor: start; fill: #555; }",
    );
    line(&mut out, ".h { fill: #555; } .r { fill: #555; text-anchor: end; }");
    for (hue, base) in BASES.iter().enumerate() {
        for shade in 0..4 {
            line(&mut out, &format!(".c{hue}{shade} {{ fill: {}; }}", mixed(*base, shade)));
        }
    }
    line(&mut out, "</style>");
    line(&mut out, &format!("<rect width=\"{width}\" height=\"{y}\" fill=\"#fff\"/>"));
    out.push_str(&body);
    line(&mut out, "</svg>");
    out
}

fn head_width(grid: &Grid) -> usize {
    let names = grid.row_names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    (names.max(grid.row_axis.len()) + 2) * LETTER
}

/// Draws a grid from `y` on, and says where it ends.
fn draw(grid: &Grid, (head, top): (usize, usize), out: &mut String) -> usize {
    let left = MARGIN + head;
    let columns = grid.shown_columns();
    text(out, "t", (MARGIN, top + 12), &grid.title);
    let mut y = top + TEXT;
    let part = grid.part.map_or(String::new(), |part| format!(" id=\"{}\"", part.name()));
    line(out, &format!("<g{part}>"));
    text(out, "r", (left - LETTER, y + 14), &format!("{}\\{}", grid.row_axis, grid.column_axis));
    for (at, name) in columns.iter().enumerate() {
        text(out, "h", (left + at * CELL.0 + CELL.0 / 2, y + 14), name);
    }
    y += TEXT;
    for (row, row_name) in grid.row_names.iter().enumerate() {
        text(out, "r", (left - LETTER, y + 15), row_name);
        for (at, (shown, column)) in grid.shown_row(row).iter().zip(&columns).enumerate() {
            let tip = format!("{} {row_name}, {} {column}: {}", grid.row_axis, grid.column_axis, shown.text);
            cell(out, (left + at * CELL.0, y), &tip, &shown.text, shown.first);
        }
        y += CELL.1;
    }
    line(out, "</g>");
    for note in &grid.notes {
        text(out, "n", (MARGIN, y + 14), note);
        y += TEXT;
    }
    y + MARGIN
}

fn cell(out: &mut String, (x, y): (usize, usize), tip: &str, label: &str, holder: Cell) {
    let (hue, shade) = holder.colour();
    let (width, height) = CELL;
    line(
        out,
        &format!(
            "<g><title>{}</title><rect class=\"c{hue}{shade}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>\
             <text x=\"{}\" y=\"{}\">{}</text></g>",
            escaped(tip),
            x + width / 2,
            y + 15,
            escaped(label)
        ),
    );
}

/// What the colours and words mean.
fn legend(grids: &[Grid], (head, top): (usize, usize), out: &mut String) -> usize {
    let is_chunks = grids.iter().any(|grid| grid.cells.iter().any(|cell| matches!(cell, Cell::Chunk { .. })));
    let is_scales = grids.iter().any(|grid| grid.cells.iter().any(|cell| matches!(cell, Cell::Scale { .. })));
    let mut y = top;
    let mut words = vec![if is_chunks {
        "R5:c2 is chunk 2 of row 5 of the tile; one colour is one chunk of a row"
    } else {
        "T5:r0.1 is thread 5, register 0, element 1 from the lowest bits; one hue is a group of four threads"
    }];
    if is_scales {
        words.push("T5:b1 is byte 1 of thread 5's word of scales");
    }
    for sentence in words {
        text(out, "n", (MARGIN, y + 14), sentence);
        y += TEXT;
    }
    let left = MARGIN + head;
    for shade in 0..if is_chunks { 1 } else { 4 } {
        for hue in 0..8 {
            let label = if is_chunks { format!("c{hue}") } else { format!("T{}", 4 * hue + shade) };
            let (x, (width, height)) = (left + hue * CELL.0, CELL);
            line(
                out,
                &format!(
                    "<rect class=\"c{hue}{shade}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
                ),
            );
            text(out, "l", (x + width / 2, y + 15), &label);
        }
        y += CELL.1;
    }
    y + MARGIN
}

fn text(out: &mut String, class: &str, (x, y): (usize, usize), text: &str) {
    line(out, &format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text)));
}

fn line(out: &mut String, text: &str) {
    let _infallible = writeln!(out, "{text}");
}

/// A base colour, lighter with each shade, and light enough for black letters.
fn mixed(base: [u32; 3], shade: u32) -> String {
    let [r, g, b] = base.map(|channel| channel + (255 - channel) * (2 + 3 * shade / 2) / 8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
