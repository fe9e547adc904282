//! The second result of `d|p` where it must be there.
//!
//! Exit: as [`Slot`] says.

use super::{Def, Place, Role, Rule, Slot};
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::Names;
use crate::ptx::isa::reg::Reg;
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::Cursor;

/// A register that is written beside another one, after a `|`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BesideDef(pub Def);

impl Slot for BesideDef {
    fn separator(&self) -> &'static str {
        "|"
    }

    fn print(&self, out: &mut String, names: &dyn Names) {
        self.0.print(out, names);
    }

    fn parse_next(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.sign("|")?;
        Self::parse(cursor)
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        Def::parse(cursor).map(Self)
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
        Self(Def::sample(choice, rule))
    }
}
