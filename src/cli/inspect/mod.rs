//! `warpsmith inspect`: what a kernel or a PTX file costs, and what its lanes do in an emulated run.
//!
//! On entry: a kernel's name or a file. On exit: tables, or one JSON object an entry. The assembler's numbers are there
//! where it is; a notice says how to get it where not. Not here: the numbers' definitions (`inspect`, and
//! `docs/inspect.md`).

mod json;
mod show;
mod source;

use clap::Args;

use super::class::class;
use super::device::target;
use super::error::{CliError, Exit, notice, show};
use super::launch::LaunchArguments;
use super::output::Output;
use super::selection::dtype;
use crate::diag::{Code, Help as _, Severity};
use crate::inspect::{Run, Subject, inspect, run as measured, static_shared};
use crate::ir::{DType, LaunchClass};
use crate::ptx::emu::Profile;
use crate::ptx::module::{Entry, Module};
use crate::runfile::{RunError, cta_of, dynamic_shared_of};
use crate::target::{Target, TargetProfile};
use crate::toolkit::{Tool, Usage, assemble_with, usages};

#[derive(Debug, Args)]
pub(super) struct InspectArguments {
    /// The kernel, by its path or the end of it; or a PTX file.
    #[arg(value_name = "KERNEL|FILE.ptx")]
    subject: String,
    /// The dtypes of the instance; by default f32 where there is one.
    #[arg(long, value_delimiter = ',', value_parser = dtype)]
    dtype: Vec<DType>,
    /// The target; by default sm_121, or that of the file.
    #[arg(long, env = crate::cli::settings::TARGET.variable, value_parser = target)]
    target: Option<TargetProfile>,
    /// The launches to emit for; by default those of the kernel's first case.
    #[arg(long, value_parser = class, conflicts_with = "run")]
    class: Option<LaunchClass>,
    /// Run it on the emulator and count: a kernel's largest quick case or one by a part of its name; a file with the
    /// arguments of `warpsmith run`, which are read and not written.
    #[arg(long, value_name = "CASE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    run: Option<String>,
    #[command(flatten)]
    launch: LaunchArguments,
    /// One JSON object an entry.
    #[arg(long)]
    json: bool,
}

/// A text with what its launch says of it.
struct Given {
    text: String,
    module: Module,
    /// Only this entry is shown.
    entry: Option<String>,
    /// Whose limits count.
    target: Target,
    /// What the assembler is told to make it for.
    architecture: String,
    /// How it is called.
    title: String,
    /// Threads of a CTA, where the launch says.
    block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory, where the launch says.
    dynamic_shared: Option<u64>,
    /// What ran, and its counts.
    run: Option<(String, Profile)>,
    /// What was wrong with the run: then there are no counts.
    unsound: Option<(Code, String)>,
}

/// What is shown of an entry.
struct Shown<'a> {
    given: &'a Given,
    entry: &'a Entry,
    inspection: crate::inspect::Inspection,
    run: Option<(&'a str, Run)>,
    tool: &'a ToolState,
}

/// The assembler, or why it says nothing.
#[derive(Default)]
struct ToolState {
    version: Option<String>,
    /// It is not here.
    missing: Option<String>,
    /// It is here, and made nothing of the text.
    failed: Option<String>,
    usages: Vec<Usage>,
}

pub(super) fn run(arguments: &InspectArguments, output: &mut Output) -> Result<Exit, CliError> {
    let asked = match arguments.target {
        None => None,
        Some(TargetProfile::Ptx(target)) => Some(target),
        Some(other) => {
            let what = format!("registers and occupancy of {other} are not known here");
            return Err(CliError::usage(what, "name an `sm_…` target"));
        }
    };
    let given = source::read(arguments, asked)?;
    let wanted = |entry: &&Entry| given.entry.as_ref().is_none_or(|name| entry.name == *name);
    given.module.entries.iter().filter(wanted).try_for_each(|entry| possible(&given, entry).map(drop))?;
    let (tool, mut exit) = assembled(&given);
    if let Some((code, finding)) = &given.unsound {
        let help = "`warpsmith sanitize` with the same arguments shows all findings";
        show(Severity::Error, Some(*code), format!("the run is not sound: {finding}"), Some(help.into()));
        exit = Exit::Finding;
    }
    for entry in given.module.entries.iter().filter(wanted) {
        let dynamic_shared = possible(&given, entry)?;
        let subject = Subject {
            dynamic_shared,
            module: &given.module,
            entry,
            target: given.target,
            block: given.block.or_else(|| declared_block(entry)),
            assembled: tool.usages.iter().find(|usage| usage.entry == entry.name),
        };
        let inspection = inspect(&subject);
        if inspection.resources.shared.dynamic_bytes.is_none() {
            notice(format!(
                "`{}` has dynamic shared memory, and its launch says how much: give `--shared BYTES`",
                entry.name
            ));
        }
        let run = given.run.as_ref();
        let run = run.map(|(what, profile)| (what.as_str(), measured(profile)));
        let shown = Shown { given: &given, entry, inspection, run, tool: &tool };
        if arguments.json {
            output.json(&json::Line::of(&shown))?;
        } else {
            show::show(&shown, output)?;
        }
    }
    Ok(exit)
}

/// Refuses a launch that can't be, as a run of the same text does; gives its dynamic shared memory, where it is known.
fn possible(given: &Given, entry: &Entry) -> Result<Option<u32>, RunError> {
    if let Some(block) = given.block {
        cta_of(Some(entry), block.map(u64::from), given.target)?;
    }
    let fixed = static_shared(&given.module, entry);
    let dynamic = dynamic_shared_of(fixed, given.dynamic_shared.unwrap_or(0), given.target)?;
    Ok(given.dynamic_shared.map(|_| dynamic))
}

/// What the assembler says; a text that it refuses is a finding.
fn assembled(given: &Given) -> (ToolState, Exit) {
    let ptxas = match Tool::Ptxas.find() {
        Ok(ptxas) => ptxas,
        Err(missing) => {
            let help = missing.help().unwrap_or_default();
            notice(format!("{missing}, so registers are estimated and spills unknown; {help}"));
            let missing = Some(missing.to_string());
            return (ToolState { missing, ..ToolState::default() }, Exit::Fine);
        }
    };
    let (version, made) = match ptxas.version() {
        Ok(version) => (Some(version), assemble_with(&ptxas, &given.text, &given.architecture, true)),
        Err(error) => (None, Err(error)),
    };
    match made {
        Ok(done) => (ToolState { version, usages: usages(&done.log), ..ToolState::default() }, Exit::Fine),
        Err(error) => {
            let failed = error.to_string().lines().next().unwrap_or_default().to_owned();
            let error = CliError::from(error);
            error.report();
            (ToolState { version, failed: Some(failed), ..ToolState::default() }, error.exit())
        }
    }
}

/// The threads of a CTA that the entry itself fixes.
fn declared_block(entry: &Entry) -> Option<[u32; 3]> {
    entry.bounds.required_threads.or(entry.bounds.max_threads)
}
