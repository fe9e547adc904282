//! `warpsmith mutate`: breaks kernels and lists what no case noticed.

use clap::Args;
use serde::Serialize;

use super::device::{DeviceArguments, size_limit};
use super::error::{CliError, Exit, broken_case, message, notice};
use super::output::{Output, SCHEMA};
use super::progress::Progress;
use super::selection::SelectionArguments;
use crate::corpus::mutate::{self, Config, Operator, Summary, Survivor, Tally};
use crate::corpus::{KernelInfo, catalog};
use crate::diag::Severity;

/// Instructions of a CTA after which a mutant counts as hanging: a hundred times what a case for CI runs.
const STEP_BUDGET: u64 = 20_000_000;

#[derive(Debug, Args)]
pub(super) struct MutateArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    pub(super) device: DeviceArguments,
    /// Only these ways to break a kernel: rounding, offset, predicate, barrier, operand.
    #[arg(long, value_delimiter = ',', value_parser = operator)]
    operator: Vec<Operator>,
    /// At most so many mutants of each text and operator, evenly spread over it.
    #[arg(long, value_name = "N")]
    most: Option<usize>,
    /// Percent of all mutants that cases have to kill; below it, that is a finding.
    #[arg(long, value_name = "PERCENT", default_value_t = 95.0)]
    goal: f64,
    /// Chooses the inputs.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Show at most so many survivors, or `all`; as JSON all are written.
    #[arg(long, value_name = "N|all", default_value = "20", value_parser = shown)]
    survivors: Shown,
    /// One JSON object a survivor, and the tallies as the last.
    #[arg(long)]
    json: bool,
}

/// How many survivors are shown.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Most(usize),
    All,
}

fn shown(text: &str) -> Result<Shown, String> {
    match text {
        "all" => Ok(Shown::All),
        number => number.parse().map(Shown::Most).map_err(|_| "write a number, or `all`".into()),
    }
}

fn operator(text: &str) -> Result<Operator, String> {
    Operator::parse(text).ok_or_else(|| {
        let known = Operator::ALL.map(Operator::name);
        format!("the operators are {}", known.join(", "))
    })
}

pub(super) fn run(arguments: &MutateArguments, output: &mut Output) -> Result<Exit, CliError> {
    arguments.selection.check()?;
    let mut options = arguments.device.clone();
    // A mutant may hang or kill a GPU's context, so that only an explicit wish runs them there.
    options.device.get_or_insert_with(|| "emu".into());
    let device = options.open(Some(STEP_BUDGET))?;
    let (kernels, broken) = catalog(&arguments.selection.filter(size_limit(&device)));
    for error in &broken {
        broken_case(error);
    }
    let operators =
        if arguments.operator.is_empty() { Operator::ALL.to_vec() } else { arguments.operator.clone() };
    let config = Config { operators, most: arguments.most, seed: arguments.seed };
    let progress = Progress::new();
    let chosen: Vec<&KernelInfo> = kernels.iter().collect();
    let summary = mutate::run(&chosen, &device, &config, &progress);
    progress.finish();
    for why in &summary.skipped {
        message(Severity::Warning, format!("not used: {why}"), None);
    }
    let total = summary.total();
    if total.mutants == 0 {
        notice("nothing to break: no case matches, or none passes unbroken");
    }
    if arguments.json {
        json(&summary, output)?
    } else {
        plain(&summary, arguments.survivors, output)?
    }
    let reached = percent(total) >= arguments.goal && broken.is_empty();
    Ok(if reached { Exit::Fine } else { Exit::Finding })
}

fn percent(tally: Tally) -> f64 {
    if tally.mutants == 0 { 100.0 } else { tally.killed as f64 * 100.0 / tally.mutants as f64 }
}

fn plain(summary: &Summary, shown: Shown, output: &mut Output) -> Result<(), CliError> {
    let mut survivors: Vec<&Survivor> = summary.survivors.iter().collect();
    survivors.sort_by_key(|survivor| (&survivor.kernel, survivor.line, &survivor.class));
    let most = match shown {
        Shown::Most(most) => most.min(survivors.len()),
        Shown::All => survivors.len(),
    };
    for survivor in &survivors[..most] {
        let Survivor { operator, kernel, class, change, line, text, source } = survivor;
        output.line(format!("survived: {} in {kernel} ({class}): {change}", operator.name()))?;
        output.line(format!("    line {line}: {text}"))?;
        if let Some(source) = source {
            output.line(format!("    from {source}"))?;
        }
    }
    if most < survivors.len() {
        output.line(format!("… and {} more (--survivors all)", survivors.len() - most))?;
    }
    for (operator, tally) in &summary.tallies {
        output.line(row(operator.name(), *tally))?;
    }
    output.line(row("all", summary.total()))
}

fn row(name: &str, tally: Tally) -> String {
    let share = if tally.mutants == 0 { "-".into() } else { format!("{:.1} %", percent(tally)) };
    format!("{name:<10} {:>6} mutants {:>6} killed {share:>8}", tally.mutants, tally.killed)
}

#[derive(Serialize)]
struct SurvivorLine<'a> {
    schema: u32,
    survivor: Line<'a>,
}

#[derive(Serialize)]
struct Line<'a> {
    operator: &'static str,
    kernel: &'a str,
    class: &'a str,
    change: &'a str,
    line: u32,
    text: &'a str,
    source: Option<&'a str>,
}

#[derive(Serialize)]
struct TallyLine {
    operator: &'static str,
    mutants: usize,
    killed: usize,
}

#[derive(Serialize)]
struct SummaryLine {
    schema: u32,
    summary: Vec<TallyLine>,
}

fn json(summary: &Summary, output: &mut Output) -> Result<(), CliError> {
    for survivor in &summary.survivors {
        let line = Line {
            operator: survivor.operator.name(),
            kernel: &survivor.kernel,
            class: &survivor.class,
            change: survivor.change,
            line: survivor.line,
            text: &survivor.text,
            source: survivor.source.as_deref(),
        };
        output.json(&SurvivorLine { schema: SCHEMA, survivor: line })?;
    }
    let tallies = summary.tallies.iter().map(|(operator, tally)| TallyLine {
        operator: operator.name(),
        mutants: tally.mutants,
        killed: tally.killed,
    });
    output.json(&SummaryLine { schema: SCHEMA, summary: tallies.collect() })
}
