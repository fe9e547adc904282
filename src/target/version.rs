//! PTX ISA versions, as in `.version 8.8`.
//!
//! They stand on the floor because both the instruction set and the table of devices are keyed by them.

use std::fmt;
use std::str::FromStr;

/// A PTX ISA version. Ordered as versions are: 8.8 < 8.10 < 9.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PtxVersion {
    /// The number before the dot.
    pub major: u8,
    /// The number after the dot.
    pub minor: u8,
}

impl PtxVersion {
    /// The version that introduced sm_80: the lowest this crate ever declares.
    pub const FLOOR: Self = Self::new(7, 0);
    /// The highest that a CUDA 13.0 driver takes, and so the highest this crate ever declares.
    pub const CEILING: Self = Self::new(9, 0);

    /// `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// How many bytes of parameters an entry may have in a module that declares this version.
    pub fn param_bytes(self) -> u32 {
        if self < Self::new(8, 1) { 4352 } else { 32764 }
    }
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A text that is not `major.minor`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a PTX version like 8.8")]
pub struct NotAVersion {
    /// The text.
    pub text: String,
}

impl FromStr for PtxVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let parts = text.split_once('.');
        let parsed = parts.and_then(|(major, minor)| Some(Self::new(number(major)?, number(minor)?)));
        parsed.ok_or_else(|| NotAVersion { text: text.to_owned() })
    }
}

/// Digits only: `u8::from_str` would also take a plus sign.
fn number(digits: &str) -> Option<u8> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}
