//! Findings of the emulator as lines of text and as JSON.

use serde::Serialize;

use super::error::CliError;
use super::output::Output;
use crate::ptx::emu::Met;
use crate::runfile::Warning;

/// One finding for tools.
#[derive(Serialize)]
pub(super) struct FindingLine<'a> {
    /// What is wrong, in a word.
    kind: &'static str,
    message: String,
    help: &'static str,
    kernel: &'a str,
    /// Line of the PTX text; absent for a launch that is refused as a whole.
    line: Option<u32>,
    text: Option<&'a str>,
    /// Where it comes from, if the text says so by `.loc`.
    source: Option<Place<'a>>,
    /// Where it was met first.
    cta: [u32; 3],
    thread: Option<[u32; 3]>,
    /// How many lanes, warps or CTAs met it.
    times: u64,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u32,
}

impl<'a> FindingLine<'a> {
    pub(super) fn of(met: &'a Met) -> Self {
        let finding = &met.finding;
        let site = finding.site.as_ref();
        Self {
            kind: finding.kind.name(),
            message: finding.kind.to_string(),
            help: finding.kind.help(),
            kernel: &finding.entry,
            line: site.map(|site| site.line),
            text: site.map(|site| site.text.as_str()),
            source: site
                .and_then(|site| site.source.as_ref())
                .map(|(file, line)| Place { file, line: *line }),
            cta: finding.cta,
            thread: finding.thread,
            times: met.times,
        }
    }
}

/// One warning for tools.
#[derive(Serialize)]
pub(super) struct WarningLine<'a> {
    /// What it is about, in a word.
    kind: &'static str,
    message: String,
    help: &'static str,
    /// The parameter or register.
    subject: &'a str,
    /// Line of the PTX text, where it is about one.
    line: Option<u32>,
}

impl<'a> WarningLine<'a> {
    pub(super) fn of(warning: &'a Warning) -> Self {
        let (message, subject) = (warning.to_string(), warning.subject());
        Self { kind: warning.name(), message, help: warning.help(), subject, line: warning.line() }
    }
}

/// Shows a finding, and how often it was met.
pub(super) fn show(met: &Met, output: &mut Output) -> Result<(), CliError> {
    output.line(met.finding.to_string())?;
    match met.times {
        1 => output.line("  met once"),
        times => output.line(format!("  met {times} times, here first")),
    }
}
