//! `warpsmith list`: the kernels, one a line.

use std::collections::BTreeSet;

use clap::Args;
use serde::Serialize;

use super::error::{CliError, Exit, broken_case};
use super::output::{Output, SCHEMA};
use super::selection::SelectionArguments;
use crate::corpus::{KernelInfo, SizeLimit, catalog};
use crate::diag::count;
use crate::dsl;

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    /// One JSON object a kernel.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    schema: u32,
    kernel: String,
    /// The dtypes of each instance.
    dtypes: Vec<String>,
    /// Test cases, guard cases included.
    cases: usize,
    /// Different (dtypes, kind of shape).
    distinct: usize,
    tolerances: Vec<String>,
    source: Option<String>,
}

impl Row {
    fn of(kernel: &KernelInfo) -> Self {
        let named = |dtypes: &&[crate::ir::DType]| {
            dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(",")
        };
        let tolerances: BTreeSet<_> =
            kernel.instances.iter().flat_map(|instance| instance.tolerances.iter().cloned()).collect();
        let first = kernel.instances.first().map(|instance| &instance.kernel);
        Self {
            schema: SCHEMA,
            kernel: kernel.path.clone(),
            dtypes: kernel.dtypes().iter().map(named).collect(),
            cases: kernel.cases(),
            distinct: kernel.distinct(),
            tolerances: tolerances.into_iter().collect(),
            source: first.and_then(|kernel| kernel.sources.locate(kernel.span)),
        }
    }
}

pub(super) fn run(arguments: &ListArguments, output: &mut Output) -> Result<Exit, CliError> {
    arguments.selection.check()?;
    let (kernels, broken) = catalog(&arguments.selection.filter(SizeLimit::Gpu));
    let rows: Vec<_> = kernels.iter().map(Row::of).collect();
    for error in &broken {
        broken_case(error);
    }
    if arguments.json {
        rows.iter().try_for_each(|row| output.json(row))?;
    } else {
        plain(&rows, output)?;
        if arguments.selection.is_all() {
            output.line(unlisted(&rows))?;
        }
    }
    Ok(if broken.is_empty() { Exit::Fine } else { Exit::Finding })
}

fn plain(rows: &[Row], output: &mut Output) -> Result<(), CliError> {
    let width = rows.iter().map(|row| row.kernel.len()).max().unwrap_or(0);
    for row in rows {
        let line = format!(
            "{:<width$}  {}, {} distinct  [{}]  {}",
            row.kernel,
            count(row.cases, "case"),
            row.distinct,
            row.dtypes.join(" "),
            row.tolerances.join(" ")
        );
        output.line(line.trim_end())?;
    }
    let sum = |of: fn(&Row) -> usize| rows.iter().map(of).sum::<usize>();
    output.line(format!(
        "{}, {}, {}, {} distinct (kernel, dtypes, kind of shape)",
        count(rows.len(), "kernel"),
        count(sum(|row| row.dtypes.len()), "instance"),
        count(sum(|row| row.cases), "case"),
        sum(|row| row.distinct)
    ))
}

/// What the registry of kernels says beyond the cases.
fn unlisted(rows: &[Row]) -> String {
    let all = dsl::kernels();
    let is_listed = |path: &str| rows.iter().any(|row| row.kernel == path || path.ends_with(&row.kernel));
    let without: Vec<_> = all.iter().map(|entry| entry.path()).filter(|path| !is_listed(path)).collect();
    let implicit = all.iter().filter(|entry| entry.implicit_outputs).count();
    let named = if without.is_empty() { String::new() } else { format!(": {}", without.join(" ")) };
    format!("{implicit} kernels rely on the names of their outputs; {} have no case{named}", without.len())
}
