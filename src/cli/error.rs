//! How a command ends: exit codes, and errors as messages.
//!
//! On entry: an error of any stage. On exit: a message in the style of the compiler on standard error, and the code
//! that stands for its kind. A reader that went away (`warpsmith list | head`) is no error.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use super::settings::{FileErrors, RefusedVariable};
use crate::backend::DeviceError;
use crate::corpus::LookupError;
use crate::diag::{Code, Help, Message, Report, Severity, Sources, Span, io_reason, visible};
use crate::driver::DriverError;
use crate::runfile::{RunError, Warning};
use crate::runtime::CompileError;
use crate::target::UnknownTarget;
use crate::toolkit::ToolError;

/// How a command ends; where several parts of it end otherwise than well, the last of them in this order holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    Fine,
    Finding,
    Usage,
    NoDevice,
    Internal,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Finding => 1,
            Exit::Usage => 2,
            Exit::NoDevice => 3,
            Exit::Internal => 4,
        })
    }
}

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Lookup(#[from] LookupError),
    #[error(transparent)]
    Target(#[from] UnknownTarget),
    #[error(transparent)]
    Compile(#[from] Box<CompileError>),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Run(#[from] RunError),
    /// An option that contradicts another or means nothing.
    #[error("{what}")]
    Usage { what: String, help: String },
    /// The same of a kind that has a code of its own.
    #[error("{what}")]
    Coded { code: Code, what: String, help: String },
    /// A `warpsmith.toml` with mistakes.
    #[error("{0}")]
    Settings(Box<FileErrors>),
    /// A variable whose value the option can't take.
    #[error(transparent)]
    Variable(Box<RefusedVariable>),
    #[error("{what}: {}", io_reason(error))]
    Io { what: String, error: io::Error },
}

impl CliError {
    pub(super) fn usage(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), help: help.into() }
    }

    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Device(DeviceError::NoDevice { .. }) => Exit::NoDevice,
            Self::Device(_) | Self::Io { .. } => Exit::Internal,
            Self::Lookup(_)
            | Self::Target(_)
            | Self::Usage { .. }
            | Self::Coded { .. }
            | Self::Settings(_)
            | Self::Variable(_)
            // The kernel has no text for what was asked: nothing was looked at that could be a finding.
            | Self::Compile(_) => Exit::Usage,
            Self::Tool(ToolError::Refused { .. }) => Exit::Finding,
            // What was asked for is not on this machine, as with a device.
            Self::Tool(ToolError::Missing(_)) => Exit::NoDevice,
            Self::Tool(
                ToolError::NotRun { .. }
                | ToolError::Another { .. }
                | ToolError::NoOutput { .. }
                | ToolError::Scratch { .. },
            ) => Exit::Internal,
            Self::Run(error) => of_run(error),
        }
    }

    /// Shows it, and says how to end.
    pub(super) fn report(&self) -> ExitCode {
        match self {
            Self::Io { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => return Exit::Fine.into(),
            Self::Settings(errors) => say(&errors.to_string()),
            Self::Compile(_)
            | Self::Device(_)
            | Self::Lookup(_)
            | Self::Target(_)
            | Self::Tool(_)
            | Self::Usage { .. }
            | Self::Coded { .. }
            | Self::Variable(_)
            | Self::Run(_)
            | Self::Io { .. } => say(&self.rendered("")),
        }
        self.exit().into()
    }

    /// The message as it is shown, behind a few words that say what it speaks of.
    pub(super) fn rendered(&self, about: &str) -> String {
        let mut report = Report::new();
        let sources = if let Self::Compile(error) = self {
            // A report of its own, with the kernel's source lines.
            for (at, message) in error.report().messages().iter().enumerate() {
                let about = if at == 0 { about } else { "" };
                report.push(Message { text: format!("{about}{}", message.text), ..message.clone() });
            }
            error.sources.clone()
        } else {
            let text = format!("{about}{self}");
            let (code, help) = (Some(self.code()), self.help());
            report.push(Message { severity: Severity::Error, span: Span::NONE, code, text, help });
            Sources::new()
        };
        report.render(&sources).trim_end().to_owned()
    }
}

impl Help for CliError {
    fn help(&self) -> Option<String> {
        match self {
            Self::Device(error) => error.help(),
            Self::Lookup(error) => error.help(),
            Self::Target(error) => error.help(),
            Self::Tool(error) => error.help(),
            Self::Usage { help, .. } | Self::Coded { help, .. } => Some(help.clone()),
            Self::Run(error) => error.help(),
            Self::Variable(refused) => refused.help(),
            Self::Compile(_) | Self::Settings(_) | Self::Io { .. } => None,
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Device(error) => error.code(),
            Self::Lookup(error) => error.code(),
            Self::Target(error) => error.code(),
            Self::Tool(error) => error.code(),
            Self::Run(error) => error.code(),
            Self::Compile(error) => error.code(),
            Self::Usage { .. } => Code::Usage,
            Self::Coded { code, .. } => *code,
            Self::Settings(_) => Code::SettingsFile,
            Self::Variable(refused) => refused.code(),
            Self::Io { .. } => Code::Io,
        }
    }
}

/// How a command ends that could not run a file: most often what it was given is wrong.
fn of_run(error: &RunError) -> Exit {
    match error {
        _ if error.is_absence() => Exit::NoDevice,
        RunError::Fault { .. } => Exit::Finding,
        // The launch and the text are the user's; a driver that fails otherwise is the system's.
        RunError::Driver(error) if is_refusal(error) => Exit::Usage,
        RunError::Device(_) | RunError::Driver(_) => Exit::Internal,
        RunError::Write { error, .. }
            if !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::IsADirectory | io::ErrorKind::PermissionDenied
            ) =>
        {
            Exit::Internal
        }
        RunError::Read { .. }
        | RunError::Write { .. }
        | RunError::Empty { .. }
        | RunError::NotText { .. }
        | RunError::Parse { .. }
        | RunError::Unsound { .. }
        | RunError::NoEntries { .. }
        | RunError::UnknownEntry { .. }
        | RunError::WhichEntry { .. }
        | RunError::Decode { .. }
        | RunError::Count { .. }
        | RunError::Argument { .. }
        | RunError::Array { .. }
        | RunError::SharedFile { .. }
        | RunError::TooLarge { .. }
        | RunError::Geometry { .. }
        | RunError::NoThreads
        | RunError::Bounds { .. }
        | RunError::Shared { .. }
        | RunError::Target { .. } => Exit::Usage,
    }
}

/// Whether a driver's error is about the launch or the text.
fn is_refusal(error: &DriverError) -> bool {
    matches!(error, DriverError::Launch { .. } | DriverError::Jit(_) | DriverError::NoSuchFunction { .. })
}

/// Shows an error in the grammar of the command line.
pub(super) fn show_usage(error: &clap::Error) {
    // It quotes what was given, and a terminal would obey the control characters in that.
    let is_plain = |argument: OsString| visible(&argument.to_string_lossy()) == argument.to_string_lossy();
    if !std::env::args_os().all(is_plain) {
        say(visible(&error.render().to_string()).trim_end());
        return;
    }
    // There is nobody left to tell if the terminal is gone.
    let _ = error.print();
}

/// Shows a message without a code on standard error.
pub(super) fn message(severity: Severity, text: String, help: Option<String>) {
    show(severity, None, text, help);
}

/// Shows what is wrong with a case that can't be made.
pub(super) fn broken_case(text: &str) {
    show(Severity::Error, Some(Code::BrokenCases), text.to_owned(), None);
}

/// Shows a message, with the code of its kind if it has one.
pub(super) fn show(severity: Severity, code: Option<Code>, text: String, help: Option<String>) {
    let mut report = Report::new();
    report.push(Message { severity, span: Span::NONE, code, text, help });
    say(report.render(&Sources::new()).trim_end());
}

/// Writes to standard error. Where that can't be written, the exit code is all that is left to tell.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Warns of what a launch hardly means to do.
pub(super) fn warn(warning: &Warning) {
    message(Severity::Warning, warning.to_string(), Some(warning.help().to_owned()));
}

/// Tells of a choice that was made for the user.
pub(super) fn notice(text: impl Into<String>) {
    message(Severity::Notice, text.into(), None);
}
