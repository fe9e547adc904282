//! A list of messages, to be shown together.
//!
//! On entry: errors of any stage. On exit: one text with all of them in the order they came, since a stage reports
//! in source order already and a sort would part a message from the one that explains it.
//! Deliberately not here: deciding the exit code (the command asks [`Report::has_errors`]).

use std::fmt::{self, Display};

use super::render::Renderer;
use super::{Code, Help, Sources, Span, Spanned};

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Nothing was produced.
    Error,
    /// Something was produced, and may not be what was meant.
    Warning,
    /// A choice that was made and that the user may want to know of.
    Notice,
}

impl Severity {
    const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Notice];
}

impl Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        })
    }
}

/// One message, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How much it matters.
    pub severity: Severity,
    /// Where it belongs.
    pub span: Span,
    /// What kind of mistake it is, where it is one.
    pub code: Option<Code>,
    /// What is wrong.
    pub text: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// Any number of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    messages: Vec<Message>,
}

impl Report {
    /// An empty report.
    pub const fn new() -> Self {
        Self { messages: Vec::new() }
    }

    /// A report of a stage's errors.
    pub fn of<E: Display + Help>(errors: &[Spanned<E>]) -> Self {
        let mut report = Self::new();
        for error in errors {
            report.error(error);
        }
        report
    }

    /// Adds an error.
    pub fn error<E: Display + Help>(&mut self, error: &Spanned<E>) {
        self.add(Severity::Error, error.span, &error.error);
    }

    /// Adds a message of any severity.
    pub fn add<E: Display + Help + ?Sized>(&mut self, severity: Severity, span: Span, what: &E) {
        let code = match severity {
            Severity::Error | Severity::Warning => Some(what.code()),
            Severity::Notice => None,
        };
        self.messages.push(Message { severity, span, code, text: what.to_string(), help: what.help() });
    }

    /// Adds a message made by hand.
    pub fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether any message is an error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Everything as text that ends with a line break, or nothing at all for an empty report.
    pub fn render(&self, sources: &Sources) -> String {
        let mut renderer = Renderer::new(sources);
        for message in &self.messages {
            renderer.message(message);
        }
        if self.messages.len() > 1 {
            renderer.line(&self.summary());
        }
        renderer.finish()
    }

    fn count(&self, severity: Severity) -> usize {
        self.messages.iter().filter(|message| message.severity == severity).count()
    }

    fn summary(&self) -> String {
        let counts = Severity::ALL.map(|severity| (self.count(severity), severity));
        let parts = counts.iter().filter(|(count, _)| *count > 0);
        let words = parts.map(|(count, severity)| format!("{count} {severity}{}", plural(*count)));
        words.collect::<Vec<_>>().join(", ")
    }
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
