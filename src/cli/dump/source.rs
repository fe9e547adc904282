//! Lines of the files that kernels were written in, where they are here.

use std::collections::HashMap;
use std::fs;

use crate::ptx::module::{Module, StatementKind};

/// Files read so far.
#[derive(Default)]
pub(super) struct SourceLines(HashMap<String, Option<String>>);

impl SourceLines {
    /// `src/x.rs:14: let mean = …;`, without the text where the file or the line is not here.
    pub(super) fn quote(&mut self, path: &str, line: u32) -> String {
        let read = |path: &str| fs::read_to_string(path).ok();
        let file = self.0.entry(path.to_owned()).or_insert_with_key(|path| read(path)).as_deref();
        let text = file.and_then(|file| file.lines().nth((line as usize).checked_sub(1)?)).map(str::trim);
        match text {
            Some(text) if !text.is_empty() => format!("{path}:{line}: {text}"),
            Some(_) | None => format!("{path}:{line}"),
        }
    }
}

/// Writes the text of the source's line above each `.loc`.
pub(super) fn quote_lines(module: &mut Module, lines: &mut SourceLines) {
    let files = module.files.clone();
    let path = |number: u32| files.iter().find(|file| file.index == number).map(|file| &file.path);
    for entry in module.codes_mut() {
        let mut body = Vec::with_capacity(entry.body.len() + entry.body.len() / 2);
        for statement in entry.body.drain(..) {
            if let StatementKind::Loc { file, line, .. } = statement.kind
                && let Some(path) = path(file)
            {
                // The assembler takes ASCII only, even in comments.
                let quote = lines.quote(path, line).replace(|c: char| !c.is_ascii(), "?");
                body.push(StatementKind::Comment(quote.into()).into());
            }
            body.push(statement);
        }
        entry.body = body;
    }
}
