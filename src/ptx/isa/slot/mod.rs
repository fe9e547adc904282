//! Operand slots: what may stand at a place of an instruction, and how it prints, parses and reports itself.
//!
//! A row names its slots ([`Def`], [`PairedDef`], [`Use`], …) with a [`Rule`] each, computed from the row's
//! modifiers. Entry: none. Exit: the operand walk meets every register of an instruction once, with its [`Role`].

mod async_place;
mod bounded;
mod call;
mod fragment;
mod pair;
mod place;
mod value;
mod vector;

pub use async_place::{CopySize, TensorPlace};
pub use bounded::{Bounded, EventMask, EventNumber, LineBytes, RegisterCount};
pub use call::{CallOperand, CallSite, Callee};
pub use fragment::{FragmentDef, FragmentUse, ScaleUse, ScaleWord};
pub use pair::BesideDef;
pub use place::{Address, Base, Literal, SymbolAddress, Truth};
pub use value::{Def, InnerUse, OptUse, PairedDef, PredUse, SinkDef, Use};
pub use vector::{VecDef, VecUse};

use super::error::{FormError, ParseError};
use super::name::{Names, Resolve, Symbol};
use super::reg::{Reg, RegClass};
use super::sample::Choice;
use super::scan::Cursor;
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

/// What may stand in a slot: registers, immediates, elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The narrowest class.
    pub class: RegClass,
    /// What a register of that class has to be declared as, or as something that agrees with it.
    pub ty: ScalarType,
    /// Whether wider classes up to 64 bits go.
    pub wider: bool,
    /// Immediates.
    pub imm: ImmRule,
    /// Elements of a vector; 1 for a scalar; 0 for 2 or 4 parts that share the width of `class`.
    pub lanes: usize,
}

impl Rule {
    /// For a slot without registers.
    pub const NONE: Self = Self::registers(ScalarType::B32, 1);

    /// For so many registers of a type and no immediates.
    pub const fn registers(ty: ScalarType, lanes: usize) -> Self {
        Self { class: ty.class(), ty, wider: false, imm: ImmRule::None, lanes }
    }

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
        // The assembler refuses a vector that mixes float and integer immediates, so bits are written as integers.
        let imm = if lanes > 1 && matches!(self.imm, ImmRule::Any) { ImmRule::Int } else { self.imm };
        Self { lanes, imm, ..self }
    }

    /// The same, as parts of one register: two halves or four quarters.
    #[must_use]
    pub const fn split(self) -> Self {
        Self { lanes: 0, imm: ImmRule::None, ..self }
    }

    /// The same, as parts that may be integers too.
    #[must_use]
    pub const fn split_values(self) -> Self {
        Self { lanes: 0, imm: ImmRule::Int, ..self }
    }

    /// The rule of one element of `lanes`.
    fn element(self, lanes: usize, at: Place<'_>) -> Result<Self, FormError> {
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
        Ok(Self { class, ty: class.bit_type(), ..self })
    }

    fn sample_element(self, choice: &mut dyn Choice) -> Self {
        if self.lanes != 0 {
            return self;
        }
        let lanes = if self.class == RegClass::B16 { 2 } else { [2, 4][choice.operand(2)] };
        let at = Place { form: "", operand: "", names: None };
        let rule = self.element(lanes, at).expect("16, 32 and 64 bits split in two, the wider ones in four");
        Self { lanes, ..rule }
    }

    fn admits(self, class: RegClass) -> bool {
        class == self.class || (self.wider && class > self.class && class <= RegClass::B64)
    }

    fn reg(self, at: Place<'_>, reg: Reg) -> Result<(), FormError> {
        let declared = at.names.and_then(|names| names.declared(reg));
        if self.admits(reg.class()) && declared.is_none_or(|declared| self.agrees(declared)) {
            return Ok(());
        }
        let Place { form, operand, .. } = at;
        Err(match declared {
            Some(declared) => FormError::Declared { form, operand, reg, declared, expected: self.ty },
            None => FormError::Class { form, operand, met: reg.class(), expected: self.class },
        })
    }

    /// Whether an instruction takes a register by how it is declared, its width aside. Bits go with everything, the
    /// two signs with each other, a float with its own type only. A pair of f16 counts as 32 bits for integers.
    fn agrees(self, declared: ScalarType) -> bool {
        match (self.ty.kind(), declared.kind()) {
            (_, TypeKind::Bits) | (TypeKind::Bits, _) => true,
            (
                TypeKind::Unsigned | TypeKind::Signed,
                TypeKind::Unsigned | TypeKind::Signed | TypeKind::Packed,
            ) => true,
            (TypeKind::Float, TypeKind::Float) => self.ty == declared,
            (TypeKind::Packed, TypeKind::Packed) => {
                matches!(self.ty, ScalarType::F16x2 | ScalarType::S16x2 | ScalarType::U16x2)
            }
            (TypeKind::Pred, TypeKind::Pred) => true,
            (
                TypeKind::Unsigned | TypeKind::Signed | TypeKind::Float | TypeKind::Packed | TypeKind::Pred,
                TypeKind::Unsigned | TypeKind::Signed | TypeKind::Float | TypeKind::Packed | TypeKind::Pred,
            ) => false,
        }
    }

    /// The rule for the elements of a vector, which are registers or, as `None`, immediates. The assembler takes many a
    /// mixture of types, and where they are all alike any type of the width of a float.
    fn of_vector(self, at: Place<'_>, regs: impl Iterator<Item = Option<Reg>> + Clone) -> Self {
        let declared = |reg: Option<Reg>| at.names?.declared(reg?);
        let first = regs.clone().next().and_then(declared);
        let mixed = regs.clone().any(|reg| declared(reg) != first);
        let floats = self.ty.is_float()
            && self.ty != ScalarType::BF16
            && first.is_some_and(|first| first.bits() == self.ty.bits());
        if self.lanes > 1 && (mixed || floats) { Self { ty: self.class.bit_type(), ..self } } else { self }
    }

    /// The rule for a register that holds an address: an integer, whatever it points to.
    fn address(self) -> Self {
        let ty = match self.ty {
            ScalarType::B32 => ScalarType::U32,
            ScalarType::B64 => ScalarType::U64,
            other => other,
        };
        Self { ty, ..self }
    }
}

impl From<RegClass> for Rule {
    fn from(class: RegClass) -> Self {
        let imm = if class == RegClass::Pred { ImmRule::None } else { ImmRule::Int };
        Self { imm, ..Self::registers(class.bit_type(), 1) }
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
        Self { imm, ..Self::registers(ty, 1) }
    }
}

/// Where a slot stands, for messages, and what its registers are declared as.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Opcode of the row.
    pub form: &'static str,
    /// Field of the row.
    pub operand: &'static str,
    /// The declarations, where the instruction is read from a text.
    pub names: Option<&'a dyn Resolve>,
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
    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError>;

    /// Shows each register.
    fn visit(&self, see: &mut dyn FnMut(Role, Reg));

    /// Lends each register.
    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg));

    /// The variable or parameter that it names.
    fn symbol(&self) -> Option<Symbol> {
        None
    }

    /// Shows each variable, parameter or function that it names.
    fn symbols(&self, see: &mut dyn FnMut(Symbol)) {
        if let Some(symbol) = self.symbol() {
            see(symbol);
        }
    }

    /// Lends each variable, parameter or function that it names.
    fn symbols_mut(&mut self, _see: &mut dyn FnMut(&mut Symbol)) {}

    /// An operand that the rule admits.
    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self;
}
