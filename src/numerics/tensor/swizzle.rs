//! How the rows of a tile in shared memory are permuted, so that a warp that reads along a column finds every bank.
//!
//! Within 1,024 bytes the 16-byte chunk's number is combined by exclusive or with the low bits of the 128-byte line that it
//! lies in: the pattern that the bulk copies of tiles have too (PTX facts, section 5, checked on hardware for `wgmma`).
//! A tile whose rows are as long as the swizzle is wide then has the same column of any eight consecutive rows in eight
//! different places. It is its own inverse.

/// A permutation of the bytes of a tile that starts at a multiple of 1,024 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// Bytes stay where they are.
    None,
    /// For rows of 32 bytes.
    B32,
    /// For rows of 64 bytes.
    B64,
    /// For rows of 128 bytes.
    B128,
}

impl Swizzle {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::None, Self::B32, Self::B64, Self::B128];

    /// The one for rows of so many bytes; none where there is none.
    pub const fn of_rows(bytes: usize) -> Self {
        match bytes {
            32 => Self::B32,
            64 => Self::B64,
            128 => Self::B128,
            _ => Self::None,
        }
    }

    /// Bits of the line's number that take part.
    pub const fn mask(self) -> usize {
        match self {
            Self::None => 0,
            Self::B32 => 1,
            Self::B64 => 3,
            Self::B128 => 7,
        }
    }

    /// Where the byte at `offset` of the tile lies.
    pub const fn apply(self, offset: usize) -> usize {
        offset ^ (((offset >> LINE) & self.mask()) << CHUNK)
    }
}

/// The logarithm of a line's bytes: the banks once round.
pub const LINE: u32 = 7;
/// The logarithm of a chunk's bytes: what a row of an 8×8 matrix is.
pub const CHUNK: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_its_own_inverse_and_moves_whole_chunks() {
        for swizzle in Swizzle::ALL {
            for offset in 0..4096 {
                assert_eq!(swizzle.apply(swizzle.apply(offset)), offset);
                assert_eq!(swizzle.apply(offset) % 16, offset % 16);
            }
        }
    }

    #[test]
    fn eight_rows_of_a_column_meet_every_bank() {
        for row_bytes in [32, 64, 128] {
            let swizzle = Swizzle::of_rows(row_bytes);
            for first in (0..64).step_by(8) {
                for column in (0..row_bytes).step_by(16) {
                    let chunk = |row: usize| swizzle.apply(row * row_bytes + column) / 16 % 8;
                    let mut chunks: Vec<usize> = (first..first + 8).map(chunk).collect();
                    chunks.sort_unstable();
                    assert_eq!(chunks, [0, 1, 2, 3, 4, 5, 6, 7], "{row_bytes} {first} {column}");
                }
            }
        }
    }
}
