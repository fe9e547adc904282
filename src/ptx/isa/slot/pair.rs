//! The second result of `d|p` where it must be there.
//!
//! Exit: as [`Slot`] says.

use super::{Place, Role, Rule, Slot};
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::Names;
use crate::ptx::isa::reg::Reg;
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::Cursor;

/// A register that is written beside another one, after a `|`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BesideDef(pub Reg);

impl Slot for BesideDef {
    fn separator(&self) -> &'static str {
        "|"
    }

    fn print(&self, out: &mut String, names: &dyn Names) {
        out.push_str(names.reg(self.0));
    }

    fn parse_next(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.sign("|")?;
        Self::parse(cursor)
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
