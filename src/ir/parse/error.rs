//! Why a text is not a kernel.
//!
//! On exit: a place and what is wrong there. Deliberately not here: what a valid kernel may do (`validate`).

use crate::diag::{Code, Help};
use crate::ir::op::TypeError;

/// A text that is not a kernel.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ParseErrorKind {
    /// Something else should stand here.
    #[error("expected {wanted}, found {found}")]
    Expected {
        /// What should stand here.
        wanted: String,
        /// What does.
        found: String,
    },
    /// No operation has that name.
    #[error("no operation is written `{head}`")]
    UnknownOp {
        /// The name with its suffixes.
        head: String,
    },
    /// A name that nothing defines.
    #[error("`{name}` is not defined here")]
    Undefined {
        /// The name.
        name: String,
    },
    /// A name defined twice.
    #[error("`{name}` is defined twice")]
    Redefined {
        /// The name.
        name: String,
    },
    /// A number that its type can't hold.
    #[error("`{text}` is not a number of that type")]
    BadNumber {
        /// As written.
        text: String,
    },
    /// Operands of types the operation does not take.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// Regions nested deeper than anyone writes: every walk of a kernel recurses over them.
    #[error("regions are nested deeper than {limit}")]
    TooDeep {
        /// The deepest that is read.
        limit: usize,
    },
    /// More or fewer results named than the operation gives.
    #[error("the operation gives {gives} results, but {named} are named")]
    Results {
        /// Results it gives.
        gives: usize,
        /// Results named.
        named: usize,
    },
}

impl ParseError {
    /// What kind of mistake it is.
    pub fn code(&self) -> Code {
        match &self.kind {
            ParseErrorKind::Expected { .. } => Code::IrSyntax,
            ParseErrorKind::UnknownOp { .. } => Code::IrUnknownOp,
            ParseErrorKind::Undefined { .. } | ParseErrorKind::Redefined { .. } => Code::IrName,
            ParseErrorKind::BadNumber { .. } => Code::IrNumber,
            ParseErrorKind::Type(error) => error.code(),
            ParseErrorKind::TooDeep { .. } => Code::IrTooDeep,
            ParseErrorKind::Results { .. } => Code::IrResults,
        }
    }
}
