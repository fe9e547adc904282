//! `warpsmith layout`: who holds which element of a fragment, as a table, as a picture, as data.
//!
//! On entry: the name of a form, a move of matrices or a swizzle, or none, which lists the names. On exit: every element
//! of every operand asked for with its holder. Deliberately not here: a lane map; `catalog` asks `numerics::tensor`.

mod catalog;
mod grid;
mod spelling;
mod svg;
mod table;
#[cfg(test)]
mod tests;

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::error::{CliError, Exit};
use super::output::{Output, SCHEMA};
use crate::diag::Code;
use catalog::Subject;
use grid::{Cell, Grid, Part};
use spelling::NoSubject;

#[derive(Debug, Args)]
pub(super) struct LayoutArguments {
    /// `m16n8k16.bf16`, `ldmatrix.x4.trans`, `swizzle.128B`, …; without one, the names are listed.
    name: Option<String>,
    /// Only this operand.
    #[arg(long, value_enum)]
    operand: Option<Part>,
    /// Draw the picture into a file, too.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Names {
    schema: u32,
    layouts: Vec<String>,
}

#[derive(Serialize)]
struct Described<'a> {
    schema: u32,
    layout: String,
    grids: Vec<DescribedGrid<'a>>,
}

#[derive(Serialize)]
struct DescribedGrid<'a> {
    title: &'a str,
    operand: Option<&'static str>,
    row_axis: &'a str,
    rows: &'a [String],
    column_axis: &'a str,
    columns: &'a [String],
    /// Row by row.
    cells: Vec<Vec<DescribedCell>>,
    notes: &'a [String],
}

#[derive(Serialize)]
#[serde(untagged)]
enum DescribedCell {
    Register { thread: usize, register: usize, part: usize },
    Scale { thread: usize, byte: usize },
    Chunk { row: usize, chunk: usize },
}

impl From<Cell> for DescribedCell {
    fn from(cell: Cell) -> Self {
        match cell {
            Cell::Register { thread, register, part } => {
                Self::Register { thread, register, part: part.unwrap_or_default() }
            }
            Cell::Scale { thread, byte } => Self::Scale { thread, byte },
            Cell::Chunk { row, chunk } => Self::Chunk { row, chunk },
        }
    }
}

impl<'a> From<&'a Grid> for DescribedGrid<'a> {
    fn from(grid: &'a Grid) -> Self {
        let cells = |row| grid.row(row).iter().map(|&cell| cell.into()).collect();
        Self {
            title: &grid.title,
            operand: grid.part.map(Part::name),
            row_axis: grid.row_axis,
            rows: &grid.row_names,
            column_axis: grid.column_axis,
            columns: &grid.column_names,
            cells: (0..grid.rows()).map(cells).collect(),
            notes: &grid.notes,
        }
    }
}

pub(super) fn run(arguments: &LayoutArguments, output: &mut Output) -> Result<Exit, CliError> {
    let Some(name) = &arguments.name else { return list(arguments, output) };
    let (subject, grids) = chosen(name, arguments.operand)?;
    if let Some(path) = &arguments.svg {
        std::fs::write(path, svg::svg(&subject.name(), &grids)).map_err(|error| {
            let what = format!("can't write {}: {error}", path.display());
            CliError::usage(what, "give a file in a folder that can be written")
        })?;
    }
    if arguments.json {
        let grids = grids.iter().map(DescribedGrid::from).collect();
        output.json(&Described { schema: SCHEMA, layout: subject.name(), grids })?;
        return Ok(Exit::Fine);
    }
    let is_coloured = std::io::stdout().is_terminal() && !has_no_color();
    for (index, grid) in grids.iter().enumerate() {
        if index > 0 {
            output.line("")?;
        }
        table::table(grid, is_coloured).iter().try_for_each(|line| output.line(line))?;
    }
    Ok(Exit::Fine)
}

/// The names of all layouts.
pub(super) fn names() -> Vec<String> {
    Subject::all().iter().map(Subject::name).collect()
}

/// So many names of several that may be meant are shown.
const MOST_LISTED: usize = 12;

/// Whether `NO_COLOR` is set to anything.
fn has_no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

fn list(arguments: &LayoutArguments, output: &mut Output) -> Result<Exit, CliError> {
    if arguments.svg.is_some() || arguments.operand.is_some() {
        return Err(CliError::usage("no layout is named", "`warpsmith layout` lists the names"));
    }
    let layouts = names();
    if arguments.json {
        output.json(&Names { schema: SCHEMA, layouts })?;
    } else {
        layouts.iter().try_for_each(|name| output.line(name))?;
    }
    Ok(Exit::Fine)
}

/// What a name stands for, and its pictures, or that of one operand.
fn chosen(name: &str, part: Option<Part>) -> Result<(Subject, Vec<Grid>), CliError> {
    let subject = Subject::find(name, part).map_err(|error| match error {
        NoSubject::Unknown { nearest } => {
            let list = "`warpsmith layout` lists the names";
            let lacking = spelling::not_covered(name);
            let help = match &nearest[..] {
                near if near.is_empty() || lacking.is_some() => format!(
                    "layouts are of forms of `mma.sync` (`m16n8k16.bf16`), of `ldmatrix`, `stmatrix`, `movmatrix`, of \
                     `swizzle.128B` and the like, and `simdgroup.8x8`; {list}"
                ),
                near => format!("did you mean `{}`?\n{list}", near.join("`, `")),
            };
            let lacking = lacking.map_or_else(String::new, |what| format!(": {what} not covered"));
            let what = format!("no layout is named `{name}`{lacking}");
            CliError::Coded { code: Code::NoLayout, what, help }
        }
        NoSubject::Ambiguous { forms } => {
            // Only forms of `mma` have a shape for their first word.
            let is_form = |name: &String| name.starts_with('m') && !name.starts_with("mov");
            let (of_what, operand) = if forms.iter().all(is_form) {
                ("forms, which differ in who holds what", ", or name the operand that you mean")
            } else {
                ("layouts", "")
            };
            let what = format!("`{name}` may be any of {} {of_what}", forms.len());
            let shown = forms.iter().take(MOST_LISTED).cloned().collect::<Vec<_>>().join(", ");
            let more = forms.len().saturating_sub(MOST_LISTED);
            let more = if more > 0 { format!(" and {more} more (`warpsmith layout`)") } else { String::new() };
            let help = format!("say which{operand}: {shown}{more}");
            CliError::Coded { code: Code::NoLayout, what, help }
        }
    })?;
    let mut grids = subject.grids();
    if let Some(part) = part {
        let known: Vec<_> = grids.iter().filter_map(|grid| grid.part).map(Part::name).collect();
        grids.retain(|grid| grid.part == Some(part));
        if grids.is_empty() {
            let what = format!("`{}` has no operand `{}`", subject.name(), part.name());
            let help = if known.is_empty() {
                "leave out `--operand`".to_owned()
            } else {
                format!("its operands are {}", known.join(", "))
            };
            return Err(CliError::usage(what, help));
        }
    }
    Ok((subject, grids))
}
