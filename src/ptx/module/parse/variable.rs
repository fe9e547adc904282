//! Variables and their initial values.

use super::Parser;
use crate::ptx::isa::constant::{self, Constant};
use crate::ptx::isa::lex::{Token, TokenKind};
use crate::ptx::isa::name::NoNames;
use crate::ptx::isa::scan::Cursor;
use crate::ptx::isa::{ParseError, ParseErrorKind, ScalarType};
use crate::ptx::module::{Extent, Initial, Linkage, VarSpace, Variable};

/// Most elements that nested braces may fill with zeros: a typing error must not take the memory of the machine.
const MOST_FILLED: u64 = 1 << 24;

/// Most dimensions of an array.
const MOST_DIMENSIONS: usize = 16;

impl<'a> Parser<'a> {
    /// A declaration after its state space, up to the `;`.
    pub(super) fn variable(
        &mut self,
        space: VarSpace,
        linkage: Linkage,
    ) -> Result<(&'a str, Variable), ParseError> {
        let mut align = self.align()?;
        let lanes = match self.text() {
            ".v2" => 2,
            ".v4" => 4,
            _ => 1,
        };
        self.at += usize::from(lanes > 1);
        let ty = self.scalar_type()?;
        let name = self.name()?;
        let mut extents = Vec::new();
        let mut open = false;
        while self.eat("[") {
            if self.is("]") && extents.is_empty() {
                open = true;
            } else {
                // The one constant with a name; the assembler takes no expression here.
                extents.push(if self.eat("WARP_SZ") { 32 } else { self.number()? });
            }
            self.take("]")?;
            if extents.len() > MOST_DIMENSIONS {
                return self.unsupported("dimension before");
            }
        }
        if lanes > 1 {
            extents.push(lanes);
            align = align.max(Some(ty.bytes() * lanes as u32));
        }
        let initial = self.initial(space, ty, &extents, open)?;
        self.take(";")?;
        let elements = extents.iter().fold(1_u64, |product, &extent| product.saturating_mul(extent));
        let extent = match (open, initial.len() as u64) {
            (false, _) if extents.is_empty() => Extent::Scalar,
            (false, _) => Extent::Array(elements),
            (true, 0) => Extent::Unsized,
            (true, given) => Extent::Array(given.next_multiple_of(elements.max(1))),
        };
        Ok((name, Variable { name: name.to_owned(), space, linkage, align, ty, extent, initial }))
    }

    /// `= {1, 2}` or `= 1` behind a variable of the module's own memory.
    fn initial(
        &mut self,
        space: VarSpace,
        ty: ScalarType,
        extents: &[u64],
        open: bool,
    ) -> Result<Vec<Initial>, ParseError> {
        if self.is("=") && !(matches!(space, VarSpace::Global | VarSpace::Const) && ty.bits() <= 64) {
            return self.unsupported("initialiser");
        }
        let mut values = Vec::new();
        if !self.eat("=") {
            return Ok(values);
        }
        if self.eat("{") {
            self.initial_list(ty, if open { extents } else { extents.get(1..).unwrap_or(&[]) }, &mut values)?;
        } else {
            values.push(self.initial_value(ty)?);
        }
        Ok(values)
    }

    /// The values after a `{`; a list inside has `inner` elements, and is filled up with zeros.
    fn initial_list(
        &mut self,
        ty: ScalarType,
        inner: &[u64],
        values: &mut Vec<Initial>,
    ) -> Result<(), ParseError> {
        let count = inner.iter().fold(1_u64, |product, &extent| product.saturating_mul(extent));
        loop {
            if self.is("{") {
                let end = (values.len() as u64).saturating_add(count);
                if inner.is_empty() || end > MOST_FILLED {
                    return self.unsupported("initial value");
                }
                self.at += 1;
                self.initial_list(ty, &inner[1..], values)?;
                if values.len() as u64 > end {
                    return self.expected("no more values than the declaration has elements");
                }
                values.resize(end as usize, Initial::Bits(0));
            } else {
                values.push(self.initial_value(ty)?);
            }
            if !self.eat(",") {
                return self.take("}");
            }
        }
    }

    fn initial_value(&mut self, ty: ScalarType) -> Result<Initial, ParseError> {
        let masked = |token: &Token<'_>| token.kind == TokenKind::Number && self.is_ahead(1, "(");
        let named = |token: &Token<'_>| token.kind == TokenKind::Word && token.text != "WARP_SZ";
        if self.peek().is_some_and(|token| masked(token) || named(token)) {
            return self.initial_address(ty);
        }
        if !self.peek().is_some_and(constant::begins) {
            return self.unsupported("initial value");
        }
        let first = self.error(ParseErrorKind::BadNumber { met: self.text().to_owned() });
        let bits = match (self.constant()?, ty) {
            (Constant::Single(bits), ScalarType::F32) => Some(u64::from(bits)),
            (Constant::Float(value), ScalarType::F32 | ScalarType::B32) => {
                Some(u64::from((value as f32).to_bits()))
            }
            (Constant::Float(value), ScalarType::F64 | ScalarType::B64) => Some(value.to_bits()),
            (Constant::Signed(value), ty) if !ty.is_float() => Some(value.cast_unsigned()),
            (Constant::Unsigned(value), ty) if !ty.is_float() => Some(value),
            _ => None,
        };
        bits.map(|bits| Initial::Bits(bits & (u64::MAX >> (64 - ty.bits())))).ok_or(first)
    }

    /// A constant expression.
    fn constant(&mut self) -> Result<Constant, ParseError> {
        let mut cursor = Cursor::new(&self.tokens[self.at..], &NoNames);
        let value = constant::parse(&mut cursor)?;
        self.at += cursor.taken();
        Ok(value)
    }

    /// `name`, `generic(name)`, either `+n`; or `0xff00(…)` around it.
    fn initial_address(&mut self, ty: ScalarType) -> Result<Initial, ParseError> {
        if ty.is_float() {
            return self.expected("a number");
        }
        let mask = if self.is_ahead(1, "(") && !self.is("generic") { Some(self.number()?) } else { None };
        if mask.is_some() {
            self.take("(")?;
        }
        let generic = self.is_ahead(1, "(") && self.eat("generic");
        if generic {
            self.take("(")?;
        }
        let name = self.name()?;
        let Some(&symbol) = self.names.get(name) else {
            self.at -= 1;
            let kind = ParseErrorKind::UnknownName { what: "variable or function", name: name.to_owned() };
            return Err(self.error(kind));
        };
        if generic {
            self.take(")")?;
        }
        let mut offset = 0;
        if self.eat("+") {
            let first = self.error(ParseErrorKind::BadNumber { met: self.text().to_owned() });
            offset = match self.constant()? {
                Constant::Signed(value) => value,
                Constant::Unsigned(value) => value.cast_signed(),
                Constant::Float(_) | Constant::Single(_) => return Err(first),
            };
        }
        if mask.is_some() {
            self.take(")")?;
        }
        Ok(Initial::Address { symbol, generic, offset, mask })
    }
}
