//! Numbers that must be written out and have few values.
//!
//! Exit: as [`Slot`] says; a number outside the range is refused by the check.

use super::{Place, Role, Rule, Slot};
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::Names;
use crate::ptx::isa::reg::Reg;
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::{self, Cursor};

/// An integer from `LEAST` to `GREATEST` in steps of `STEP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounded<const LEAST: i64, const GREATEST: i64, const STEP: i64>(pub i64);

/// Bytes of a line of L2.
pub type LineBytes = Bounded<128, 128, 1>;

/// Number of a performance counter event.
pub type EventNumber = Bounded<0, 15, 1>;

/// A set of performance counter events.
pub type EventMask = Bounded<0, 0xffff, 1>;

/// Registers of a thread.
pub type RegisterCount = Bounded<24, 256, 8>;

impl<const LEAST: i64, const GREATEST: i64, const STEP: i64> Slot for Bounded<LEAST, GREATEST, STEP> {
    fn print(&self, out: &mut String, _names: &dyn Names) {
        scan::print_int(out, self.0);
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.integer().map(Self)
    }

    fn check(&self, _rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        if (LEAST..=GREATEST).contains(&self.0) && self.0 % STEP == 0 {
            return Ok(());
        }
        let Place { form, operand, .. } = at;
        Err(FormError::Range { form, operand, least: LEAST, greatest: GREATEST, step: STEP })
    }

    fn visit(&self, _see: &mut dyn FnMut(Role, Reg)) {}

    fn visit_mut(&mut self, _see: &mut dyn FnMut(Role, &mut Reg)) {}

    fn sample(choice: &mut dyn Choice, _rule: Rule) -> Self {
        Self(LEAST + STEP * choice.operand(((GREATEST - LEAST) / STEP + 1) as usize) as i64)
    }
}
