//! Reads a module from text.
//!
//! Exit: every instruction knows its line. Comments on the top lines of the module, on lines of their own in a body
//! and behind a statement are kept; all others are dropped. Nested scopes are dissolved into the body around them: a
//! name that shadows another, or that a scope before had, gets `$1` and so on behind it. A directive or construct that
//! is not supported is an error that names it; nothing is skipped.

mod body;
mod function;
mod scope;
mod section;
mod variable;

use std::collections::{HashMap, HashSet};

use super::{Extent, Linkage, Module, VarSpace, Variable};
use crate::ptx::isa::constant::parse_integer;
use crate::ptx::isa::lex::{Token, TokenKind, lex};
use crate::ptx::isa::types::TypeKind;
use crate::ptx::isa::{ParseError, ParseErrorKind, ScalarType, SmTarget, Symbol};

/// Reads a whole module.
///
/// # Errors
/// The first thing that is not PTX or not supported, with its line and column.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    read(text, false)
}

/// Reads a module of which perhaps one kernel is wanted: a body with something that is not supported is left out, and
/// says so in [`Entry::lacking`](super::Entry::lacking).
///
/// # Errors
/// The first thing that is not PTX, or not supported outside a body.
pub fn parse_partly(text: &str) -> Result<Module, ParseError> {
    read(text, true)
}

fn read(text: &str, partly: bool) -> Result<Module, ParseError> {
    let all = lex(text)?;
    let (mut tokens, mut comments) = (Vec::with_capacity(all.len()), Vec::new());
    for token in all {
        if token.kind == TokenKind::Comment { comments.push(token) } else { tokens.push(token) }
    }
    let module = Module::new(SmTarget::plain(0));
    let names = HashMap::new();
    let (places, named) = (HashSet::new(), Vec::new());
    let (tokens, comments) = (&tokens[..], &comments[..]);
    let mut parser =
        Parser { partly, tokens, comments, at: 0, next_comment: 0, module, names, places, named };
    parser.module()?;
    Ok(parser.module)
}

struct Parser<'a> {
    /// Whether bodies with something unsupported are left out.
    partly: bool,
    tokens: &'a [Token<'a>],
    comments: &'a [Token<'a>],
    at: usize,
    next_comment: usize,
    module: Module,
    /// Variables and functions of the module.
    names: HashMap<&'a str, Symbol>,
    /// File, line and column of each `.loc` so far.
    places: HashSet<[u32; 3]>,
    /// Labels of debug sections that a `.loc` names.
    named: Vec<&'a Token<'a>>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    fn text(&self) -> &'a str {
        self.peek().map_or("", |token| token.text)
    }

    fn error(&self, kind: ParseErrorKind) -> ParseError {
        match self.peek().or_else(|| self.tokens.last()) {
            Some(token) => token.error(kind),
            None => ParseError { line: 1, column: 1, kind },
        }
    }

    fn expected<T>(&self, expected: &'static str) -> Result<T, ParseError> {
        Err(self.error(ParseErrorKind::Expected { expected, met: self.text().to_owned() }))
    }

    fn unsupported<T>(&self, what: &'static str) -> Result<T, ParseError> {
        Err(self.error(ParseErrorKind::Unsupported { what, met: self.text().to_owned() }))
    }

    /// An error about the token just taken.
    fn duplicate<T>(&self, name: &str) -> Result<T, ParseError> {
        let kind = ParseErrorKind::Duplicate { name: name.to_owned() };
        Err(self.tokens[self.at.saturating_sub(1)].error(kind))
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text && token.kind != TokenKind::Text)
    }

    fn is_ahead(&self, places: usize, text: &str) -> bool {
        self.tokens.get(self.at + places).is_some_and(|token| token.is(text))
    }

    fn eat(&mut self, text: &str) -> bool {
        let met = self.is(text);
        self.at += usize::from(met);
        met
    }

    fn take(&mut self, text: &'static str) -> Result<(), ParseError> {
        if self.eat(text) { Ok(()) } else { self.expected(text) }
    }

    fn take_kind(&mut self, kind: TokenKind, expected: &'static str) -> Result<&'a str, ParseError> {
        match self.peek() {
            Some(token) if token.kind == kind => {
                self.at += 1;
                Ok(token.text)
            }
            _ => self.expected(expected),
        }
    }

    fn name(&mut self) -> Result<&'a str, ParseError> {
        if self.text().starts_with('.') {
            return self.unsupported("directive");
        }
        self.take_kind(TokenKind::Word, "a name")
    }

    fn number(&mut self) -> Result<u64, ParseError> {
        let text = self.take_kind(TokenKind::Number, "a number")?;
        match parse_integer(text) {
            Some((value, _)) => Ok(value),
            None => {
                self.at -= 1;
                Err(self.error(ParseErrorKind::BadNumber { met: text.to_owned() }))
            }
        }
    }

    fn number_u32(&mut self) -> Result<u32, ParseError> {
        let value = self.number()?;
        u32::try_from(value).map_err(|_| {
            self.at -= 1;
            self.error(ParseErrorKind::BadNumber { met: value.to_string() })
        })
    }

    fn scalar_type(&mut self) -> Result<ScalarType, ParseError> {
        if matches!(self.text(), ".v2" | ".v4") {
            return self.unsupported("vector declaration");
        }
        let Some(ty) = ScalarType::parse(self.text()) else { return self.expected("a type") };
        self.at += 1;
        Ok(ty)
    }

    /// The type of a register, which the assembler takes fewer of than of instructions.
    fn register_type(&mut self) -> Result<ScalarType, ParseError> {
        if matches!(self.text(), ".v2" | ".v4") {
            return self.unsupported("vector of registers");
        }
        let ty = self.scalar_type()?;
        let declares = match ty.kind() {
            TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed | TypeKind::Pred => true,
            TypeKind::Float => !matches!(ty, ScalarType::BF16 | ScalarType::TF32),
            TypeKind::Packed => ty == ScalarType::F16x2,
        };
        if !declares {
            self.at -= 1;
            return self.expected("a type of registers; this one is an instruction's only");
        }
        Ok(ty)
    }

    fn align(&mut self) -> Result<Option<u32>, ParseError> {
        if self.eat(".align") { self.number_u32().map(Some) } else { Ok(None) }
    }

    /// Items in parentheses with commas between them, perhaps none.
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), ParseError>) -> Result<(), ParseError> {
        self.take("(")?;
        if self.eat(")") {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.eat(",") {
                return self.take(")");
            }
        }
    }

    /// Comments before the next token, starting on a line after `line`.
    fn comments_before(&mut self, line: u32) -> &'a [Token<'a>] {
        let end = self.peek().map_or(u32::MAX, |token| token.line);
        let start = self.next_comment;
        while self.comments.get(self.next_comment).is_some_and(|comment| comment.line < end) {
            self.next_comment += 1;
        }
        let met = &self.comments[start..self.next_comment];
        let skip = met.iter().take_while(|comment| comment.line <= line).count();
        &met[skip..]
    }

    fn module(&mut self) -> Result<(), ParseError> {
        let comments = self.comments_before(0).iter().flat_map(|comment| comment.text.split('\n'));
        let comments = comments.map(|line| line.trim().to_owned()).collect();
        self.take(".version")?;
        let text = self.take_kind(TokenKind::Number, "a version")?;
        let Ok(version) = text.parse() else {
            self.at -= 1;
            return self.expected("a version");
        };
        self.take(".target")?;
        let Some(target) = SmTarget::parse(self.text()) else { return self.expected("a target") };
        self.at += 1;
        self.module = Module { version, comments, ..Module::new(target) };
        while self.eat(",") {
            if !self.eat("debug") {
                return self.unsupported("target option");
            }
            self.module.debug = true;
        }
        if self.eat(".address_size") {
            let size = self.number()?;
            if size != 64 {
                self.at -= 1;
                return self.unsupported("address size");
            }
        }
        while self.peek().is_some() {
            self.module_item()?;
        }
        self.check_section_labels()
    }

    fn module_item(&mut self) -> Result<(), ParseError> {
        if self.eat(".file") {
            return self.file();
        }
        if self.eat(".section") {
            return self.section();
        }
        let linkage = match self.text() {
            ".visible" => Linkage::Visible,
            ".extern" => Linkage::Extern,
            ".weak" => Linkage::Weak,
            ".common" => Linkage::Common,
            _ => Linkage::Internal,
        };
        if linkage != Linkage::Internal {
            self.at += 1;
        }
        if self.is(".entry") || self.is(".func") {
            let refused = match linkage {
                Linkage::Common => true,
                Linkage::Extern => self.is(".entry"),
                Linkage::Internal | Linkage::Visible | Linkage::Weak => false,
            };
            if refused {
                self.at -= 1;
                return self.unsupported("linkage");
            }
            let entry = self.is(".entry");
            self.at += 1;
            return if entry { self.entry(linkage) } else { self.function(linkage) };
        }
        let Some(space) = self.var_space() else { return self.unsupported("directive") };
        let (name, variable) = self.variable(space, linkage)?;
        self.add_global(name, variable)
    }

    /// A declaration gives way to the definition that follows it, and says nothing after one.
    fn add_global(&mut self, name: &'a str, variable: Variable) -> Result<(), ParseError> {
        let shape = |variable: &Variable| (variable.space, variable.ty);
        match self.names.get(name) {
            None => {
                self.names.insert(name, Symbol::Global(self.module.globals.push(variable)));
            }
            Some(Symbol::Global(id)) => {
                let known = &mut self.module.globals[*id];
                let declared = known.linkage == Linkage::Extern || variable.linkage == Linkage::Extern;
                if !declared || shape(known) != shape(&variable) {
                    return self.duplicate(name);
                }
                if known.linkage == Linkage::Extern && known.extent != Extent::Unsized
                    || variable.linkage != Linkage::Extern
                {
                    *known = variable;
                }
            }
            Some(Symbol::Function(_) | Symbol::Param(_) | Symbol::Var(_)) => return self.duplicate(name),
        }
        Ok(())
    }

    fn var_space(&mut self) -> Option<VarSpace> {
        let space = match self.text() {
            ".shared" => VarSpace::Shared,
            ".local" => VarSpace::Local,
            ".global" => VarSpace::Global,
            ".const" => VarSpace::Const,
            ".param" => VarSpace::Param,
            _ => return None,
        };
        self.at += 1;
        Some(space)
    }
}
