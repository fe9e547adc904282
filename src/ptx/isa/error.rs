//! What can be wrong with an instruction, as text and as a value.
//!
//! Exit: a parse error has a line and a column; a form error names the form and the operand.

use std::fmt::Write as _;

use super::reg::{Reg, RegClass};
use super::types::ScalarType;
use super::version::{PtxVersion, SmTarget};
use crate::diag::Code;
use crate::target::Feature;

/// What to do about a register of another type.
const DECLARED_HELP: &str = "declare the register with that type or, of the same width, as bits; or convert with `cvt`, or copy \
    the bits with `mov` of `.b32` and its like";

/// Text that is not PTX as this crate knows it, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {kind}")]
pub struct ParseError {
    /// Line from 1.
    pub line: u32,
    /// Column from 1.
    pub column: u32,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

impl ParseError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match &self.kind {
            ParseErrorKind::NoSuchForm { accepted, .. } => {
                let mut help = String::from("accepted forms:");
                for form in accepted {
                    let _ = write!(help, "\n  {form}");
                }
                help
            }
            ParseErrorKind::UnknownOpcode { .. } => {
                "an instruction is known once it has a row in `ptx::isa`; see docs/add-an-instruction.md"
                    .to_owned()
            }
            ParseErrorKind::Lacking { .. } => {
                "the instruction is one of PTX, but neither read nor run here; compile the kernel without it"
                    .to_owned()
            }
            ParseErrorKind::Form(error) => error.help().to_owned(),
            ParseErrorKind::Declared { .. } => DECLARED_HELP.to_owned(),
            ParseErrorKind::Unsupported { .. } => {
                "remove the construct; only its absence is supported".to_owned()
            }
            ParseErrorKind::UnknownName { .. } => "declare the name before its use".to_owned(),
            ParseErrorKind::Redeclared { .. } => {
                "declare a function with the results and arguments of its definition".to_owned()
            }
            ParseErrorKind::Duplicate { .. } => "give one of the two another name".to_owned(),
            ParseErrorKind::UnknownCharacter { .. }
            | ParseErrorKind::Unclosed { .. }
            | ParseErrorKind::Expected { .. }
            | ParseErrorKind::BadNumber { .. }
            | ParseErrorKind::Constant { .. } => "correct the text at the place named".to_owned(),
        }
    }

    /// Whether it is PTX, but not supported here.
    pub const fn is_unsupported(&self) -> bool {
        matches!(self.kind, ParseErrorKind::Unsupported { .. } | ParseErrorKind::Lacking { .. })
    }

    /// What kind of mistake it is.
    pub const fn code(&self) -> Code {
        match &self.kind {
            ParseErrorKind::UnknownCharacter { .. } | ParseErrorKind::Unclosed { .. } => Code::PtxCharacter,
            ParseErrorKind::Expected { .. } => Code::PtxSyntax,
            ParseErrorKind::BadNumber { .. } | ParseErrorKind::Constant { .. } => Code::PtxNumber,
            ParseErrorKind::UnknownName { .. } => Code::PtxUnknownName,
            ParseErrorKind::Duplicate { .. } | ParseErrorKind::Redeclared { .. } => Code::PtxDuplicate,
            ParseErrorKind::UnknownOpcode { .. } => Code::PtxUnknownInstruction,
            ParseErrorKind::NoSuchForm { .. } => Code::PtxNoSuchForm,
            ParseErrorKind::Unsupported { .. } | ParseErrorKind::Lacking { .. } => Code::PtxUnsupported,
            ParseErrorKind::Declared { .. } => Code::PtxOperand,
            ParseErrorKind::Form(error) => error.code(),
        }
    }
}

/// What was expected: a sign or a directive stands in quotes, words do not.
fn sign(expected: &str) -> String {
    let is_words = expected.contains([' ', '`']) || expected.starts_with(char::is_alphabetic);
    if is_words { expected.to_owned() } else { format!("`{expected}`") }
}

/// What stands there instead.
fn met_text(met: &str) -> String {
    if met.is_empty() { "the end of the text".to_owned() } else { format!("`{met}`") }
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// A character outside PTX.
    #[error("unknown character `{met}`")]
    UnknownCharacter {
        /// The character.
        met: char,
    },
    /// A comment or string without its end.
    #[error("unclosed {what}")]
    Unclosed {
        /// Which of them.
        what: &'static str,
    },
    /// Something else was needed here.
    #[error("expected {}, met {}", sign(expected), met_text(met))]
    Expected {
        /// What may stand here.
        expected: &'static str,
        /// What stands here.
        met: String,
    },
    /// A number that is malformed or out of range.
    #[error("`{met}` is not a number that fits")]
    BadNumber {
        /// As written.
        met: String,
    },
    /// A constant expression that has no value.
    #[error("constant expression: {rule}")]
    Constant {
        /// What is wrong with it.
        rule: &'static str,
    },
    /// A register, symbol or label that nothing declares.
    #[error("unknown {what} `{name}`")]
    UnknownName {
        /// The kind of thing.
        what: &'static str,
        /// As written.
        name: String,
    },
    /// A name declared twice in one scope.
    #[error("`{name}` is declared twice")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// A function declared with other sizes of results or arguments than before.
    #[error("`{name}` was declared with other results or arguments before")]
    Redeclared {
        /// The name.
        name: String,
    },
    /// No row has this first word.
    #[error("unknown instruction `{opcode}`")]
    UnknownOpcode {
        /// As written, with its modifiers.
        opcode: String,
    },
    /// PTX has the instruction, this crate has not.
    #[error("`{opcode}` is not supported: {subject} are not emulated")]
    Lacking {
        /// As written, with its modifiers.
        opcode: String,
        /// What it is about.
        subject: &'static str,
    },
    /// Rows have this first word, but none these modifiers.
    #[error("no form `{opcode}`")]
    NoSuchForm {
        /// As written, with its modifiers.
        opcode: String,
        /// The forms of that instruction.
        accepted: Vec<String>,
    },
    /// A directive or construct that is known, but not supported.
    #[error("{what} `{met}` is not supported")]
    Unsupported {
        /// The kind of construct.
        what: &'static str,
        /// As written.
        met: String,
    },
    /// A register whose declaration does not go with the instruction.
    #[error("`{form}`: `{name}` is declared `{}`, but operand `{operand}` takes `{}`",
        declared.spelling(), expected.spelling())]
    Declared {
        /// Opcode of the row.
        form: &'static str,
        /// Field of the row.
        operand: &'static str,
        /// The register.
        name: String,
        /// Its type.
        declared: ScalarType,
        /// The type that the operand has.
        expected: ScalarType,
    },
    /// The instruction reads well, but its form is refused.
    #[error(transparent)]
    Form(#[from] FormError),
}

/// An instruction whose fields do not go together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// A register of another class than the form takes.
    #[error("`{form}`: operand `{operand}` is a {met} register, but takes {expected}")]
    Class {
        /// Opcode of the row.
        form: &'static str,
        /// Field of the row.
        operand: &'static str,
        /// The class met.
        met: RegClass,
        /// The least class that goes.
        expected: RegClass,
    },
    /// A register whose declaration does not go with the form.
    #[error("`{form}`: operand `{operand}` is declared `{}`, but takes `{}`", declared.spelling(), expected.spelling())]
    Declared {
        /// Opcode of the row.
        form: &'static str,
        /// Field of the row.
        operand: &'static str,
        /// The register.
        reg: Reg,
        /// Its type.
        declared: ScalarType,
        /// The type that the operand has.
        expected: ScalarType,
    },
    /// An immediate where none, or one of another kind, may stand.
    #[error("`{form}`: operand `{operand}` takes {expected}")]
    Immediate {
        /// Opcode of the row.
        form: &'static str,
        /// Field of the row.
        operand: &'static str,
        /// What goes.
        expected: &'static str,
    },
    /// A number that must be written out, outside its range.
    #[error("`{form}`: operand `{operand}` is a number from {least} to {greatest} in steps of {step}")]
    Range {
        /// Opcode of the row.
        form: &'static str,
        /// Field of the row.
        operand: &'static str,
        /// The least that goes.
        least: i64,
        /// The greatest that goes.
        greatest: i64,
        /// The distance of one to the next.
        step: i64,
    },
    /// A vector operand whose length is not the one that the modifiers say.
    #[error("`{form}`: operand `{operand}` has {met} elements, not {expected}")]
    Lanes {
        /// Opcode of the row.
        form: &'static str,
        /// Field of the row.
        operand: &'static str,
        /// Elements met.
        met: usize,
        /// Elements needed.
        expected: usize,
    },
    /// Modifiers or operands that don't go together.
    #[error("`{form}`: {rule}")]
    Rule {
        /// Opcode of the row.
        form: &'static str,
        /// The rule that is broken.
        rule: &'static str,
    },
    /// Needs a newer `.version`.
    #[error("`{form}` needs PTX {need}, but the module declares {have}")]
    PtxTooOld {
        /// Opcode of the row.
        form: &'static str,
        /// The lowest version that goes.
        need: PtxVersion,
        /// The version declared.
        have: PtxVersion,
    },
    /// Needs another target.
    #[error("`{form}` needs {need}; target is {have}")]
    Target {
        /// Opcode of the row.
        form: &'static str,
        /// The targets that go.
        need: String,
        /// The target declared.
        have: SmTarget,
    },
    /// Needs something that the target can't do.
    #[error("{names} needs {owners}; target is {have}",
        names = feature.names().collect::<Vec<_>>().join(", "), owners = feature.owners_text())]
    Lacks {
        /// What it can't do.
        feature: Feature,
        /// The target declared.
        have: SmTarget,
    },
}

impl FormError {
    /// What to do about it.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Declared { .. } => DECLARED_HELP,
            Self::Class { .. } => "use a register of the class named, or convert first with `cvt` or `mov`",
            Self::Immediate { .. } => "move the value into a register first",
            Self::Range { .. } => "write a number of the range",
            Self::Lanes { .. } => "give as many elements as the vector modifier says",
            Self::Rule { .. } => "change the modifiers or operands as the rule says",
            Self::PtxTooOld { .. } => "raise `.version`",
            Self::Target { .. } | Self::Lacks { .. } => {
                "choose one of the targets named, or another instruction"
            }
        }
    }

    /// What kind of mistake it is.
    pub const fn code(&self) -> Code {
        match self {
            Self::Class { .. }
            | Self::Declared { .. }
            | Self::Immediate { .. }
            | Self::Range { .. }
            | Self::Lanes { .. }
            | Self::Rule { .. } => Code::PtxOperand,
            Self::PtxTooOld { .. } => Code::PtxVersion,
            Self::Target { .. } | Self::Lacks { .. } => Code::PtxTarget,
        }
    }
}
