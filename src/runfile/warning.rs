//! What is hardly meant, although nothing is wrong with the launch.
//!
//! Entry: a buffer that is only read with its bytes before and after, or an entry. Exit: warnings, which stop nothing. Not
//! here: findings, which do (`ptx::emu`).

use super::bind::Buffer;
use crate::diag::count;
use crate::ptx::module::{Entry, Expanded, Module, expand};
use crate::ptx::regalloc::unwritten;

/// Something about a launch that a user hardly means.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// Stores to a buffer that is not written back.
    #[error("the launch changed {} of `{name}`, the first at offset {first}: no file keeps them", count(*bytes, "byte"))]
    Dropped {
        /// The parameter.
        name: String,
        /// Bytes that changed.
        bytes: u64,
        /// The first of them.
        first: u64,
    },
    /// A register that is read, and that no way to the read writes.
    #[error("register `{register}` is read at line {line}, but nothing writes it first")]
    Unwritten {
        /// The register.
        register: String,
        /// Line of the text.
        line: u32,
    },
}

impl Warning {
    /// What it is about, in a word that stays the same from one version to the next.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Dropped { .. } => "dropped-stores",
            Self::Unwritten { .. } => "unwritten-register",
        }
    }

    /// The parameter or register.
    pub fn subject(&self) -> &str {
        match self {
            Self::Dropped { name, .. } => name,
            Self::Unwritten { register, .. } => register,
        }
    }

    /// The line of the text, where there is one.
    pub const fn line(&self) -> Option<u32> {
        match self {
            Self::Dropped { .. } => None,
            Self::Unwritten { line, .. } => Some(*line),
        }
    }

    /// What to do about it.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Dropped { .. } => {
                "give the buffer as `inout:` to keep what is stored, or `out:` if nothing is read"
            }
            Self::Unwritten { .. } => {
                "write it first: it reads as 0 on the emulator, and as whatever was left there on a GPU"
            }
        }
    }

    /// Whether another launch of the same job tells the same.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.name(), self.subject()) == (other.name(), other.subject())
    }
}

/// Reads from registers that nothing has written.
pub(super) fn unwritten_registers(module: &Module, entry: &Entry) -> Vec<Warning> {
    // A call that can't be put in its place is told of by who runs the entry.
    let Ok(Expanded { entry: body, .. }) = expand(module, entry) else { return Vec::new() };
    let warning = |found: &crate::ptx::regalloc::Unwritten| Warning::Unwritten {
        register: body.regs.name(found.register).to_owned(),
        line: body.body[found.statement].line,
    };
    unwritten(&body).iter().map(warning).collect()
}

/// Compares a buffer that is only read with what it held: `after` gives the bytes from an offset on.
pub(super) fn dropped(buffer: &Buffer, mut after: impl FnMut(usize, &mut [u8])) -> Option<Warning> {
    let contents = buffer.contents.as_ref().filter(|_| !buffer.written)?;
    let (mut bytes, mut first, mut piece) = (0, None, Vec::new());
    for (index, before) in contents.chunks(PIECE).enumerate() {
        piece.resize(before.len(), 0);
        after(index * PIECE, &mut piece);
        if piece == before {
            continue;
        }
        let changed = |at: &usize| piece[*at] != before[*at];
        bytes += (0..before.len()).filter(changed).count() as u64;
        first = first.or((0..before.len()).find(changed).map(|at| (index * PIECE + at) as u64));
    }
    Some(Warning::Dropped { name: buffer.name.clone(), bytes, first: first? })
}

/// Bytes that are compared at a time.
const PIECE: usize = 1 << 16;
