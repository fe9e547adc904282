//! Matrix operations of a warp, and copies that feed them: registers in, registers out.
//!
//! A fragment is the registers that a lane holds of a matrix, as `numerics::tensor::Layout` spreads its elements: 32-bit
//! words (`u32`) of packed elements for factors, one value an element for accumulators other than f16. All 32 lanes of
//! the warp take part. Deliberately not here: tiles of several fragments, which `dsl` builds.

use smallvec::SmallVec;

use super::memory::{MemBase, check_place};
use super::{Field, Keyword, Modifier, Place, ResultTypes, Rule, TypeError, ValueList, op};
use crate::ir::kernel::{Kernel, ValueId};
use crate::ir::parse::{ParseError, Parser};
use crate::ir::print::Printer;
use crate::ir::types::DType;
use crate::numerics::tensor::{Accumulator, Form, Layout, Operand};

op! {
    /// D = A · B + C of one fragment each. `tensor` is what the hardware's matrix unit computes, `ieee` a chain of f32
    /// fused multiply-adds over ascending k from C.
    Mma = "mma" [numerics: Numerics, form: Form] {
        /// Registers of A.
        a: ValueList,
        /// Registers of B.
        b: ValueList,
        /// Registers of C.
        c: ValueList,
        /// Scales of a form that has them.
        "scales" scales: Scales,
    }
}

op! {
    /// Loads 8×8 matrices of 16-bit elements from shared memory, a register of each to a lane. Lane 8j + r gives the
    /// first element of row r of matrix j: 16 bytes from a multiple of 16. `trans` transposes each.
    LdMatrix = "ldmatrix" [count: MatrixCount, order: MatrixOrder] {
        /// The row of the lane.
        place: Place,
    }
}

op! {
    /// Copies elements from a global buffer to shared memory while the thread goes on: `width` of them, 4, 8 or 16 bytes
    /// from a multiple of that on both sides. Of them `count` are read, the others become zero. The copy has landed when
    /// its thread has waited for its group; until then nobody reads or writes the place.
    CpAsync = "cp_async" {
        /// Elements written.
        width: u32,
        /// Where to.
        to: Place,
        /// Where from.
        from: Place,
        /// Elements read: all of them where it is absent.
        "count" count: Count,
    }
}

op! {
    /// Makes a group of the thread's copies since the last one.
    CpAsyncCommit = "cp_async_commit" {}
}

op! {
    /// Waits until at most so many of the thread's latest groups have not landed.
    CpAsyncWait = "cp_async_wait" {
        /// Groups that may be on their way.
        pending: u32,
    }
}

/// How a product of matrices is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Numerics {
    /// By IEEE operations in a fixed order: the same bits on every target.
    Ieee,
    /// As the matrix unit does: the bits of an architecture.
    TensorCore,
}

impl Keyword for Numerics {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Ieee, "ieee"), (Self::TensorCore, "tensor")];
}

/// The form's own name, dots included.
impl Modifier for Form {
    fn print_suffix(&self, head: &mut String) {
        head.push_str(&format!(".{self}"));
    }

    fn parse_suffix(rest: &str) -> Option<(Self, &str)> {
        let name = rest.strip_prefix('.')?;
        name.parse().ok().map(|form| (form, ""))
    }
}

/// Matrices that one `ldmatrix` loads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixCount {
    /// One.
    X1,
    /// Two.
    X2,
    /// Four.
    X4,
}

impl MatrixCount {
    /// As a number.
    pub fn matrices(self) -> usize {
        match self {
            Self::X1 => 1,
            Self::X2 => 2,
            Self::X4 => 4,
        }
    }
}

impl Keyword for MatrixCount {
    const ALL: &'static [(Self, &'static str)] = &[(Self::X1, "x1"), (Self::X2, "x2"), (Self::X4, "x4")];
}

/// Which way a lane's elements follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixOrder {
    /// Along a row, as they lie in memory.
    Rows,
    /// Along a column.
    Transposed,
}

/// Nothing for rows, `.trans` for the other.
impl Modifier for MatrixOrder {
    fn print_suffix(&self, head: &mut String) {
        if *self == Self::Transposed {
            head.push_str(".trans");
        }
    }

    fn parse_suffix(rest: &str) -> Option<(Self, &str)> {
        Some(match rest.strip_prefix(".trans") {
            Some(rest) => (Self::Transposed, rest),
            None => (Self::Rows, rest),
        })
    }
}

/// The words that hold the scales of a lane, for A and for B; absent in a form without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scales(pub Option<[ScaleWord; 2]>);

/// A word with scales, and which of its bytes and whose words count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScaleWord {
    /// A `u32`.
    pub word: ValueId,
    /// The first byte that counts.
    pub byte: u8,
    /// Which threads of a quad give them.
    pub thread: u8,
}

impl Field for Scales {
    fn print(&self, printer: &mut Printer<'_>) {
        for (position, scale) in self.0.iter().flatten().enumerate() {
            printer.text(if position == 0 { "" } else { ", " });
            printer.value(scale.word);
            printer.text(&format!(" byte {} thread {}", scale.byte, scale.thread));
        }
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        let scale = |parser: &mut Parser| {
            let word = parser.value()?;
            parser.expect("byte")?;
            // What is no byte is no selector either, which the rule says.
            let byte = u8::try_from(parser.number()?).unwrap_or(u8::MAX);
            parser.expect("thread")?;
            let thread = u8::try_from(parser.number()?).unwrap_or(u8::MAX);
            Ok(ScaleWord { word, byte, thread })
        };
        let first = scale(parser)?;
        parser.expect(",")?;
        Ok(Self(Some([first, scale(parser)?])))
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    fn starts(parser: &mut Parser, word: Option<&str>, _first: bool) -> bool {
        word.is_some_and(|word| parser.at(word))
    }

    fn absent(_parser: &mut Parser) -> Result<Self, ParseError> {
        Ok(Self(None))
    }

    fn uses(&self, visit: &mut dyn FnMut(ValueId)) {
        self.0.iter().flatten().for_each(|scale| visit(scale.word));
    }

    fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId) {
        self.0.iter_mut().flatten().for_each(|scale| scale.word = map(scale.word));
    }
}

/// How many elements of a copy are read; all of them where it is absent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Count(pub Option<ValueId>);

impl Field for Count {
    fn print(&self, printer: &mut Printer<'_>) {
        if let Some(value) = self.0 {
            printer.value(value);
        }
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        Ok(Self(Some(parser.value()?)))
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    fn starts(parser: &mut Parser, word: Option<&str>, _first: bool) -> bool {
        word.is_some_and(|word| parser.at(word))
    }

    fn absent(_parser: &mut Parser) -> Result<Self, ParseError> {
        Ok(Self(None))
    }

    fn uses(&self, visit: &mut dyn FnMut(ValueId)) {
        self.0.into_iter().for_each(visit);
    }

    fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId) {
        self.0 = self.0.map(map);
    }
}

/// The type of a register of an operand.
pub fn register_type(form: &Form, operand: Operand) -> DType {
    match (operand, form.acc) {
        (Operand::C, Accumulator::F32) => DType::F32,
        (Operand::C, Accumulator::S32) => DType::I32,
        (Operand::A | Operand::B | Operand::C, Accumulator::F64) => DType::F64,
        (Operand::A | Operand::B | Operand::C, _) => DType::U32,
    }
}

impl Mma {
    /// Each operand with its registers.
    pub fn operands(&self) -> [(Operand, &ValueList); 3] {
        [(Operand::A, &self.a), (Operand::B, &self.b), (Operand::C, &self.c)]
    }
}

impl Rule for Mma {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        for (operand, values) in self.operands() {
            let wanted = Layout::of(&self.form, operand).registers();
            if values.0.len() != wanted {
                let (form, found) = (self.form, values.0.len());
                return Err(TypeError::Registers { form, operand, wanted, found });
            }
            let left = register_type(&self.form, operand);
            for &value in &values.0 {
                let right = kernel.dtype(value);
                if left != right {
                    return Err(TypeError::Differ { op: "mma", left, right });
                }
            }
        }
        // A product of quad pairs has an order of its own already.
        let kind = self.form.kind;
        let has_order = self.form.acc == Accumulator::F32 && kind.scale().is_none() && kind.products() == 1;
        if self.numerics == Numerics::Ieee && !has_order {
            return Err(TypeError::NoIeeeForm { form: self.form });
        }
        if self.scales.0.is_some() != self.form.kind.scale().is_some() {
            return Err(TypeError::Scales { form: self.form });
        }
        for (scale, operand) in self.scales.0.iter().flatten().zip([Operand::A, Operand::B]) {
            let threads = if operand == Operand::A { 2 } else { 4 };
            let (form, ScaleWord { byte, thread, .. }) = (self.form, *scale);
            if byte > 3 || usize::from(byte) % form.kind.scales() != 0 || thread >= threads {
                return Err(TypeError::ScaleSelector { form, operand, byte, thread });
            }
            let found = kernel.dtype(scale.word);
            if found != DType::U32 {
                return Err(TypeError::Operand { op: "mma", takes: "a `u32` as its scales", found });
            }
        }
        let count = self.c.0.len();
        Ok(SmallVec::from_elem(register_type(&self.form, Operand::C), count))
    }
}

impl Rule for LdMatrix {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let dtype = check_place("ldmatrix", &self.place, 1, kernel)?;
        if !is_shared(self.place.base, kernel) || dtype == DType::Bool {
            let name = self.place.base.name(kernel).to_owned();
            return Err(TypeError::NotShared { op: "ldmatrix", name });
        }
        Ok(SmallVec::from_elem(DType::U32, self.count.matrices()))
    }
}

fn is_shared(base: MemBase, kernel: &Kernel) -> bool {
    matches!(base, MemBase::Array(id) if kernel.arrays[id].space == crate::ir::ArraySpace::Shared)
}

impl Rule for CpAsync {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let left = check_place("cp_async", &self.to, 1, kernel)?;
        let right = check_place("cp_async", &self.from, 1, kernel)?;
        if left != right {
            return Err(TypeError::Differ { op: "cp_async", left, right });
        }
        if !is_shared(self.to.base, kernel) {
            let name = self.to.base.name(kernel).to_owned();
            return Err(TypeError::NotShared { op: "cp_async", name });
        }
        let MemBase::Param(_) = self.from.base else {
            let name = self.from.base.name(kernel).to_owned();
            return Err(TypeError::ParamKind { name, wanted: "a buffer, which `cp_async` copies from" });
        };
        let bytes = self.width.saturating_mul(left.size());
        if !matches!(bytes, 4 | 8 | 16) || left == DType::Bool {
            return Err(TypeError::CopySize { width: self.width, dtype: left, bytes });
        }
        if let Some(count) = self.count.0 {
            let found = kernel.dtype(count);
            if found != DType::U32 {
                return Err(TypeError::Operand { op: "cp_async", takes: "a `u32` as its count", found });
            }
        }
        Ok(ResultTypes::new())
    }
}

impl Rule for CpAsyncCommit {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(ResultTypes::new())
    }
}

impl Rule for CpAsyncWait {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(ResultTypes::new())
    }
}
