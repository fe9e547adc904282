//! PTX versions, targets, and what an instruction asks of both.
//!
//! Exit: [`Requirement`]s join to the least that satisfies both. Not here: which device a target runs on; that is
//! `target`.

use std::fmt;

use super::error::FormError;
use crate::target::{Feature, Target};

pub use crate::target::PtxVersion;

/// What follows the number of a `.target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TargetSuffix {
    /// `sm_120`: every later chip takes the text.
    Plain,
    /// `sm_120f`: the chips of one family take it.
    Family,
    /// `sm_120a`: exactly that chip takes it.
    Arch,
}

/// A `.target` name as a text may carry it, also of a chip that `target` does not list: `sm_75`, `sm_120f`, `sm_121a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SmTarget {
    /// Ten times the compute capability's major number, plus the minor one.
    pub sm: u16,
    /// The suffix.
    pub suffix: TargetSuffix,
}

impl SmTarget {
    /// A target without suffix.
    pub const fn plain(sm: u16) -> Self {
        Self { sm, suffix: TargetSuffix::Plain }
    }

    /// Reads `sm_121a`.
    pub fn parse(text: &str) -> Option<Self> {
        let number = text.strip_prefix("sm_")?;
        let (number, suffix) = if let Some(number) = number.strip_suffix('a') {
            (number, TargetSuffix::Arch)
        } else if let Some(number) = number.strip_suffix('f') {
            (number, TargetSuffix::Family)
        } else {
            (number, TargetSuffix::Plain)
        };
        Some(Self { sm: number.parse().ok()?, suffix })
    }

    /// The lowest `.version` that knows this target; of one that `target` does not list nothing is claimed.
    pub fn floor(self) -> PtxVersion {
        Target::parse(&self.to_string()).map_or(PtxVersion::new(1, 0), Target::ptx_floor)
    }
}

impl From<Target> for SmTarget {
    fn from(target: Target) -> Self {
        Self::parse(&target.to_string()).expect("every target's name is `sm_`, a number and perhaps a suffix")
    }
}

impl fmt::Display for SmTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.suffix {
            TargetSuffix::Plain => "",
            TargetSuffix::Family => "f",
            TargetSuffix::Arch => "a",
        };
        write!(f, "sm_{}{suffix}", self.sm)
    }
}

/// Chips that a form is limited to, beyond a lowest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArchGate {
    /// Every target from the lowest number up.
    #[default]
    Any,
    /// The `a` and `f` targets from the lowest number up.
    ArchSpecific,
    /// `sm_90a` only.
    Sm90a,
    /// The `a` and `f` targets of the 10.x and the 12.x family.
    Sm10xOr12x,
    /// The `a` and `f` targets of the 12.x family.
    Sm12x,
    /// The `a` and `f` targets of the 10.x family.
    Sm10x,
}

impl ArchGate {
    /// Whether a target passes.
    pub fn admits(self, target: SmTarget) -> bool {
        let specific = target.suffix != TargetSuffix::Plain;
        let ten = (100..110).contains(&target.sm) && specific;
        let twelve = (120..130).contains(&target.sm) && specific;
        match self {
            Self::Any => true,
            Self::ArchSpecific => specific,
            Self::Sm90a => target.sm == 90 && target.suffix == TargetSuffix::Arch,
            Self::Sm10xOr12x => ten || twelve,
            Self::Sm12x => twelve,
            Self::Sm10x => ten,
        }
    }
}

/// What an instruction needs of the module that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The lowest `.version`.
    pub ptx: PtxVersion,
    /// The lowest target number.
    pub sm: u16,
    /// A further limit on the target.
    pub arch: ArchGate,
    /// What the target must be able to do, for a form that `target` knows by name.
    pub feature: Feature,
}

impl Requirement {
    /// The requirement that everything meets.
    pub const NONE: Self = Self::new(1, 0, 0);

    /// From a version and a target number on.
    pub const fn new(major: u8, minor: u8, sm: u16) -> Self {
        Self { ptx: PtxVersion::new(major, minor), sm, arch: ArchGate::Any, feature: Feature::empty() }
    }

    /// What a row of the table of features says.
    pub fn of(feature: Feature) -> Self {
        let ptx = feature.since().unwrap_or(PtxVersion::new(1, 0));
        let sm = feature.floor().unwrap_or(0) as u16;
        Self { ptx, sm, arch: ArchGate::Any, feature }
    }

    /// The least that meets both. Of two architecture gates the narrower stands; `Sm90a` together with another
    /// gate is met by no target, and then `admits` of the other one still refuses.
    pub fn and(self, other: Self) -> Self {
        Self {
            ptx: self.ptx.max(other.ptx),
            sm: self.sm.max(other.sm),
            arch: self.arch.max(other.arch),
            feature: self.feature | other.feature,
        }
    }

    /// Whether a target meets the target part.
    pub fn admits(self, target: SmTarget) -> bool {
        target.sm >= self.sm && self.arch.admits(target) && self.lacking(target).is_none()
    }

    /// The first feature that a target lacks. One that `target` does not list has what all from its number up have.
    fn lacking(self, target: SmTarget) -> Option<Feature> {
        if self.feature.is_empty() {
            return None;
        }
        let listed = Target::parse(&target.to_string());
        self.feature.iter().find(|&feature| match (&listed, feature.floor()) {
            (Ok(listed), _) => !listed.has(feature),
            (Err(_), Some(floor)) => u32::from(target.sm) < floor,
            (Err(_), None) => true,
        })
    }

    /// The error of a form that a target does not admit.
    pub fn refusal(self, form: &'static str, have: SmTarget) -> FormError {
        match self.lacking(have) {
            Some(feature) => FormError::Lacks { feature, have },
            None => FormError::Target { form, need: self.to_string(), have },
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX {} and ", self.ptx)?;
        match self.arch {
            ArchGate::Any => write!(f, "sm_{} or later", self.sm),
            ArchGate::ArchSpecific => write!(f, "an `a` or `f` target from sm_{}a on", self.sm),
            ArchGate::Sm90a => f.write_str("sm_90a"),
            ArchGate::Sm10xOr12x => f.write_str("sm_100a, sm_100f, sm_120a, sm_120f, sm_121a or sm_121f"),
            ArchGate::Sm12x => f.write_str("sm_120a, sm_120f, sm_121a or sm_121f"),
            ArchGate::Sm10x => f.write_str("sm_100a or sm_100f"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_print_as_they_parse_and_know_their_floor() {
        let floors = [
            ("sm_80", "7.0"),
            ("sm_86", "7.1"),
            ("sm_87", "7.4"),
            ("sm_89", "7.8"),
            ("sm_90a", "8.0"),
            ("sm_100a", "8.6"),
            ("sm_120", "8.7"),
            ("sm_120f", "8.8"),
            ("sm_121a", "8.8"),
            ("sm_110", "1.0"),
        ];
        for (name, floor) in floors {
            let target = SmTarget::parse(name).expect("a target");
            assert_eq!(target.to_string(), name);
            assert_eq!(target.floor().to_string(), floor, "{name}");
        }
        assert_eq!(SmTarget::parse("sm_x"), None);
    }

    #[test]
    fn the_family_gate_refuses_plain_targets() {
        let gate = Requirement { arch: ArchGate::Sm12x, ..Requirement::new(8, 7, 120) };
        let admits = |name: &str| gate.admits(SmTarget::parse(name).expect("a target"));
        assert!(admits("sm_120f") && admits("sm_121a"));
        assert!(!admits("sm_121") && !admits("sm_100a") && !admits("sm_90"));
    }
}
