//! How far a result may lie from its reference.

use std::fmt;

/// How far a result may lie from its reference. Whatever the kind, 0 and infinities are exact and NaN equals NaN only.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// |a − b| ≤ x · |reference|.
    Rel(f64),
    /// At most so many representable numbers away, in the output's format.
    Ulp(u64),
    /// |a − b| ≤ x. Says nothing about small results: for tests that were written so.
    Abs(f64),
}

impl Tolerance {
    /// The reference's very value, rounded to the output's type.
    pub const EXACT: Self = Self::Ulp(0);
}

impl From<f64> for Tolerance {
    /// A plain number is relative.
    fn from(relative: f64) -> Self {
        Self::Rel(relative)
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rel(x) => write!(f, "rel({x:e})"),
            Self::Ulp(n) => write!(f, "ulp({n})"),
            Self::Abs(x) => write!(f, "abs({x:e})"),
        }
    }
}

/// A relative tolerance.
pub fn rel(x: f64) -> Tolerance {
    Tolerance::Rel(x)
}

/// A tolerance in units of the last place.
pub fn ulp(n: u64) -> Tolerance {
    Tolerance::Ulp(n)
}

/// An absolute tolerance; `list` shows which cases use one.
pub fn abs(x: f64) -> Tolerance {
    Tolerance::Abs(x)
}
