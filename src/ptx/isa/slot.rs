//! Operand slots: what may stand at a place of an instruction, and how it prints, parses and reports itself.
//!
//! A row names its slots ([`Def`], [`PairedDef`], [`Use`], …) with a [`Rule`] each, computed from the row's
//! modifiers. Entry: none. Exit: the operand walk meets every register of an instruction once, with its [`Role`].

use smallvec::SmallVec;

use super::error::{FormError, ParseError};
use super::name::{LabelId, Names, Symbol};
use super::reg::{Reg, RegClass};
use super::sample::Choice;
use super::scan::Cursor;
use super::sreg::SpecialReg;
use super::types::{ScalarType, TypeKind};

/// How an instruction touches a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Written. A guarded instruction writes it only in the lanes whose guard is true.
    Def,
    /// Read.
    Use,
    /// Read as the base of an address.
    Address,
    /// Read as the guard.
    Guard,
}

impl Role {
    /// Whether the register is written.
    pub const fn is_def(self) -> bool {
        match self {
            Self::Def => true,
            Self::Use | Self::Address | Self::Guard => false,
        }
    }
}

/// Which immediates may stand in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImmRule {
    /// None.
    None,
    /// An integer.
    Int,
    /// `0f…`.
    F32,
    /// `0d…`.
    F64,
    /// Any: the instruction moves bits.
    Any,
}

/// What may stand in a slot: classes of registers, immediates, elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The narrowest class.
    pub class: RegClass,
    /// Whether wider classes up to 64 bits go.
    pub wider: bool,
    /// Immediates.
    pub imm: ImmRule,
    /// Elements of a vector; 1 for a scalar; 0 for 2 or 4 parts that share the width of `class`.
    pub lanes: usize,
}

impl Rule {
    /// For a slot without registers.
    pub const NONE: Self = Self { class: RegClass::B32, wider: false, imm: ImmRule::None, lanes: 1 };

    /// The same, with wider registers.
    #[must_use]
    pub const fn or_wider(self) -> Self {
        Self { wider: true, ..self }
    }

    /// The same, without immediates.
    #[must_use]
    pub const fn no_imm(self) -> Self {
        Self { imm: ImmRule::None, ..self }
    }

    /// The same, as a vector.
    #[must_use]
    pub const fn lanes(self, lanes: usize) -> Self {
        Self { lanes, ..self }
    }

    /// The same, as parts of one register: two halves or four quarters.
    #[must_use]
    pub const fn split(self) -> Self {
        Self { lanes: 0, imm: ImmRule::None, ..self }
    }

    /// The rule of one element of `lanes`.
    fn element(self, lanes: usize, at: Place) -> Result<Self, FormError> {
        let lanes_fail =
            |expected| FormError::Lanes { form: at.form, operand: at.operand, met: lanes, expected };
        if self.lanes != 0 {
            return if lanes == self.lanes { Ok(self) } else { Err(lanes_fail(self.lanes)) };
        }
        let class = match (self.class, lanes) {
            (RegClass::B64, 2) => RegClass::B32,
            (RegClass::B64, 4) | (RegClass::B32, 2) => RegClass::B16,
            (RegClass::B32, 4) | (RegClass::B16, 2) => RegClass::B8,
            _ => return Err(lanes_fail(2)),
        };
        Ok(Self { class, ..self })
    }

    fn sample_element(self, choice: &mut dyn Choice) -> Self {
        if self.lanes != 0 {
            return self;
        }
        let lanes = if self.class == RegClass::B16 { 2 } else { [2, 4][choice.operand(2)] };
        let at = Place { form: "", operand: "" };
        let rule = self.element(lanes, at).expect("16, 32 and 64 bits split in two, the wider ones in four");
        Self { lanes, ..rule }
    }

    fn admits(self, class: RegClass) -> bool {
        class == self.class || (self.wider && class > self.class && class <= RegClass::B64)
    }

    fn reg(self, at: Place, reg: Reg) -> Result<(), FormError> {
        if self.admits(reg.class()) {
            return Ok(());
        }
        let Place { form, operand } = at;
        Err(FormError::Class { form, operand, met: reg.class(), expected: self.class })
    }
}

impl From<RegClass> for Rule {
    fn from(class: RegClass) -> Self {
        let imm = if class == RegClass::Pred { ImmRule::None } else { ImmRule::Int };
        Self { class, wider: false, imm, lanes: 1 }
    }
}

impl From<ScalarType> for Rule {
    fn from(ty: ScalarType) -> Self {
        let imm = match (ty.kind(), ty.class()) {
            (TypeKind::Bits, RegClass::B32 | RegClass::B64) => ImmRule::Any,
            (TypeKind::Bits | TypeKind::Signed | TypeKind::Unsigned, _) => ImmRule::Int,
            (TypeKind::Float, RegClass::B32) => ImmRule::F32,
            (TypeKind::Float, RegClass::B64) => ImmRule::F64,
            // Half types take no immediates in arithmetic: the assembler refuses them.
            (TypeKind::Float | TypeKind::Packed | TypeKind::Pred, _) => ImmRule::None,
        };
        Self { class: ty.class(), wider: false, imm, lanes: 1 }
    }
}

/// Where a slot stands, for messages.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Opcode of the row.
    pub form: &'static str,
    /// Field of the row.
    pub operand: &'static str,
}

/// What a row asks of a slot type.
pub trait Slot: Sized {
    /// What stands between it and the operand before.
    fn separator(&self) -> &'static str {
        ", "
    }

    /// Appends the operand.
    fn print(&self, out: &mut String, names: &dyn Names);

    /// Reads the separator and the operand.
    ///
    /// # Errors
    /// What is met instead, with its place.
    fn parse_next(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.separator(",")?;
        Self::parse(cursor)
    }

    /// Reads the operand.
    ///
    /// # Errors
    /// What is met instead, with its place.
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError>;

    /// Checks the operand against the rule.
    ///
    /// # Errors
    /// How the operand breaks it.
    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError>;

    /// Shows each register.
    fn visit(&self, see: &mut dyn FnMut(Role, Reg));

    /// Lends each register.
    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg));

    /// An operand that the rule admits.
    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self;
}

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

    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError> {
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

    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError> {
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
            Self::Int(value) => super::scan::print_int(out, value),
            Self::F32(bits) => {
                out.push_str("0f");
                super::scan::print_hex(out, u64::from(bits), 8);
            }
            Self::F64(bits) => {
                out.push_str("0d");
                super::scan::print_hex(out, bits, 16);
            }
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.value()
    }

    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError> {
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
        match (rule.imm, rule.class) {
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

    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError> {
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

    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError> {
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

/// Registers that are written together, `{a, _, c}`; one of them stands without braces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VecDef(pub SmallVec<[Option<Reg>; 4]>);

impl VecDef {
    /// One register.
    pub fn one(reg: Reg) -> Self {
        Self(SmallVec::from_slice(&[Some(reg)]))
    }

    /// Several registers.
    pub fn of(regs: &[Reg]) -> Self {
        Self(regs.iter().copied().map(Some).collect())
    }
}

impl Slot for VecDef {
    fn print(&self, out: &mut String, names: &dyn Names) {
        braced(out, &self.0, |out, lane| out.push_str(lane.map_or("_", |reg| names.reg(reg))));
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if !cursor.is("{") {
            return cursor.reg().map(Self::one);
        }
        cursor.braced(Cursor::reg_or_sink).map(Self)
    }

    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError> {
        let rule = rule.element(self.0.len(), at)?;
        self.0.iter().flatten().try_for_each(|&reg| rule.reg(at, reg))
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        self.0.iter().flatten().for_each(|&reg| see(Role::Def, reg));
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        self.0.iter_mut().flatten().for_each(|reg| see(Role::Def, reg));
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        let rule = rule.sample_element(choice);
        let lane = |choice: &mut dyn Choice, index: usize| {
            (index == 0 || choice.operand(4) != 0).then(|| choice.reg(rule.class))
        };
        Self((0..rule.lanes).map(|index| lane(choice, index)).collect())
    }
}

/// Values that are read together, `{a, b}`; one of them stands without braces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VecUse(pub SmallVec<[Use; 1]>);

impl VecUse {
    /// One value.
    pub fn one(value: impl Into<Use>) -> Self {
        Self(SmallVec::from_elem(value.into(), 1))
    }

    /// Several values.
    pub fn of(values: &[Use]) -> Self {
        Self(SmallVec::from_slice(values))
    }
}

impl Slot for VecUse {
    fn print(&self, out: &mut String, names: &dyn Names) {
        braced(out, &self.0, |out, value| value.print(out, names));
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if !cursor.is("{") {
            return cursor.value().map(Self::one);
        }
        cursor.braced(Cursor::value).map(Self)
    }

    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError> {
        let rule = rule.element(self.0.len(), at)?;
        self.0.iter().try_for_each(|value| value.check(rule, at))
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        self.0.iter().for_each(|value| value.visit(see));
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        self.0.iter_mut().for_each(|value| value.visit_mut(see));
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        let rule = rule.sample_element(choice);
        Self((0..rule.lanes).map(|_| Use::sample(choice, rule)).collect())
    }
}

fn braced<T>(out: &mut String, items: &[T], mut print: impl FnMut(&mut String, &T)) {
    if let [only] = items {
        return print(out, only);
    }
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "{" } else { ", " });
        print(out, item);
    }
    out.push('}');
}

/// Where an address starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// At the value of a register.
    Reg(Reg),
    /// At a variable or a kernel parameter.
    Symbol(Symbol),
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
        match self.base {
            Base::Reg(reg) => out.push_str(names.reg(reg)),
            Base::Symbol(symbol) => out.push_str(names.symbol(symbol)),
        }
        if self.offset != 0 {
            out.push('+');
            super::scan::print_decimal(out, self.offset);
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

    fn check(&self, rule: Rule, at: Place) -> Result<(), FormError> {
        match self.base {
            Base::Reg(reg) => rule.reg(at, reg),
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
    ($name:ty, |$self:ident, $out:ident, $names:ident| $print:expr, $parse:expr, |$choice:ident| $sample:expr) => {
        impl Slot for $name {
            fn print(&self, $out: &mut String, $names: &dyn Names) {
                let $self = self;
                $print
            }

            fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
                $parse(cursor)
            }

            fn check(&self, _rule: Rule, _at: Place) -> Result<(), FormError> {
                Ok(())
            }

            fn visit(&self, _see: &mut dyn FnMut(Role, Reg)) {}

            fn visit_mut(&mut self, _see: &mut dyn FnMut(Role, &mut Reg)) {}

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
            super::scan::print_decimal(out, it.offset);
        }
    },
    |cursor: &mut Cursor<'_>| Ok(Self { symbol: cursor.symbol()?, offset: cursor.offset()? }),
    |choice| Self { symbol: choice.symbol(), offset: [0, 8][choice.operand(2)] }
);
plain_slot!(SpecialReg, |it, out, _names| out.push_str(it.name()), Cursor::special, |choice| Self::ALL
    [choice.operand(Self::ALL.len())]);
plain_slot!(LabelId, |it, out, names| out.push_str(names.label(*it)), Cursor::label, |choice| choice.label());

/// An integer that must be written out, not held in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal(pub i64);

plain_slot!(
    Literal,
    |it, out, _names| super::scan::print_int(out, it.0),
    |cursor: &mut Cursor<'_>| cursor.integer().map(Self),
    |choice| Self((choice.bits() & 0xff).cast_signed())
);
