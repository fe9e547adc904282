//! Apple GPU families, as far as the MSL back end needs them.
//!
//! Source: Apple's Metal Feature Set Tables (32 KB of threadgroup memory, 1,024 threads a threadgroup from Apple4
//! up; SIMD-scoped permute and reduce, and simdgroup matrices, from Apple7 up). A SIMD-group is 32 wide on all of
//! them. `bfloat` is a type of MSL 3.1; that it works on every family listed here is taken from that language
//! version's requirement (macOS 14), not measured.
//!
//! Deliberately not here: Mac2 (its SIMD width differs between vendors) and families newer than apple9, whose
//! tables we have not read. What a real device guarantees in rounding is probed at run time.

use std::fmt;

use super::error::UnknownTarget;
use super::limits::{GridLimits, Limits};

/// An Apple GPU family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MetalFamily {
    /// A14, M1.
    Apple7,
    /// A15, A16, M2.
    Apple8,
    /// A17 Pro, M3, M4.
    Apple9,
}

impl MetalFamily {
    /// All of them, in ascending order.
    pub const ALL: [Self; 3] = [Self::Apple7, Self::Apple8, Self::Apple9];

    /// The family of this name, such as `apple9`.
    ///
    /// # Errors
    /// Returns the nearest known name when there is no such family.
    pub fn parse(name: &str) -> Result<Self, UnknownTarget> {
        let found = Self::ALL.into_iter().find(|family| family.to_string() == name);
        found.ok_or_else(|| UnknownTarget::new(name, Self::ALL.iter().map(ToString::to_string)))
    }

    /// What one kernel may use. All families listed here agree.
    pub const fn limits(self) -> Limits {
        Limits {
            shared_static_bytes: 32 * 1024,
            shared_max_bytes: 32 * 1024,
            registers_per_thread: None,
            threads_per_cta: 1024,
            cta_dims: [1024, 1024, 1024],
            grid: GridLimits { x: u32::MAX, y: u32::MAX, z: u32::MAX },
            warp_lanes: 32,
        }
    }

    /// Whether MSL's `bfloat` may be used for storage and conversion; see the assumption in the module's head.
    pub const fn has_bfloat(self) -> bool {
        match self {
            Self::Apple7 | Self::Apple8 | Self::Apple9 => true,
        }
    }

    /// No Apple GPU has f64.
    pub const fn has_f64(self) -> bool {
        match self {
            Self::Apple7 | Self::Apple8 | Self::Apple9 => false,
        }
    }
}

impl fmt::Display for MetalFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Apple7 => "apple7",
            Self::Apple8 => "apple8",
            Self::Apple9 => "apple9",
        })
    }
}
