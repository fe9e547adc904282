//! Where an address lies, in words for a finding: in a buffer or near its ends, at a null pointer, in the window of another
//! space, or nowhere.
//!
//! Entry: an address of a state space that an access can't use, or may not as it does. Exit: what is there. A buffer is named
//! only for addresses in it and close to it: an address far from all of them comes from no slip of an index, and the
//! nearest one would be blamed for nothing. Not here: whether an access is right.

use std::fmt;

use super::context::Context;
use super::global::GlobalMemory;
use super::space::{CONST_BASE, LOCAL_BASE, SHARED_BASE, of_generic};
use crate::diag::count;
use crate::ptx::isa::modifier::Space;
use crate::ptx::module::VarSpace;

/// Addresses closer to 0 than this come from a null pointer.
const NULL_BYTES: u64 = 4096;

/// An address this close to an end of a buffer is taken for a slip of an index in it; of larger buffers as far as they are long.
const NEAR_BYTES: u64 = 4096;

/// A place in a buffer or a variable, or beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Name of the buffer or variable.
    pub name: String,
    /// Bytes from its start; may be negative or beyond its end.
    pub offset: i128,
    /// Its bytes.
    pub bytes: u64,
}

impl Located {
    /// Bytes between the place and the buffer: 0 in it, and at its end.
    fn distance(&self) -> u128 {
        self.offset.min(0).unsigned_abs() + (self.offset - i128::from(self.bytes)).max(0).unsigned_abs()
    }

    fn is_near(&self) -> bool {
        self.distance() <= u128::from(self.bytes.max(NEAR_BYTES))
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of {} at offset {}", self.name, count(self.bytes, "byte"), self.offset)
    }
}

/// Where an address lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// In a buffer or variable, or close to it.
    Near(Located),
    /// So many bytes from address 0.
    Null(i64),
    /// Below the first variable of a space that is not global.
    Below {
        /// Where variables begin.
        base: u32,
    },
    /// A generic address of another state space.
    Window {
        /// That space.
        space: &'static str,
        /// The address in it.
        address: u64,
    },
    /// A global address, in another space's access.
    Global(Located),
    /// What is left of a global address cut to 32 bits.
    Cut(Located),
    /// In nothing that there is.
    Nowhere {
        /// The buffer that is least far.
        nearest: Option<Located>,
    },
}

impl Whereabouts {
    /// What to do about an access outside all bounds.
    pub(super) const fn help(&self) -> &'static str {
        match self {
            Self::Near(_) => "guard the access by the extent, or enlarge the buffer",
            Self::Null(_) => "pass a buffer for the pointer, or guard the access where it may be null",
            Self::Below { .. } => {
                "take the address from the variable (`mov.u32 %r, tile;`): no space begins at 0 here"
            }
            Self::Window { .. } => {
                "load and store without a space, or turn the generic address into one of the space by `cvta.to`"
            }
            Self::Global(_) => "load and store in `.global`, or copy what is needed to that space",
            Self::Cut(_) => "compute addresses in 64 bits",
            Self::Nowhere { .. } => {
                "look for an index or a pitch that overflowed, or a value that is no address, where the address is computed"
            }
        }
    }
}

impl fmt::Display for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Near(located) => located.fmt(f),
            Self::Null(0) => f.write_str("a null pointer"),
            Self::Null(bytes @ ..0) => {
                write!(f, "{} before a null pointer", count(bytes.unsigned_abs(), "byte"))
            }
            Self::Null(bytes) => write!(f, "{} behind a null pointer", count(*bytes, "byte")),
            Self::Below { base } => write!(f, "below all variables, which begin at {base:#x}"),
            Self::Window { space, address } => {
                write!(f, "a generic address of {space} memory ({address:#x} there)")
            }
            Self::Global(located) => write!(f, "which is a global address: {located}"),
            Self::Cut(located) => write!(f, "the lower 32 bits of an address: {located}"),
            Self::Nowhere { nearest: None } => f.write_str("where nothing lies"),
            Self::Nowhere { nearest: Some(nearest) } => {
                let (side, name) = (if nearest.offset < 0 { "before" } else { "behind" }, &nearest.name);
                write!(f, "where nothing lies: {} bytes {side} `{name}`, the nearest", nearest.distance())
            }
        }
    }
}

/// The name of a state space.
pub(super) const fn space_name(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared | Space::SharedCta | Space::SharedCluster => "shared",
        Space::Local => "local",
        Space::Param => "param",
        Space::Const => "const",
    }
}

impl GlobalMemory {
    /// Where a global address lies.
    pub(super) fn whereabouts(&self, address: u64) -> Whereabouts {
        let nearest = self.locate(address);
        if let (space, address) = of_generic(address)
            && space != Space::Global
        {
            return Whereabouts::Window { space: space_name(space), address };
        }
        if let Some(located) = nearest.clone().filter(Located::is_near) {
            return Whereabouts::Near(located);
        }
        let signed = address.cast_signed();
        if signed.unsigned_abs() < NULL_BYTES {
            return Whereabouts::Null(signed);
        }
        let cut = u32::try_from(address).ok().and_then(|address| self.locate_half(address));
        cut.map_or(Whereabouts::Nowhere { nearest }, Whereabouts::Cut)
    }
}

impl Context<'_> {
    /// Where an address of a state space lies.
    pub(super) fn whereabouts(&self, space: Space, address: u64) -> Whereabouts {
        let (variables, base) = match space {
            Space::Global => return self.launch.global.whereabouts(address),
            Space::Shared | Space::SharedCta | Space::SharedCluster => (Some(VarSpace::Shared), SHARED_BASE),
            Space::Local => (Some(VarSpace::Local), LOCAL_BASE),
            Space::Const => (Some(VarSpace::Const), CONST_BASE),
            Space::Param => (None, 0),
        };
        if u32::try_from(address).is_err() {
            return self.beyond_a_window(address);
        }
        let nearest = match variables {
            Some(space) => self.variable(space, address),
            None => {
                let bytes = self.launch.launch.params.len() as u64;
                Some(Located { name: "parameters".to_owned(), offset: address.into(), bytes })
            }
        };
        match nearest {
            Some(located) if located.is_near() => Whereabouts::Near(located),
            None if address < u64::from(base) => Whereabouts::Below { base },
            nearest => Whereabouts::Nowhere { nearest },
        }
    }

    /// Of an address that no space but the global one has.
    fn beyond_a_window(&self, address: u64) -> Whereabouts {
        let (space, inside) = of_generic(address);
        if space != Space::Global {
            return Whereabouts::Window { space: space_name(space), address: inside };
        }
        match self.launch.global.locate(address).filter(Located::is_near) {
            Some(located) => Whereabouts::Global(located),
            None => Whereabouts::Nowhere { nearest: None },
        }
    }

    /// The variable at an address, or the one below.
    fn variable(&self, space: VarSpace, address: u64) -> Option<Located> {
        let program = self.launch.program;
        let statics = program.variables.iter().filter(|(found, ..)| *found == space);
        let statics = statics.map(|(_, name, start, bytes)| (name.as_str(), u64::from(*start), *bytes));
        let dynamic = (space == VarSpace::Shared && self.launch.launch.dynamic_shared > 0).then(|| {
            let bytes = u64::from(self.launch.launch.dynamic_shared);
            ("dynamic shared memory", u64::from(program.shared_end), bytes)
        });
        let below = statics.chain(dynamic).filter(|(_, start, _)| *start <= address);
        let (name, start, bytes) = below.max_by_key(|(_, start, _)| *start)?;
        Some(Located { name: name.to_owned(), offset: i128::from(address) - i128::from(start), bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_named_for_what_is_in_it_or_close() {
        let mut memory = GlobalMemory::new();
        let first = memory.allocate("first", 100);
        let large = memory.allocate("large", 1 << 20);
        for (address, said) in [
            (first, "`first` of 100 bytes at offset 0"),
            (first + 100, "`first` of 100 bytes at offset 100"),
            (first + 100 + 4096, "`first` of 100 bytes at offset 4196"),
            (first + 101 + 4096, "where nothing lies: 4097 bytes behind `first`, the nearest"),
            (first - 8, "`first` of 100 bytes at offset -8"),
            (large + (2 << 20), "`large` of 1048576 bytes at offset 2097152"),
            (large + (2 << 20) + 1, "where nothing lies: 1048577 bytes behind `large`, the nearest"),
            (first - (1 << 32), "where nothing lies: 4294967296 bytes before `first`, the nearest"),
            (0, "a null pointer"),
            (1, "1 byte behind a null pointer"),
            (4095, "4095 bytes behind a null pointer"),
            ((-8_i64).cast_unsigned(), "8 bytes before a null pointer"),
            (
                large & 0xffff_ffff | 0x5678,
                "the lower 32 bits of an address: `large` of 1048576 bytes at offset 22136",
            ),
            (
                crate::ptx::emu::space::SHARED_WINDOW + 0x410,
                "a generic address of shared memory (0x410 there)",
            ),
            (1 << 60, "where nothing lies: 115292149"),
        ] {
            let met = memory.whereabouts(address).to_string();
            assert!(met.starts_with(said), "{address:#x}: {met}");
        }
        assert_eq!(GlobalMemory::new().whereabouts(1 << 40).to_string(), "where nothing lies");
    }
}
