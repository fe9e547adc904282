//! Standard output: lines of text or of JSON.
//!
//! On exit: everything is written, or an error says so; a reader that went away is told apart by `CliError`.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::error::CliError;

/// The version of every JSON object that the command prints.
pub(super) const SCHEMA: u32 = 1;

/// Where data goes.
pub(super) struct Output(BufWriter<Box<dyn Write>>);

impl Output {
    pub(super) fn stdout() -> Self {
        Self(BufWriter::new(Box::new(io::stdout())))
    }

    pub(super) fn line(&mut self, text: impl AsRef<str>) -> Result<(), CliError> {
        writeln!(self.0, "{}", text.as_ref()).map_err(failed)
    }

    /// Text that ends its own lines.
    pub(super) fn text(&mut self, text: &str) -> Result<(), CliError> {
        self.0.write_all(text.as_bytes()).map_err(failed)
    }

    /// One object on a line of its own.
    pub(super) fn json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        serde_json::to_writer(&mut self.0, value).map_err(|error| failed(error.into()))?;
        self.line("")
    }

    pub(super) fn flush(&mut self) -> Result<(), CliError> {
        self.0.flush().map_err(failed)
    }
}

/// That it can't be written.
pub(super) fn failed(error: io::Error) -> CliError {
    CliError::Io { what: "can't write to standard output".into(), error }
}
