//! `warpsmith test`: runs cases and shows their verdicts.

use clap::Args;
use serde::Serialize;

use super::device::{DeviceArguments, size_limit};
use super::error::{CliError, Exit, notice};
use super::output::{Output, SCHEMA};
use super::progress::Progress;
use super::selection::SelectionArguments;
use crate::corpus::{self, CaseReport, Config, Summary, Verdict};
use crate::diag::count;
use crate::numerics::FAR;

#[derive(Debug, Args)]
pub(super) struct TestArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    pub(super) device: DeviceArguments,
    /// Chooses the inputs.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Show the cases that passed, too.
    #[arg(long, short)]
    verbose: bool,
    /// One JSON object a case, and the summary as the last.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &TestArguments, output: &mut Output) -> Result<Exit, CliError> {
    arguments.selection.check()?;
    let device = arguments.device.open(None)?;
    let filter = arguments.selection.filter(size_limit(&device));
    let progress = Progress::new();
    let summary = corpus::run(&filter, &device, &Config { seed: arguments.seed }, &progress);
    progress.finish();
    if summary.reports.is_empty() && !arguments.selection.is_all() {
        notice("the options leave no case; `warpsmith list` shows the kernels");
    }
    if arguments.json {
        json(&summary, output)?
    } else {
        plain(&summary, arguments.verbose, output)?
    }
    Ok(if summary.findings() > 0 { Exit::Finding } else { Exit::Fine })
}

fn plain(summary: &Summary, verbose: bool, output: &mut Output) -> Result<(), CliError> {
    for report in &summary.reports {
        if report.verdict == Verdict::Pass && !verbose {
            continue;
        }
        let code = report.code.map(|code| format!(" [{code}]")).unwrap_or_default();
        output.line(format!("{:<11} {} ({}){code}", report.verdict, report.id, report.shape))?;
        for line in report.detail.lines() {
            output.line(format!("    {line}"))?;
        }
        if let Some(why) = report.inexact.as_ref().filter(|_| verbose) {
            output.line(format!("    bits not compared: {why}"))?;
        }
    }
    output.line(format!("on {} in {:.1} s", summary.device, summary.wall.as_secs_f64()))?;
    if !summary.reports.is_empty() {
        output.line("dearest cases:")?;
    }
    for report in summary.dearest() {
        output.line(format!("{:>9.1} ms {}{}", milliseconds(report), report.id, work(report)))?;
    }
    output.line(format!(
        "{} bit-equal, {} within a stated bound, {} passed, {}, {}, {} failed",
        summary.bit_equal,
        summary.pass - summary.bit_equal,
        count(summary.guard, "guard case"),
        count(summary.mismatch, "mismatch"),
        count(summary.error, "error"),
        count(summary.guard_failed, "guard case"),
    ))?;
    let passed = summary.pass + summary.guard;
    output.line(format!("{passed} passed, {} failed, {} skipped", summary.findings(), summary.unsupported))
}

fn milliseconds(report: &CaseReport) -> f64 {
    report.wall.as_secs_f64() * 1e3
}

fn work(report: &CaseReport) -> String {
    match report.lane_instructions {
        Some(count) => format!(" ({:.2} M lane-instructions)", count as f64 / 1e6),
        None => String::new(),
    }
}

#[derive(Serialize)]
struct CaseLine<'a> {
    schema: u32,
    case: &'a str,
    dtype: &'static str,
    kernel: &'a str,
    shape: &'a str,
    class: Option<&'static str>,
    guard: bool,
    verdict: &'static str,
    /// For `explain`; null for a pass.
    code: Option<String>,
    detail: &'a str,
    /// Why the bits were not compared.
    inexact: Option<&'a str>,
    worst_ulps: Option<u64>,
    lane_instructions: Option<u64>,
    lane_operations: u64,
    selection: &'a [String],
    wall_s: f64,
}

impl<'a> CaseLine<'a> {
    fn of(report: &'a CaseReport) -> Self {
        Self {
            schema: SCHEMA,
            case: &report.id.path,
            dtype: report.id.dtype.name(),
            kernel: &report.kernel,
            shape: &report.shape,
            class: report.class.map(crate::case::ShapeClass::name),
            guard: report.guard,
            verdict: report.verdict.name(),
            code: report.code.map(|code| code.to_string()),
            detail: &report.detail,
            inexact: report.inexact.as_deref(),
            worst_ulps: report.worst_ulps.filter(|&ulps| ulps != FAR),
            lane_instructions: report.lane_instructions,
            lane_operations: report.lane_operations,
            selection: &report.selection,
            wall_s: report.wall.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
struct SummaryLine<'a> {
    schema: u32,
    summary: Counts<'a>,
}

#[derive(Serialize)]
struct Counts<'a> {
    cases: usize,
    pass: usize,
    mismatch: usize,
    unsupported: usize,
    error: usize,
    guard: usize,
    guard_failed: usize,
    bit_equal: usize,
    device: &'a str,
    wall_s: f64,
}

fn json(summary: &Summary, output: &mut Output) -> Result<(), CliError> {
    for report in &summary.reports {
        output.json(&CaseLine::of(report))?;
    }
    let counts = Counts {
        cases: summary.cases(),
        pass: summary.pass,
        mismatch: summary.mismatch,
        unsupported: summary.unsupported,
        error: summary.error,
        guard: summary.guard,
        guard_failed: summary.guard_failed,
        bit_equal: summary.bit_equal,
        device: &summary.device,
        wall_s: summary.wall.as_secs_f64(),
    };
    output.json(&SummaryLine { schema: SCHEMA, summary: counts })
}
