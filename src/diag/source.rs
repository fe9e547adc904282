//! Source files by id, and places in them.
//!
//! On entry: names are what `file!()` gives or what a user typed on the command line. On exit: one name has one id.
//! Deliberately not here: reading files (the renderer does, and only when it has something to show).

use std::panic::Location;

use crate::entity::Arena;
use crate::typed_id;

typed_id! {
    /// A source file of a [`Sources`].
    pub SourceId, "s"
}

/// A place: a file, a line and a column, both counted from 1; or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file. Meaningless unless [`is_known`](Self::is_known).
    pub source: SourceId,
    /// The line, from 1; 0 means that the place is unknown.
    pub line: u32,
    /// The column in characters, from 1; 0 means that only the line is known.
    pub column: u32,
}

impl Span {
    /// No known place. A plain value instead of an `Option`, so that a span costs 12 bytes in each operation.
    pub const NONE: Self = Self { source: SourceId(std::num::NonZeroU32::MIN), line: 0, column: 0 };

    /// A place in a file.
    pub const fn new(source: SourceId, line: u32, column: u32) -> Self {
        Self { source, line, column }
    }

    /// Whether there is a place at all.
    pub const fn is_known(self) -> bool {
        self.line != 0
    }

    /// This place, or `other` where this one is unknown.
    pub const fn or(self, other: Self) -> Self {
        if self.is_known() { self } else { other }
    }
}

impl Default for Span {
    fn default() -> Self {
        Self::NONE
    }
}

/// A file name and, for text that is no file (a test, standard input), the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    name: String,
    text: Option<String>,
}

/// The files that spans refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Arena<SourceId, Source>,
}

impl Sources {
    /// No files yet.
    pub const fn new() -> Self {
        Self { files: Arena::new() }
    }

    /// The id of a name, the same one each time.
    pub fn intern(&mut self, name: &str) -> SourceId {
        // A kernel comes from one or two files; a scan from the newest beats a hash of a long path.
        let known = self.files.iter().rev().find(|(_, file)| file.name == name).map(|(id, _)| id);
        known.unwrap_or_else(|| self.files.push(Source { name: name.to_owned(), text: None }))
    }

    /// Registers text under a name, so that messages can quote it without a file. Replaces earlier text.
    pub fn register(&mut self, name: &str, text: impl Into<String>) -> SourceId {
        let id = self.intern(name);
        self.files[id].text = Some(text.into());
        id
    }

    /// The place of a call, as `#[track_caller]` reports it.
    pub fn span_of(&mut self, location: &Location<'_>) -> Span {
        Span::new(self.intern(location.file()), location.line(), location.column())
    }

    /// The name of a file; empty for an id of other sources that is out of range here.
    pub fn name(&self, id: SourceId) -> &str {
        self.files.get(id).map_or("", |file| &file.name)
    }

    /// The text registered for a file.
    pub fn text(&self, id: SourceId) -> Option<&str> {
        self.files.get(id).and_then(|file| file.text.as_deref())
    }

    /// All files with their names, in the order in which they were first named.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (SourceId, &str)> + ExactSizeIterator {
        self.files.iter().map(|(id, file)| (id, file.name.as_str()))
    }

    /// Whether no file was named yet.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// `file:line:column`, `file:line` where the column is unknown, or `None` for an unknown place.
    pub fn locate(&self, span: Span) -> Option<String> {
        let name = self.files.get(span.source).filter(|_| span.is_known()).map(|file| &file.name)?;
        Some(match span.column {
            0 => format!("{name}:{}", span.line),
            column => format!("{name}:{}:{column}", span.line),
        })
    }
}
