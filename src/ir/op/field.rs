//! What a row can be made of: modifiers (dotted suffixes) and fields (operands), each knowing its own text.

use crate::ir::kernel::{LocalId, ParamId, RegionId, ValueId};
use crate::ir::parse::{ParseError, Parser, Token};
use crate::ir::print::Printer;
use crate::ir::types::Literal;

/// An enum whose variants each have one spelling.
pub trait Keyword: Copy + PartialEq + 'static {
    /// Every variant with its spelling.
    const ALL: &'static [(Self, &'static str)];

    /// The spelling.
    fn keyword(self) -> &'static str {
        let entry = Self::ALL.iter().find(|(variant, _)| *variant == self);
        entry.expect("ALL lists every variant").1
    }

    /// The variant of that spelling.
    fn from_keyword(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, spelling)| *spelling == text).map(|(variant, _)| *variant)
    }
}

/// A suffix of an operation's name.
pub trait Modifier: Sized {
    /// Adds `.suffix` to the head; without the dot where the head is still empty.
    fn print_suffix(&self, head: &mut String);

    /// Takes the suffix off the front of `rest`; `None` where `rest` starts with something else.
    fn parse_suffix(rest: &str) -> Option<(Self, &str)>;
}

impl<K: Keyword> Modifier for K {
    fn print_suffix(&self, head: &mut String) {
        if !head.is_empty() {
            head.push('.');
        }
        head.push_str(self.keyword());
    }

    fn parse_suffix(rest: &str) -> Option<(Self, &str)> {
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        let matches = K::ALL.iter().filter_map(|&(variant, spelling)| {
            let after = rest.strip_prefix(spelling)?;
            (after.is_empty() || after.starts_with('.')).then_some((variant, after))
        });
        matches.min_by_key(|(_, after)| after.len())
    }
}

/// An operand of an operation.
pub trait Field: Sized {
    /// What stands before it, unless the row puts a word there.
    const SEPARATOR: &'static str = ", ";

    /// Writes it.
    fn print(&self, printer: &mut Printer<'_>);

    /// Reads it.
    ///
    /// # Errors
    /// The text is something else.
    fn parse(parser: &mut Parser) -> Result<Self, ParseError>;

    /// Whether an optional operand is not given, so that it prints nothing.
    fn is_absent(&self) -> bool {
        false
    }

    /// Whether the operand begins here; only an optional one can say no.
    fn starts(_parser: &mut Parser, _word: Option<&str>, _first: bool) -> bool {
        true
    }

    /// The operand when it is not given.
    ///
    /// # Errors
    /// It must be given.
    fn absent(parser: &mut Parser) -> Result<Self, ParseError> {
        Err(parser.expected("an operand"))
    }

    /// Calls `visit` for each value used.
    fn uses(&self, _visit: &mut dyn FnMut(ValueId)) {}

    /// Replaces each value used.
    fn map_uses(&mut self, _map: &mut dyn FnMut(ValueId) -> ValueId) {}

    /// Calls `visit` for each region held.
    fn regions(&self, _visit: &mut dyn FnMut(RegionId)) {}
}

impl Field for ValueId {
    fn print(&self, printer: &mut Printer<'_>) {
        printer.value(*self);
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.value()
    }

    fn uses(&self, visit: &mut dyn FnMut(ValueId)) {
        visit(*self);
    }

    fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId) {
        *self = map(*self);
    }
}

impl Field for RegionId {
    const SEPARATOR: &'static str = " ";

    fn print(&self, printer: &mut Printer<'_>) {
        printer.region(*self);
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.region()
    }

    fn regions(&self, visit: &mut dyn FnMut(RegionId)) {
        visit(*self);
    }
}

impl Field for LocalId {
    fn print(&self, printer: &mut Printer<'_>) {
        printer.text(&self.to_string());
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.local()
    }
}

impl Field for ParamId {
    fn print(&self, printer: &mut Printer<'_>) {
        printer.param(*self);
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.param()
    }
}

impl Field for Literal {
    fn print(&self, printer: &mut Printer<'_>) {
        printer.text(&self.to_string());
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.literal()
    }
}

impl Field for u32 {
    fn print(&self, printer: &mut Printer<'_>) {
        printer.text(&self.to_string());
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.number()
    }
}

impl Field for String {
    fn print(&self, printer: &mut Printer<'_>) {
        printer.text(&format!("{self:?}"));
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        match parser.next() {
            Some(Token::Text(text)) => Ok(text),
            Some(_) | None => Err(parser.expected("a quoted text")),
        }
    }
}
