//! `warpsmith sanitize`: everything that is wrong with kernels or a PTX file, under several schedules.
//!
//! Kernels run their cases; a file runs as `warpsmith run` would run it, and no file is written. Each finding is shown once,
//! with how often it was met and where first.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use clap::Args;
use serde::Serialize;

use super::device::{DEFAULT_TARGET, target};
use super::error::{CliError, Exit, message, notice, warn};
use super::finding::{FindingLine, WarningLine, show};
use super::launch::{LaunchArguments, quoted};
use super::output::{Output, SCHEMA};
use super::progress::{Progress, counting};
use super::selection::SelectionArguments;
use crate::corpus::{SanitizeConfig, SanitizeSummary, Sighting, SizeLimit, Watch, sanitize};
use crate::diag::{Severity, count};
use crate::runfile::{EmuOptions, Warning};
use crate::runtime::Schedule;
use crate::target::{Target, TargetProfile};

#[derive(Debug, Args)]
pub(super) struct SanitizeArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    launch: LaunchArguments,
    /// The target that the emulator stands for; that of the text for a file, else sm_121.
    #[arg(long, env = super::settings::TARGET.variable, value_parser = target)]
    target: Option<TargetProfile>,
    /// So many adversarial schedules beside the default one.
    #[arg(long, value_name = "N", default_value_t = 4)]
    schedules: u64,
    /// Instructions of one CTA of a file after which the emulator calls the launch a hang; 67108864 by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Chooses the inputs of cases; 0 by default.
    #[arg(long)]
    seed: Option<u64>,
    /// One JSON object a finding, and the summary as the last.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &SanitizeArguments, output: &mut Output) -> Result<Exit, CliError> {
    let asked = match arguments.target {
        None => None,
        Some(TargetProfile::Ptx(target)) => Some(target),
        Some(other) => {
            let what = format!("the emulator runs PTX, which {other} doesn't take");
            return Err(CliError::usage(what, "name an `sm_…` target"));
        }
    };
    let seeds = (1..=arguments.schedules).map(Schedule::Adversarial);
    let schedules: Vec<_> = std::iter::once(Schedule::Default).chain(seeds).collect();
    let (summary, warnings) = match arguments.selection.names() {
        [name] if is_file(name) => file(arguments, Path::new(name), asked, &schedules)?,
        names if names.iter().any(|name| is_file(name)) => {
            return Err(CliError::usage("a file is looked at alone", "name one file, or kernels"));
        }
        _ => (kernels(arguments, asked, schedules)?, Vec::new()),
    };
    warnings.iter().for_each(warn);
    for reason in &summary.errors {
        message(Severity::Error, reason.clone(), None);
    }
    for reason in &summary.unsupported {
        message(Severity::Warning, format!("not run: {reason}"), None);
    }
    if arguments.json {
        json(&summary, &warnings, output)?;
    } else {
        plain(&summary, output)?;
    }
    let is_sound = summary.sightings.is_empty() && summary.errors.is_empty();
    Ok(if is_sound { Exit::Fine } else { Exit::Finding })
}

/// No kernel's name ends so, and a name with a file behind it is taken for the file.
pub(super) fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "ptx") || Path::new(name).is_file()
}

fn kernels(
    arguments: &SanitizeArguments,
    asked: Option<Target>,
    schedules: Vec<Schedule>,
) -> Result<SanitizeSummary, CliError> {
    let mut for_files = arguments.launch.given();
    for_files.extend(arguments.steps.map(|_| "--steps"));
    if !for_files.is_empty() {
        let (verb, them) = if for_files.len() == 1 { ("goes", "it") } else { ("go", "them") };
        let what = format!("{} {verb} with a PTX file", quoted(&for_files));
        let help = format!("name a file, or leave {them} out: a kernel's cases know their arguments");
        return Err(CliError::usage(what, help));
    }
    arguments.selection.check()?;
    let filter = arguments.selection.filter(SizeLimit::Ci);
    let target = asked.unwrap_or(DEFAULT_TARGET);
    let progress = Progress::new();
    let config = SanitizeConfig { seed: arguments.seed.unwrap_or(0), target, schedules };
    let summary = sanitize(&filter, &config, &progress);
    progress.finish();
    if summary.cases == 0 {
        notice("the options leave no case; `warpsmith list` shows the kernels");
    }
    Ok(summary)
}

fn file(
    arguments: &SanitizeArguments,
    path: &Path,
    asked: Option<Target>,
    schedules: &[Schedule],
) -> Result<(SanitizeSummary, Vec<Warning>), CliError> {
    let mut for_kernels = arguments.selection.given();
    for_kernels.extend(arguments.seed.map(|_| "--seed"));
    if !for_kernels.is_empty() {
        let (verb, them) = if for_kernels.len() == 1 { ("chooses", "it") } else { ("choose", "them") };
        let what = format!(
            "{} {verb} among the cases of kernels, which a PTX file has none of",
            quoted(&for_kernels)
        );
        return Err(CliError::usage(what, format!("leave {them} out: `--arg` says what the file runs with")));
    }
    let job = arguments.launch.request(path, asked)?.prepare()?;
    let mut summary = SanitizeSummary { cases: 1, ..SanitizeSummary::default() };
    let mut warnings: Vec<Warning> = Vec::new();
    let done = AtomicU64::new(0);
    let ctas = job.ctas().saturating_mul(schedules.len() as u64);
    counting(ctas, &done, || {
        for &schedule in schedules {
            let options = EmuOptions { schedule, step_budget: arguments.steps, ..EmuOptions::default() };
            let outcome = job.emulate_counting(&options, &done)?;
            summary.launches += 1;
            for met in outcome.met {
                summary.add(met, job.entry(), schedule);
            }
            for warning in outcome.warnings {
                if !warnings.iter().any(|known| known.is_same(&warning)) {
                    warnings.push(warning);
                }
            }
        }
        Ok((summary, warnings))
    })
}

fn schedule_text(schedule: Schedule) -> String {
    match schedule {
        Schedule::Default => "default".to_owned(),
        Schedule::Adversarial(seed) => format!("adversarial:{seed}"),
    }
}

fn plain(summary: &SanitizeSummary, output: &mut Output) -> Result<(), CliError> {
    for Sighting { met, case, schedule, launches } in &summary.sightings {
        show(met, output)?;
        let schedule = schedule_text(*schedule);
        let launches = count(*launches, "launch");
        output.line(format!("  in {launches}, first {case} under the schedule {schedule}"))?;
    }
    let findings = count(summary.sightings.len(), "finding");
    let (launches, cases) = (count(summary.launches, "launch"), count(summary.cases, "case"));
    output.line(format!("{findings} in {launches} of {cases}"))
}

#[derive(Serialize)]
struct SightingLine<'a> {
    schema: u32,
    finding: FindingLine<'a>,
    /// The case that met it first, or the entry of a file.
    case: &'a str,
    schedule: String,
    /// Launches that met it.
    launches: usize,
}

#[derive(Serialize)]
struct WarningOnly<'a> {
    schema: u32,
    warning: WarningLine<'a>,
}

#[derive(Serialize)]
struct SummaryLine {
    schema: u32,
    summary: Counts,
}

#[derive(Serialize)]
struct Counts {
    findings: usize,
    warnings: usize,
    launches: usize,
    cases: usize,
    unsupported: usize,
    errors: usize,
}

fn json(summary: &SanitizeSummary, warnings: &[Warning], output: &mut Output) -> Result<(), CliError> {
    for Sighting { met, case, schedule, launches } in &summary.sightings {
        output.json(&SightingLine {
            schema: SCHEMA,
            finding: FindingLine::of(met),
            case,
            schedule: schedule_text(*schedule),
            launches: *launches,
        })?;
    }
    for warning in warnings.iter().map(WarningLine::of) {
        output.json(&WarningOnly { schema: SCHEMA, warning })?;
    }
    let counts = Counts {
        findings: summary.sightings.len(),
        warnings: warnings.len(),
        launches: summary.launches,
        cases: summary.cases,
        unsupported: summary.unsupported.len(),
        errors: summary.errors.len(),
    };
    output.json(&SummaryLine { schema: SCHEMA, summary: counts })
}

impl Watch for Progress {
    fn begin(&self, cases: usize) {
        crate::corpus::Observer::begin(self, cases);
    }

    fn end(&self) {
        crate::corpus::mutate::Observer::tried(self);
    }
}
