//! Shared and local memory: bytes of one CTA or one warp, with a bit for each byte that was written.

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
        let mut value = [0; 8];
        let bytes = bytes as usize;
        value[..bytes].copy_from_slice(&self.contents[at..at + bytes]);
        u64::from_le_bytes(value)
    }

    /// An aligned store inside the memory.
    #[inline(always)]
    pub(super) fn store(&mut self, at: usize, bytes: u32, value: u64) {
        let count = bytes as usize;
        self.contents[at..at + count].copy_from_slice(&value.to_le_bytes()[..count]);
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
            _ => (0..bytes as usize).step_by(8).all(|offset| self.is_initialised(at + offset, 8)),
        }
    }
}

/// An aligned access of at most 8 bytes stays inside the 8 bytes of one entry of the bitmap.
fn bits(at: usize, bytes: u32) -> u8 {
    (((1_u32 << bytes) - 1) as u8) << (at % 8)
}
