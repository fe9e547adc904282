//! Tokens of the text form, and the numbers among them.

use super::parse::{ParseError, ParseErrorKind};
use super::types::{DType, Literal};
use crate::numerics;

/// What the text form is made of.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A name, an operation with its suffixes, a type.
    Word(String),
    /// Something that begins with a digit or a minus sign.
    Number(String),
    /// A quoted text.
    Text(String),
    /// One of `( ) [ ] { } , : = @ < >`.
    Punct(char),
}

pub(super) fn lex(text: &str) -> Result<Vec<(Token, u32, u32)>, ParseError> {
    let mut tokens = Vec::new();
    for (line_index, line) in text.lines().enumerate() {
        let line_number = line_index as u32 + 1;
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let column = (line.len() - rest.len()) as u32 + 1;
            let bad = |wanted: &str| ParseError {
                line: line_number,
                column,
                kind: ParseErrorKind::Expected { wanted: wanted.into(), found: format!("`{first}`") },
            };
            let length = match first {
                ';' => break,
                _ if first.is_whitespace() => {
                    rest = &rest[first.len_utf8()..];
                    continue;
                }
                '"' => quoted_length(rest).ok_or_else(|| bad("a closing quote"))?,
                '-' | '0'..='9' => number_length(rest),
                _ if first.is_ascii_alphabetic() || first == '_' => rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
                    .unwrap_or(rest.len()),
                '(' | ')' | '[' | ']' | '{' | '}' | ',' | ':' | '=' | '@' | '<' | '>' => 1,
                _ => return Err(bad("a token")),
            };
            let piece = &rest[..length];
            let token = match first {
                '"' => Token::Text(unquote(piece)),
                '-' | '0'..='9' => Token::Number(piece.into()),
                _ if first.is_ascii_alphabetic() || first == '_' => Token::Word(piece.into()),
                _ => Token::Punct(first),
            };
            tokens.push((token, line_number, column));
            rest = &rest[length..];
        }
    }
    Ok(tokens)
}

fn quoted_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(index + 1),
            _ => {}
        }
    }
    None
}

/// Undoes Rust's `{:?}` of a string, as far as names and paths need it.
fn unquote(quoted: &str) -> String {
    let mut out = String::new();
    let mut chars = quoted[1..quoted.len() - 1].chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('0') => out.push('\0'),
                Some('u') => {
                    let digits: String = chars.by_ref().skip(1).take_while(|&c| c != '}').collect();
                    out.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                Some(other) => out.push(other),
                None => {}
            },
        }
    }
    out
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut length = 1;
    while let Some(&byte) = bytes.get(length) {
        let exponent_sign = (byte == b'-' || byte == b'+')
            && matches!(bytes[length - 1], b'e' | b'E')
            && !text.starts_with("0x");
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || exponent_sign) {
            break;
        }
        length += 1;
    }
    length
}

/// A number with its suffix; without one, a `u32`.
pub(super) fn number(text: &str) -> Option<Literal> {
    let suffixes = DType::all().filter_map(|dtype| Some((dtype, text.strip_suffix(dtype.name())?)));
    // `1.5bf16` also ends in `f16`: the longest suffix is meant.
    let (dtype, digits) = suffixes.min_by_key(|(_, digits)| digits.len()).unwrap_or((DType::U32, text));
    match dtype {
        DType::F64 => Some(Literal::from_bits(dtype, digits.parse::<f64>().ok()?.to_bits())),
        DType::F32 => Some(Literal::f32(digits.parse().ok()?)),
        DType::F16 => Some(Literal::from_bits(
            dtype,
            numerics::f16_from_f64(f64::from(digits.parse::<f32>().ok()?)).to_bits().into(),
        )),
        DType::BF16 => Some(Literal::from_bits(
            dtype,
            numerics::bf16_from_f64(f64::from(digits.parse::<f32>().ok()?)).to_bits().into(),
        )),
        // A storage format's rounding would have to be named: its constants are written as bits.
        DType::Bool | DType::Storage(_) => None,
        DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => Literal::int(dtype, digits.parse().ok()?),
    }
}
