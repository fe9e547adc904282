//! Cuts PTX text into words, numbers and signs, with their places.
//!
//! An opcode with its modifiers is one word (`ld.global.L1::no_allocate.f32`), and so is `%tid.x`. Comments are
//! kept as tokens of their own, because the module model carries them. Exit: every token points into the text.

use super::error::{ParseError, ParseErrorKind};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An opcode, a name, a directive or a type: letters, digits, `_ $ % .` and `::`.
    Word,
    /// Starts with a digit, or a dot and a digit.
    Number,
    /// `"…"`, without the quotes.
    Text,
    /// One sign, or two that are one operator.
    Sign,
    /// `// …` or `/* … */`, without the marks.
    Comment,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// How it is written.
    pub text: &'a str,
    /// Line from 1.
    pub line: u32,
    /// Column from 1, in bytes.
    pub column: u32,
}

impl Token<'_> {
    /// Whether it is this sign.
    pub fn is(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && self.text == sign
    }

    /// An error at this token.
    pub fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError { line: self.line, column: self.column, kind }
    }
}

/// Cuts a whole text.
///
/// # Errors
/// A sign that PTX doesn't know, an unclosed comment or an unclosed string, with its place.
pub fn lex(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer { text, at: 0, line: 1, line_start: 0, tokens: Vec::with_capacity(text.len() / 4) };
    // The assembler refuses them even in comments and strings.
    let strange = text.find(|sign: char| !sign.is_ascii()).unwrap_or(text.len());
    while lexer.at < text.len() {
        lexer.step()?;
        if lexer.at > strange {
            return Err(lexer.strange(strange));
        }
    }
    Ok(lexer.tokens)
}

/// Operators of two signs.
const DOUBLE_SIGNS: [&[u8]; 8] = [b"<<", b">>", b"&&", b"||", b"==", b"!=", b"<=", b">="];

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) -> Result<(), ParseError> {
        match self.peek(0) {
            b'\n' => self.newline(),
            b' ' | b'\t' | b'\r' | 0x0c => self.at += 1,
            b'/' if self.peek(1) == b'/' => {
                let rest = &self.text[self.at..];
                let len = rest.find('\n').unwrap_or(rest.len());
                self.push(TokenKind::Comment, rest[2..len].trim(), len);
            }
            b'/' if self.peek(1) == b'*' => self.block_comment()?,
            b'"' => self.string()?,
            byte if byte.is_ascii_digit() || (byte == b'.' && self.peek(1).is_ascii_digit()) => self.number(),
            byte if is_word(byte) => self.word(),
            byte if b"{}()[]<>,;:|!@+-=*~/^&?".contains(&byte) => {
                let len = if DOUBLE_SIGNS.contains(&[byte, self.peek(1)].as_slice()) { 2 } else { 1 };
                self.push(TokenKind::Sign, &self.text[self.at..self.at + len], len);
            }
            _ => {
                let met = self.text[self.at..].chars().next().unwrap_or(' ');
                return Err(self.error(ParseErrorKind::UnknownCharacter { met }));
            }
        }
        Ok(())
    }

    /// The error about the character at a place of the text.
    fn strange(&self, at: usize) -> ParseError {
        let before = &self.text[..at];
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = at - before.rfind('\n').map_or(0, |end| end + 1) + 1;
        let met = self.text[at..].chars().next().unwrap_or(' ');
        let place = |number| u32::try_from(number).unwrap_or(u32::MAX);
        ParseError {
            line: place(line),
            column: place(column),
            kind: ParseErrorKind::UnknownCharacter { met },
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
    }

    fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError { line: self.line, column: self.column(), kind }
    }

    fn column(&self) -> u32 {
        u32::try_from(self.at - self.line_start + 1).unwrap_or(u32::MAX)
    }

    fn push(&mut self, kind: TokenKind, text: &'a str, len: usize) {
        self.tokens.push(Token { kind, text, line: self.line, column: self.column() });
        self.at += len;
    }

    fn block_comment(&mut self) -> Result<(), ParseError> {
        let rest = &self.text[self.at..];
        let Some(len) = rest[2..].find("*/").map(|len| len + 2) else {
            return Err(self.error(ParseErrorKind::Unclosed { what: "comment" }));
        };
        self.tokens.push(Token {
            kind: TokenKind::Comment,
            text: rest[2..len].trim(),
            line: self.line,
            column: self.column(),
        });
        let end = self.at + len + 2;
        while self.at < end {
            if self.peek(0) == b'\n' {
                self.newline();
            } else {
                self.at += 1;
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), ParseError> {
        let rest = &self.text[self.at + 1..];
        match rest.find(['"', '\n']) {
            Some(len) if rest.as_bytes()[len] == b'"' => {
                self.push(TokenKind::Text, &rest[..len], len + 2);
                Ok(())
            }
            _ => Err(self.error(ParseErrorKind::Unclosed { what: "string" })),
        }
    }

    fn number(&mut self) {
        let bytes = &self.text.as_bytes()[self.at..];
        let hex = bytes.len() > 1 && bytes[0] == b'0' && b"xXfFdD".contains(&bytes[1]);
        let mut len = 1;
        while len < bytes.len() {
            let exponent_sign =
                !hex && matches!(bytes[len], b'+' | b'-') && matches!(bytes[len - 1], b'e' | b'E');
            if !(bytes[len].is_ascii_alphanumeric() || bytes[len] == b'.' || exponent_sign) {
                break;
            }
            len += 1;
        }
        self.push(TokenKind::Number, &self.text[self.at..self.at + len], len);
    }

    fn word(&mut self) {
        let bytes = &self.text.as_bytes()[self.at..];
        // A directive or type ends where the next one begins: `.reg.b32` is two words, `ld.global` one.
        let directive = bytes[0] == b'.';
        let mut len = 1;
        while len < bytes.len() {
            if is_word(bytes[len]) && !(directive && bytes[len] == b'.') {
                len += 1;
            } else if bytes[len] == b':' && bytes.get(len + 1) == Some(&b':') {
                len += 2;
            } else {
                break;
            }
        }
        self.push(TokenKind::Word, &self.text[self.at..self.at + len], len);
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$%.".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_labels_and_comments_are_whole() {
        let text = "L: ld.global.L1::no_allocate.f32 %f1,[%rd1+-4]; // why\n/* a\nb */ x";
        let words: Vec<_> =
            lex(text).expect("lexes").into_iter().map(|token| (token.text, token.line)).collect();
        assert_eq!(words[..3], [("L", 1), (":", 1), ("ld.global.L1::no_allocate.f32", 1)]);
        assert_eq!(words[words.len() - 3..], [("why", 1), ("a\nb", 2), ("x", 3)]);
    }

    #[test]
    fn directives_need_no_blank_between_them() {
        let words: Vec<_> =
            lex("{.reg.b32 a; .visible.entry").expect("lexes").iter().map(|token| token.text).collect();
        assert_eq!(words, ["{", ".reg", ".b32", "a", ";", ".visible", ".entry"]);
    }

    #[test]
    fn a_strange_character_is_named_with_its_place() {
        let error = lex("\n  add.u32 §").expect_err("refused");
        assert_eq!((error.line, error.column), (2, 11));
    }
}
