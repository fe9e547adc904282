//! Places in source text, and messages rendered under the line they speak of.
//!
//! A [`Span`] is a place (file, line, column) or "unknown"; [`Sources`] holds the file names that spans refer to;
//! [`Spanned`] carries an error with its place; a [`Report`] collects any number of messages and renders them in
//! the compiler's own style. Every stage's errors implement [`Help`], so they all come out alike.
//!
//! On entry: a span was made by the [`Sources`] it is rendered with. On exit: rendering never fails; a file that
//! can't be read costs the quoted line, not the message.
//!
//! Not here: ranges over several lines, colours, and where the text goes (the command decides).

mod code;
mod near;
mod render;
mod report;
mod source;
#[cfg(test)]
mod tests;
mod wording;

use std::fmt;

pub use code::{Code, NotACode};
pub(crate) use near::edits;
#[cfg(feature = "cli")]
pub(crate) use near::nearest;
pub(crate) use render::visible;
pub use report::{Message, Report, Severity};
pub use source::{SourceId, Sources, Span};
pub(crate) use wording::{count, io_reason};

/// What an error tells the user to do about it, and its code.
///
/// The message says what is wrong; the help says what to change. Only errors that a user can meet owe one.
pub trait Help {
    /// One or more lines, lower case and without a final dot, or `None` where there is nothing to add.
    fn help(&self) -> Option<String> {
        None
    }

    /// What kind of mistake it is: `warpsmith explain` says more.
    fn code(&self) -> Code;
}

/// An error in words, with its help and code below: what `Debug` of an error writes that `fn main() -> Result<…>` may show.
pub(crate) fn with_help(error: &(impl fmt::Display + Help), f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = error.to_string();
    f.write_str(text.trim_end())?;
    let help = error.help().unwrap_or_default();
    for (index, line) in help.lines().enumerate() {
        let head = if index == 0 { "  = help: " } else { "          " };
        write!(f, "\n{}", format!("{head}{line}").trim_end())?;
    }
    // A report below the first line has the codes already.
    if text.contains("\nerror[") { Ok(()) } else { write!(f, "\n  = code: {}", error.code()) }
}

/// An error with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<E> {
    /// Where it happened.
    pub span: Span,
    /// What happened.
    pub error: E,
}

impl<E> Spanned<E> {
    /// An error at a place.
    pub const fn new(span: Span, error: E) -> Self {
        Self { span, error }
    }

    /// An error without a place.
    pub const fn nowhere(error: E) -> Self {
        Self { span: Span::NONE, error }
    }

    /// The same place with another error, for a stage that wraps the error of the stage below.
    pub fn map<F>(self, wrap: impl FnOnce(E) -> F) -> Spanned<F> {
        Spanned { span: self.span, error: wrap(self.error) }
    }
}

impl<E: fmt::Display> fmt::Display for Spanned<E> {
    /// The message alone: the place needs the [`Sources`] to become text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Spanned<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

impl<E: Help> Help for Spanned<E> {
    fn help(&self) -> Option<String> {
        self.error.help()
    }

    fn code(&self) -> Code {
        self.error.code()
    }
}
