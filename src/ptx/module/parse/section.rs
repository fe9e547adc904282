//! Files and debug sections.
//!
//! A section's labels and data are kept word for word, one directive a line; blanks are not.

use std::collections::HashSet;

use super::Parser;
use crate::ptx::isa::lex::TokenKind;
use crate::ptx::isa::{ParseError, ParseErrorKind};
use crate::ptx::module::{Section, SourceFile};

impl Parser<'_> {
    /// `1 "path"`, perhaps with time and size, after `.file`.
    pub(super) fn file(&mut self) -> Result<(), ParseError> {
        let index = self.number_u32()?;
        let path = self.take_kind(TokenKind::Text, "a path in quotes")?.to_owned();
        let mut stamp = None;
        if self.eat(",") {
            let time = self.number()?;
            self.take(",")?;
            stamp = Some((time, self.number()?));
        }
        self.module.files.push(SourceFile { index, path, stamp });
        Ok(())
    }

    /// `.debug_str { … }` after `.section`.
    pub(super) fn section(&mut self) -> Result<(), ParseError> {
        let name = self.take_kind(TokenKind::Word, "the name of a section")?.to_owned();
        if !name.starts_with('.') {
            self.at -= 1;
            return self.expected("the name of a section");
        }
        self.take("{")?;
        let mut lines = Vec::new();
        while !self.eat("}") {
            lines.push(self.section_line()?);
        }
        self.module.sections.push(Section { name, lines });
        Ok(())
    }

    /// The labels that a `.loc` names must be there; their sections stand behind the code.
    pub(super) fn check_section_labels(&self) -> Result<(), ParseError> {
        let lines = self.module.sections.iter().flat_map(|section| &section.lines);
        let labels: HashSet<&str> = lines.filter_map(|line| line.strip_suffix(':')).collect();
        match self.named.iter().find(|token| !labels.contains(token.text)) {
            None => Ok(()),
            Some(token) => {
                let name = token.text.to_owned();
                Err(token.error(ParseErrorKind::UnknownName { what: "label of a debug section", name }))
            }
        }
    }

    fn section_line(&mut self) -> Result<String, ParseError> {
        if self.is_ahead(1, ":") {
            let label = self.name()?;
            self.at += 1;
            return Ok(format!("{label}:"));
        }
        if !is_data(self.text()) {
            return self.expected("a label, `.b8`, `.b16`, `.b32`, `.b64` or }");
        }
        let mut line = self.text().to_owned();
        self.at += 1;
        let first = line.len();
        while let Some(token) = self.peek() {
            let label = token.kind == TokenKind::Word && self.is_ahead(1, ":");
            let goes_on = match token.kind {
                TokenKind::Number => true,
                TokenKind::Word => !label && !is_data(token.text),
                TokenKind::Sign => matches!(token.text, "," | "+" | "-"),
                TokenKind::Text | TokenKind::Comment => false,
            };
            if !goes_on {
                break;
            }
            line.push_str(if line.len() == first { " " } else { "" });
            line.push_str(token.text);
            self.at += 1;
        }
        if line.len() == first { self.expected("a number or a label") } else { Ok(line) }
    }
}

fn is_data(word: &str) -> bool {
    matches!(word, ".b8" | ".b16" | ".b32" | ".b64")
}
