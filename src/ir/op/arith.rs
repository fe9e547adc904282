//! Arithmetic: constants, one- and two-operand operations, fused multiply-add, comparison, selection.

use smallvec::smallvec;

use super::{Keyword, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, ValueId};
use crate::ir::types::{DType, Literal};

op! {
    /// A constant.
    Const = "const" {
        /// The value.
        value: Literal
    }
}

op! {
    /// One operand, one result of the same type (`popcount`, `clz` and `ctz` give `u32`).
    Unary = "" [op: UnaryOp] {
        /// The operand.
        a: ValueId
    }
}

op! {
    /// Two operands of one type, one result of that type.
    Binary = "" [op: BinaryOp] {
        /// Left.
        a: ValueId,
        /// Right.
        b: ValueId,
    }
}

op! {
    /// a × b + c with one rounding; floats only.
    Fma = "fma" {
        /// Factor.
        a: ValueId,
        /// Factor.
        b: ValueId,
        /// Summand.
        c: ValueId,
    }
}

op! {
    /// Compares two values of one type; with a NaN only `ne` is true.
    Compare = "" [op: CompareOp] {
        /// Left.
        a: ValueId,
        /// Right.
        b: ValueId,
    }
}

op! {
    /// `a` where the condition holds, else `b`; bits are moved untouched.
    Select = "select" {
        /// The condition, a `bool`.
        cond: ValueId,
        /// Taken where it holds.
        a: ValueId,
        /// Taken elsewhere.
        b: ValueId,
    }
}

/// Operations on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Integer: wrapping negation. Float: the sign bit flipped.
    Neg,
    /// Integer: wrapping magnitude. Float: the sign bit cleared.
    Abs,
    /// All bits flipped; logical not of a `bool`.
    Not,
    /// Square root, rounded to nearest even.
    Sqrt,
    /// Greatest integer not above.
    Floor,
    /// Least integer not below.
    Ceil,
    /// Toward zero.
    Trunc,
    /// To the nearest integer, ties to even.
    Round,
    /// Bits set.
    Popcount,
    /// Zero bits above the highest set one; the width for 0.
    Clz,
    /// Zero bits below the lowest set one; the width for 0.
    Ctz,
}

impl UnaryOp {
    /// Whether different operands give different results, for integers and `bool`.
    pub fn is_injective(self) -> bool {
        matches!(self, Self::Neg | Self::Not)
    }

    /// Whether the result is a number of bits, at most the operand's width.
    pub fn counts_bits(self) -> bool {
        matches!(self, Self::Popcount | Self::Clz | Self::Ctz)
    }
}

impl Keyword for UnaryOp {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Neg, "neg"),
        (Self::Abs, "abs"),
        (Self::Not, "not"),
        (Self::Sqrt, "sqrt"),
        (Self::Floor, "floor"),
        (Self::Ceil, "ceil"),
        (Self::Trunc, "trunc"),
        (Self::Round, "round"),
        (Self::Popcount, "popcount"),
        (Self::Clz, "clz"),
        (Self::Ctz, "ctz"),
    ];
}

/// Operations on two operands of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Sum; integers wrap.
    Add,
    /// Difference; integers wrap.
    Sub,
    /// Product; integers wrap.
    Mul,
    /// Quotient; integers truncate, x/0 is all ones, MIN/−1 is MIN.
    Div,
    /// Integer remainder with the dividend's sign; x%0 is x.
    Rem,
    /// The lesser; the other operand where one is NaN; −0 below +0.
    Min,
    /// The greater; the other operand where one is NaN; −0 below +0.
    Max,
    /// The lesser, or NaN where either is.
    MinNan,
    /// The greater, or NaN where either is.
    MaxNan,
    /// Bitwise and; logical on `bool`.
    And,
    /// Bitwise or; logical on `bool`.
    Or,
    /// Bitwise exclusive or; inequality on `bool`.
    Xor,
    /// Shift left by an unsigned count of the same type's bits; counts of the width or more give 0.
    Shl,
    /// Shift right, filling with the sign where the type is signed; counts of the width or more leave only fill.
    Shr,
    /// The upper half of the double-width product.
    MulHi,
    /// The magnitude of the left with the sign of the right.
    Copysign,
}

impl BinaryOp {
    /// Whether, one integer operand being fixed, different other operands give different results.
    pub fn is_injective(self) -> bool {
        matches!(self, Self::Add | Self::Sub | Self::Xor)
    }
}

impl Keyword for BinaryOp {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Add, "add"),
        (Self::Sub, "sub"),
        (Self::Mul, "mul"),
        (Self::Div, "div"),
        (Self::Rem, "rem"),
        (Self::Min, "min"),
        (Self::Max, "max"),
        (Self::MinNan, "min_nan"),
        (Self::MaxNan, "max_nan"),
        (Self::And, "and"),
        (Self::Or, "or"),
        (Self::Xor, "xor"),
        (Self::Shl, "shl"),
        (Self::Shr, "shr"),
        (Self::MulHi, "mul_hi"),
        (Self::Copysign, "copysign"),
    ];
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// Equal; +0 equals −0.
    Eq,
    /// Not equal; true with a NaN.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Keyword for CompareOp {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Eq, "eq"),
        (Self::Ne, "ne"),
        (Self::Lt, "lt"),
        (Self::Le, "le"),
        (Self::Gt, "gt"),
        (Self::Ge, "ge"),
    ];
}

/// What an operand may be, in words for the error, and as a test.
type Takes = (&'static str, fn(DType) -> bool);

const NUMBER: Takes = ("a number", |dtype| dtype.is_int() || dtype.is_float());
const INT: Takes = ("an integer", DType::is_int);
const FLOAT: Takes = ("a float", DType::is_float);
const BITS: Takes = ("an integer or a bool", |dtype| !dtype.is_real());
const ANY: Takes = ("a number or a bool", |dtype| dtype.storage().is_none());

fn check(op: &'static str, (takes, test): Takes, found: DType) -> Result<(), TypeError> {
    if test(found) { Ok(()) } else { Err(TypeError::Operand { op, takes, found }) }
}

fn same(op: &'static str, kernel: &Kernel, a: ValueId, b: ValueId) -> Result<DType, TypeError> {
    let (left, right) = (kernel.dtype(a), kernel.dtype(b));
    if left == right { Ok(left) } else { Err(TypeError::Differ { op, left, right }) }
}

impl Rule for Const {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(smallvec![self.value.dtype])
    }
}

impl Rule for Unary {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let dtype = kernel.dtype(self.a);
        let (takes, result) = match self.op {
            UnaryOp::Neg | UnaryOp::Abs => (NUMBER, dtype),
            UnaryOp::Not => (BITS, dtype),
            UnaryOp::Sqrt | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::Round => {
                (FLOAT, dtype)
            }
            UnaryOp::Popcount | UnaryOp::Clz | UnaryOp::Ctz => (INT, DType::U32),
        };
        check(self.op.keyword(), takes, dtype)?;
        Ok(smallvec![result])
    }
}

impl Rule for Binary {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let dtype = same(self.op.keyword(), kernel, self.a, self.b)?;
        let takes = match self.op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Min | BinaryOp::Max => {
                NUMBER
            }
            BinaryOp::MinNan | BinaryOp::MaxNan | BinaryOp::Copysign => FLOAT,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => BITS,
            BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::MulHi => INT,
        };
        check(self.op.keyword(), takes, dtype)?;
        Ok(smallvec![dtype])
    }
}

impl Rule for Fma {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let dtype = same("fma", kernel, self.a, self.b)?;
        same("fma", kernel, self.a, self.c)?;
        check("fma", FLOAT, dtype)?;
        Ok(smallvec![dtype])
    }
}

impl Rule for Compare {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let dtype = same(self.op.keyword(), kernel, self.a, self.b)?;
        let takes = match self.op {
            CompareOp::Eq | CompareOp::Ne => ANY,
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => NUMBER,
        };
        check(self.op.keyword(), takes, dtype)?;
        Ok(smallvec![DType::Bool])
    }
}

impl Rule for Select {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let cond = kernel.dtype(self.cond);
        check("select", ("a bool as its condition", |dtype| dtype == DType::Bool), cond)?;
        Ok(smallvec![same("select", kernel, self.a, self.b)?])
    }
}
