//! Names of what an instruction mentions: registers, variables, parameters, labels.
//!
//! Instructions hold ids; text holds names. [`Names`] goes one way for printing, [`Resolve`] the other for parsing.
//! Both are implemented by the module around the instructions.

use super::reg::Reg;
use super::types::ScalarType;

crate::typed_id! {
    /// A label of one function.
    pub LabelId, "label"
}

crate::typed_id! {
    /// A parameter of one entry.
    pub ParamId, "param"
}

crate::typed_id! {
    /// A variable declared in a body.
    pub VarId, "var"
}

crate::typed_id! {
    /// A variable declared at module scope.
    pub GlobalId, "global"
}

crate::typed_id! {
    /// A function of one module, or one that it declares.
    pub FunctionId, "function"
}

crate::typed_id! {
    /// A labelled list of one body: the targets of an indirect branch or call.
    pub TableId, "table"
}

/// Something with a name and an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A kernel parameter.
    Param(ParamId),
    /// A variable of the body.
    Var(VarId),
    /// A variable of the module, such as the dynamic shared memory.
    Global(GlobalId),
    /// A function, which lies in no state space.
    Function(FunctionId),
}

/// Gives the name of an id.
pub trait Names {
    /// The name of a register.
    fn reg(&self, reg: Reg) -> &str;
    /// The name of a variable or parameter.
    fn symbol(&self, symbol: Symbol) -> &str;
    /// The name of a label.
    fn label(&self, label: LabelId) -> &str;
    /// The name of a list of targets.
    fn table(&self, table: TableId) -> &str;
}

/// Finds what a name stands for.
pub trait Resolve {
    /// The register of this name.
    fn reg(&self, name: &str) -> Option<Reg>;
    /// The type that declares a register; a text without declarations has none.
    fn declared(&self, _reg: Reg) -> Option<ScalarType> {
        None
    }
    /// The variable or parameter of this name.
    fn symbol(&self, name: &str) -> Option<Symbol>;
    /// The label of this name.
    fn label(&self, name: &str) -> Option<LabelId>;
    /// The list of targets of this name; a text outside a body has none.
    fn table(&self, _name: &str) -> Option<TableId> {
        None
    }
}

/// A text in which no name stands for anything, such as an initial value.
pub(crate) struct NoNames;

impl Resolve for NoNames {
    fn reg(&self, _name: &str) -> Option<Reg> {
        None
    }

    fn symbol(&self, _name: &str) -> Option<Symbol> {
        None
    }

    fn label(&self, _name: &str) -> Option<LabelId> {
        None
    }
}
