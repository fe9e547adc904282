//! One instruction of any row, and its guard.

use std::fmt;

use super::error::{FormError, ParseError, ParseErrorKind};
use super::lacking::lacking;
use super::lex::{Token, TokenKind};
use super::name::{LabelId, Names, Resolve};
use super::reg::{Reg, RegClass};
use super::row::{Instruction, Taker, reordered};
use super::sample::{Choice, Odometer};
use super::scan::{Cursor, pad};
use super::slot::Role;
use super::version::Requirement;
use super::*;

/// Columns that guard and opcode fill before the operands start.
const OPERAND_COLUMN: usize = 24;

macro_rules! define_op {
    ($($name:ident,)*) => {
        /// One instruction of any row.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each variant holds the row of its name")]
        pub enum Op { $($name($name),)* }

        $(impl From<$name> for Op {
            fn from(row: $name) -> Self {
                Self::$name(row)
            }
        })*

        /// What the parser knows of a row before it reads operands.
        struct RowEntry {
            opcode: &'static str,
            syntax: fn() -> String,
            takers: &'static [Taker],
            parse: for<'a, 'b, 'c> fn(&'a str, &'b mut Cursor<'c>) -> Option<Result<Op, ParseError>>,
            sample: for<'a> fn(&'a mut dyn Choice) -> Op,
            name: &'static str,
        }

        const ROWS: &[RowEntry] = &[$(RowEntry {
            opcode: <$name as Instruction>::OPCODE,
            syntax: <$name as Instruction>::syntax,
            takers: <$name as Instruction>::TAKERS,
            parse: |rest, cursor| Some(<$name as Instruction>::parse(rest, cursor)?.map(Op::$name)),
            sample: |choice| Op::$name(<$name as Instruction>::sample(choice)),
            name: stringify!($name),
        },)*];

        impl Op {
            /// The name of the row.
            pub const fn row(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name),)* }
            }

            /// The fixed words at the start of the opcode.
            pub const fn opcode(&self) -> &'static str {
                match self { $(Self::$name(_) => <$name as Instruction>::OPCODE,)* }
            }

            /// The section of the PTX ISA manual.
            pub const fn manual(&self) -> &'static str {
                match self { $(Self::$name(_) => <$name as Instruction>::MANUAL,)* }
            }

            /// Appends the opcode with its modifiers.
            pub fn print_opcode(&self, out: &mut String) {
                match self { $(Self::$name(row) => row.print_opcode(out),)* }
            }

            /// Appends the operands.
            pub fn print_operands(&self, out: &mut String, names: &dyn Names) {
                match self { $(Self::$name(row) => row.print_operands(out, names),)* }
            }

            /// Checks classes of operands and the rules that span fields.
            ///
            /// # Errors
            /// The first rule broken.
            pub fn check(&self) -> Result<(), FormError> {
                match self { $(Self::$name(row) => row.check(None),)* }
            }

            /// The same, and that the registers are declared with types that agree with the instruction's.
            ///
            /// # Errors
            /// The first rule broken.
            pub fn check_declared(&self, names: &dyn Resolve) -> Result<(), FormError> {
                match self { $(Self::$name(row) => row.check(Some(names)),)* }
            }

            /// The version and target that this form needs.
            pub fn requires(&self) -> Requirement {
                match self { $(Self::$name(row) => row.requires(),)* }
            }

            /// Shows each register with its role, in the order of the text.
            pub fn visit(&self, mut see: impl FnMut(Role, Reg)) {
                match self { $(Self::$name(row) => row.visit(&mut see),)* }
            }

            /// Shows each variable, parameter or function that an operand names.
            pub fn symbols(&self, mut see: impl FnMut(Symbol)) {
                match self { $(Self::$name(row) => row.symbols(&mut see),)* }
            }

            /// Lends each variable, parameter or function that an operand names.
            pub fn symbols_mut(&mut self, mut see: impl FnMut(&mut Symbol)) {
                match self { $(Self::$name(row) => row.symbols_mut(&mut see),)* }
            }

            /// Lends each register with its role, in the order of the text.
            pub fn visit_mut(&mut self, mut see: impl FnMut(Role, &mut Reg)) {
                match self { $(Self::$name(row) => row.visit_mut(&mut see),)* }
            }
        }
    };
}

for_each_inst!(define_op);

impl Op {
    /// Names of all rows.
    pub fn rows() -> impl ExactSizeIterator<Item = &'static str> {
        ROWS.iter().map(|row| row.name)
    }

    /// An instruction of a row with fields from `choice`, drawn again until its check passes; `None` if that takes
    /// too long.
    pub fn sample(row: usize, choice: &mut dyn Choice) -> Option<Self> {
        (0..10_000).map(|_| (ROWS[row].sample)(choice)).find(|op| op.check().is_ok())
    }

    /// Every form of a row that its check passes, with some operands each.
    pub fn forms(row: usize, seed: u64) -> Vec<Self> {
        let mut odometer = Odometer::new(seed);
        let mut forms = Vec::new();
        loop {
            // The check may refuse a draw for its operands alone, so that a form gets more than one.
            for _ in 0..4 {
                odometer.rewind();
                let op = (ROWS[row].sample)(&mut odometer);
                if op.check().is_ok() {
                    forms.push(op);
                    break;
                }
            }
            if !odometer.advance() {
                return forms;
            }
        }
    }

    /// The label that a branch jumps to.
    pub const fn target(&self) -> Option<LabelId> {
        if let Self::Bra(bra) = self { Some(bra.target) } else { None }
    }

    /// Whether no lane that executes it goes on to the next statement. Under a guard the others do.
    pub const fn is_terminator(&self) -> bool {
        matches!(self, Self::Bra(_) | Self::BrxIdx(_) | Self::Ret(_) | Self::Exit(_) | Self::Trap(_))
    }

    /// Reads an opcode and its operands: `tokens[0]` is the opcode, and the `;` must be among the tokens. Returns
    /// the number of tokens taken too.
    ///
    /// # Errors
    /// No row takes the text, or the row's check refuses it; with the place.
    pub fn parse(tokens: &[Token<'_>], names: &dyn Resolve) -> Result<(Self, usize), ParseError> {
        let Some((opcode, operands)) =
            tokens.split_first().filter(|(first, _)| first.kind == TokenKind::Word)
        else {
            return Err(Cursor::new(tokens, names).expected("an instruction"));
        };
        let mut furthest: Option<(usize, ParseError)> = None;
        for in_order in [true, false] {
            for row in ROWS {
                let Some(rest) = opcode.text.strip_prefix(row.opcode) else { continue };
                if !rest.is_empty() && !rest.starts_with('.') {
                    continue;
                }
                let sorted = if in_order { None } else { reordered(rest, row.takers) };
                if !in_order && sorted.is_none() {
                    continue;
                }
                let mut cursor = Cursor::new(operands, names).of_opcode(opcode.text);
                let error = match (row.parse)(sorted.as_deref().unwrap_or(rest), &mut cursor) {
                    None => continue,
                    Some(Err(error)) => error,
                    Some(Ok(op)) => match op.check_declared(names) {
                        Ok(()) => return Ok((op, cursor.taken() + 1)),
                        Err(error) => placed(error, opcode, operands, names),
                    },
                };
                // What is known not to be supported says more than what is not known at all.
                let telling = matches!(error.kind, ParseErrorKind::Unsupported { .. });
                let reach = if telling { usize::MAX } else { cursor.taken() };
                if furthest.as_ref().is_none_or(|(taken, _)| reach > *taken) {
                    furthest = Some((reach, error));
                }
            }
            if furthest.is_some() {
                break;
            }
        }
        Err(furthest.map_or_else(|| no_such_form(opcode), |(_, error)| error))
    }
}

/// The error at the opcode, or at the register that it is about.
fn placed(error: FormError, opcode: &Token<'_>, operands: &[Token<'_>], names: &dyn Resolve) -> ParseError {
    let FormError::Declared { form, operand, reg, declared, expected } = error else {
        return opcode.error(error.into());
    };
    let is_it = |token: &&Token<'_>| token.kind == TokenKind::Word && names.reg(token.text) == Some(reg);
    match operands.iter().find(is_it) {
        Some(token) => {
            let name = token.text.to_owned();
            token.error(ParseErrorKind::Declared { form, operand, name, declared, expected })
        }
        None => opcode.error(error.into()),
    }
}

fn no_such_form(opcode: &Token<'_>) -> ParseError {
    let first = |text: &'static str| text.split('.').next().unwrap_or(text);
    let word = opcode.text.split('.').next().unwrap_or(opcode.text);
    let accepted: Vec<_> =
        ROWS.iter().filter(|row| first(row.opcode) == word).map(|row| (row.syntax)()).collect();
    let opcode_text = opcode.text.to_owned();
    opcode.error(if let Some((_, subject)) = lacking(opcode.text) {
        ParseErrorKind::Lacking { opcode: opcode_text, subject }
    } else if accepted.is_empty() {
        ParseErrorKind::UnknownOpcode { opcode: opcode_text }
    } else {
        ParseErrorKind::NoSuchForm { opcode: opcode_text, accepted }
    })
}

/// `@p` or `@!p` before an instruction: only lanes in which it is true execute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The predicate.
    pub pred: Reg,
    /// Whether its complement is meant.
    pub negated: bool,
}

/// An instruction with its guard.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// The guard, if there is one.
    pub guard: Option<Guard>,
    /// The instruction.
    pub op: Op,
}

impl<T: Into<Op>> From<T> for Inst {
    fn from(op: T) -> Self {
        Self { guard: None, op: op.into() }
    }
}

impl Inst {
    /// An instruction under a guard.
    pub fn guarded(pred: Reg, negated: bool, op: impl Into<Op>) -> Self {
        Self { guard: Some(Guard { pred, negated }), op: op.into() }
    }

    /// Appends guard, opcode and operands up to the `;`, with the operands in their column. `start` is where the
    /// line begins in `out`.
    pub fn print(&self, out: &mut String, names: &dyn Names, start: usize) {
        if let Some(guard) = self.guard {
            out.push_str(if guard.negated { "@!" } else { "@" });
            out.push_str(names.reg(guard.pred));
            out.push(' ');
        }
        self.op.print_opcode(out);
        let opcode_end = out.len();
        pad(out, start, OPERAND_COLUMN, 1);
        let operands = out.len();
        self.op.print_operands(out, names);
        if out.len() == operands {
            out.truncate(opcode_end);
        }
        out.push(';');
    }

    /// Reads guard, opcode and operands up to the `;`; returns the number of tokens taken too.
    ///
    /// # Errors
    /// As [`Op::parse`].
    pub fn parse(tokens: &[Token<'_>], names: &dyn Resolve) -> Result<(Self, usize), ParseError> {
        let mut cursor = Cursor::new(tokens, names);
        let mut guard = None;
        if cursor.eat("@") {
            let negated = cursor.eat("!");
            guard = Some(Guard { negated, pred: cursor.reg()? });
        }
        let start = cursor.taken();
        let (op, taken) = Op::parse(&tokens[start..], names)?;
        let inst = Self { guard, op };
        inst.check().map_err(|error| tokens[0].error(error.into()))?;
        Ok((inst, start + taken))
    }

    /// Checks the guard and the instruction.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<(), FormError> {
        if let Some(Guard { pred, .. }) = self.guard
            && pred.class() != RegClass::Pred
        {
            let form = self.op.opcode();
            return Err(FormError::Class {
                form,
                operand: "guard",
                met: pred.class(),
                expected: RegClass::Pred,
            });
        }
        self.op.check()
    }

    /// Shows each register with its role, the guard first.
    pub fn visit(&self, mut see: impl FnMut(Role, Reg)) {
        if let Some(guard) = self.guard {
            see(Role::Guard, guard.pred);
        }
        self.op.visit(see);
    }

    /// Lends each register with its role, the guard first.
    pub fn visit_mut(&mut self, mut see: impl FnMut(Role, &mut Reg)) {
        if let Some(guard) = &mut self.guard {
            see(Role::Guard, &mut guard.pred);
        }
        self.op.visit_mut(see);
    }

    /// The registers that are written.
    pub fn defs(&self) -> smallvec::SmallVec<[Reg; 8]> {
        let mut regs = smallvec::SmallVec::new();
        self.visit(|role, reg| {
            if role.is_def() {
                regs.push(reg);
            }
        });
        regs
    }

    /// The registers that are read: guard, sources, bases of addresses.
    pub fn uses(&self) -> smallvec::SmallVec<[Reg; 8]> {
        let mut regs = smallvec::SmallVec::new();
        self.visit(|role, reg| {
            if !role.is_def() {
                regs.push(reg);
            }
        });
        regs
    }

    /// The instruction as text, without a line break.
    pub fn display<'a>(&'a self, names: &'a dyn Names) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            let mut text = String::new();
            self.print(&mut text, names, 0);
            f.write_str(&text)
        })
    }
}
