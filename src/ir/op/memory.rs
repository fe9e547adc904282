//! Loads and stores: scalar and vector, in global, shared and per-thread memory.

use smallvec::SmallVec;

use super::{Field, Modifier, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{ArrayId, Kernel, ParamId, ParamKind, ValueId};
use crate::ir::parse::{ParseError, Parser};
use crate::ir::print::Printer;
use crate::ir::types::DType;

op! {
    /// Reads one element, or a vector of `width` elements from an index that is a multiple of it.
    /// With a guard, lanes where it is false read nothing and get 0.
    Load = "load" [width: Width] {
        /// Where.
        place: Place,
        /// Lanes where it is false get 0.
        guard: Guard,
    }
}

op! {
    /// Writes one value, or a vector to an index that is a multiple of their number.
    Store = "store" {
        /// Where.
        place: Place,
        /// One, two, four or eight values of the element type.
        values: ValueList,
    }
}

/// Elements of a vector access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    /// A scalar.
    X1,
    /// Two.
    X2,
    /// Four.
    X4,
    /// Eight.
    X8,
}

impl Width {
    /// The width of that many elements.
    pub fn of(elements: usize) -> Option<Self> {
        [Self::X1, Self::X2, Self::X4, Self::X8]
            .into_iter()
            .find(|width| width.elements() as usize == elements)
    }

    /// Elements.
    pub fn elements(self) -> u32 {
        match self {
            Self::X1 => 1,
            Self::X2 => 2,
            Self::X4 => 4,
            Self::X8 => 8,
        }
    }
}

/// A scalar access has no suffix, the others `.x2`, `.x4`, `.x8`.
impl Modifier for Width {
    fn print_suffix(&self, head: &mut String) {
        head.push_str(match self {
            Self::X1 => "",
            Self::X2 => ".x2",
            Self::X4 => ".x4",
            Self::X8 => ".x8",
        });
    }

    fn parse_suffix(rest: &str) -> Option<(Self, &str)> {
        let suffixes = [(Self::X2, ".x2"), (Self::X4, ".x4"), (Self::X8, ".x8")];
        let found =
            suffixes.into_iter().find_map(|(width, suffix)| Some((width, rest.strip_prefix(suffix)?)));
        Some(found.unwrap_or((Self::X1, rest)))
    }
}

/// What a [`Place`] indexes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemBase {
    /// A global buffer.
    Param(ParamId),
    /// A shared or per-thread array.
    Array(ArrayId),
}

impl MemBase {
    /// Element type.
    pub fn dtype(self, kernel: &Kernel) -> DType {
        match self {
            Self::Param(id) => kernel.params[id].dtype,
            Self::Array(id) => kernel.arrays[id].dtype,
        }
    }

    /// Name in the source.
    pub fn name(self, kernel: &Kernel) -> &str {
        match self {
            Self::Param(id) => &kernel.params[id].name,
            Self::Array(id) => &kernel.arrays[id].name,
        }
    }
}

/// An element of a buffer or array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The buffer or array.
    pub base: MemBase,
    /// Element index: `u32`, `i32`, `u64` or `i64`; a negative one is out of bounds.
    pub index: ValueId,
}

impl Field for Place {
    fn print(&self, printer: &mut Printer<'_>) {
        printer.base(self.base);
        printer.text("[");
        printer.value(self.index);
        printer.text("]");
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        let base = parser.base()?;
        parser.expect("[")?;
        let index = parser.value()?;
        parser.expect("]")?;
        Ok(Self { base, index })
    }

    fn uses(&self, visit: &mut dyn FnMut(ValueId)) {
        visit(self.index);
    }

    fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId) {
        self.index = map(self.index);
    }
}

/// A condition under which a load happens; without one it always does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard(pub Option<ValueId>);

impl Field for Guard {
    fn print(&self, printer: &mut Printer<'_>) {
        if let Some(value) = self.0 {
            printer.text("if ");
            printer.value(value);
        }
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.expect("if")?;
        Ok(Self(Some(parser.value()?)))
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    fn starts(parser: &mut Parser, _word: Option<&str>, _first: bool) -> bool {
        parser.at(",")
    }

    fn absent(_parser: &mut Parser) -> Result<Self, ParseError> {
        Ok(Self(None))
    }

    fn uses(&self, visit: &mut dyn FnMut(ValueId)) {
        if let Some(value) = self.0 {
            visit(value);
        }
    }

    fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId) {
        self.0 = self.0.map(map);
    }
}

/// One value, or several in parentheses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueList(pub SmallVec<[ValueId; 2]>);

impl Field for ValueList {
    fn print(&self, printer: &mut Printer<'_>) {
        if let [value] = self.0[..] {
            return printer.value(value);
        }
        printer.text("(");
        for (position, &value) in self.0.iter().enumerate() {
            printer.text(if position == 0 { "" } else { ", " });
            printer.value(value);
        }
        printer.text(")");
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        let mut values = SmallVec::new();
        if !parser.at("(") {
            values.push(parser.value()?);
            return Ok(Self(values));
        }
        parser.expect("(")?;
        loop {
            values.push(parser.value()?);
            if !parser.at(",") {
                break;
            }
            parser.expect(",")?;
        }
        parser.expect(")")?;
        Ok(Self(values))
    }

    fn uses(&self, visit: &mut dyn FnMut(ValueId)) {
        self.0.iter().copied().for_each(visit);
    }

    fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId) {
        for value in &mut self.0 {
            *value = map(*value);
        }
    }
}

pub(super) fn check_place(
    op: &'static str,
    place: &Place,
    width: u32,
    kernel: &Kernel,
) -> Result<DType, TypeError> {
    let index = kernel.dtype(place.index);
    if !matches!(index, DType::U32 | DType::I32 | DType::U64 | DType::I64) {
        return Err(TypeError::Operand { op, takes: "a 32- or 64-bit integer as its index", found: index });
    }
    if let MemBase::Param(id) = place.base {
        let param = &kernel.params[id];
        if !param.is_buffer() {
            return Err(TypeError::ParamKind { name: param.name.clone(), wanted: "a buffer" });
        }
    }
    let dtype = place.base.dtype(kernel);
    let bits = width * dtype.size() * 8;
    if width > 1 && dtype == DType::Bool {
        return Err(TypeError::VectorOfBool);
    }
    if width > 1 && bits > 128 {
        return Err(TypeError::VectorTooWide { width, dtype, bits });
    }
    Ok(dtype)
}

impl Rule for Load {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let width = self.width.elements();
        let dtype = check_place("load", &self.place, width, kernel)?;
        if let Some(guard) = self.guard.0 {
            let found = kernel.dtype(guard);
            if found != DType::Bool {
                return Err(TypeError::Operand { op: "load", takes: "a bool as its guard", found });
            }
        }
        Ok((0..width).map(|_| dtype).collect())
    }
}

impl Rule for Store {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let count = self.values.0.len();
        let width = Width::of(count).ok_or(TypeError::StoreCount { count })?;
        let dtype = check_place("store", &self.place, width.elements(), kernel)?;
        if let MemBase::Param(id) = self.place.base {
            let param = &kernel.params[id];
            if !matches!(param.kind, ParamKind::Buffer { written: true, .. }) {
                return Err(TypeError::NotWritten { name: param.name.clone() });
            }
        }
        for &value in &self.values.0 {
            let right = kernel.dtype(value);
            if right != dtype {
                return Err(TypeError::Differ { op: "store", left: dtype, right });
            }
        }
        Ok(ResultTypes::new())
    }
}
