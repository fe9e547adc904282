//! The text form, read.
//!
//! On exit the kernel has the operations and types that the text says, and its ids are dense in text order; it is not
//! yet validated. A bare literal where a value is expected (`shuffle.xor v0, 16u32`) stands for a constant defined
//! just before; an unsuffixed integer is a `u32`. A semicolon begins a comment.

mod error;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use smallvec::SmallVec;

use super::kernel::{
    Array, ArraySpace, Inst, Kernel, Local, LocalId, Param, ParamId, ParamKind, Region, RegionId, Value,
    ValueId,
};
use super::launch::Mode;
pub use super::lex::Token;
use super::lex::{lex, number};
use super::op::{Const, Keyword, MemBase, Op};
use super::types::{DType, Literal};
use crate::diag::{SourceId, Span};
use crate::entity::EntityId;
pub use error::{ParseError, ParseErrorKind};

/// The deepest nesting of regions that is read.
const DEEPEST: usize = 128;

/// Reads kernels; the operations' rows call its methods.
#[derive(Debug)]
pub struct Parser {
    tokens: Vec<(Token, u32, u32)>,
    at: usize,
    kernel: Kernel,
    values: HashMap<String, ValueId>,
    locals: HashMap<String, LocalId>,
    names: HashMap<String, MemBase>,
    region: Vec<RegionId>,
    /// Where a place is not given: whether the text's own line and column stand for it.
    locate: bool,
}

/// Reads one kernel.
///
/// # Errors
/// The first place where the text is not a kernel.
pub fn parse(text: &str) -> Result<Kernel, ParseError> {
    one(parse_kernels(text, None)?)
}

/// Reads one kernel; what has no place of its own gets its place in the text, which `name` calls.
///
/// # Errors
/// The first place where the text is not a kernel.
pub fn parse_located(text: &str, name: &str) -> Result<Kernel, ParseError> {
    one(parse_kernels(text, Some(name))?)
}

fn one(mut kernels: Vec<Kernel>) -> Result<Kernel, ParseError> {
    match kernels.len() {
        1 => Ok(kernels.remove(0)),
        found => Err(ParseError {
            line: 1,
            column: 1,
            kind: ParseErrorKind::Expected { wanted: "one kernel".into(), found: format!("{found}") },
        }),
    }
}

/// Reads all kernels of a text.
///
/// # Errors
/// The first place where the text is not a kernel.
pub fn parse_all(text: &str) -> Result<Vec<Kernel>, ParseError> {
    parse_kernels(text, None)
}

fn parse_kernels(text: &str, name: Option<&str>) -> Result<Vec<Kernel>, ParseError> {
    let mut kernels = Vec::new();
    let mut tokens = lex(text)?;
    while !tokens.is_empty() {
        let mut parser = Parser {
            tokens,
            at: 0,
            kernel: Kernel::new("", "", Vec::new()),
            values: HashMap::new(),
            locals: HashMap::new(),
            names: HashMap::new(),
            region: Vec::new(),
            locate: name.is_some(),
        };
        name.into_iter().for_each(|name| {
            parser.kernel.sources.intern(name);
        });
        parser.header()?;
        parser.declarations()?;
        parser.body()?;
        tokens = parser.tokens.split_off(parser.at);
        // A literal operand of a `for` is defined before the counter that stands left of it.
        kernels.push(parser.kernel.compact());
    }
    Ok(kernels)
}

impl Parser {
    fn error(&self, kind: ParseErrorKind) -> ParseError {
        self.error_at(self.at, kind)
    }

    fn error_at(&self, token: usize, kind: ParseErrorKind) -> ParseError {
        let position = self.tokens.get(token).or(self.tokens.last());
        let (line, column) = position.map_or((1, 1), |&(_, line, column)| (line, column));
        ParseError { line, column, kind }
    }

    /// An error that says what should stand here.
    pub fn expected(&self, wanted: &str) -> ParseError {
        let found = match self.tokens.get(self.at) {
            Some((Token::Word(text) | Token::Number(text), ..)) => format!("`{text}`"),
            Some((Token::Text(text), ..)) => format!("{text:?}"),
            Some((Token::Punct(c), ..)) => format!("`{c}`"),
            None => "the end".into(),
        };
        self.error(ParseErrorKind::Expected { wanted: wanted.into(), found })
    }

    /// Takes the next token.
    #[expect(clippy::should_implement_trait, reason = "a parser is not an iterator: it also looks ahead")]
    pub fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).map(|(token, ..)| token.clone());
        self.at += usize::from(token.is_some());
        token
    }

    /// Whether that word or punctuation mark is next.
    pub fn at(&self, text: &str) -> bool {
        self.at_offset(0, text)
    }

    fn at_offset(&self, offset: usize, text: &str) -> bool {
        match self.tokens.get(self.at + offset) {
            Some((Token::Word(word), ..)) => word == text,
            Some((Token::Punct(c), ..)) => text.len() == 1 && text.starts_with(*c),
            Some((Token::Number(_) | Token::Text(_), ..)) | None => false,
        }
    }

    /// Takes that word or punctuation mark.
    ///
    /// # Errors
    /// Something else is next.
    pub fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        if self.take(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.at(text);
        self.at += usize::from(found);
        found
    }

    /// Takes what stands between two operands: a row's word, or else the operand's own separator.
    pub(crate) fn separator(&mut self, word: Option<&str>, first: bool, own: &str) -> Result<(), ParseError> {
        match word {
            Some(word) => self.expect(word),
            None if first || own.trim().is_empty() => Ok(()),
            None => self.expect(own.trim()),
        }
    }

    pub(crate) fn word(&mut self, wanted: &str) -> Result<String, ParseError> {
        match self.tokens.get(self.at) {
            Some((Token::Word(word), ..)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            Some(_) | None => Err(self.expected(wanted)),
        }
    }

    /// Takes a number.
    ///
    /// # Errors
    /// Something else is next, or it does not fit.
    pub fn number(&mut self) -> Result<u32, ParseError> {
        let Some((Token::Number(text), ..)) = self.tokens.get(self.at) else {
            return Err(self.expected("a number"));
        };
        let number =
            text.parse().map_err(|_| self.error(ParseErrorKind::BadNumber { text: text.clone() }))?;
        self.at += 1;
        Ok(number)
    }

    /// Takes a use of a value; a literal defines a constant on the spot.
    ///
    /// # Errors
    /// Something else is next, or the value is not defined.
    pub fn value(&mut self) -> Result<ValueId, ParseError> {
        if let Some((Token::Word(name), ..)) = self.tokens.get(self.at)
            && !(name == "true" || name == "false" || self.at_offset(1, ":"))
        {
            let undefined = ParseErrorKind::Undefined { name: name.clone() };
            let value = self.values.get(name).copied().ok_or_else(|| self.error(undefined))?;
            self.at += 1;
            return Ok(value);
        }
        let start = self.at;
        let op = Const { value: self.literal()? };
        let dtype = op.value.dtype;
        let value = self.kernel.values.push(Value { dtype, name: None });
        let span = self.own_place(start);
        self.push(op.into(), SmallVec::from_elem(value, 1), span);
        Ok(value)
    }

    fn push(&mut self, op: Op, results: SmallVec<[ValueId; 1]>, span: Span) {
        let inst = self.kernel.insts.push(Inst { op, results, span });
        let region = *self.region.last().expect("instructions are parsed inside a region");
        self.kernel.regions[region].insts.push(inst);
    }

    /// Takes a use of a local.
    ///
    /// # Errors
    /// Something else is next, or the local is not declared.
    pub fn local(&mut self) -> Result<LocalId, ParseError> {
        let name = self.word("a local")?;
        self.locals.get(&name).copied().ok_or_else(|| self.error(ParseErrorKind::Undefined { name }))
    }

    /// Takes the name of a buffer or array.
    ///
    /// # Errors
    /// Something else is next, or it is not declared.
    pub fn base(&mut self) -> Result<MemBase, ParseError> {
        let name = self.word("a buffer or array")?;
        self.names.get(&name).copied().ok_or_else(|| self.error(ParseErrorKind::Undefined { name }))
    }

    /// Takes the name of a parameter.
    ///
    /// # Errors
    /// Something else is next, or it is not declared.
    pub fn param(&mut self) -> Result<ParamId, ParseError> {
        match self.base()? {
            MemBase::Param(id) => Ok(id),
            MemBase::Array(_) => Err(self.expected("a parameter")),
        }
    }

    /// Takes the definition of a counter: its id and type.
    ///
    /// # Errors
    /// Something else is next, or it is defined already.
    pub fn counter(&mut self) -> Result<ValueId, ParseError> {
        let start = self.at;
        let (id, name) = self.definition()?;
        self.expect(":")?;
        let dtype = self.dtype()?;
        self.define(start, id, name, dtype)
    }

    /// Takes a region in braces.
    ///
    /// # Errors
    /// Something in it is wrong.
    pub fn region(&mut self) -> Result<RegionId, ParseError> {
        self.expect("{")?;
        if self.region.len() > DEEPEST {
            return Err(self.error(ParseErrorKind::TooDeep { limit: DEEPEST }));
        }
        let region = self.kernel.regions.push(Region::default());
        self.region.push(region);
        while !self.take("}") {
            self.instruction()?;
        }
        self.region.pop();
        Ok(region)
    }

    /// Takes a literal: `16u32`, `-1.5f32`, `true`, `f32:0x7fc00000`; an unsuffixed integer is a `u32`.
    ///
    /// # Errors
    /// Something else is next, or the number does not fit its type.
    pub fn literal(&mut self) -> Result<Literal, ParseError> {
        if self.take("true") {
            return Ok(Literal::bool(true));
        }
        if self.take("false") {
            return Ok(Literal::bool(false));
        }
        if self.at_offset(1, ":") {
            let dtype = self.dtype()?;
            self.expect(":")?;
            let Some(Token::Number(text)) = self.next() else { return Err(self.expected("a bit pattern")) };
            let bits = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            let bits = bits.filter(|bits| bits & !dtype.mask() == 0);
            return match bits {
                Some(bits) => Ok(Literal::from_bits(dtype, bits)),
                None => Err(self.error(ParseErrorKind::BadNumber { text })),
            };
        }
        let Some((Token::Number(text), ..)) = self.tokens.get(self.at) else {
            return Err(self.expected("a value or a literal"));
        };
        let literal =
            number(text).ok_or_else(|| self.error(ParseErrorKind::BadNumber { text: text.clone() }))?;
        self.at += 1;
        Ok(literal)
    }

    pub(crate) fn dtype(&mut self) -> Result<DType, ParseError> {
        let name = self.word("a type")?;
        DType::parse(&name).ok_or_else(|| {
            self.at -= 1;
            self.expected("a type")
        })
    }

    /// A new name with, after a colon, what the source calls it.
    fn definition(&mut self) -> Result<(String, Option<Box<str>>), ParseError> {
        let id = self.word("a name to define")?;
        // A counter's or local's type also follows a colon, but then there is none for the name: look one further.
        let named = self.at(":") && matches!(self.tokens.get(self.at + 1), Some((Token::Word(_), ..)));
        let ends = [",", "=", ":"].iter().any(|end| self.at_offset(2, end));
        if !(named && ends) {
            return Ok((id, None));
        }
        if let Some((Token::Word(word), ..)) = self.tokens.get(self.at + 1)
            && DType::parse(word).is_some()
            && !self.at_offset(2, ":")
        {
            // `v3: u32 = …`: the type of an unnamed counter.
            return Ok((id, None));
        }
        self.expect(":")?;
        Ok((id, Some(self.word("a name")?.into())))
    }

    fn define(
        &mut self,
        at: usize,
        id: String,
        name: Option<Box<str>>,
        dtype: DType,
    ) -> Result<ValueId, ParseError> {
        let value = self.kernel.values.push(Value { dtype, name });
        match self.values.insert(id.clone(), value) {
            None => Ok(value),
            Some(_) => Err(self.error_at(at, ParseErrorKind::Redefined { name: id })),
        }
    }

    fn own_place(&self, start: usize) -> Span {
        let own = self.tokens.get(start).filter(|_| self.locate);
        own.map_or(Span::default(), |&(_, line, column)| Span::new(SourceId::from_index(0), line, column))
    }

    /// The place given here, or else that of the token at `start`.
    fn span(&mut self, start: usize) -> Result<Span, ParseError> {
        if !self.take("@") {
            return Ok(self.own_place(start));
        }
        let mut source = SourceId::from_index(0);
        if let Some((Token::Word(word), ..)) = self.tokens.get(self.at) {
            let index = word.strip_prefix('s').and_then(|index| index.parse().ok());
            source = SourceId::from_index(index.ok_or_else(|| self.expected("a source"))?);
            self.at += 1;
            self.expect(":")?;
        }
        let line = self.number()?;
        self.expect(":")?;
        Ok(Span { source, line, column: self.number()? })
    }

    fn instruction(&mut self) -> Result<(), ParseError> {
        let mut named = Vec::new();
        let start = self.at;
        let head = self.word("an operation")?;
        let defines = self.at(",") || self.at("=") || self.at(":");
        if defines {
            self.at = start;
            loop {
                named.push(self.definition()?);
                if !self.take(",") {
                    break;
                }
            }
            self.expect("=")?;
        }
        let head = if defines { self.word("an operation")? } else { head };
        let Some(op) = Op::parse(&head, self)? else {
            self.at -= 1;
            return Err(self.error(ParseErrorKind::UnknownOp { head }));
        };
        let types = op.results(&self.kernel).map_err(|error| self.error_at(start, error.into()))?;
        if types.len() != named.len() {
            let results = ParseErrorKind::Results { gives: types.len(), named: named.len() };
            return Err(self.error_at(start, results));
        }
        let span = self.span(start)?;
        let mut results = SmallVec::new();
        for ((id, name), dtype) in named.into_iter().zip(types) {
            results.push(self.define(start, id, name, dtype)?);
        }
        self.push(op, results, span);
        Ok(())
    }

    fn body(&mut self) -> Result<(), ParseError> {
        self.region.push(self.kernel.body);
        while !self.take("}") {
            self.instruction()?;
        }
        Ok(())
    }

    fn header(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        self.expect("kernel")?;
        self.expect("@")?;
        let mut path = vec![self.word("the kernel's path")?];
        while self.take(":") {
            self.expect(":")?;
            path.push(self.word("the kernel's path")?);
        }
        self.kernel.name = path.pop().expect("the path has at least one part");
        self.kernel.module = path.join("::");
        if self.take("<") {
            while !self.take(">") {
                let dtype = self.dtype()?;
                self.kernel.dtypes.push(dtype);
                self.take(",");
            }
        }
        self.expect("(")?;
        while !self.take(")") {
            self.param_declaration()?;
            if !self.at(")") {
                self.expect(",")?;
            }
        }
        if self.take("mode") {
            self.expect("(")?;
            let word = self.word("a mode")?;
            self.kernel.mode = Some(Mode::from_keyword(&word).ok_or_else(|| self.expected("a mode"))?);
            self.expect(")")?;
        }
        if self.take("cta") {
            self.expect("(")?;
            let mut cta = [self.number()?, 1, 1];
            for axis in cta.iter_mut().skip(1) {
                if self.take(",") {
                    *axis = self.number()?;
                }
            }
            self.expect(")")?;
            self.kernel.cta = Some(cta);
        }
        self.kernel.span = self.span(start)?;
        self.expect("{")
    }

    fn name(&mut self, at: usize, name: &str, base: MemBase) -> Result<(), ParseError> {
        match self.names.insert(name.into(), base) {
            None => Ok(()),
            Some(_) => Err(self.error_at(at, ParseErrorKind::Redefined { name: name.into() })),
        }
    }

    fn param_declaration(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        let alias = !self.at_offset(1, ":") && self.take("alias");
        let written = self.take("mut");
        let name = self.word("a parameter")?;
        self.expect(":")?;
        let is_buffer = self.take("global");
        let dtype = self.dtype()?;
        let mut rank = 0;
        if is_buffer && self.take("rank") {
            self.expect("(")?;
            let axes = self.number()?;
            rank = u8::try_from(axes).map_err(|_| self.expected("at most 8 axes"))?;
            self.expect(")")?;
        }
        let kind = if is_buffer { ParamKind::Buffer { written, rank, alias } } else { ParamKind::Scalar };
        let span = self.span(start)?;
        let id = self.kernel.params.push(Param { name: name.clone(), dtype, kind, span });
        self.name(start, &name, MemBase::Param(id))
    }

    fn declarations(&mut self) -> Result<(), ParseError> {
        loop {
            // `v0 = …` may follow; a declaration's word is never followed by `=`.
            if self.at("source") {
                self.at += 2;
                let Some(Token::Text(path)) = self.next() else { return Err(self.expected("a quoted path")) };
                self.kernel.sources.intern(&path);
            } else if self.at("shared") || self.at("private") {
                self.array()?;
            } else if self.take("local") {
                let (id, name) = self.definition()?;
                self.expect(":")?;
                let dtype = self.dtype()?;
                let local = self.kernel.locals.push(Local { name, dtype });
                if self.locals.insert(id.clone(), local).is_some() {
                    return Err(self.error(ParseErrorKind::Redefined { name: id }));
                }
            } else {
                return Ok(());
            }
        }
    }

    fn array(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        let space = if self.take("shared") { ArraySpace::Shared } else { ArraySpace::Private };
        if space == ArraySpace::Private {
            self.expect("private")?;
        }
        let name = self.word("an array")?;
        self.expect(":")?;
        let dtype = self.dtype()?;
        self.expect("[")?;
        let len = self.number()?;
        self.expect("]")?;
        let span = self.span(start)?;
        let id = self.kernel.arrays.push(Array { name: name.clone(), space, dtype, len, span });
        self.name(start, &name, MemBase::Array(id))
    }
}
