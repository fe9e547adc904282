//! Any target of any back end, for code that only asks for limits.

use std::fmt;
use std::str::FromStr;

use super::error::UnknownTarget;
use super::limits::Limits;
use super::metal::MetalFamily;
use super::ptx::Target;

/// A PTX target or a Metal family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetProfile {
    /// NVIDIA, through PTX.
    Ptx(Target),
    /// Apple, through MSL.
    Metal(MetalFamily),
}

impl TargetProfile {
    /// Every target of every back end, in the order in which `warpsmith targets` lists them.
    pub fn all() -> impl Iterator<Item = Self> {
        Target::all().map(Self::Ptx).chain(MetalFamily::ALL.into_iter().map(Self::Metal))
    }

    /// The target of this name.
    ///
    /// # Errors
    /// Returns the nearest known name when there is no such target.
    pub fn parse(name: &str) -> Result<Self, UnknownTarget> {
        let found = Self::all().find(|target| target.to_string() == name);
        found.ok_or_else(|| UnknownTarget::new(name, Self::all().map(|target| target.to_string())))
    }

    /// What one kernel may use.
    pub const fn limits(self) -> Limits {
        match self {
            Self::Ptx(target) => target.limits(),
            Self::Metal(family) => family.limits(),
        }
    }

    /// The PTX target, if it is one.
    pub const fn as_ptx(self) -> Option<Target> {
        match self {
            Self::Ptx(target) => Some(target),
            Self::Metal(_) => None,
        }
    }
}

impl fmt::Display for TargetProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ptx(target) => target.fmt(f),
            Self::Metal(family) => family.fmt(f),
        }
    }
}

impl From<Target> for TargetProfile {
    fn from(target: Target) -> Self {
        Self::Ptx(target)
    }
}

impl From<MetalFamily> for TargetProfile {
    fn from(family: MetalFamily) -> Self {
        Self::Metal(family)
    }
}

impl FromStr for TargetProfile {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        Self::parse(name)
    }
}
