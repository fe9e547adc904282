//! Messages as text, in the style of the Rust compiler.
//!
//! On entry: messages whose spans belong to the given sources. On exit: text; a source that is neither registered
//! nor readable leaves only `file:line:column`, because tests run on machines without the source tree. Control characters,
//! which a message may quote from a user's input, are spelled out: a terminal would obey them.
//! Deliberately not here: colours, and wrapping to the terminal's width.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::report::Message;
use super::{SourceId, Sources, Span};

/// A tab is shown as this, so that the caret stands under the right character whatever the terminal's tab stops.
const TAB: &str = "    ";

/// Writes messages one after another and reads each source file at most once.
pub(super) struct Renderer<'s> {
    sources: &'s Sources,
    files: HashMap<SourceId, Option<String>>,
    out: String,
}

impl<'s> Renderer<'s> {
    pub(super) fn new(sources: &'s Sources) -> Self {
        Self { sources, files: HashMap::new(), out: String::new() }
    }

    pub(super) fn finish(self) -> String {
        visible(&self.out)
    }

    pub(super) fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    pub(super) fn message(&mut self, message: &Message) {
        let code = message.code.map(|code| format!("[{code}]")).unwrap_or_default();
        self.line(&format!("{}{code}: {}", message.severity, message.text));
        let width = message.span.line.to_string().len();
        let gutter = " ".repeat(if message.span.is_known() { width } else { 1 });
        if let Some(place) = self.sources.locate(message.span) {
            self.line(&format!("{gutter}--> {place}"));
        }
        let quoted = self.quoted_line(message.span);
        if let Some(text) = &quoted {
            self.line(&format!("{gutter} |"));
            self.line(format!("{} | {}", message.span.line, text.shown).trim_end());
            if let Some(caret) = text.caret {
                self.line(&format!("{gutter} | {}^", " ".repeat(caret)));
            }
        }
        if let Some(help) = &message.help {
            if quoted.is_some() {
                self.line(&format!("{gutter} |"));
            }
            self.help(&gutter, help);
        }
        self.out.push('\n');
    }

    fn help(&mut self, gutter: &str, help: &str) {
        let mut lines = help.lines();
        let first = lines.next().unwrap_or_default();
        let head = format!("{gutter} = help: ");
        let indent = " ".repeat(head.len());
        let _infallible = writeln!(self.out, "{head}{first}");
        for line in lines {
            self.line(format!("{indent}{line}").trim_end());
        }
    }

    fn quoted_line(&mut self, span: Span) -> Option<QuotedLine> {
        if !span.is_known() {
            return None;
        }
        let sources = self.sources;
        let text = match sources.text(span.source) {
            Some(text) => text,
            None => self
                .files
                .entry(span.source)
                .or_insert_with(|| std::fs::read_to_string(sources.name(span.source)).ok())
                .as_deref()?,
        };
        let line = text.lines().nth(span.line as usize - 1)?;
        Some(QuotedLine::new(line, span.column))
    }
}

/// A text whose control characters are spelled out, line breaks and tabs aside. So are the marks that turn the direction of
/// writing, behind which a text reads differently from what it is.
pub(crate) fn visible(text: &str) -> String {
    let is_plain = |letter: char| {
        let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        matches!(letter, '\n' | '\t') || !(letter.is_control() || turns)
    };
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_plain(letter) {
            out.push(letter);
        } else {
            out.extend(letter.escape_default());
        }
    }
    out
}

/// A source line as shown, and how far right of its start the caret stands.
struct QuotedLine {
    shown: String,
    caret: Option<usize>,
}

impl QuotedLine {
    fn new(line: &str, column: u32) -> Self {
        let shown = |text: &str| visible(&text.replace('\t', TAB));
        let before: String = line.chars().take((column as usize).saturating_sub(1)).collect();
        // A column past the end means that the file changed since; pointing at the end is the best guess left.
        let caret = (column > 0).then(|| shown(&before).chars().count());
        Self { shown: shown(line), caret }
    }
}
