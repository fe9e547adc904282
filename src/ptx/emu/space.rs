//! Shared and local memory: bytes of one CTA or one warp, with a bit for each byte that was written. Also where each
//! state space begins, and its window in the generic address space.
//!
//! The windows lie above every global address, so that a generic address in none of them is a global one. Constant
//! memory has one for the variables of the module, and so have the parameters of the kernel; functions have addresses
//! that lead to no memory.

use crate::ptx::isa::modifier::Space;

/// Address of the first shared variable.
pub(super) const SHARED_BASE: u32 = 1024;

/// Address of the first local variable.
pub(super) const LOCAL_BASE: u32 = 256;

/// Address of the first constant.
pub(super) const CONST_BASE: u32 = 256;

/// Generic address of byte 0 of shared memory.
pub(super) const SHARED_WINDOW: u64 = 0x0001_0000_0000_0000;

/// Generic address of byte 0 of local memory.
pub(super) const LOCAL_WINDOW: u64 = 0x0001_0001_0000_0000;

/// Generic address of byte 0 of the parameters.
pub(super) const PARAM_WINDOW: u64 = 0x0001_0002_0000_0000;

/// Generic address of byte 0 of constant memory.
pub(super) const CONST_WINDOW: u64 = 0x0001_0003_0000_0000;

/// Address of the first function.
pub(super) const FUNCTION_FIRST: u64 = 0x0001_0004_0000_0000;

/// Bytes of a window.
pub(super) const WINDOW: u64 = 1 << 32;

/// The windows of the generic address space, each with its first address.
pub(super) const WINDOWS: [(Space, u64); 4] = [
    (Space::Shared, SHARED_WINDOW),
    (Space::Local, LOCAL_WINDOW),
    (Space::Param, PARAM_WINDOW),
    (Space::Const, CONST_WINDOW),
];

/// The state space that a generic address leads to, and the address in it.
pub(super) fn of_generic(address: u64) -> (Space, u64) {
    let inside = WINDOWS.into_iter().find(|(_, start)| address.wrapping_sub(*start) < WINDOW);
    inside.map_or((Space::Global, address), |(space, start)| (space, address - start))
}

/// Generic address of byte 0 of a state space.
pub(super) const fn window(space: Space) -> u64 {
    match space {
        Space::Global => 0,
        Space::Shared | Space::SharedCta | Space::SharedCluster => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Param => PARAM_WINDOW,
        Space::Const => CONST_WINDOW,
    }
}

/// A memory that one worker owns.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    contents: Vec<u8>,
    initialised: Vec<u8>,
}

impl Bytes {
    pub(super) fn new(bytes: usize) -> Self {
        let mut memory = Self::default();
        memory.reset(bytes);
        memory
    }

    /// Makes all bytes uninitialised zeros.
    pub(super) fn reset(&mut self, bytes: usize) {
        self.contents.clear();
        self.contents.resize(bytes, 0);
        self.initialised.clear();
        self.initialised.resize(bytes.div_ceil(8), 0);
    }

    /// An aligned load of 1, 2, 4 or 8 bytes inside the memory.
    #[inline(always)]
    pub(super) fn load(&self, at: usize, bytes: u32) -> u64 {
        // One load of each width: bytes gathered in a buffer and read as a whole wait for each other.
        match bytes {
            1 => u64::from(self.contents[at]),
            2 => u64::from(u16::from_le_bytes(self.array(at))),
            4 => u64::from(u32::from_le_bytes(self.array(at))),
            _ => u64::from_le_bytes(self.array(at)),
        }
    }

    #[inline(always)]
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        self.contents[at..at + N].try_into().expect("the slice is as long as the array")
    }

    /// An aligned store inside the memory.
    #[inline(always)]
    pub(super) fn store(&mut self, at: usize, bytes: u32, value: u64) {
        match bytes {
            1 => self.contents[at] = value as u8,
            2 => self.contents[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            4 => self.contents[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
            _ => self.contents[at..at + 8].copy_from_slice(&value.to_le_bytes()),
        }
        self.initialised[at / 8] |= bits(at, bytes);
    }

    /// Whether something has written each of the bytes.
    #[inline(always)]
    pub(super) fn is_initialised(&self, at: usize, bytes: u32) -> bool {
        let mask = bits(at, bytes);
        self.initialised[at / 8] & mask == mask
    }

    /// The same for a vector.
    #[inline(always)]
    pub(super) fn are_initialised(&self, at: usize, bytes: u32) -> bool {
        match bytes {
            ..=8 => self.is_initialised(at, bytes),
            _ => (0..bytes)
                .step_by(8)
                .all(|offset| self.is_initialised(at + offset as usize, (bytes - offset).min(8))),
        }
    }
}

/// An aligned access of at most 8 bytes stays inside the 8 bytes of one entry of the bitmap.
fn bits(at: usize, bytes: u32) -> u8 {
    (((1_u32 << bytes) - 1) as u8) << (at % 8)
}
