//! What can be wrong with a target: unknown, too old, or not able.

use super::feature::Feature;
use super::ptx::Target;
use crate::diag::{Code, Help, edits};

/// A target that this crate does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown target `{name}`")]
pub struct UnknownTarget {
    /// The name as given.
    pub name: String,
    /// The known name that looks most like it, if any comes near.
    pub nearest: Option<String>,
    /// All known names.
    pub known: Vec<String>,
}

impl UnknownTarget {
    pub(super) fn new(name: &str, known: impl Iterator<Item = String>) -> Self {
        let known: Vec<String> = known.collect();
        let lower = name.to_ascii_lowercase();
        let near = known.iter().map(|candidate| (edits(&lower, candidate), candidate));
        // Beyond half of the name, a suggestion is noise.
        let limit = name.chars().count() / 2;
        let nearest = near.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance);
        let nearest = nearest.map(|(_, candidate)| candidate.clone());
        Self { name: name.to_owned(), nearest, known }
    }
}

impl Help for UnknownTarget {
    fn help(&self) -> Option<String> {
        let known = format!("known targets: {}", self.known.join(", "));
        Some(match &self.nearest {
            Some(nearest) => format!("did you mean `{nearest}`?\n{known}"),
            None => known,
        })
    }

    fn code(&self) -> Code {
        Code::UnknownTarget
    }
}

/// A device below every target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a device of compute capability {major}.{minor} is too old; the oldest target is {oldest}", oldest = Target::SM_80)]
pub struct DeviceTooOld {
    /// The device's compute capability, before the dot.
    pub major: u32,
    /// The device's compute capability, after the dot.
    pub minor: u32,
}

impl Help for DeviceTooOld {
    fn help(&self) -> Option<String> {
        Some("use a device of compute capability 8.0 or later, or the emulator (`--device emu`)".to_owned())
    }

    fn code(&self) -> Code {
        Code::DeviceTooOld
    }
}

/// A feature that the target lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{names} needs {owners}; target is {target}",
    names = feature.names().collect::<Vec<_>>().join(", "), owners = feature.owners_text())]
pub struct Unsupported {
    /// The feature.
    pub feature: Feature,
    /// The target that was asked for.
    pub target: Target,
}

impl Help for Unsupported {
    fn help(&self) -> Option<String> {
        let capable: Vec<String> = Target::all()
            .filter(|target| target.has(self.feature))
            .map(|target| target.to_string())
            .collect();
        Some(format!(
            "choose one of {} with `--target`, or a variant of the kernel without it",
            capable.join(", ")
        ))
    }

    fn code(&self) -> Code {
        Code::TargetLacksFeature
    }
}
