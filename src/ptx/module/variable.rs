//! Variables of a module or a body: where they lie, how large they are, and what they hold at first.
//!
//! Entry: none. Exit: as [`Module::check`](super::Module::check) says. Arrays of several dimensions and vectors are flat:
//! elements in the order of memory.

use crate::ptx::isa::{ScalarType, Symbol};

/// State space of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarSpace {
    /// The CTA's shared memory.
    Shared,
    /// A thread's own memory; in a body only.
    Local,
    /// Device memory; at module scope only.
    Global,
    /// Constant memory; at module scope only.
    Const,
    /// Arguments and results of calls; in a body only.
    Param,
}

/// Who sees a variable of module scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// This module.
    #[default]
    Internal,
    /// `.visible`.
    Visible,
    /// `.extern`: defined elsewhere; with `.shared` and no extent, the dynamic shared memory.
    Extern,
    /// `.weak`: gives way to another of its name.
    Weak,
    /// `.common`: one with the others of its name.
    Common,
}

/// How many elements a variable has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// One, without brackets.
    Scalar,
    /// `[n]`.
    Array(u64),
    /// `[]`.
    Unsized,
}

/// What an element holds when the module is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// These bits.
    Bits(u64),
    /// An address.
    Address {
        /// The variable of the module, or the function.
        symbol: Symbol,
        /// Whether the address is generic, and not one of the variable's own state space.
        generic: bool,
        /// Bytes from there.
        offset: i64,
        /// The bits of the address that the element takes, moved down to its lowest one.
        mask: Option<u64>,
    },
}

/// A variable in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// Where it lies.
    pub space: VarSpace,
    /// Who sees it.
    pub linkage: Linkage,
    /// Alignment in bytes, if it is more than the element's.
    pub align: Option<u32>,
    /// Type of an element.
    pub ty: ScalarType,
    /// Number of elements.
    pub extent: Extent,
    /// The first elements of a variable of `.global` or `.const`; those after them are 0.
    pub initial: Vec<Initial>,
}

impl Linkage {
    /// The directive, with the blank behind it.
    pub const fn spelling(self) -> &'static str {
        match self {
            Self::Internal => "",
            Self::Visible => ".visible ",
            Self::Extern => ".extern ",
            Self::Weak => ".weak ",
            Self::Common => ".common ",
        }
    }
}

impl VarSpace {
    /// The directive.
    pub const fn spelling(self) -> &'static str {
        match self {
            Self::Shared => ".shared",
            Self::Local => ".local",
            Self::Global => ".global",
            Self::Const => ".const",
            Self::Param => ".param",
        }
    }
}

impl Extent {
    /// Elements; 0 where the text doesn't say.
    pub const fn elements(self) -> u64 {
        match self {
            Self::Scalar => 1,
            Self::Array(count) => count,
            Self::Unsized => 0,
        }
    }
}

impl Variable {
    /// Bytes; 0 without a size.
    pub fn bytes(&self) -> u64 {
        self.extent.elements().saturating_mul(u64::from(self.ty.bytes()))
    }

    /// Alignment in bytes.
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or_else(|| self.ty.bytes())
    }
}
