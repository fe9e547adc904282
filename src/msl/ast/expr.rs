//! Expressions.

use super::{Ident, Routine, Scalar};

/// An expression without side effects; a call of an atomic operation, which has one, is a statement or a constant's value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::msl) enum Expr {
    /// A variable or argument.
    Name(Ident),
    /// A component of a three-component argument.
    Component(Ident, Axis3),
    /// A constant from its bit pattern, written as a number where that is exact.
    Literal(Scalar, u64),
    /// An unsigned constant, written in hexadecimal.
    Bits(Scalar, u64),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `cond ? a : b`; the arm not taken is not evaluated.
    Conditional(Box<[Expr; 3]>),
    /// A conversion by value.
    Cast(Scalar, Box<Expr>),
    /// The same bits as another type.
    AsType(Scalar, Box<Expr>),
    /// A call.
    Call(Callee, Vec<TemplateArg>, Vec<Expr>),
    /// `base[index]`
    Element(Ident, Box<Expr>),
    /// The address of `base[index]` as that of Metal's atomic type, in device memory.
    AtomicElement(Scalar, Ident, Box<Expr>),
    /// The only order that Metal's atomic operations have.
    RelaxedOrder,
}

/// A component of a vector of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::msl) enum Axis3 {
    X,
    Y,
    Z,
}

impl Axis3 {
    /// The axis of that number; the IR has no fourth.
    pub(in crate::msl) fn of(axis: u8) -> Self {
        match axis {
            0 => Self::X,
            1 => Self::Y,
            // GeomReg's keywords end at z.
            2.. => Self::Z,
        }
    }

    pub(in crate::msl) const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::msl) enum UnaryOp {
    /// `~`
    BitNot,
    /// `!`
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::msl) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    LogicalAnd,
    LogicalOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::msl) enum Callee {
    /// A function of Metal's library.
    Builtin(Builtin),
    /// A function of the prelude.
    Routine(Routine),
}

/// The functions of Metal's library that lowering uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::msl) enum Builtin {
    Fma,
    /// The correctly rounded one.
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Rint,
    Popcount,
    Clz,
    Ctz,
    MulHi,
    FastExp2,
    FastLog2,
    FastSin,
    FastCos,
    FastTanh,
    FastRsqrt,
    FastDivide,
    FastSqrt,
    AtomicFetchAdd,
    AtomicFetchMin,
    AtomicFetchMax,
    AtomicFetchAnd,
    AtomicFetchOr,
    AtomicFetchXor,
    AtomicExchange,
    AtomicLoad,
    AtomicStore,
}

/// An argument of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::msl) enum TemplateArg {
    Type(Scalar),
    Bits(Scalar, u64),
}

impl Expr {
    pub(in crate::msl) fn unary(op: UnaryOp, a: Self) -> Self {
        Self::Unary(op, Box::new(a))
    }

    pub(in crate::msl) fn binary(op: BinaryOp, a: Self, b: Self) -> Self {
        Self::Binary(op, Box::new(a), Box::new(b))
    }

    pub(in crate::msl) fn conditional(cond: Self, a: Self, b: Self) -> Self {
        Self::Conditional(Box::new([cond, a, b]))
    }

    /// Converts by value, unless the type is that already.
    pub(in crate::msl) fn cast(self, from: Scalar, to: Scalar) -> Self {
        if from == to { self } else { Self::Cast(to, Box::new(self)) }
    }

    /// Converts by value an expression whose own type C++ may have promoted.
    pub(in crate::msl) fn narrow(self, to: Scalar) -> Self {
        Self::Cast(to, Box::new(self))
    }

    pub(in crate::msl) fn reinterpret(self, to: Scalar) -> Self {
        Self::AsType(to, Box::new(self))
    }

    pub(in crate::msl) fn builtin(builtin: Builtin, args: Vec<Self>) -> Self {
        Self::Call(Callee::Builtin(builtin), Vec::new(), args)
    }

    /// Whether it is written again at each use rather than given a name.
    pub(in crate::msl) fn is_atom(&self) -> bool {
        match self {
            Self::Name(_) | Self::Component(..) | Self::Literal(..) | Self::Bits(..) | Self::RelaxedOrder => {
                true
            }
            Self::Unary(..)
            | Self::Binary(..)
            | Self::Conditional(_)
            | Self::Cast(..)
            | Self::AsType(..)
            | Self::Call(..)
            | Self::Element(..)
            | Self::AtomicElement(..) => false,
        }
    }
}
