//! The operands of a call: `(results), function, (arguments)`, and for an indirect one the list of what it may reach.
//!
//! Exit: as [`Slot`](super::Slot) says. Number and size of the operands are checked by the module, which knows the
//! function.

use smallvec::SmallVec;

use super::{Place, Role, Rule, Slot, Use};
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::{FunctionId, Names, Symbol, TableId};
use crate::ptx::isa::reg::{Reg, RegClass};
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::Cursor;

/// What a call gives to a function, or takes from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallOperand {
    /// A register, or as an argument an immediate.
    Value(Use),
    /// A `.param` variable of the caller.
    Symbol(Symbol),
    /// `_`: a result that nobody wants.
    Sink,
}

/// Which function a call reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// The one named.
    Function(FunctionId),
    /// The one whose address the register holds.
    Pointer(Reg),
}

/// All operands of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallSite {
    /// Where the results go.
    pub results: SmallVec<[CallOperand; 1]>,
    /// The function.
    pub callee: Callee,
    /// The arguments.
    pub arguments: Vec<CallOperand>,
    /// Functions or prototype of an indirect call.
    pub table: Option<TableId>,
}

impl CallOperand {
    fn print(self, out: &mut String, names: &dyn Names) {
        match self {
            Self::Value(value) => value.print(out, names),
            Self::Symbol(symbol) => out.push_str(names.symbol(symbol)),
            Self::Sink => out.push('_'),
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let mut sink = cursor.clone();
        if let Ok(None) = sink.reg_or_sink() {
            *cursor = sink;
            return Ok(Self::Sink);
        }
        // A value first: its error also says what stands there where neither is met.
        let mut value = cursor.clone();
        if let Ok(met) = value.value() {
            *cursor = value;
            return Ok(Self::Value(met));
        }
        cursor.symbol().map(Self::Symbol)
    }
}

fn print_list(out: &mut String, names: &dyn Names, operands: &[CallOperand]) {
    out.push('(');
    for (index, operand) in operands.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        operand.print(out, names);
    }
    out.push(')');
}

fn parse_list<C: Extend<CallOperand>>(cursor: &mut Cursor<'_>, operands: &mut C) -> Result<(), ParseError> {
    cursor.sign("(")?;
    if cursor.eat(")") {
        return Ok(());
    }
    loop {
        operands.extend([CallOperand::parse(cursor)?]);
        if !cursor.eat(",") {
            return cursor.sign(")");
        }
    }
}

impl Slot for CallSite {
    fn print(&self, out: &mut String, names: &dyn Names) {
        if !self.results.is_empty() {
            print_list(out, names, &self.results);
            out.push_str(", ");
        }
        match self.callee {
            Callee::Function(function) => out.push_str(names.symbol(Symbol::Function(function))),
            Callee::Pointer(reg) => out.push_str(names.reg(reg)),
        }
        if !self.arguments.is_empty() || self.table.is_some() {
            out.push_str(", ");
            print_list(out, names, &self.arguments);
        }
        if let Some(table) = self.table {
            out.push_str(", ");
            out.push_str(names.table(table));
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let (mut results, mut arguments) = (SmallVec::new(), Vec::new());
        if cursor.is("(") {
            parse_list(cursor, &mut results)?;
            cursor.sign(",")?;
        }
        let unknown = cursor.expected("a function");
        let callee = match cursor.base()? {
            super::Base::Reg(reg) => Callee::Pointer(reg),
            super::Base::Symbol(Symbol::Function(function)) => Callee::Function(function),
            super::Base::Symbol(Symbol::Param(_) | Symbol::Var(_) | Symbol::Global(_)) => {
                return Err(unknown);
            }
        };
        let mut table = None;
        if cursor.eat(",") {
            if cursor.is("(") {
                parse_list(cursor, &mut arguments)?;
            } else {
                table = Some(cursor.table()?);
            }
            if table.is_none() && cursor.eat(",") {
                table = Some(cursor.table()?);
            }
        }
        Ok(Self { results, callee, arguments, table })
    }

    fn check(&self, _rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        let constant =
            |operand: &CallOperand| matches!(operand, CallOperand::Value(value) if value.reg().is_none());
        if self.results.iter().any(constant) {
            let Place { form, operand, .. } = at;
            return Err(FormError::Immediate {
                form,
                operand,
                expected: "results in registers or variables",
            });
        }
        let rule = |rule| Err(FormError::Rule { form: at.form, rule });
        if self.arguments.contains(&CallOperand::Sink) {
            return rule("only a result may be `_`");
        }
        match (self.callee, self.table) {
            (Callee::Pointer(_), None) => rule("a call through a register names a prototype or its targets"),
            (Callee::Function(_), Some(_)) => rule("a call of a named function has no list of targets"),
            (Callee::Pointer(reg), Some(_)) => Rule::from(RegClass::B64).reg(at, reg),
            (Callee::Function(_), None) => Ok(()),
        }
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        let regs = |operands: &[CallOperand], role, see: &mut dyn FnMut(Role, Reg)| {
            for operand in operands {
                if let CallOperand::Value(Use::Reg(reg)) = *operand {
                    see(role, reg);
                }
            }
        };
        regs(&self.results, Role::Def, see);
        if let Callee::Pointer(reg) = self.callee {
            see(Role::Use, reg);
        }
        regs(&self.arguments, Role::Use, see);
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        let regs = |operands: &mut [CallOperand], role, see: &mut dyn FnMut(Role, &mut Reg)| {
            for operand in operands {
                if let CallOperand::Value(Use::Reg(reg)) = operand {
                    see(role, reg);
                }
            }
        };
        regs(&mut self.results, Role::Def, see);
        if let Callee::Pointer(reg) = &mut self.callee {
            see(Role::Use, reg);
        }
        regs(&mut self.arguments, Role::Use, see);
    }

    fn symbols(&self, see: &mut dyn FnMut(Symbol)) {
        if let Callee::Function(function) = self.callee {
            see(Symbol::Function(function));
        }
        for operand in self.results.iter().chain(&self.arguments) {
            if let CallOperand::Symbol(symbol) = *operand {
                see(symbol);
            }
        }
    }

    fn symbols_mut(&mut self, see: &mut dyn FnMut(&mut Symbol)) {
        for operand in self.results.iter_mut().chain(&mut self.arguments) {
            if let CallOperand::Symbol(symbol) = operand {
                see(symbol);
            }
        }
    }

    fn sample(choice: &mut dyn Choice, _rule: Rule) -> Self {
        let callee = Callee::Function(choice.function());
        Self { results: SmallVec::new(), callee, arguments: Vec::new(), table: None }
    }
}
