//! Slots of places: addresses, symbols, labels, special registers, and numbers that must be written out.
//!
//! Exit: as [`Slot`] says. The state space of a symbol is checked by the module, which knows its declaration.

use super::{Place, Role, Rule, Slot};
use crate::entity::EntityId as _;
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::{LabelId, Names, Symbol, TableId};
use crate::ptx::isa::reg::Reg;
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::{self, Cursor};
use crate::ptx::isa::sreg::SpecialReg;

/// Where an address starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// At the value of a register.
    Reg(Reg),
    /// At a variable or a kernel parameter.
    Symbol(Symbol),
}

impl Base {
    /// Lends the variable or parameter.
    pub(super) fn symbols_mut(&mut self, see: &mut dyn FnMut(&mut Symbol)) {
        if let Self::Symbol(symbol) = self {
            see(symbol);
        }
    }

    /// Appends its name.
    pub(super) fn print(self, out: &mut String, names: &dyn Names) {
        match self {
            Self::Reg(reg) => out.push_str(names.reg(reg)),
            Self::Symbol(symbol) => out.push_str(names.symbol(symbol)),
        }
    }
}

/// `[base+offset]`, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// Start.
    pub base: Base,
    /// Bytes from there.
    pub offset: i64,
}

impl Address {
    /// `[reg+offset]`.
    pub const fn reg(reg: Reg, offset: i64) -> Self {
        Self { base: Base::Reg(reg), offset }
    }

    /// `[symbol+offset]`.
    pub const fn symbol(symbol: Symbol, offset: i64) -> Self {
        Self { base: Base::Symbol(symbol), offset }
    }
}

impl Slot for Address {
    fn print(&self, out: &mut String, names: &dyn Names) {
        out.push('[');
        self.base.print(out, names);
        if self.offset != 0 {
            out.push('+');
            scan::print_decimal(out, self.offset);
        }
        out.push(']');
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.sign("[")?;
        let base = cursor.base()?;
        let offset = cursor.offset()?;
        cursor.sign("]")?;
        Ok(Self { base, offset })
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        match self.base {
            Base::Reg(reg) => rule.address().reg(at, reg),
            Base::Symbol(_) => Ok(()),
        }
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        if let Base::Reg(reg) = self.base {
            see(Role::Address, reg);
        }
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        if let Base::Reg(reg) = &mut self.base {
            see(Role::Address, reg);
        }
    }

    fn symbol(&self) -> Option<Symbol> {
        match self.base {
            Base::Reg(_) => None,
            Base::Symbol(symbol) => Some(symbol),
        }
    }

    fn symbols_mut(&mut self, see: &mut dyn FnMut(&mut Symbol)) {
        self.base.symbols_mut(see);
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        let offset = [0, 16, -4, 4096][choice.operand(4)];
        Self { base: Base::Reg(choice.reg(rule.class)), offset }
    }
}

/// The address of a variable or parameter as a value: `symbol+offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolAddress {
    /// The variable or parameter.
    pub symbol: Symbol,
    /// Bytes from its start.
    pub offset: i64,
}

impl From<Symbol> for SymbolAddress {
    fn from(symbol: Symbol) -> Self {
        Self { symbol, offset: 0 }
    }
}

/// Implements [`Slot`] for a type that holds no register.
macro_rules! plain_slot {
    ($name:ty, |$self:ident, $out:ident, $names:ident| $print:expr, $parse:expr, |$choice:ident| $sample:expr $(, symbol $symbol:ident)?) => {
        impl Slot for $name {
            fn print(&self, $out: &mut String, $names: &dyn Names) {
                let $self = self;
                $print
            }

            fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
                $parse(cursor)
            }

            fn check(&self, _rule: Rule, _at: Place<'_>) -> Result<(), FormError> {
                Ok(())
            }

            fn visit(&self, _see: &mut dyn FnMut(Role, Reg)) {}

            fn visit_mut(&mut self, _see: &mut dyn FnMut(Role, &mut Reg)) {}

            $(fn symbol(&self) -> Option<Symbol> {
                Some(self.$symbol)
            }

            fn symbols_mut(&mut self, see: &mut dyn FnMut(&mut Symbol)) {
                see(&mut self.$symbol);
            })?

            fn sample($choice: &mut dyn Choice, _rule: Rule) -> Self {
                $sample
            }
        }
    };
}

plain_slot!(
    SymbolAddress,
    |it, out, names| {
        out.push_str(names.symbol(it.symbol));
        if it.offset != 0 {
            out.push('+');
            scan::print_decimal(out, it.offset);
        }
    },
    |cursor: &mut Cursor<'_>| Ok(Self { symbol: cursor.symbol()?, offset: cursor.offset()? }),
    |choice| Self { symbol: choice.symbol(), offset: [0, 8][choice.operand(2)] },
    symbol symbol
);
plain_slot!(SpecialReg, |it, out, _names| out.push_str(it.name()), Cursor::special, |choice| Self::ALL
    [choice.operand(Self::ALL.len())]);
plain_slot!(LabelId, |it, out, names| out.push_str(names.label(*it)), Cursor::label, |choice| choice.label());
plain_slot!(TableId, |it, out, names| out.push_str(names.table(*it)), Cursor::table, |choice| {
    TableId::from_index(choice.operand(crate::ptx::isa::sample::POOL))
});

/// A predicate that is written out: 0, or another number, which prints as 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Truth(pub bool);

plain_slot!(
    Truth,
    |it, out, _names| out.push(if it.0 { '1' } else { '0' }),
    |cursor: &mut Cursor<'_>| cursor.integer().map(|value| Self(value != 0)),
    |choice| Self(choice.operand(2) == 1)
);

/// An integer that must be written out, not held in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal(pub i64);

plain_slot!(
    Literal,
    |it, out, _names| scan::print_int(out, it.0),
    |cursor: &mut Cursor<'_>| cursor.integer().map(Self),
    |choice| Self((choice.bits() & 0xff).cast_signed())
);
