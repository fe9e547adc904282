//! The options that say how an entry of a PTX file is launched, for the commands that run one.

use std::path::Path;

use clap::Args;

use super::error::CliError;
use super::selection::with_help;
use crate::runfile::{Argument, Request};
use crate::target::{Chip, Suffix, Target};

/// How an entry of a file is launched.
#[derive(Clone, Debug, Args)]
pub(super) struct LaunchArguments {
    /// The entry; may be left out where the file has one only.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// CTAs along x, y, z, as in `4,1,1`; axes left out are 1, and 0 launches nothing.
    #[arg(long, value_name = "X,Y,Z", value_parser = extents, allow_hyphen_values = true)]
    grid: Option<[u64; 3]>,
    /// Threads of a CTA along x, y, z.
    #[arg(long, value_name = "X,Y,Z", value_parser = extents, allow_hyphen_values = true)]
    block: Option<[u64; 3]>,
    /// Bytes of dynamic shared memory.
    #[arg(long, value_name = "BYTES", value_parser = shared, allow_hyphen_values = true)]
    shared: Option<u64>,
    /// One for each parameter, in order: `in:FILE.npy`, `inout:FILE.npy`, `out:TYPE:SHAPE:FILE.npy`, `TYPE:VALUE`
    /// (s8 to s64, u8 to u64, b8 to b64, f16, bf16, f32, f64), `bytes:FILE`.
    #[arg(long = "arg", value_name = "ARGUMENT", value_parser = argument)]
    arguments: Vec<Argument>,
}

impl LaunchArguments {
    /// Those that are given.
    pub(super) fn given(&self) -> Vec<&'static str> {
        let Self { entry, grid, block, shared, arguments } = self;
        given([
            ("--entry", entry.is_some()),
            ("--grid", grid.is_some()),
            ("--block", block.is_some()),
            ("--shared", shared.is_some()),
            ("--arg", !arguments.is_empty()),
        ])
    }

    /// The entry.
    pub(super) fn entry(&self) -> Option<&str> {
        self.entry.as_deref()
    }

    /// Threads of a CTA.
    pub(super) fn block(&self) -> Option<[u64; 3]> {
        self.block
    }

    /// Bytes of dynamic shared memory.
    pub(super) fn shared(&self) -> Option<u64> {
        self.shared
    }

    /// Whether only the shape of a CTA may be given: what says how a file is run is not.
    pub(super) fn is_only_a_block(&self) -> bool {
        let Self { entry, grid, block: _, shared, arguments } = self;
        entry.is_none() && grid.is_none() && shared.is_none() && arguments.is_empty()
    }

    /// Whether what only a launch takes is given.
    pub(super) fn has_arguments(&self) -> bool {
        self.grid.is_some() || !self.arguments.is_empty()
    }

    /// Whether an argument names a file that a run would write.
    pub(super) fn names_output(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| matches!(argument, Argument::Out { .. } | Argument::File { written: true, .. }))
    }

    /// What is asked for of a file.
    pub(super) fn request(&self, path: &Path, target: Option<Target>) -> Result<Request, CliError> {
        let needed = |extents: Option<[u64; 3]>, option: &str, help: &str| {
            extents.ok_or_else(|| CliError::usage(format!("`{option}` is missing"), help))
        };
        Ok(Request {
            path: path.to_owned(),
            entry: self.entry.clone(),
            grid: needed(self.grid, "--grid", "say how many CTAs: `--grid 4,1,1`")?,
            block: needed(self.block, "--block", "say how many threads a CTA has: `--block 128,1,1`")?,
            shared: self.shared.unwrap_or(0),
            arguments: self.arguments.clone(),
            target,
        })
    }
}

/// The names of those options that are given.
pub(super) fn given<const N: usize>(options: [(&'static str, bool); N]) -> Vec<&'static str> {
    options.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
}

/// Options as a sentence has them.
pub(super) fn quoted(options: &[&str]) -> String {
    let quoted: Vec<_> = options.iter().map(|option| format!("`{option}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some(_) | None => quoted.concat(),
    }
}

/// Reads `4,1,1`, `4x1x1` or `4`. A number that 64 bits don't hold is the largest that they do: every limit refuses it.
fn extents(text: &str) -> Result<[u64; 3], String> {
    let wrong = || "write one to three numbers from 0, as in `4,1,1`".to_owned();
    let axes = text.split([',', 'x']).map(number).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
    let mut extents = [1; 3];
    extents.get_mut(..axes.len()).ok_or_else(wrong)?.copy_from_slice(&axes);
    Ok(extents)
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

/// Reads a number of bytes; the entry's target has the limit.
fn shared(text: &str) -> Result<u64, String> {
    number(text).ok_or_else(|| {
        let targets = Chip::ALL.into_iter().filter_map(|chip| Target::of(chip, Suffix::Plain));
        let most = targets.map(|target| target.limits().shared_max_bytes).max().unwrap_or_default();
        format!("write bytes as digits, as in `49152`; no target has more than {most} for a CTA (`warpsmith targets`)")
    })
}

fn argument(text: &str) -> Result<Argument, String> {
    text.parse().map_err(|error: crate::runfile::ArgumentSyntax| with_help(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_read() {
        assert_eq!(extents("4,1,1"), Ok([4, 1, 1]));
        assert_eq!(extents("2x3"), Ok([2, 3, 1]));
        assert_eq!(extents("0"), Ok([0, 1, 1]));
        assert_eq!(extents("99999999999999999999"), Ok([u64::MAX, 1, 1]));
        for wrong in ["", "1,", "1,1,1,1", "-1", "-1,1,1", "+1", "1.5", "a", "--block"] {
            assert!(extents(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bytes_are_digits() {
        assert_eq!(shared("49152"), Ok(49152));
        for wrong in ["-1", "1G", "48K", "0x100", "", "1e6"] {
            let said = shared(wrong).unwrap_err();
            assert!(said.contains("no target has more than 232448 for a CTA"), "{said}");
        }
    }
}
