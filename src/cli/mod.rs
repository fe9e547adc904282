//! The `warpsmith` command: one subcommand a file.
//!
//! On entry: the process's arguments and environment. On exit: data on standard output, progress and messages on
//! standard error, and an exit code: 0 fine, 1 a finding, 2 usage, 3 no such device, 4 an error of ours or the
//! system's. A setting is a flag, else a `WARPSMITH_*` variable, else the default. Deliberately not here: any decision
//! about kernels; the command formats what the library says.

mod build;
mod class;
mod device;
mod diff;
mod doctor;
mod dump;
mod error;
mod finding;
mod inspect;
mod launch;
mod list;
mod mma_check;
mod mutate;
mod output;
mod progress;
mod result_diff;
mod run;
mod sanitize;
mod selection;
mod targets;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use error::{CliError, Exit};
use output::Output;

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
    /// List the targets with their limits.
    Targets(targets::TargetsArguments),
    /// Say what is here: driver, devices, assembler, settings.
    Doctor(doctor::DoctorArguments),
}

/// Runs the command of this process.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let is_usage = error.use_stderr();
            // There is nobody left to tell if the terminal is gone.
            let _ = error.print();
            return if is_usage { Exit::Usage } else { Exit::Fine }.into();
        }
    };
    let mut output = Output::stdout();
    let done = arguments.command.run(&mut output).and_then(|exit| output.flush().map(|()| exit));
    match done {
        Ok(exit) => exit.into(),
        Err(error) => error.report(),
    }
}

impl Command {
    fn run(self, output: &mut Output) -> Result<Exit, CliError> {
        match self {
            Self::List(arguments) => list::run(&arguments, output),
            Self::Test(arguments) => test::run(&arguments, output),
            Self::Build(arguments) => build::run(&arguments, output),
            Self::Dump(arguments) => dump::run(&arguments, output),
            Self::Run(arguments) => run::run(&arguments, output),
            Self::Sanitize(arguments) => sanitize::run(&arguments, output),
            Self::Diff(arguments) => diff::run(&arguments, output),
            Self::Inspect(arguments) => inspect::run(&arguments, output),
            Self::Mutate(arguments) => mutate::run(&arguments, output),
            Self::MmaCheck(arguments) => mma_check::run(&arguments, output),
            Self::Targets(arguments) => targets::run(&arguments, output),
            Self::Doctor(arguments) => doctor::run(&arguments, output),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
