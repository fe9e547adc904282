//! MSL as a typed tree: what `lower` builds and `print` writes.
//!
//! Only the part of the language that elementwise kernels need. A name is an [`Ident`] that `keywords` made legal and
//! unique; types are carried by declarations and casts, so that no implicit conversion of C++ decides a value. Deliberately
//! not here: layout and parentheses, which `print` adds.

mod expr;
mod routine;
mod scalar;

pub(super) use expr::{Axis3, BinaryOp, Builtin, Callee, Expr, TemplateArg, UnaryOp};
pub(super) use routine::Routine;
pub(super) use scalar::Scalar;

use std::collections::BTreeSet;

/// A name in MSL text; made by `keywords::Names` alone, so that it is legal and unique.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ident(Box<str>);

impl Ident {
    pub(super) fn new(name: &str) -> Self {
        Self(name.into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A translation unit with one entry point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Module {
    /// Remarks at its head, one a line.
    pub(super) remarks: Vec<String>,
    /// The prelude functions called, in the order in which they are written.
    pub(super) routines: BTreeSet<Routine>,
    /// The entry point.
    pub(super) entry: Entry,
}

/// A kernel function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Its name.
    pub(super) name: Ident,
    /// The most threads of a CTA, where the class fixes them.
    pub(super) max_threads: Option<u32>,
    /// What it takes.
    pub(super) arguments: Vec<Argument>,
    /// What it does.
    pub(super) body: Vec<Stmt>,
}

/// An argument of the entry point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Argument {
    /// Its name.
    pub(super) name: Ident,
    /// Its type and where it comes from.
    pub(super) kind: ArgumentKind,
}

/// The type of an argument, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    /// A buffer in device memory, bound at an index.
    Device { element: Scalar, written: bool, index: u32 },
    /// A value in constant memory, bound at an index.
    Constant { scalar: Scalar, index: u32 },
    /// What the hardware knows of the thread.
    Builtin(Position),
}

/// What the hardware knows of a thread. The words are Metal's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Position {
    ThreadInThreadgroup,
    ThreadgroupInGrid,
    ThreadsPerThreadgroup,
    ThreadgroupsPerGrid,
    ThreadIndexInThreadgroup,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stmt {
    /// `const T name = value;`
    Constant {
        scalar: Scalar,
        name: Ident,
        value: Expr,
    },
    /// `T name = value;`
    Variable {
        scalar: Scalar,
        name: Ident,
        value: Expr,
    },
    /// `place = value;`
    Assign {
        place: Expr,
        value: Expr,
    },
    /// A condition with one or two arms.
    If {
        cond: Expr,
        then: Vec<Stmt>,
        els: Vec<Stmt>,
    },
    /// Runs its body for `index` = 0 … trips − 1, `unroll` rounds spelled out where that is more than 1.
    Count {
        scalar: Scalar,
        index: Ident,
        trips: Expr,
        unroll: u32,
        body: Vec<Stmt>,
    },
    /// Runs its body until a `Break`.
    Forever {
        body: Vec<Stmt>,
    },
    /// A call for what it does.
    Call(Expr),
    Break,
    Continue,
    Return,
    /// One line of comment.
    Remark(String),
}
