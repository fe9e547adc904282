//! A decoded load or store: which registers, which space, how many bytes.

use smallvec::SmallVec;

use super::race::AccessKind;
use crate::ptx::isa::RegClass;
use crate::ptx::isa::modifier::{Scope, Space};

/// A register that takes part in an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Width of the register.
    pub(super) class: RegClass,
    /// Position in the file of that width.
    pub(super) index: u32,
}

/// What an address starts from.
#[derive(Clone, Copy, Debug)]
pub(super) enum AddressBase {
    /// A symbol, whose address is in the offset already.
    Fixed,
    /// A 32-bit register.
    Word(u32),
    /// A 64-bit register.
    Long(u32),
}

/// What an access promises about the order of others. A load acquires and a store releases; a read-modify-write may do
/// both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
}

impl Order {
    /// Whether accesses after it stay after it.
    pub(super) const fn acquires(self) -> bool {
        match self {
            Self::Acquire | Self::AcqRel => true,
            Self::Relaxed | Self::Release => false,
        }
    }

    /// Whether accesses before it stay before it.
    pub(super) const fn releases(self) -> bool {
        match self {
            Self::Release | Self::AcqRel => true,
            Self::Relaxed | Self::Acquire => false,
        }
    }
}

/// One load or store.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Whether memory is written.
    pub(super) store: bool,
    /// State space; `None` for a generic address.
    pub(super) space: Option<Space>,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub(super) bytes: u32,
    /// Whether a wider register is filled with the sign.
    pub(super) signed: bool,
    /// The registers in the order of memory.
    pub(super) elements: SmallVec<[Element; 4]>,
    /// Start of the address.
    pub(super) base: AddressBase,
    /// Bytes from there.
    pub(super) offset: i64,
    /// Order and scope of a strong access; `None` for a weak one.
    pub(super) strong: Option<(Order, Scope)>,
    /// Whether the read-only path is used.
    pub(super) nc: bool,
}

impl Access {
    /// What it does with memory.
    pub(super) fn kind(&self) -> AccessKind {
        if self.store { AccessKind::Store } else { AccessKind::Load }
    }

    /// What it does, for messages.
    pub(super) fn verb(&self) -> &'static str {
        if self.store { "store" } else { "load" }
    }

    /// Bytes of the whole vector, which is its alignment too.
    pub(super) fn total(&self) -> u32 {
        self.bytes * self.elements.len() as u32
    }
}
