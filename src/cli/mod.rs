//! The `warpsmith` command: one subcommand a file.
//!
//! On entry: the process's arguments and environment. On exit: data on standard output, progress and messages on
//! standard error, and an exit code: 0 fine, 1 a finding, 2 usage, 3 no such device, 4 an error of ours or the
//! system's (standard output that can't be written; a reader that went away is fine). A setting is a flag, else a `WARPSMITH_*` variable, else what
//! `warpsmith.toml` says, else the default (`settings`). Deliberately not here: any decision
//! about kernels; the command formats what the library says.

mod build;
mod class;
mod completions;
mod device;
mod diff;
mod doctor;
mod dump;
mod error;
mod examples;
mod explain;
mod finding;
mod inspect;
mod launch;
mod layout;
mod list;
mod mma_check;
mod mutate;
mod output;
mod progress;
mod result_diff;
mod run;
mod sanitize;
mod selection;
mod settings;
mod targets;
mod test;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use error::{CliError, Exit};
use output::Output;
use settings::{FileErrors, Settings};

/// Write GPU kernels once, and prove that every device gives the same bits.
#[derive(Debug, Parser)]
#[command(name = "warpsmith", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the kernels, one a line, with their dtypes, cases and tolerances.
    List(list::ListArguments),
    /// Run cases on a device and judge them against the oracle and their references.
    Test(test::TestArguments),
    /// Write the text of kernels, one file for each choice of dtypes, and a manifest.
    Build(build::BuildArguments),
    /// Print the text of one kernel, or its intermediate representation.
    Dump(dump::DumpArguments),
    /// Run an entry of any PTX file, with arrays from `.npy` files.
    Run(run::RunArguments),
    /// Look for everything that is wrong with kernels or a PTX file, in several schedules.
    Sanitize(sanitize::SanitizeArguments),
    /// Show how two PTX files, a kernel's texts for two targets, or two results differ.
    Diff(diff::DiffArguments),
    /// Say what a kernel or a PTX file costs: registers, occupancy, accesses, work by line; and measure a run.
    Inspect(inspect::InspectArguments),
    /// Break kernels in one place at a time and see whether a case notices.
    Mutate(mutate::MutateArguments),
    /// Compare recorded results of matrix units with the model of a chip's, bit by bit.
    MmaCheck(mma_check::MmaCheckArguments),
    /// Show who holds which element of a matrix instruction's operands, or how a swizzle lies.
    Layout(layout::LayoutArguments),
    /// List the targets with their limits.
    Targets(targets::TargetsArguments),
    /// Say what is here: driver, devices, assembler, settings.
    Doctor(doctor::DoctorArguments),
    /// Explain an error code, or list them all.
    Explain(explain::ExplainArguments),
    /// Write the script that lets a shell complete the command.
    Completions(completions::CompletionsArguments),
}

/// Runs the command of this process.
pub fn main() -> ExitCode {
    let settings = Settings::load();
    let command = match &settings {
        Ok(settings) => settings.applied_to(build_command()),
        Err(_) => Settings::default().applied_to(build_command()),
    };
    let parsed = command
        .try_get_matches()
        .and_then(|matches| Arguments::from_arg_matches(&matches).map(|arguments| (arguments, matches)));
    let (arguments, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            if error.use_stderr() {
                error::show_usage(&error);
                return Exit::Usage.into();
            }
            return match error.print() {
                Ok(()) => Exit::Fine.into(),
                Err(error) => output::failed(error).report(),
            };
        }
    };
    let mut output = Output::stdout();
    let done = arguments
        .command
        .run((&settings, &matches), &mut output)
        .and_then(|exit| output.flush().map(|()| exit));
    match done {
        Ok(exit) => exit.into(),
        Err(error) => error.report(),
    }
}

/// The command with its options, before any settings.
fn build_command() -> clap::Command {
    examples::added_to(Arguments::command())
}

impl Command {
    fn run(
        self,
        (settings, matches): (&Result<Settings, FileErrors>, &ArgMatches),
        output: &mut Output,
    ) -> Result<Exit, CliError> {
        match settings {
            Ok(settings) => settings.tell_library(),
            Err(errors) if self.needs_settings() => return Err(CliError::Settings(Box::new(errors.clone()))),
            Err(_) => {}
        }
        if self.needs_settings()
            && let Some((name, matches)) = matches.subcommand()
            && let Some(command) = build_command().find_subcommand(name)
            && let Some(refused) = settings::refused_variable(command, matches)
        {
            return Err(CliError::Variable(Box::new(refused)));
        }
        let here = matches.subcommand().map(|(_, matches)| matches);
        match self {
            Self::List(arguments) => list::run(&arguments, output),
            Self::Test(mut arguments) => {
                arguments.device.note_sources(here);
                test::run(&arguments, output)
            }
            Self::Build(mut arguments) => {
                arguments.target_origin = origin(settings, here);
                build::run(&arguments, output)
            }
            Self::Dump(mut arguments) => {
                arguments.target_origin = origin(settings, here);
                dump::run(&arguments, output)
            }
            Self::Run(mut arguments) => {
                arguments.device.note_sources(here);
                run::run(&arguments, output)
            }
            Self::Sanitize(arguments) => sanitize::run(&arguments, output),
            Self::Diff(arguments) => diff::run(&arguments, output),
            Self::Inspect(arguments) => inspect::run(&arguments, output),
            Self::Mutate(mut arguments) => {
                arguments.device.note_sources(here);
                mutate::run(&arguments, output)
            }
            Self::MmaCheck(arguments) => mma_check::run(&arguments, output),
            Self::Layout(arguments) => layout::run(&arguments, output),
            Self::Targets(arguments) => targets::run(&arguments, output),
            Self::Doctor(mut arguments) => {
                arguments.device.note_sources(here);
                doctor::run(&arguments, (settings, here), output)
            }
            Self::Explain(arguments) => explain::run(&arguments, output),
            Self::Completions(arguments) => completions::run(&arguments, output),
        }
    }

    /// Whether a broken `warpsmith.toml` or variable is in its way: not where it tells of that itself, or never asks.
    const fn needs_settings(&self) -> bool {
        match self {
            Self::Doctor(_)
            | Self::Explain(_)
            | Self::Completions(_)
            | Self::Layout(_)
            | Self::Targets(_) => false,
            Self::List(_)
            | Self::Test(_)
            | Self::Build(_)
            | Self::Dump(_)
            | Self::Inspect(_)
            | Self::Run(_)
            | Self::Sanitize(_)
            | Self::Diff(_)
            | Self::Mutate(_)
            | Self::MmaCheck(_) => true,
        }
    }
}

/// What names the target of a command, if it is no flag.
fn origin(settings: &Result<Settings, FileErrors>, matches: Option<&ArgMatches>) -> Option<String> {
    let (_, origin) = settings.as_ref().ok()?.effective(&settings::TARGET, matches);
    origin.named(&settings::TARGET)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
