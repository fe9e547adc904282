//! Reads a module from text.
//!
//! Exit: every instruction knows its line. Comments on the top lines of the module, on lines of their own in a body
//! and behind a statement are kept; all others are dropped. A directive or construct that is not supported is an
//! error that names it; nothing is skipped.

use std::collections::HashMap;

use super::{
    Entry, Extent, Label, LaunchBounds, Linkage, Module, Param, PointerAttr, PointerSpace, SourceFile,
    Statement, StatementKind, VarSpace, Variable,
};
use crate::entity::Arena;
use crate::ptx::isa::lex::{Token, TokenKind, lex};
use crate::ptx::isa::scan::parse_number;
use crate::ptx::isa::{
    GlobalId, Inst, LabelId, ParseError, ParseErrorKind, Reg, RegClass, Resolve, ScalarType, SmTarget,
    Symbol, Use,
};

/// Most registers that one `%r<n>` may declare: a typing error must not take the memory of the machine.
const MOST_REGISTERS: u64 = 1 << 20;

/// Reads a whole module.
///
/// # Errors
/// The first thing that is not PTX or not supported, with its line and column.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let all = lex(text)?;
    let (mut tokens, mut comments) = (Vec::with_capacity(all.len()), Vec::new());
    for token in all {
        if token.kind == TokenKind::Comment { comments.push(token) } else { tokens.push(token) }
    }
    let mut parser = Parser { tokens: &tokens, comments: &comments, at: 0, next_comment: 0 };
    parser.module()
}

/// Where an entry's names lead.
#[derive(Default)]
struct Scope<'a> {
    regs: HashMap<&'a str, Reg>,
    symbols: HashMap<&'a str, Symbol>,
    labels: HashMap<&'a str, LabelId>,
    /// Names made from ranges such as `%r<4>`, which the text doesn't hold.
    ranges: HashMap<String, Reg>,
}

impl Resolve for Scope<'_> {
    fn reg(&self, name: &str) -> Option<Reg> {
        self.regs.get(name).or_else(|| self.ranges.get(name)).copied()
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    fn label(&self, name: &str) -> Option<LabelId> {
        self.labels.get(name).copied()
    }
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    comments: &'a [Token<'a>],
    at: usize,
    next_comment: usize,
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

    fn duplicate<T>(&self, name: &str) -> Result<T, ParseError> {
        Err(self.error(ParseErrorKind::Duplicate { name: name.to_owned() }))
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text && token.kind != TokenKind::Text)
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
        match parse_number(text, false) {
            Some(Use::Int(value)) => Ok(value.cast_unsigned()),
            _ => {
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

    fn align(&mut self) -> Result<Option<u32>, ParseError> {
        if self.eat(".align") { self.number_u32().map(Some) } else { Ok(None) }
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

    fn module(&mut self) -> Result<Module, ParseError> {
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
        if self.is(",") {
            return self.unsupported("target option after");
        }
        if self.eat(".address_size") {
            let size = self.number()?;
            if size != 64 {
                self.at -= 1;
                return self.unsupported("address size");
            }
        }
        let mut module = Module { version, comments, ..Module::new(target) };
        let mut globals = HashMap::new();
        while self.peek().is_some() {
            self.module_item(&mut module, &mut globals)?;
        }
        Ok(module)
    }

    fn module_item(
        &mut self,
        module: &mut Module,
        globals: &mut HashMap<&'a str, GlobalId>,
    ) -> Result<(), ParseError> {
        if self.eat(".file") {
            let index = self.number_u32()?;
            let path = self.take_kind(TokenKind::Text, "a path in quotes")?.to_owned();
            if self.is(",") {
                return self.unsupported("time stamp of a file after");
            }
            module.files.push(SourceFile { index, path });
            return Ok(());
        }
        let linkage = match self.text() {
            ".visible" => Linkage::Visible,
            ".extern" => Linkage::Extern,
            _ => Linkage::Internal,
        };
        if linkage != Linkage::Internal {
            self.at += 1;
        }
        if self.eat(".entry") {
            if linkage == Linkage::Extern {
                self.at -= 1;
                return self.unsupported("external");
            }
            let entry = self.entry(linkage == Linkage::Visible, globals)?;
            module.entries.push(entry);
            return Ok(());
        }
        let Some(space) = self.var_space() else { return self.unsupported("directive") };
        let (name, variable) = self.variable(space, linkage)?;
        if globals.contains_key(name) {
            self.at -= 1;
            return self.duplicate(name);
        }
        globals.insert(name, module.globals.push(variable));
        Ok(())
    }

    fn var_space(&mut self) -> Option<VarSpace> {
        let space = match self.text() {
            ".shared" => VarSpace::Shared,
            ".local" => VarSpace::Local,
            ".global" => VarSpace::Global,
            ".const" => VarSpace::Const,
            _ => return None,
        };
        self.at += 1;
        Some(space)
    }

    fn variable(&mut self, space: VarSpace, linkage: Linkage) -> Result<(&'a str, Variable), ParseError> {
        let align = self.align()?;
        let ty = self.scalar_type()?;
        let name = self.name()?;
        let mut extent = Extent::Scalar;
        if self.eat("[") {
            extent = if self.is("]") { Extent::Unsized } else { Extent::Array(self.number()?) };
            self.take("]")?;
            if self.is("[") {
                return self.unsupported("second dimension");
            }
        }
        let initial = self.initial(space, ty)?;
        self.take(";")?;
        Ok((name, Variable { name: name.to_owned(), space, linkage, align, ty, extent, initial }))
    }

    /// `= {1, 2}` or `= 1` behind a variable of the module's own memory.
    fn initial(&mut self, space: VarSpace, ty: ScalarType) -> Result<Vec<u64>, ParseError> {
        if self.is("=") && !(matches!(space, VarSpace::Global | VarSpace::Const) && ty.bits() <= 64) {
            return self.unsupported("initialiser");
        }
        let mut values = Vec::new();
        if !self.eat("=") {
            return Ok(values);
        }
        if !self.eat("{") {
            values.push(self.initial_value(ty)?);
            return Ok(values);
        }
        loop {
            values.push(self.initial_value(ty)?);
            if !self.eat(",") {
                self.take("}")?;
                return Ok(values);
            }
        }
    }

    fn initial_value(&mut self, ty: ScalarType) -> Result<u64, ParseError> {
        let negative = self.eat("-");
        let Some(token) = self.peek().filter(|token| token.kind == TokenKind::Number) else {
            return self.unsupported("initial value");
        };
        let bits = match (parse_number(token.text, negative), ty) {
            (Some(Use::F32(bits)), ScalarType::F32) => u64::from(bits),
            (Some(Use::F64(bits)), ScalarType::F64) => bits,
            (Some(Use::Int(value)), _) if !ty.is_float() => {
                value.cast_unsigned() & (u64::MAX >> (64 - ty.bits()))
            }
            _ => return Err(self.error(ParseErrorKind::BadNumber { met: token.text.to_owned() })),
        };
        self.at += 1;
        Ok(bits)
    }

    fn entry(&mut self, visible: bool, globals: &HashMap<&'a str, GlobalId>) -> Result<Entry, ParseError> {
        let mut entry = Entry { visible, ..Entry::new(self.name()?) };
        let mut scope = Scope::default();
        scope.symbols.extend(globals.iter().map(|(&name, &id)| (name, Symbol::Global(id))));
        if self.eat("(") && !self.eat(")") {
            loop {
                let (name, param) = self.param()?;
                if matches!(
                    scope.symbols.insert(name, Symbol::Param(entry.params.push(param))),
                    Some(Symbol::Param(_))
                ) {
                    return self.duplicate(name);
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.take(")")?;
        }
        entry.bounds = self.bounds()?;
        let open = self.peek().map_or(0, |token| token.line);
        self.take("{")?;
        self.labels(&mut entry.labels, &mut scope)?;
        self.body(&mut entry, &mut scope, open)?;
        Ok(entry)
    }

    fn param(&mut self) -> Result<(&'a str, Param), ParseError> {
        self.take(".param")?;
        let align = self.align()?;
        let ty = self.scalar_type()?;
        let pointer = if self.eat(".ptr") {
            let space = match self.text() {
                ".global" => PointerSpace::Global,
                ".shared" => PointerSpace::Shared,
                ".const" => PointerSpace::Const,
                ".local" => PointerSpace::Local,
                _ => PointerSpace::Generic,
            };
            self.at += usize::from(space != PointerSpace::Generic);
            Some(PointerAttr { space, align: self.align()? })
        } else {
            None
        };
        let name = self.name()?;
        let mut array = None;
        if self.eat("[") {
            array = Some(self.number()?);
            self.take("]")?;
        }
        Ok((name, Param { name: name.to_owned(), ty, array, align, pointer }))
    }

    fn bounds(&mut self) -> Result<LaunchBounds, ParseError> {
        let mut bounds = LaunchBounds::default();
        while !self.is("{") {
            if self.eat(".maxntid") {
                bounds.max_threads = Some(self.shape()?);
            } else if self.eat(".reqntid") {
                bounds.required_threads = Some(self.shape()?);
            } else if self.eat(".minnctapersm") {
                bounds.min_ctas = Some(self.number_u32()?);
            } else if self.eat(".maxnreg") {
                bounds.max_registers = Some(self.number_u32()?);
            } else if self.text().starts_with('.') {
                return self.unsupported("directive");
            } else {
                return self.expected("{");
            }
        }
        Ok(bounds)
    }

    fn shape(&mut self) -> Result<[u32; 3], ParseError> {
        let mut shape = [self.number_u32()?, 1, 1];
        for extent in &mut shape[1..] {
            if !self.eat(",") {
                break;
            }
            *extent = self.number_u32()?;
        }
        Ok(shape)
    }

    /// Finds the labels ahead, so that a branch forward knows its target.
    fn labels(
        &mut self,
        labels: &mut Arena<LabelId, Label>,
        scope: &mut Scope<'a>,
    ) -> Result<(), ParseError> {
        let start = self.at;
        let mut depth = 1_u32;
        while let (Some(token), true) = (self.peek(), depth > 0) {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth -= 1;
            }
            let statement_start = self.tokens[self.at - 1].is(";")
                || self.tokens[self.at - 1].is(":")
                || self.tokens[self.at - 1].is("{")
                || self.tokens[self.at - 1].line < token.line;
            let label = token.kind == TokenKind::Word
                && self.tokens.get(self.at + 1).is_some_and(|next| next.is(":"));
            if label && statement_start {
                if scope.labels.contains_key(token.text) {
                    return self.duplicate(token.text);
                }
                let id = labels.push(Label { name: token.text.to_owned() });
                scope.labels.insert(token.text, id);
            }
            self.at += 1;
        }
        self.at = start;
        Ok(())
    }

    /// `declared` is the line of the `{`, then of the last declaration: comments up to there belong to it, and are
    /// dropped.
    fn body(
        &mut self,
        entry: &mut Entry,
        scope: &mut Scope<'a>,
        mut declared: u32,
    ) -> Result<(), ParseError> {
        loop {
            for comment in self.comments_before(declared) {
                for text in comment.text.split('\n') {
                    let kind = StatementKind::Comment(text.trim().into());
                    entry.body.push(Statement { kind, comment: None, line: comment.line });
                }
            }
            let Some(token) = self.peek() else { return self.expected("}") };
            if self.eat("}") {
                return Ok(());
            }
            match token.text {
                ".reg" => {
                    self.at += 1;
                    self.registers(entry, scope)?;
                }
                ".shared" | ".local" | ".global" | ".const" => {
                    let Some(space) = self.var_space() else { return self.expected("a state space") };
                    let (name, variable) = self.variable(space, Linkage::Internal)?;
                    let id = Symbol::Var(entry.vars.push(variable));
                    if matches!(scope.symbols.insert(name, id), Some(Symbol::Var(_) | Symbol::Param(_))) {
                        return self.duplicate(name);
                    }
                }
                _ => {
                    let kind = self.statement(scope)?;
                    let comment = self.trailing_comment();
                    entry.body.push(Statement { kind, comment, line: token.line });
                    continue;
                }
            }
            declared = self.tokens[self.at - 1].line;
        }
    }

    fn trailing_comment(&mut self) -> Option<Box<str>> {
        let line = self.tokens[self.at - 1].line;
        let column = self.tokens[self.at - 1].column;
        let comment = self.comments.get(self.next_comment)?;
        let last_on_line = self.peek().is_none_or(|next| next.line > line);
        if comment.line != line || comment.column < column || comment.text.contains('\n') || !last_on_line {
            return None;
        }
        self.next_comment += 1;
        Some(comment.text.into())
    }

    fn statement(&mut self, scope: &Scope<'a>) -> Result<StatementKind, ParseError> {
        let text = self.text();
        if self.eat(".loc") {
            let (file, line) = (self.number_u32()?, self.number_u32()?);
            let column = self.number_u32()?;
            if self.is(",") {
                return self.unsupported("option of `.loc` after");
            }
            return Ok(StatementKind::Loc { file, line, column });
        }
        if self.eat(".pragma") {
            let text = self.take_kind(TokenKind::Text, "a text in quotes")?;
            self.take(";")?;
            return Ok(StatementKind::Pragma(text.into()));
        }
        if self.tokens.get(self.at + 1).is_some_and(|next| next.is(":")) {
            let Some(&label) = scope.labels.get(text) else { return self.expected("a label") };
            self.at += 2;
            return Ok(StatementKind::Label(label));
        }
        if text.starts_with('.') {
            return self.unsupported("directive");
        }
        if self.is("{") {
            return self.unsupported("nested scope");
        }
        let (inst, taken) = Inst::parse(&self.tokens[self.at..], scope)?;
        self.at += taken;
        Ok(StatementKind::Inst(inst))
    }

    /// `.b32 a, b, %r<4>;` after `.reg`.
    fn registers(&mut self, entry: &mut Entry, scope: &mut Scope<'a>) -> Result<(), ParseError> {
        let class = self.scalar_type()?.class();
        loop {
            let name = self.name()?;
            if self.eat("<") {
                let count = self.number()?;
                if count > MOST_REGISTERS {
                    self.at -= 1;
                    return Err(self.error(ParseErrorKind::BadNumber { met: count.to_string() }));
                }
                self.take(">")?;
                self.register_range(entry, scope, class, name, count)?;
            } else {
                if scope.reg(name).is_some() {
                    self.at -= 1;
                    return self.duplicate(name);
                }
                scope.regs.insert(name, entry.regs.new_reg(class, name));
            }
            if !self.eat(",") {
                return self.take(";");
            }
        }
    }

    fn register_range(
        &self,
        entry: &mut Entry,
        scope: &mut Scope<'a>,
        class: RegClass,
        stem: &str,
        count: u64,
    ) -> Result<(), ParseError> {
        for index in 0..count {
            let name = format!("{stem}{index}");
            if scope.reg(&name).is_some() {
                return self.duplicate(&name);
            }
            let reg = entry.regs.new_reg(class, name.as_str());
            scope.ranges.insert(name, reg);
        }
        Ok(())
    }
}
