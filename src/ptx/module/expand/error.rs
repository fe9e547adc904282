//! Why a call can't be put in place.

use crate::diag::Code;
use crate::ptx::isa::ParseError;

/// A call that can't be put in place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct CallError {
    /// Line of the call; 0 if the module was not read from text.
    pub line: u32,
    /// Why.
    pub problem: CallProblem,
}

/// Why a call can't be put in place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallProblem {
    /// The entry, or a function that it calls, was left out when the text was read.
    #[error("{}", .0.kind)]
    Lacking(Box<ParseError>),
    /// Only a declaration is there.
    #[error("`{name}` is called, but the module does not define it")]
    Undefined {
        /// The function.
        name: String,
    },
    /// The operands are not those of the declaration.
    #[error("the operands of this call of `{name}` are not those that it declares")]
    Operands {
        /// The function.
        name: String,
    },
    /// An instruction that takes only variables with one address meets one of a function that calls itself.
    #[error(
        "`{opcode}` of a variable or parameter of a function that calls itself, which the emulator does not do"
    )]
    OfActivation {
        /// The instruction.
        opcode: String,
    },
    /// More calls in calls than go.
    #[error("calls of functions that call others are more than {limit} deep here")]
    TooDeep {
        /// How many go.
        limit: usize,
    },
    /// More statements than go.
    #[error("with all calls in place the kernel has more than {limit} statements")]
    TooLarge {
        /// How many go.
        limit: usize,
    },
}

impl CallError {
    /// What to do about it.
    pub fn help(&self) -> String {
        let help = match &self.problem {
            CallProblem::Lacking(error) => return error.help(),
            CallProblem::Undefined { .. } => {
                "compile the kernel without this call (no `malloc` or function of another file), or define the function in the module"
            }
            CallProblem::Operands { .. } => "call it with the results and arguments of its declaration",
            CallProblem::OfActivation { .. } => "take its address into a register first",
            CallProblem::TooDeep { .. } | CallProblem::TooLarge { .. } => {
                "compile with fewer functions kept apart (`__noinline__`, `-G`)"
            }
        };
        help.to_owned()
    }

    /// What kind of mistake it is.
    pub const fn code(&self) -> Code {
        match &self.problem {
            CallProblem::Lacking(error) => error.code(),
            CallProblem::Undefined { .. }
            | CallProblem::Operands { .. }
            | CallProblem::OfActivation { .. }
            | CallProblem::TooDeep { .. }
            | CallProblem::TooLarge { .. } => Code::PtxCall,
        }
    }
}
