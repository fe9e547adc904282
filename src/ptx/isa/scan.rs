//! Reads operands from tokens, and prints numbers as they are read.
//!
//! Exit: a number printed here reads back as the same number.

use smallvec::{Array, SmallVec};

use super::constant::{self, Constant};
use super::error::{ParseError, ParseErrorKind};
use super::lacking::{is_lacking_special, is_vector_special};
use super::lex::{Token, TokenKind};
use super::name::{LabelId, Resolve, Symbol, TableId};
use super::reg::Reg;
use super::slot::{Base, Use};
use super::sreg::SpecialReg;

/// A place in the operands of one instruction.
#[derive(Clone)]
pub struct Cursor<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    first: bool,
    names: &'a dyn Resolve,
    /// Whether a float written in decimal has 64 bits.
    wide_floats: bool,
}

impl<'a> Cursor<'a> {
    /// Starts at `tokens[0]`, the first operand. The slice must go on to the `;` and include it.
    pub fn new(tokens: &'a [Token<'a>], names: &'a dyn Resolve) -> Self {
        Self { tokens, at: 0, first: true, names, wide_floats: false }
    }

    /// The same for the operands of an opcode, whose type says what a float in decimal is.
    #[must_use]
    pub fn of_opcode(self, opcode: &str) -> Self {
        // The fraction of a cache policy is an f32 beside the policy's 64 bits.
        let wide = |word| word == "f64" || (word == "b64" && !opcode.starts_with("createpolicy"));
        Self { wide_floats: opcode.split('.').any(wide), ..self }
    }

    /// Tokens taken so far.
    pub const fn taken(&self) -> usize {
        self.at
    }

    /// The next token.
    pub(super) fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    /// Takes the next token, whatever it is.
    pub(super) const fn skip(&mut self) {
        self.at += 1;
    }

    /// Takes the word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let met = self.peek().is_some_and(|token| token.kind == TokenKind::Word && token.text == word);
        self.at += usize::from(met);
        met
    }

    /// Whether the next token is this sign.
    pub fn is(&self, sign: &str) -> bool {
        self.peek().is_some_and(|token| token.is(sign))
    }

    /// Takes the sign if it is next.
    pub fn eat(&mut self, sign: &str) -> bool {
        let met = self.is(sign);
        self.at += usize::from(met);
        met
    }

    /// Takes the sign.
    ///
    /// # Errors
    /// Something else stands there.
    pub fn sign(&mut self, sign: &'static str) -> Result<(), ParseError> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(sign)) }
    }

    /// Takes the separator, except before the first operand.
    ///
    /// # Errors
    /// Something else stands there.
    pub fn separator(&mut self, sign: &'static str) -> Result<(), ParseError> {
        if std::mem::replace(&mut self.first, false) { Ok(()) } else { self.sign(sign) }
    }

    /// Takes the `;`.
    ///
    /// # Errors
    /// Something else stands there.
    pub fn end(&mut self) -> Result<(), ParseError> {
        self.sign(";")
    }

    /// The error that something else was expected.
    pub fn expected(&self, expected: &'static str) -> ParseError {
        let met = self.peek().map_or_else(String::new, |token| token.text.to_owned());
        let place = self.peek().or_else(|| self.tokens.last());
        let (line, column) = place.map_or((0, 0), |token| (token.line, token.column));
        ParseError { line, column, kind: ParseErrorKind::Expected { expected, met } }
    }

    fn word(&mut self, expected: &'static str) -> Result<&'a Token<'a>, ParseError> {
        match self.peek() {
            Some(token) if token.kind == TokenKind::Word => {
                self.at += 1;
                Ok(token)
            }
            _ => Err(self.expected(expected)),
        }
    }

    fn named<T>(
        &mut self,
        what: &'static str,
        find: impl FnOnce(&'a dyn Resolve, &str) -> Option<T>,
    ) -> Result<T, ParseError> {
        let token = self.word(what)?;
        find(self.names, token.text)
            .ok_or_else(|| token.error(ParseErrorKind::UnknownName { what, name: token.text.to_owned() }))
    }

    /// A register.
    ///
    /// # Errors
    /// None of this name is declared.
    pub fn reg(&mut self) -> Result<Reg, ParseError> {
        self.named("register", |names, name| names.reg(name))
    }

    /// A register, or `None` for `_`.
    ///
    /// # Errors
    /// None of this name is declared.
    pub fn reg_or_sink(&mut self) -> Result<Option<Reg>, ParseError> {
        self.named("register", |names, name| if name == "_" { Some(None) } else { names.reg(name).map(Some) })
    }

    /// A variable or parameter.
    ///
    /// # Errors
    /// None of this name is declared.
    pub fn symbol(&mut self) -> Result<Symbol, ParseError> {
        self.named("variable", |names, name| names.symbol(name))
    }

    /// A label.
    ///
    /// # Errors
    /// None of this name is in the body.
    pub fn label(&mut self) -> Result<LabelId, ParseError> {
        self.named("label", |names, name| names.label(name))
    }

    /// A list of targets.
    ///
    /// # Errors
    /// None of this name is in the body.
    pub fn table(&mut self) -> Result<TableId, ParseError> {
        self.named("list of targets", |names, name| names.table(name))
    }

    /// A special register.
    ///
    /// # Errors
    /// It is none that is known.
    pub fn special(&mut self) -> Result<SpecialReg, ParseError> {
        if let Some(token) = self.peek().filter(|token| is_lacking_special(token.text)) {
            let met = token.text.to_owned();
            return Err(token.error(ParseErrorKind::Unsupported { what: "special register", met }));
        }
        if let Some(token) = self.peek().filter(|token| is_vector_special(token.text)) {
            let met = token.text.to_owned();
            let what = "special register without `.x`, `.y` or `.z`";
            return Err(token.error(ParseErrorKind::Unsupported { what, met }));
        }
        self.named("special register", |_, name| SpecialReg::parse(name))
    }

    /// The base of an address.
    ///
    /// # Errors
    /// Nothing of this name is declared.
    pub fn base(&mut self) -> Result<Base, ParseError> {
        self.named("register or variable", |names, name| {
            let reg = names.reg(name).map(Base::Reg);
            reg.or_else(|| names.symbol(name).map(Base::Symbol))
        })
    }

    /// `+16`, `+-4`, or nothing.
    ///
    /// # Errors
    /// No number follows the sign.
    pub fn offset(&mut self) -> Result<i64, ParseError> {
        if self.eat("+") { self.integer() } else { Ok(0) }
    }

    /// An integer, which may be a constant expression.
    ///
    /// # Errors
    /// It is none, or not one of 64 bits.
    pub fn integer(&mut self) -> Result<i64, ParseError> {
        let before = self.clone();
        match self.value()? {
            Use::Int(value) => Ok(value),
            Use::Reg(_) | Use::F32(_) | Use::F64(_) => Err(before.expected("an integer")),
        }
    }

    /// A register or an immediate, which may be a constant expression.
    ///
    /// # Errors
    /// Neither stands there.
    pub fn value(&mut self) -> Result<Use, ParseError> {
        match self.peek() {
            Some(token) if constant::begins(token) => Ok(match constant::parse(self)? {
                Constant::Signed(value) => Use::Int(value),
                Constant::Unsigned(value) => Use::Int(value.cast_signed()),
                Constant::Float(value) if self.wide_floats => Use::F64(value.to_bits()),
                Constant::Float(value) => Use::F32((value as f32).to_bits()),
                Constant::Single(bits) => Use::F32(bits),
            }),
            Some(Token { kind: TokenKind::Word, .. }) => self.reg().map(Use::Reg),
            Some(_) => Err(self.expected("a register or a number")),
            None => Err(self.expected("a value")),
        }
    }

    /// `{a, b, …}`.
    ///
    /// # Errors
    /// An element or a sign is missing.
    pub fn braced<A: Array>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<A::Item, ParseError>,
    ) -> Result<SmallVec<A>, ParseError> {
        self.sign("{")?;
        let mut items = SmallVec::new();
        loop {
            items.push(item(self)?);
            if !self.eat(",") {
                self.sign("}")?;
                return Ok(items);
            }
        }
    }
}

/// Appends a decimal number.
pub fn print_decimal(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    print_u64(out, value.unsigned_abs());
}

/// Appends an unsigned decimal number.
pub fn print_u64(out: &mut String, mut rest: u64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[at..]).expect("digits are ASCII"));
}

/// Appends spaces up to a column, at least `least`; `start` is where the line begins in `out`.
pub fn pad(out: &mut String, start: usize, column: usize, least: usize) {
    const SPACES: &str = "                                                                ";
    let mut missing = column.saturating_sub(out.len() - start).max(least);
    while missing > 0 {
        let count = missing.min(SPACES.len());
        out.push_str(&SPACES[..count]);
        missing -= count;
    }
}

/// Appends an unsigned decimal number.
pub fn print_u32(out: &mut String, value: u32) {
    print_u64(out, value.into());
}

/// Appends an integer immediate: large ones are masks or addresses, which people read in hexadecimal.
pub fn print_int(out: &mut String, value: i64) {
    if value < 0x1_0000 {
        return print_decimal(out, value);
    }
    out.push_str("0x");
    let digits = (64 - value.leading_zeros()).div_ceil(4) as usize;
    for index in (0..digits).rev() {
        out.push(char::from(b"0123456789abcdef"[(value >> (4 * index)) as usize & 15]));
    }
}

/// Appends hexadecimal digits, upper case as in float immediates.
pub fn print_hex(out: &mut String, value: u64, digits: usize) {
    for index in (0..digits).rev() {
        out.push(char::from(b"0123456789ABCDEF"[(value >> (4 * index)) as usize & 15]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::isa::constant::parse_integer;

    #[test]
    fn printed_integers_read_back() {
        for value in [0, 7, -1, -4, 65_535, 65_536, 0xffff_ffff, i64::MAX, i64::MIN] {
            let mut text = String::new();
            print_int(&mut text, value);
            let (digits, negative) =
                text.strip_prefix('-').map_or((text.as_str(), false), |rest| (rest, true));
            let read = parse_integer(digits).map(|(bits, _)| bits.cast_signed());
            let read = read.map(|value| if negative { value.wrapping_neg() } else { value });
            assert_eq!(read, Some(value), "{text}");
        }
    }
}
