//! Structured control flow, mutable locals, and comments.

use smallvec::smallvec;

use super::{Field, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, LocalId, RegionId, ValueId};
use crate::ir::parse::{ParseError, Parser};
use crate::ir::print::Printer;
use crate::ir::types::DType;

op! {
    /// Reads a local, which must have been written on this path.
    LocalGet = "get" {
        /// The local.
        local: LocalId
    }
}

op! {
    /// Writes a local.
    LocalSet = "set" {
        /// The local.
        local: LocalId,
        /// What it becomes, of the local's type.
        value: ValueId,
    }
}

op! {
    /// Runs one of two regions, lane by lane.
    If = "if" {
        /// A `bool`.
        cond: ValueId,
        /// Run where it holds.
        then: RegionId,
        /// Run elsewhere.
        "else" els: RegionId,
    }
}

op! {
    /// Runs a region ceil((end − start) / step) times, or never where that is not positive; the counter takes start,
    /// start + step, … and never wraps. The bounds are evaluated once, per lane. Step 0 is an error.
    For = "for" {
        /// The counter, defined in the body.
        counter: Counter,
        /// Its first value; an integer.
        "=" start: ValueId,
        /// The bound it does not reach.
        "to" end: ValueId,
        /// What is added each time; negative only where the type is signed.
        "step" step: ValueId,
        /// How many iterations the code spells out; 1 leaves that to the assembler.
        "unroll" unroll: u32,
        /// The body.
        body: RegionId,
    }
}

op! {
    /// Runs a region again and again, until a `break`.
    Loop = "loop" {
        /// The body.
        body: RegionId
    }
}

op! {
    /// Leaves the innermost loop. Last in its region.
    Break = "break" {}
}

op! {
    /// Goes on with the innermost loop's next iteration. Last in its region.
    Continue = "continue" {}
}

op! {
    /// A remark that emitted text shows.
    Comment = "comment" {
        /// One line.
        text: String
    }
}

/// The value that a `for` defines for its body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Counter(pub ValueId);

impl Field for Counter {
    fn print(&self, printer: &mut Printer<'_>) {
        printer.definition(self.0);
        printer.text(": ");
        printer.text(printer.kernel().dtype(self.0).name());
    }

    fn parse(parser: &mut Parser) -> Result<Self, ParseError> {
        parser.counter().map(Self)
    }
}

fn nothing() -> Result<ResultTypes, TypeError> {
    Ok(ResultTypes::new())
}

impl Rule for LocalGet {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(smallvec![kernel.locals[self.local].dtype])
    }
}

impl Rule for LocalSet {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let (left, right) = (kernel.locals[self.local].dtype, kernel.dtype(self.value));
        if left == right { nothing() } else { Err(TypeError::Differ { op: "set", left, right }) }
    }
}

impl Rule for If {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let found = kernel.dtype(self.cond);
        if found == DType::Bool {
            nothing()
        } else {
            Err(TypeError::Operand { op: "if", takes: "a bool as its condition", found })
        }
    }
}

impl Rule for For {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let left = kernel.dtype(self.counter.0);
        if !matches!(left, DType::U32 | DType::I32 | DType::U64 | DType::I64) {
            return Err(TypeError::Operand { op: "for", takes: "32- or 64-bit integer bounds", found: left });
        }
        for bound in [self.start, self.end, self.step] {
            let right = kernel.dtype(bound);
            if right != left {
                return Err(TypeError::Differ { op: "for", left, right });
            }
        }
        nothing()
    }
}

impl Rule for Loop {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        nothing()
    }
}

impl Rule for Break {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        nothing()
    }
}

impl Rule for Continue {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        nothing()
    }
}

impl Rule for Comment {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        nothing()
    }
}
