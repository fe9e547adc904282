//! `warpsmith completions`: what a shell needs to complete the command.
//!
//! On exit: a script on standard output. Names of kernels and of layouts are those of this build. Deliberately not here:
//! where a shell keeps its scripts; the help says where most look.

use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::{Shell, generate};

use super::error::{CliError, Exit};
use super::output::Output;
use super::{build_command, layout};
use crate::case;
use crate::diag::Code;

/// Bash: `warpsmith completions bash > ~/.local/share/bash-completion/completions/warpsmith`; zsh: a file `_warpsmith` in a
/// folder of `fpath`; fish: `~/.config/fish/completions/warpsmith.fish`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell.
    shell: Shell,
}

pub(super) fn run(arguments: &CompletionsArguments, output: &mut Output) -> Result<Exit, CliError> {
    output.text(&script(arguments.shell))?;
    Ok(Exit::Fine)
}

fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    let mut command = with_names(build_command());
    generate(shell, &mut command, "warpsmith", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The command, with the names that its arguments take where those are a list.
fn with_names(command: Command) -> Command {
    let cases: Vec<String> = case::tests().iter().map(|entry| entry.path()).collect();
    let codes: Vec<String> = Code::ALL.iter().map(Code::to_string).collect();
    command.mut_subcommands(|command| {
        let names = match command.get_name() {
            "layout" => layout::names(),
            "explain" => codes.clone(),
            "test" | "list" | "build" | "mutate" => cases.clone(),
            _ => return command,
        };
        command.mut_args(|argument| {
            if argument.is_positional() {
                argument.value_parser(PossibleValuesParser::new(names.clone()))
            } else {
                argument
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_has_a_script_with_every_subcommand() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for command in build_command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {} is missing", command.get_name());
            }
            assert!(script.contains("schedule"), "{shell}: options are there");
        }
    }

    #[test]
    fn names_are_completed() {
        for shell in [Shell::Bash, Shell::Zsh] {
            let script = script(shell);
            for name in ["swizzle.128B", "W0601", "m16n8k16.f32.bf16.bf16.f32", "vector_add"] {
                assert!(script.contains(name), "{shell}: {name} is missing");
            }
        }
    }
}
