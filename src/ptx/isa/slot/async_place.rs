//! Slots of asynchronous copies: the size of a copy, and a place in a tensor.
//!
//! Exit: as [`Slot`] says.

use super::{Base, Place, Role, Rule, Slot, Use};
use crate::ptx::isa::error::{FormError, ParseError};
use crate::ptx::isa::name::{Names, Symbol};
use crate::ptx::isa::reg::{Reg, RegClass};
use crate::ptx::isa::sample::Choice;
use crate::ptx::isa::scan::{self, Cursor};
use crate::ptx::isa::types::ScalarType;

/// The bytes of a copy by one thread, written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopySize {
    /// 4.
    B4,
    /// 8.
    B8,
    /// 16.
    B16,
}

impl CopySize {
    const ALL: [Self; 3] = [Self::B4, Self::B8, Self::B16];

    /// The number.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::B4 => 4,
            Self::B8 => 8,
            Self::B16 => 16,
        }
    }
}

impl Slot for CopySize {
    fn print(&self, out: &mut String, _names: &dyn Names) {
        scan::print_u32(out, self.bytes());
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let wrong = cursor.expected("4, 8 or 16");
        let bytes = cursor.integer()?;
        Self::ALL.into_iter().find(|size| i64::from(size.bytes()) == bytes).ok_or(wrong)
    }

    fn check(&self, _rule: Rule, _at: Place<'_>) -> Result<(), FormError> {
        Ok(())
    }

    fn visit(&self, _see: &mut dyn FnMut(Role, Reg)) {}

    fn visit_mut(&mut self, _see: &mut dyn FnMut(Role, &mut Reg)) {}

    fn sample(choice: &mut dyn Choice, _rule: Rule) -> Self {
        Self::ALL[choice.operand(Self::ALL.len())]
    }
}

/// `[map, {x, y}]`: a tensor map and a coordinate for each of its dimensions, innermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorPlace {
    /// Generic address of the map; no offset goes with it.
    pub map: Base,
    /// The coordinates, signed 32-bit numbers.
    pub coordinates: Vec<Use>,
}

/// The rule of the coordinates.
const COORDINATE: Rule = Rule { imm: super::ImmRule::Int, ..Rule::registers(ScalarType::S32, 1) };

impl Slot for TensorPlace {
    fn print(&self, out: &mut String, names: &dyn Names) {
        out.push('[');
        self.map.print(out, names);
        out.push_str(", {");
        for (index, coordinate) in self.coordinates.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            coordinate.print(out, names);
        }
        out.push_str("}]");
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.sign("[")?;
        let map = cursor.base()?;
        cursor.sign(",")?;
        let coordinates: smallvec::SmallVec<[Use; 5]> = cursor.braced(Cursor::value)?;
        cursor.sign("]")?;
        Ok(Self { map, coordinates: coordinates.into_vec() })
    }

    fn check(&self, rule: Rule, at: Place<'_>) -> Result<(), FormError> {
        let met = self.coordinates.len();
        if met != rule.lanes {
            let Place { form, operand, .. } = at;
            return Err(FormError::Lanes { form, operand, met, expected: rule.lanes });
        }
        if let Base::Reg(reg) = self.map {
            Rule::from(RegClass::B64).reg(at, reg)?;
        }
        self.coordinates.iter().try_for_each(|coordinate| coordinate.check(COORDINATE, at))
    }

    fn visit(&self, see: &mut dyn FnMut(Role, Reg)) {
        if let Base::Reg(reg) = self.map {
            see(Role::Address, reg);
        }
        self.coordinates.iter().for_each(|coordinate| coordinate.visit(see));
    }

    fn visit_mut(&mut self, see: &mut dyn FnMut(Role, &mut Reg)) {
        if let Base::Reg(reg) = &mut self.map {
            see(Role::Address, reg);
        }
        self.coordinates.iter_mut().for_each(|coordinate| coordinate.visit_mut(see));
    }

    fn symbol(&self) -> Option<Symbol> {
        match self.map {
            Base::Reg(_) => None,
            Base::Symbol(symbol) => Some(symbol),
        }
    }

    fn symbols_mut(&mut self, see: &mut dyn FnMut(&mut Symbol)) {
        self.map.symbols_mut(see);
    }

    fn sample(choice: &mut dyn Choice, rule: Rule) -> Self {
        let map = Base::Reg(choice.reg(RegClass::B64));
        let coordinates = (0..rule.lanes).map(|_| Use::sample(choice, COORDINATE)).collect();
        Self { map, coordinates }
    }
}
