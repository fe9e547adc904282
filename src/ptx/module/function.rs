//! Functions that entries call, and the lists of targets of indirect branches and calls.
//!
//! Entry: none. Exit: as [`Module::check`](super::Module::check) says.

use super::{Entry, Linkage, Param};
use crate::ptx::isa::{FunctionId, LabelId, ParamId, Reg, ScalarType};

/// A function, or only its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Who sees it.
    pub linkage: Linkage,
    /// `.noreturn`.
    pub no_return: bool,
    /// Where it leaves its results.
    pub results: Vec<FunctionParam>,
    /// Where it finds its arguments.
    pub arguments: Vec<FunctionParam>,
    /// Name, parameters and body; results in `.param` space are among its parameters, before the arguments.
    pub code: Entry,
    /// Whether it has a body.
    pub defined: bool,
}

/// One result or argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionParam {
    /// In `.param` space.
    Param(ParamId),
    /// In a register.
    Reg(Reg),
}

/// A labelled list of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its label.
    pub name: String,
    /// What it lists.
    pub kind: TableKind,
}

/// What a labelled list holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// `.branchtargets`: where `brx.idx` may lead.
    Branches(Vec<LabelId>),
    /// `.calltargets`: what a call through a register may reach.
    Callees(Vec<FunctionId>),
    /// `.callprototype`: how a function that is called through a register is declared.
    Prototype {
        /// Its results.
        results: Vec<PrototypeParam>,
        /// Its arguments.
        arguments: Vec<PrototypeParam>,
        /// `.noreturn`.
        no_return: bool,
    },
}

/// One result or argument of a prototype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrototypeParam {
    /// In `.param` space; its name means nothing.
    Param(Param),
    /// In a register.
    Reg(ScalarType, String),
}
