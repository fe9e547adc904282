//! What `--help` says behind the options: examples of every command, and what its exit codes mean.
//!
//! On entry: the command without any of it. On exit: the same with a text behind each list of options. Every example is a
//! line that the command takes; a test reads them all. Deliberately not here: what a setting falls back to (`settings`).

use clap::Command;

/// Behind the list of commands.
const ALL: &str = "\
`warpsmith COMMAND --help` has examples. Start with `warpsmith list`, `warpsmith doctor`, `warpsmith dump axpy`.

Exit codes: 0 fine; 1 a finding; 2 usage: what was asked for can't be done as asked; 3 no such device or tool; \
4 an error of the program or the system.";

/// Of each command, what one line does and the line.
const EXAMPLES: [(&str, &[(&str, &str)]); 15] = [
    ("list", &[("all kernels", ""), ("those of a family, for scripts", "kernels::norm --json")]),
    (
        "test",
        &[
            ("everything, on the first GPU or the emulator", ""),
            (
                "some, on the emulator, in an order that looks for races",
                "'softmax*' --device emu --schedule adversarial",
            ),
            ("some dtypes and kinds of shape", "rms_norm --dtype f16,bf16 --shape tail"),
        ],
    ),
    (
        "build",
        &[
            ("all PTX, and a manifest", "--target sm_121 --out folder"),
            ("a family in Metal's language", "kernels::norm --emit msl --out folder"),
        ],
    ),
    (
        "dump",
        &[
            ("the PTX", "rms_norm"),
            ("another instance, two targets", "rms_norm --dtype bf16 --target sm_80,sm_121"),
            ("every stage down to machine code", "rms_norm --emit ir,lowered,ptx,sass"),
            ("what each pass changed", "rms_norm --dump-all"),
            ("each instruction beside its line of Rust", "rms_norm --comments full"),
        ],
    ),
    (
        "run",
        &[(
            "an entry of a file; the result is written",
            "scale.ptx --grid 4 --block 128 --arg in:x.npy --arg out:f32:512:y.npy --arg f32:2.5 --arg u32:512",
        )],
    ),
    (
        "sanitize",
        &[
            ("the cases of a kernel", "softmax --dtype f16"),
            (
                "a file, with the options of `run`",
                "scale.ptx --grid 4 --block 128 --arg in:x.npy --arg out:f32:512:y.npy --arg f32:2.5 --arg u32:512",
            ),
        ],
    ),
    (
        "diff",
        &[
            ("two texts, whatever their registers are called", "a.ptx b.ptx"),
            ("a kernel for two targets", "rms_norm --targets sm_80,sm_120"),
            ("two results, or two folders of raw bf16", "y.npy wanted.npy"),
            ("", "before after --as bf16"),
        ],
    ),
    (
        "inspect",
        &[
            ("a kernel for its first case", "rms_norm"),
            ("for another launch, for scripts", "rms_norm --target sm_90 --block 256 --json"),
            ("with the counts of an emulated run", "rms_norm --run"),
            (
                "a file; no result is written",
                "scale.ptx --run --grid 4 --block 128 --arg in:x.npy --arg out:f32:512:y.npy --arg f32:2.5 --arg u32:512",
            ),
        ],
    ),
    (
        "mutate",
        &[("a kernel", "rms_norm"), ("some operators, few mutants", "--operator predicate,barrier --most 4")],
    ),
    (
        "mma-check",
        &[
            ("results that were recorded", "results.bin --arch sm_90"),
            ("the instruction of a device", "results.bin --device cuda:0"),
        ],
    ),
    (
        "layout",
        &[
            ("the names", ""),
            ("A, B and C", "m16n8k16.bf16"),
            (
                "one operand, by the name that PTX has for it",
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 --operand a",
            ),
            ("as a picture", "swizzle.128B --svg swizzle.svg"),
        ],
    ),
    ("targets", &[("with what each can do", "--features")]),
    ("doctor", &[("what is here", ""), ("what would hold with an option", "--target sm_90")]),
    ("explain", &[("a code", "W0601"), ("all of them", "")]),
    (
        "completions",
        &[
            ("bash", "bash > ~/.local/share/bash-completion/completions/warpsmith"),
            ("zsh: a folder of fpath", "zsh > ~/.zfunc/_warpsmith"),
            ("fish", "fish > ~/.config/fish/completions/warpsmith.fish"),
        ],
    ),
];

/// The same command with texts behind its options.
pub(super) fn added_to(command: Command) -> Command {
    command.after_help(ALL).mut_subcommands(|command| match text(command.get_name()) {
        Some(text) => command.after_help(text),
        None => command,
    })
}

fn text(name: &str) -> Option<String> {
    let (_, examples) = EXAMPLES.iter().find(|(command, _)| *command == name)?;
    let mut text = "Examples:".to_owned();
    for (what, arguments) in *examples {
        if !what.is_empty() {
            text.push_str(&format!("\n  # {what}"));
        }
        text.push_str(&format!("\n  {}", format!("warpsmith {name} {arguments}").trim_end()));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::super::build_command;
    use super::*;

    #[test]
    fn every_command_has_examples_that_it_takes() {
        let command = build_command();
        let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        let mut shown: Vec<_> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        for name in &names {
            assert!(shown.contains(name), "{name} has no example");
        }
        shown.retain(|name| !names.contains(name));
        assert!(shown.is_empty(), "{shown:?}");
        for (name, examples) in EXAMPLES {
            for (_, arguments) in examples {
                let arguments = arguments.split(" > ").next().unwrap().split_whitespace();
                let line =
                    ["warpsmith", name].into_iter().chain(arguments.map(|word| word.trim_matches('\'')));
                let read = command.clone().try_get_matches_from(line);
                assert!(read.is_ok(), "{name}: {}", read.unwrap_err());
            }
        }
    }
}
