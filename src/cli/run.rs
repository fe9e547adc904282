//! `warpsmith run`: an entry of any PTX file, with arrays from files.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::device::{DeviceArguments, Place};
use super::error::{CliError, Exit, notice};
use super::finding::{FindingLine, show};
use super::launch::LaunchArguments;
use super::output::{Output, SCHEMA};
use crate::runfile::{EmuOptions, Job, Outcome, Saved};

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The PTX file.
    #[arg(value_name = "FILE.ptx")]
    file: PathBuf,
    #[command(flatten)]
    launch: LaunchArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// Leave out the checks for races, uninitialised reads and the like; bounds and alignment are always checked.
    #[arg(long)]
    no_sanitize: bool,
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
    if arguments.who && matches!(place, Place::Gpu { .. }) {
        let help = "leave out `--who`, or ask for `--device emu`";
        return Err(CliError::usage("only the emulator notes who writes", help));
    }
    let job = arguments.launch.request(&arguments.file, target)?.prepare()?;
    let outcome = match place {
        Place::Gpu { ordinal } => job.launch(ordinal)?,
        Place::Emulator { schedule, .. } => {
            let sanitize = !arguments.no_sanitize;
            job.emulate(&EmuOptions { schedule, sanitize, writers: arguments.who, ..EmuOptions::default() })?
        }
    };
    // What a kernel prints is no result: a closed stream does not end the run.
    let _ = std::io::stderr().write_all(&outcome.printed);
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
            Some(count) => format!(", {count} elements of it never written and 0"),
        };
        output.line(format!(
            "wrote {} ({} {}) from `{}`{unwritten}",
            file.path.display(),
            file.dtype,
            shape.join("x"),
            file.name
        ))?;
        if let Some(writers) = &file.writers {
            output.line(format!("wrote {}: who wrote each element", writers.display()))?;
        }
    }
    let ([x, y, z], [i, j, k]) = (job.grid(), job.block());
    let work = match (outcome.lane_instructions, outcome.milliseconds) {
        (Some(count), _) => format!(", {count} lane-instructions"),
        (None, Some(milliseconds)) => format!(", {milliseconds:.3} ms"),
        (None, None) => String::new(),
    };
    let ended = match outcome.met.len() + outcome.overruns.len() {
        0 => "ran".to_owned(),
        1 => "1 finding in".to_owned(),
        findings => format!("{findings} findings in"),
    };
    output.line(format!(
        "{ended} `{}` on {}: {x}x{y}x{z} CTAs of {i}x{j}x{k} threads{work}",
        job.entry(),
        outcome.device
    ))
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
        outputs: outputs.collect(),
    })
}
