//! Bodies: declarations, labels, statements, and the scopes in which they stand.

use super::Parser;
use super::scope::{Scope, Taken};
use crate::ptx::isa::lex::TokenKind;
use crate::ptx::isa::{
    FunctionId, Inst, LabelId, ParseError, ParseErrorKind, Resolve as _, ScalarType, Symbol,
};
use crate::ptx::module::{
    Entry, InlinedAt, Label, Linkage, PrototypeParam, Statement, StatementKind, Table, TableKind, VarSpace,
};

/// Most registers that one `%r<n>` may declare: a typing error must not take the memory of the machine.
const MOST_REGISTERS: u64 = 1 << 20;

/// Directives that stand behind a label of their own.
const TABLES: [&str; 3] = [".branchtargets", ".calltargets", ".callprototype"];

impl<'a> Parser<'a> {
    /// `{ … }`, left out where something in it is not supported and that is asked for.
    pub(super) fn body(&mut self, entry: &mut Entry, scope: &mut Scope<'a, '_>) -> Result<(), ParseError> {
        let start = self.at;
        let without = self.partly.then(|| entry.clone());
        let error = match (self.whole_body(entry, scope), without) {
            (Err(error), Some(without)) if error.is_unsupported() => {
                *entry = without;
                error
            }
            (done, _) => return done,
        };
        entry.lacking = Some(Box::new(error));
        self.at = start;
        let mut depth = 0_u32;
        while let Some(token) = self.peek() {
            self.at += 1;
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth -= 1;
            }
            if depth == 0 {
                return Ok(());
            }
        }
        self.expected("}")
    }

    /// `{ … }`. Comments on the line of a `{` or of a declaration belong to it, and are dropped.
    fn whole_body(&mut self, entry: &mut Entry, scope: &mut Scope<'a, '_>) -> Result<(), ParseError> {
        let mut declared = self.peek().map_or(0, |token| token.line);
        self.take("{")?;
        self.labels(entry, scope)?;
        loop {
            for comment in self.comments_before(declared) {
                for text in comment.text.split('\n') {
                    let kind = StatementKind::Comment(text.trim().into());
                    entry.body.push(Statement { kind, comment: None, line: comment.line });
                }
            }
            let Some(token) = self.peek() else { return self.expected("}") };
            match token.text {
                "}" if token.kind == TokenKind::Sign => {
                    self.at += 1;
                    if !scope.close() {
                        entry.renumber_labels();
                        return Ok(());
                    }
                    continue;
                }
                "{" if token.kind == TokenKind::Sign => {
                    self.at += 1;
                    scope.open();
                    self.labels(entry, scope)?;
                    continue;
                }
                ".reg" => {
                    self.at += 1;
                    self.registers(entry, scope)?;
                }
                ".shared" | ".local" | ".global" | ".const" | ".param" => {
                    let Some(space) = self.var_space() else { return self.expected("a state space") };
                    self.body_variable(entry, scope, space)?;
                }
                _ if self.is_ahead(1, ":") && self.is_table() => self.table(entry, scope)?,
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

    fn body_variable(
        &mut self,
        entry: &mut Entry,
        scope: &mut Scope<'a, '_>,
        space: VarSpace,
    ) -> Result<(), ParseError> {
        let (name, mut variable) = self.variable(space, Linkage::Internal)?;
        let declared = scope.symbol(name, |unique| {
            variable.name = unique;
            Symbol::Var(entry.vars.push(variable))
        });
        declared.or_else(|Taken| self.duplicate(name))
    }

    /// Whether the label here belongs to a directive.
    fn is_table(&self) -> bool {
        self.tokens.get(self.at + 2).is_some_and(|token| TABLES.contains(&token.text))
    }

    /// Finds the labels of this pair of braces ahead, so that a branch forward knows its target.
    fn labels(&mut self, entry: &mut Entry, scope: &mut Scope<'a, '_>) -> Result<(), ParseError> {
        let start = self.at;
        let mut depth = 1_u32;
        while let (Some(token), true) = (self.peek(), depth > 0) {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth -= 1;
            }
            let before = &self.tokens[self.at - 1];
            let starts = before.line < token.line || [";", ":", "{", "}"].iter().any(|sign| before.is(sign));
            let label = depth == 1 && token.kind == TokenKind::Word && self.is_ahead(1, ":") && starts;
            if label && !self.is_table() {
                let made = scope.label(token.text, |name| entry.labels.push(Label { name }));
                if made.is_err() {
                    let kind = ParseErrorKind::Duplicate { name: token.text.to_owned() };
                    return Err(token.error(kind));
                }
            }
            self.at += 1;
        }
        self.at = start;
        Ok(())
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

    fn statement(&mut self, scope: &Scope<'a, '_>) -> Result<StatementKind, ParseError> {
        let text = self.text();
        if self.eat(".loc") {
            return self.location();
        }
        if self.eat(".pragma") {
            return self.pragma().map(StatementKind::Pragma);
        }
        if self.is_ahead(1, ":") {
            let Some(label) = scope.label(text) else { return self.expected("a label") };
            self.at += 2;
            return Ok(StatementKind::Label(label));
        }
        if text.starts_with('.') {
            return self.unsupported("directive");
        }
        let (inst, taken) = Inst::parse(&self.tokens[self.at..], scope)?;
        self.at += taken;
        Ok(StatementKind::Inst(inst))
    }

    /// `"…";` after `.pragma`.
    pub(super) fn pragma(&mut self) -> Result<Box<str>, ParseError> {
        let text = self.take_kind(TokenKind::Text, "a text in quotes")?;
        self.take(";")?;
        Ok(text.into())
    }

    /// File, line and column after `.loc`, and perhaps where the function of that place was inlined.
    fn location(&mut self) -> Result<StatementKind, ParseError> {
        let (file, line) = (self.number_u32()?, self.number_u32()?);
        let column = self.number_u32()?;
        let (mut function, mut place) = (None, None);
        while self.eat(",") {
            if self.eat("function_name") {
                self.named.extend(self.peek());
                let mut label = self.take_kind(TokenKind::Word, "a label of a debug section")?.to_owned();
                if self.eat("+") {
                    label = format!("{label}+{}", self.number()?);
                }
                function = Some(label.into());
            } else if self.eat("inlined_at") {
                let first = self.at;
                let inlined = (self.number_u32()?, self.number_u32()?, self.number_u32()?);
                if !self.places.contains(&[inlined.0, inlined.1, inlined.2]) {
                    self.at = first;
                    return self.expected("a place that a `.loc` before this one names");
                }
                place = Some(inlined);
            } else {
                return self.unsupported("option of `.loc`");
            }
        }
        let inlined = match (function, place) {
            (None, None) => None,
            (Some(function), Some((file, line, column))) => {
                Some(Box::new(InlinedAt { function, file, line, column }))
            }
            (Some(_), None) => return self.expected("`, inlined_at`"),
            (None, Some(_)) => return self.expected("`, function_name`"),
        };
        self.places.insert([file, line, column]);
        Ok(StatementKind::Loc { file, line, column, inlined })
    }

    /// `.b32 a, b, %r<4>;` after `.reg`.
    fn registers(&mut self, entry: &mut Entry, scope: &mut Scope<'a, '_>) -> Result<(), ParseError> {
        let ty = self.register_type()?;
        loop {
            let name = self.name()?;
            if self.eat("<") {
                let count = self.number()?;
                if count > MOST_REGISTERS {
                    self.at -= 1;
                    return Err(self.error(ParseErrorKind::BadNumber { met: count.to_string() }));
                }
                self.take(">")?;
                self.register_range(entry, scope, ty, name, count)?;
            } else {
                scope.reg(entry, ty, name).map(|_| ()).or_else(|Taken| self.duplicate(name))?;
            }
            if !self.eat(",") {
                return self.take(";");
            }
        }
    }

    fn register_range(
        &self,
        entry: &mut Entry,
        scope: &mut Scope<'a, '_>,
        ty: ScalarType,
        stem: &str,
        count: u64,
    ) -> Result<(), ParseError> {
        for index in 0..count {
            let declared = scope.range_reg(entry, ty, format!("{stem}{index}"));
            declared.or_else(|name| self.duplicate(&name))?;
        }
        Ok(())
    }

    /// `name: .branchtargets a, b;` and its like.
    fn table(&mut self, entry: &mut Entry, scope: &mut Scope<'a, '_>) -> Result<(), ParseError> {
        let name = self.name()?;
        self.at += 1;
        let kind = match self.text() {
            ".branchtargets" => TableKind::Branches(self.branches(scope)?),
            ".calltargets" => TableKind::Callees(self.callees(scope)?),
            _ => self.prototype()?,
        };
        self.take(";")?;
        let declared = scope.table(name, |name| entry.tables.push(Table { name, kind }));
        declared.or_else(|Taken| self.duplicate(name))
    }

    fn branches(&mut self, scope: &Scope<'a, '_>) -> Result<Vec<LabelId>, ParseError> {
        self.targets(|name| scope.label(name), "label")
    }

    fn callees(&mut self, scope: &Scope<'a, '_>) -> Result<Vec<FunctionId>, ParseError> {
        let find = |name: &str| match scope.symbol(name) {
            Some(Symbol::Function(function)) => Some(function),
            Some(Symbol::Param(_) | Symbol::Var(_) | Symbol::Global(_)) | None => None,
        };
        self.targets(find, "function")
    }

    fn targets<T>(
        &mut self,
        find: impl Fn(&str) -> Option<T>,
        what: &'static str,
    ) -> Result<Vec<T>, ParseError> {
        self.at += 1;
        let mut targets = Vec::new();
        loop {
            let name = self.name()?;
            let Some(target) = find(name) else {
                self.at -= 1;
                return Err(self.error(ParseErrorKind::UnknownName { what, name: name.to_owned() }));
            };
            targets.push(target);
            if !self.eat(",") {
                return Ok(targets);
            }
        }
    }

    /// `.callprototype (results) _ (arguments)`.
    fn prototype(&mut self) -> Result<TableKind, ParseError> {
        self.at += 1;
        let unnamed = |list: Vec<(&str, PrototypeParam)>| list.into_iter().map(|(_, param)| param).collect();
        let results = if self.is("(") { unnamed(self.signature()?) } else { Vec::new() };
        self.take("_")?;
        let arguments = if self.is("(") { unnamed(self.signature()?) } else { Vec::new() };
        let no_return = self.eat(".noreturn");
        Ok(TableKind::Prototype { results, arguments, no_return })
    }
}
