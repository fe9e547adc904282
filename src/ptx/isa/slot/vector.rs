//! Slots of several registers or values in braces.
//!
//! Exit: as [`Slot`] says; a lane of a written vector may be the sink `_`.

use smallvec::SmallVec;

use super::{Place, Role, Rule, Slot, Use};
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::Names;
use crate::ptx::isa::reg::Reg;
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::Cursor;

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

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        let rule = rule.element(self.0.len(), at)?.of_vector(at, self.0.iter().flatten().copied().map(Some));
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

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        let regs = self.0.iter().map(|value| value.reg());
        let rule = rule.element(self.0.len(), at)?.of_vector(at, regs);
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
