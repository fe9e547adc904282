//! `warpsmith run`: an entry of any PTX file, with arrays from files.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use clap::Args;
use serde::Serialize;

use super::device::{DeviceArguments, Place};
use super::error::{CliError, Exit, notice, warn};
use super::finding::{FindingLine, WarningLine, show};
use super::launch::LaunchArguments;
use super::output::{Output, SCHEMA};
use super::progress::counting;
use crate::diag::count;
use crate::runfile::{EmuOptions, Job, Outcome, Saved};

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The PTX file.
    #[arg(value_name = "FILE.ptx")]
    file: PathBuf,
    #[command(flatten)]
    launch: LaunchArguments,
    #[command(flatten)]
    pub(super) device: DeviceArguments,
    /// Leave out the checks for races, uninitialised reads and the like; bounds, alignment, lanes outside their own mask,
    /// deadlocks and hangs are always findings.
    #[arg(long)]
    no_sanitize: bool,
    /// Instructions of one CTA after which the emulator calls the launch a hang; 67108864 by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Write beside each result which CTA, warp and lane wrote each element (`z.npy.writers.npy`), for `warpsmith diff`.
    #[arg(long)]
    who: bool,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &RunArguments, output: &mut Output) -> Result<Exit, CliError> {
    let place = arguments.device.place()?;
    let target = match &place {
        Place::Emulator { target, .. } => *target,
        Place::Gpu { .. } => None,
    };
    if matches!(place, Place::Gpu { .. }) {
        for (is_given, option, what) in [
            (arguments.who, "--who", "only the emulator notes who writes"),
            (arguments.no_sanitize, "--no-sanitize", "a GPU has no sanitizer to leave out"),
            (arguments.steps.is_some(), "--steps", "a GPU's instructions are not counted"),
        ] {
            if is_given {
                let help = format!("leave out `{option}`, or ask for `--device emu`");
                return Err(CliError::usage(what, help));
            }
        }
    }
    let (file, is_there) = (&arguments.file, arguments.file.exists());
    if !is_there && file.extension().is_none() {
        let name = file.display();
        let help = format!(
            "name a PTX file; of a kernel, `warpsmith test {name}` runs the cases, `warpsmith dump {name}` writes the text"
        );
        return Err(CliError::usage(format!("there is no file {name}"), help));
    }
    let job = arguments.launch.request(&arguments.file, target)?.prepare()?;
    let outcome = match place {
        Place::Gpu { ordinal } => job.launch(ordinal)?,
        Place::Emulator { schedule, .. } => {
            let (sanitize, writers) = (!arguments.no_sanitize, arguments.who);
            let step_budget = arguments.steps;
            let options = EmuOptions { schedule, sanitize, writers, step_budget, ..EmuOptions::default() };
            let done = AtomicU64::new(0);
            counting(job.ctas(), &done, || job.emulate_counting(&options, &done))?
        }
    };
    // What a kernel prints is no result: a closed stream does not end the run.
    let _ = std::io::stderr().write_all(&outcome.printed);
    outcome.warnings.iter().for_each(warn);
    let is_sound = outcome.is_sound();
    let saved = if is_sound { job.save(&outcome)? } else { Vec::new() };
    if !is_sound && job.buffers().iter().any(|buffer| buffer.written) {
        notice("nothing is written: what a launch with findings leaves is nobody's result");
    }
    if arguments.json {
        json(&job, &outcome, &saved, output)?;
    } else {
        plain(&job, &outcome, &saved, output)?;
    }
    Ok(if is_sound { Exit::Fine } else { Exit::Finding })
}

fn plain(job: &Job, outcome: &Outcome, saved: &[Saved], output: &mut Output) -> Result<(), CliError> {
    for met in &outcome.met {
        show(met, output)?;
    }
    for overrun in &outcome.overruns {
        output.line(format!("out of bounds: {overrun}"))?;
        output.line("  help: `--device emu` runs the same text and names the line, CTA and thread")?;
    }
    for file in saved {
        let shape: Vec<_> = file.shape.iter().map(u64::to_string).collect();
        let unwritten = match file.unwritten {
            None | Some(0) => String::new(),
            Some(elements) => format!(", {} of it never written and 0", count(elements, "element")),
        };
        output.line(format!(
            "wrote {} ({} {}) from `{}`{unwritten}",
            file.path.display(),
            file.dtype,
            if shape.is_empty() { "single".to_owned() } else { shape.join("x") },
            file.name
        ))?;
        if let Some(writers) = &file.writers {
            output.line(format!("wrote {}: who wrote each element", writers.display()))?;
        }
    }
    let ([x, y, z], [i, j, k]) = (job.grid(), job.block());
    let work = match (outcome.lane_instructions, outcome.milliseconds) {
        (Some(instructions), _) => format!(", {}", count(instructions, "lane-instruction")),
        (None, Some(milliseconds)) => format!(", {milliseconds:.3} ms"),
        (None, None) => String::new(),
    };
    let ended = match outcome.met.len() + outcome.overruns.len() {
        0 => "ran".to_owned(),
        findings => format!("{} in", count(findings, "finding")),
    };
    output.line(format!(
        "{ended} `{}` on {}: {x}x{y}x{z} {} of {i}x{j}x{k} {}{work}",
        job.entry(),
        outcome.device,
        noun(job.grid(), "CTA"),
        noun(job.block(), "thread"),
    ))
}

/// The word for so many things, behind their extents.
fn noun(extents: [u32; 3], thing: &str) -> String {
    if extents == [1; 3] { thing.to_owned() } else { format!("{thing}s") }
}

#[derive(Serialize)]
struct RunLine<'a> {
    schema: u32,
    entry: &'a str,
    device: &'a str,
    grid: [u32; 3],
    block: [u32; 3],
    stats: Stats,
    findings: Vec<FindingLine<'a>>,
    /// Writes behind buffers on a GPU.
    overruns: Vec<OverrunLine<'a>>,
    /// What is hardly meant, although nothing is wrong.
    warnings: Vec<WarningLine<'a>>,
    /// Files written; none if there is a finding.
    outputs: Vec<OutputLine<'a>>,
}

#[derive(Serialize)]
struct Stats {
    instructions: Option<u64>,
    lane_instructions: Option<u64>,
    milliseconds: Option<f32>,
}

#[derive(Serialize)]
struct OverrunLine<'a> {
    parameter: &'a str,
    bytes: usize,
    first: usize,
}

#[derive(Serialize)]
struct OutputLine<'a> {
    parameter: &'a str,
    file: String,
    dtype: &'a str,
    shape: &'a [u64],
    unwritten: Option<u64>,
    writers: Option<String>,
}

fn json(job: &Job, outcome: &Outcome, saved: &[Saved], output: &mut Output) -> Result<(), CliError> {
    let outputs = saved.iter().map(|file| OutputLine {
        parameter: &file.name,
        file: file.path.display().to_string(),
        dtype: &file.dtype,
        shape: &file.shape,
        unwritten: file.unwritten,
        writers: file.writers.as_ref().map(|path| path.display().to_string()),
    });
    let overruns = outcome.overruns.iter().map(|overrun| OverrunLine {
        parameter: &overrun.name,
        bytes: overrun.bytes,
        first: overrun.first,
    });
    output.json(&RunLine {
        schema: SCHEMA,
        entry: job.entry(),
        device: &outcome.device,
        grid: job.grid(),
        block: job.block(),
        stats: Stats {
            instructions: outcome.instructions,
            lane_instructions: outcome.lane_instructions,
            milliseconds: outcome.milliseconds,
        },
        findings: outcome.met.iter().map(FindingLine::of).collect(),
        overruns: overruns.collect(),
        warnings: outcome.warnings.iter().map(WarningLine::of).collect(),
        outputs: outputs.collect(),
    })
}
