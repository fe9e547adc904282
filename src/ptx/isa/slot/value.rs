//! Slots of single values: written registers, sources, predicates.
//!
//! Exit: as [`Slot`] says. Not here: vectors and addresses.

use super::{ImmRule, Place, Role, Rule, Slot};
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::Names;
use crate::ptx::isa::reg::{Reg, RegClass};
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::{self, Cursor};

/// A register that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Def(pub Reg);

impl From<Reg> for Def {
    fn from(reg: Reg) -> Self {
        Self(reg)
    }
}

impl Slot for Def {
    fn print(&self, out: &mut String, names: &dyn Names) {
        out.push_str(names.reg(self.0));
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.reg().map(Self)
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        rule.reg(at, self.0)
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        see(Role::Def, self.0);
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        see(Role::Def, &mut self.0);
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        Self(choice.reg(rule.class))
    }
}

/// The second result of `d|p`: absent, thrown away (`_`), or a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PairedDef {
    /// Only `d` is written.
    #[default]
    Absent,
    /// `d|_`.
    Sink,
    /// `d|p`.
    Reg(Reg),
}

impl Slot for PairedDef {
    fn separator(&self) -> &'static str {
        match self {
            Self::Absent => "",
            Self::Sink | Self::Reg(_) => "|",
        }
    }

    fn print(&self, out: &mut String, names: &dyn Names) {
        match *self {
            Self::Absent => {}
            Self::Sink => out.push('_'),
            Self::Reg(reg) => out.push_str(names.reg(reg)),
        }
    }

    fn parse_next(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.eat("|") { Self::parse(cursor) } else { Ok(Self::Absent) }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        Ok(cursor.reg_or_sink()?.map_or(Self::Sink, Self::Reg))
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        match *self {
            Self::Absent | Self::Sink => Ok(()),
            Self::Reg(reg) => rule.reg(at, reg),
        }
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        if let Self::Reg(reg) = *self {
            see(Role::Def, reg);
        }
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        if let Self::Reg(reg) = self {
            see(Role::Def, reg);
        }
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        match choice.operand(3) {
            0 => Self::Absent,
            1 => Self::Sink,
            _ => Self::Reg(choice.reg(rule.class)),
        }
    }
}

/// A result that may be thrown away: `_`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SinkDef(pub Option<Reg>);

impl Slot for SinkDef {
    fn print(&self, out: &mut String, names: &dyn Names) {
        out.push_str(self.0.map_or("_", |reg| names.reg(reg)));
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.reg_or_sink().map(Self)
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        self.0.map_or(Ok(()), |reg| rule.reg(at, reg))
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        self.0.into_iter().for_each(|reg| see(Role::Def, reg));
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        self.0.iter_mut().for_each(|reg| see(Role::Def, reg));
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        Self((choice.operand(3) != 0).then(|| choice.reg(rule.class)))
    }
}

/// A value that is read: a register or an immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// A register.
    Reg(Reg),
    /// An integer; the low bits of the operand's width count.
    Int(i64),
    /// The bits of an f32.
    F32(u32),
    /// The bits of an f64.
    F64(u64),
}

impl Use {
    /// The register, if it is one.
    pub const fn reg(self) -> Option<Reg> {
        match self {
            Self::Reg(reg) => Some(reg),
            Self::Int(_) | Self::F32(_) | Self::F64(_) => None,
        }
    }

    /// The bits of an immediate, or `None` for a register.
    pub const fn bits(self) -> Option<u64> {
        match self {
            Self::Reg(_) => None,
            Self::Int(value) => Some(value.cast_unsigned()),
            Self::F32(bits) => Some(bits as u64),
            Self::F64(bits) => Some(bits),
        }
    }
}

impl From<Reg> for Use {
    fn from(reg: Reg) -> Self {
        Self::Reg(reg)
    }
}

impl Slot for Use {
    fn print(&self, out: &mut String, names: &dyn Names) {
        match *self {
            Self::Reg(reg) => out.push_str(names.reg(reg)),
            Self::Int(value) => scan::print_int(out, value),
            Self::F32(bits) => {
                out.push_str("0f");
                scan::print_hex(out, u64::from(bits), 8);
            }
            Self::F64(bits) => {
                out.push_str("0d");
                scan::print_hex(out, bits, 16);
            }
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.value()
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        let fits = match (self, rule.imm) {
            (Self::Reg(reg), _) => return rule.reg(at, *reg),
            (Self::Int(_), ImmRule::Int | ImmRule::Any) => true,
            (Self::F32(_), ImmRule::F32 | ImmRule::Any) => rule.class == RegClass::B32,
            (Self::F64(_), ImmRule::F64 | ImmRule::Any) => rule.class == RegClass::B64,
            (Self::Int(_) | Self::F32(_) | Self::F64(_), _) => false,
        };
        if fits {
            return Ok(());
        }
        let expected = match rule.imm {
            ImmRule::None => "a register, not an immediate",
            ImmRule::Int => "a register or an integer",
            ImmRule::F32 => "a register or an immediate written `0f` and 8 hex digits",
            ImmRule::F64 => "a register or an immediate written `0d` and 16 hex digits",
            ImmRule::Any => "a register or an immediate of its width",
        };
        Err(FormError::Immediate { form: at.form, operand: at.operand, expected })
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        if let Self::Reg(reg) = *self {
            see(Role::Use, reg);
        }
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        if let Self::Reg(reg) = self {
            see(Role::Use, reg);
        }
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        if choice.operand(3) != 0 {
            return Self::Reg(choice.reg(rule.class));
        }
        let float = rule.imm == ImmRule::Any && choice.operand(2) == 1;
        match (rule.imm, rule.class) {
            (ImmRule::Any, RegClass::B32) if float => Self::F32((choice.bits() & 0xffff_ffff) as u32),
            (ImmRule::Any, RegClass::B64) if float => Self::F64(choice.bits()),
            (ImmRule::None, class) => Self::Reg(choice.reg(class)),
            (ImmRule::Int | ImmRule::Any, RegClass::B64) => Self::Int(choice.bits().cast_signed()),
            (ImmRule::Int | ImmRule::Any, _) => Self::Int((choice.bits() & 0x7fff).cast_signed()),
            (ImmRule::F32, _) => Self::F32((choice.bits() & 0xffff_ffff) as u32),
            (ImmRule::F64, _) => Self::F64(choice.bits()),
        }
    }
}

/// A value that may be left out with its comma.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OptUse(pub Option<Use>);

impl Slot for OptUse {
    fn separator(&self) -> &'static str {
        if self.0.is_some() { ", " } else { "" }
    }

    fn print(&self, out: &mut String, names: &dyn Names) {
        if let Some(value) = self.0 {
            value.print(out, names);
        }
    }

    fn parse_next(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.eat(",") { Self::parse(cursor) } else { Ok(Self(None)) }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        Use::parse(cursor).map(|value| Self(Some(value)))
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        self.0.map_or(Ok(()), |value| value.check(rule, at))
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        if let Some(value) = self.0 {
            value.visit(see);
        }
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        if let Some(value) = &mut self.0 {
            value.visit_mut(see);
        }
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        Self((choice.operand(2) == 1).then(|| Use::sample(choice, rule)))
    }
}

/// A value between others that may be left out with its comma.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InnerUse(pub OptUse);

impl Slot for InnerUse {
    fn separator(&self) -> &'static str {
        self.0.separator()
    }

    fn print(&self, out: &mut String, names: &dyn Names) {
        self.0.print(out, names);
    }

    fn parse_next(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        // It is there if another operand follows it.
        let mut ahead = cursor.clone();
        match OptUse::parse_next(&mut ahead) {
            Ok(met) if ahead.is(",") => {
                *cursor = ahead;
                Ok(Self(met))
            }
            Ok(_) | Err(_) => Ok(Self::default()),
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        OptUse::parse(cursor).map(Self)
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        self.0.check(rule, at)
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        self.0.visit(see);
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        self.0.visit_mut(see);
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        Self(OptUse::sample(choice, rule))
    }
}

/// A predicate that is read, perhaps negated: `!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PredUse {
    /// The predicate.
    pub reg: Reg,
    /// Whether its complement is meant.
    pub negated: bool,
}

impl From<Reg> for PredUse {
    fn from(reg: Reg) -> Self {
        Self { reg, negated: false }
    }
}

impl Slot for PredUse {
    fn print(&self, out: &mut String, names: &dyn Names) {
        if self.negated {
            out.push('!');
        }
        out.push_str(names.reg(self.reg));
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let negated = cursor.eat("!");
        Ok(Self { negated, reg: cursor.reg()? })
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        rule.reg(at, self.reg)
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        see(Role::Use, self.reg);
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        see(Role::Use, &mut self.reg);
    }

    fn sample(choice: &mut dyn Choice, _rule: Rule) -> Self {
        Self { reg: choice.reg(RegClass::Pred), negated: choice.operand(2) == 1 }
    }
}
