//! Tensor maps of the emulator: where a tensor lies, and what tile of it one copy moves.
//!
//! On hardware a tensor map is 128 opaque bytes that the driver makes. The emulator is its own driver: it has its own
//! encoding, which means nothing to hardware, as the driver's means nothing here. Entry: what the driver asks for too.
//! Exit: a [`TensorMap`] that keeps the rules, or the rule that it breaks. All numbers are little-endian:
//!
//! | bytes | hold |
//! |---|---|
//! | 0–7 | `emu-tmap` |
//! | 8 | version: 1 |
//! | 9 | dimensions: 1 to 5 |
//! | 10 | bytes of an element: 1, 2, 4 or 8 |
//! | 11 | swizzle: its place in [`Swizzle::ALL`] |
//! | 12–15 | zeros |
//! | 16–23 | address |
//! | 24–63 | extents of the tensor, 8 bytes each, innermost first |
//! | 64–95 | bytes from one element to the next along dimensions 1 to 4, 8 bytes each |
//! | 96–105 | extents of the tile, 2 bytes each |
//! | 106–127 | zeros |
//!
//! Dimensions that the tensor lacks are zeros. Deliberately not here: steps between the elements of a tile, interleaved
//! tensors, im2col, fills other than zeros, and who reads a map (`cp_tensor`).

use smallvec::SmallVec;

use crate::numerics::tensor::Swizzle;

/// Bytes of an encoded map.
pub(super) const MAP_BYTES: usize = 128;

/// Dimensions that a tensor may have.
const MOST_DIMENSIONS: usize = 5;

/// What addresses, strides and the innermost extent of a tile are multiples of, in bytes.
const ALIGN: u64 = 16;

/// What strides lie below.
const MOST_STRIDE: u64 = 1 << 40;

/// The largest extent of a tensor.
const MOST_SIZE: u64 = 1 << 32;

/// The largest extent of a tile.
const MOST_BOX: u32 = 256;

const MAGIC: [u8; 8] = *b"emu-tmap";
const VERSION: u8 = 1;

const SIZES: usize = 24;
const STRIDES: usize = 64;
const BOX: usize = 96;

/// The rule that a tensor map breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorMapError {
    /// Too few or too many dimensions.
    #[error("a tensor has 1 to 5 dimensions, not {rank}")]
    Rank {
        /// How many.
        rank: usize,
    },
    /// Lists of different lengths.
    #[error("{rank} dimensions have {needed} {what}, not {given}")]
    Lengths {
        /// Dimensions.
        rank: usize,
        /// Of what the list is.
        what: &'static str,
        /// Its length.
        given: usize,
        /// What it should be.
        needed: usize,
    },
    /// A width that no element has.
    #[error("an element has 1, 2, 4 or 8 bytes, not {bytes}")]
    Element {
        /// The width.
        bytes: u32,
    },
    /// An address that is no multiple of 16.
    #[error("the address {address:#x} is no multiple of 16")]
    Address {
        /// The address.
        address: u64,
    },
    /// An extent of the tensor out of its range.
    #[error("extent {size} of dimension {dimension} is not 1 to 2^32")]
    Size {
        /// The dimension, 0 the innermost.
        dimension: usize,
        /// The extent.
        size: u64,
    },
    /// A stride that is no multiple of 16, or too long.
    #[error("stride {stride} of dimension {dimension} is no multiple of 16 below 2^40")]
    Stride {
        /// The dimension.
        dimension: usize,
        /// The stride in bytes.
        stride: u64,
    },
    /// An extent of the tile out of its range.
    #[error("extent {extent} of the tile in dimension {dimension} is not 1 to 256")]
    Box {
        /// The dimension.
        dimension: usize,
        /// The extent.
        extent: u32,
    },
    /// Rows of a tile that are no whole chunks.
    #[error("a row of the tile has {bytes} bytes, no multiple of 16")]
    Row {
        /// Bytes of a row.
        bytes: u32,
    },
    /// Rows of a tile that are longer than the swizzle is wide.
    #[error("a row of the tile has {bytes} bytes, the swizzle {width}")]
    Swizzle {
        /// Bytes of a row.
        bytes: u32,
        /// Those of the swizzle.
        width: u32,
    },
}

impl TensorMapError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Rank { .. } => "fold dimensions that lie one behind the other into one",
            Self::Lengths { .. } => {
                "give an extent of the tensor and of the tile for each dimension, and a stride for all but the innermost"
            }
            Self::Element { .. } => "take a format of whole bytes for the elements",
            Self::Address { .. } => "let the tensor begin at a multiple of 16 bytes",
            Self::Size { .. } => "leave out empty dimensions, and split long ones",
            Self::Stride { .. } => "pad the rows of the tensor to a multiple of 16 bytes",
            Self::Box { .. } => "move a larger tile by several copies",
            Self::Row { .. } => "make the innermost extent of the tile a multiple of 16 bytes",
            Self::Swizzle { .. } => "make the tile narrower, or take a wider swizzle",
        }
    }
}

/// What is wrong with the tensor map of a copy, or with the copy for this map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorMapProblem {
    /// Something else: made by the driver, for another version, or never made.
    #[error("this is no tensor map of the emulator")]
    Foreign,
    /// It says that it is one, but breaks a rule.
    #[error("broken, {0}")]
    Broken(TensorMapError),
    /// It is for another number of dimensions.
    #[error("it has {map} dimensions, the copy {copy}")]
    Dimensions {
        /// Those of the map.
        map: usize,
        /// Those of the instruction.
        copy: usize,
    },
    /// The copy names a place in shared memory where no tile of the map can lie.
    #[error("its tiles lie at multiples of {align} bytes")]
    Place {
        /// The alignment.
        align: u32,
    },
}

impl TensorMapProblem {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Foreign => {
                "pass the 128 bytes of `TensorMap::encode`: maps of the driver are for devices, and mean nothing here"
            }
            Self::Broken(error) => error.help(),
            Self::Dimensions { .. } => "give the copy a coordinate for each dimension of its map",
            Self::Place { .. } => {
                "declare the shared array `.align 128`, with the 128-byte swizzle `.align 1024`"
            }
        }
    }
}

/// A tensor in global memory, and the tile of it that one copy moves. What a load finds outside the tensor is zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    pub(super) address: u64,
    pub(super) element_bytes: u32,
    pub(super) sizes: SmallVec<[u64; MOST_DIMENSIONS]>,
    /// Those of dimensions 1 and up.
    pub(super) strides: SmallVec<[u64; MOST_DIMENSIONS]>,
    pub(super) tile: SmallVec<[u32; MOST_DIMENSIONS]>,
    pub(super) swizzle: Swizzle,
}

/// Bytes of the rows that a swizzle is for.
const fn width(swizzle: Swizzle) -> Option<u32> {
    match swizzle {
        Swizzle::None => None,
        Swizzle::B32 => Some(32),
        Swizzle::B64 => Some(64),
        Swizzle::B128 => Some(128),
    }
}

impl TensorMap {
    /// A map of the tensor at a global address. Extents count elements, the innermost dimension's first; strides are
    /// the bytes from one element to the next along dimensions 1 and up.
    ///
    /// # Errors
    /// The first rule that hardware has and this map breaks.
    pub fn new(
        address: u64,
        element_bytes: u32,
        sizes: &[u64],
        strides: &[u64],
        tile: &[u32],
        swizzle: Swizzle,
    ) -> Result<Self, TensorMapError> {
        let rank = sizes.len();
        if !(1..=MOST_DIMENSIONS).contains(&rank) {
            return Err(TensorMapError::Rank { rank });
        }
        let lengths = [("strides", strides.len(), rank - 1), ("extents of the tile", tile.len(), rank)];
        for (what, given, needed) in lengths {
            if given != needed {
                return Err(TensorMapError::Lengths { rank, what, given, needed });
            }
        }
        if ![1, 2, 4, 8].contains(&element_bytes) {
            return Err(TensorMapError::Element { bytes: element_bytes });
        }
        if !address.is_multiple_of(ALIGN) {
            return Err(TensorMapError::Address { address });
        }
        for (dimension, &size) in sizes.iter().enumerate() {
            if !(1..=MOST_SIZE).contains(&size) {
                return Err(TensorMapError::Size { dimension, size });
            }
        }
        for (dimension, &stride) in (1..).zip(strides) {
            if !stride.is_multiple_of(ALIGN) || stride >= MOST_STRIDE {
                return Err(TensorMapError::Stride { dimension, stride });
            }
        }
        for (dimension, &extent) in tile.iter().enumerate() {
            if !(1..=MOST_BOX).contains(&extent) {
                return Err(TensorMapError::Box { dimension, extent });
            }
        }
        let bytes = tile[0] * element_bytes;
        if !u64::from(bytes).is_multiple_of(ALIGN) {
            return Err(TensorMapError::Row { bytes });
        }
        if let Some(width) = width(swizzle).filter(|&width| bytes > width) {
            return Err(TensorMapError::Swizzle { bytes, width });
        }
        let (sizes, strides, tile) = (sizes.into(), strides.into(), tile.into());
        Ok(Self { address, element_bytes, sizes, strides, tile, swizzle })
    }

    /// Dimensions of the tensor.
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// Bytes of a tile, those outside the tensor included: what a load counts at its mbarrier.
    pub fn tile_bytes(&self) -> u64 {
        u64::from(self.element_bytes) * self.tile.iter().map(|&extent| u64::from(extent)).product::<u64>()
    }

    /// What shared addresses of a tile are multiples of.
    pub fn tile_alignment(&self) -> u32 {
        match self.swizzle {
            Swizzle::None | Swizzle::B32 | Swizzle::B64 => 128,
            Swizzle::B128 => 1024,
        }
    }

    /// The bytes that a kernel gets, in the emulator's own encoding. They belong at a multiple of 64 bytes, in the
    /// parameters or in global memory.
    pub fn encode(&self) -> [u8; MAP_BYTES] {
        let mut bytes = [0; MAP_BYTES];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        let swizzle = Swizzle::ALL.iter().take_while(|&&swizzle| swizzle != self.swizzle).count();
        put(0, &MAGIC);
        put(8, &[VERSION, self.rank() as u8, self.element_bytes as u8, swizzle as u8]);
        put(16, &self.address.to_le_bytes());
        for (index, size) in self.sizes.iter().enumerate() {
            put(SIZES + 8 * index, &size.to_le_bytes());
        }
        for (index, stride) in self.strides.iter().enumerate() {
            put(STRIDES + 8 * index, &stride.to_le_bytes());
        }
        for (index, &extent) in self.tile.iter().enumerate() {
            put(BOX + 2 * index, &(extent as u16).to_le_bytes());
        }
        bytes
    }

    /// Reads what [`encode`](Self::encode) gave.
    ///
    /// # Errors
    /// The bytes are something else, or break a rule.
    pub fn decode(bytes: &[u8; MAP_BYTES]) -> Result<Self, TensorMapProblem> {
        if bytes[..8] != MAGIC || bytes[8] != VERSION {
            return Err(TensorMapProblem::Foreign);
        }
        let long = |at: usize| {
            bytes[at..at + 8].iter().rev().fold(0, |value: u64, &byte| value << 8 | u64::from(byte))
        };
        let short = |at: usize| u32::from(bytes[at]) | u32::from(bytes[at + 1]) << 8;
        let rank = usize::from(bytes[9]);
        let kept = rank.min(MOST_DIMENSIONS);
        let sizes: SmallVec<[u64; MOST_DIMENSIONS]> =
            (0..kept).map(|index| long(SIZES + 8 * index)).collect();
        let strides: SmallVec<[u64; MOST_DIMENSIONS]> =
            (1..kept).map(|index| long(STRIDES + 8 * (index - 1))).collect();
        let tile: SmallVec<[u32; MOST_DIMENSIONS]> = (0..kept).map(|index| short(BOX + 2 * index)).collect();
        if rank != kept {
            return Err(TensorMapProblem::Broken(TensorMapError::Rank { rank }));
        }
        let swizzle = Swizzle::ALL.get(usize::from(bytes[11])).ok_or(TensorMapProblem::Foreign)?;
        let map = Self::new(long(16), u32::from(bytes[10]), &sizes, &strides, &tile, *swizzle)
            .map_err(TensorMapProblem::Broken)?;
        // Bytes that mean nothing are zeros, so that a map of another version is never taken for one of this.
        if map.encode() == *bytes { Ok(map) } else { Err(TensorMapProblem::Foreign) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rank: usize, swizzle: Swizzle) -> TensorMap {
        let sizes = [24, 7, 1 << 32, 3, 2];
        let strides = [48, 336, 1024, 4096];
        TensorMap::new(
            0x2_0000_0010,
            2,
            &sizes[..rank],
            &strides[..rank - 1],
            &[8, 256, 1, 3, 2][..rank],
            swizzle,
        )
        .unwrap()
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for rank in 1..=5 {
            for swizzle in Swizzle::ALL {
                let map = map(rank, swizzle);
                assert_eq!(TensorMap::decode(&map.encode()), Ok(map));
            }
        }
        let bytes = map(2, Swizzle::B64).encode();
        assert_eq!(&bytes[..12], b"emu-tmap\x01\x02\x02\x02");
        assert_eq!((bytes[16], bytes[20], bytes[24], bytes[32], bytes[64]), (0x10, 2, 24, 7, 48));
        assert_eq!((bytes[96], bytes[98], bytes[99]), (8, 0, 1));
    }

    #[test]
    fn other_bytes_are_no_map() {
        let good = map(2, Swizzle::None).encode();
        for at in 0..MAP_BYTES {
            let mut bytes = good;
            bytes[at] ^= 0x80;
            let met = TensorMap::decode(&bytes);
            assert_ne!(met, TensorMap::decode(&good), "byte {at}");
            let means_nothing = at < 9 || at == 11 || (12..16).contains(&at) || at >= 106;
            assert!(!means_nothing || met == Err(TensorMapProblem::Foreign), "byte {at}");
        }
        let mut bytes = good;
        bytes[9] = 6;
        let rank = TensorMapProblem::Broken(TensorMapError::Rank { rank: 6 });
        assert_eq!(TensorMap::decode(&bytes), Err(rank));
        assert_eq!(TensorMap::decode(&[0; MAP_BYTES]), Err(TensorMapProblem::Foreign));
    }

    #[test]
    fn rules_are_kept() {
        let new = |address, element, sizes: &[u64], strides: &[u64], tile: &[u32], swizzle| {
            TensorMap::new(address, element, sizes, strides, tile, swizzle).unwrap_err()
        };
        let none = Swizzle::None;
        assert_eq!(new(0, 2, &[], &[], &[], none), TensorMapError::Rank { rank: 0 });
        assert_eq!(new(0, 2, &[8; 6], &[16; 5], &[8; 6], none), TensorMapError::Rank { rank: 6 });
        let lengths = |what, given, needed| TensorMapError::Lengths { rank: 2, what, given, needed };
        assert_eq!(new(0, 2, &[8; 2], &[16; 2], &[8; 2], none), lengths("strides", 2, 1));
        assert_eq!(new(0, 2, &[8; 2], &[16], &[8], none), lengths("extents of the tile", 1, 2));
        assert_eq!(new(0, 3, &[16], &[], &[16], none), TensorMapError::Element { bytes: 3 });
        assert_eq!(new(8, 2, &[8], &[], &[8], none), TensorMapError::Address { address: 8 });
        assert_eq!(new(0, 2, &[0], &[], &[8], none), TensorMapError::Size { dimension: 0, size: 0 });
        for stride in [24, 1 << 40] {
            let error = TensorMapError::Stride { dimension: 1, stride };
            assert_eq!(new(0, 2, &[8; 2], &[stride], &[8; 2], none), error);
        }
        for extent in [0, 257] {
            let error = TensorMapError::Box { dimension: 1, extent };
            assert_eq!(new(0, 2, &[8; 2], &[16], &[8, extent], none), error);
        }
        assert_eq!(new(0, 2, &[8], &[], &[4], none), TensorMapError::Row { bytes: 8 });
        for (swizzle, width) in [(Swizzle::B32, 32), (Swizzle::B64, 64), (Swizzle::B128, 128)] {
            let error = TensorMapError::Swizzle { bytes: width + 16, width };
            assert_eq!(new(0, 2, &[8], &[], &[width / 2 + 8], swizzle), error);
            assert!(TensorMap::new(0, 2, &[8], &[], &[width / 2], swizzle).is_ok());
        }
    }
}
