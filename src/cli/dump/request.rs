//! Which texts are asked for: languages, targets, and which of them go together.

use clap::ValueEnum;

use super::super::device::DEFAULT_TARGET;
use super::super::error::CliError;
use crate::target::{MetalFamily, TargetProfile};

/// A language that kernels are emitted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Language {
    Ptx,
    Msl,
}

impl Language {
    /// The extension of its files.
    pub(in crate::cli) fn extension(self) -> &'static str {
        match self {
            Self::Ptx => "ptx",
            Self::Msl => "metal",
        }
    }

    fn of(target: TargetProfile) -> Self {
        match target {
            TargetProfile::Ptx(_) => Self::Ptx,
            TargetProfile::Metal(_) => Self::Msl,
        }
    }
}

/// The language and target of a request.
pub(in crate::cli) fn resolve(
    emit: Option<Language>,
    target: Option<TargetProfile>,
) -> Result<(Language, TargetProfile), CliError> {
    match (emit, target) {
        (None, None) | (Some(Language::Ptx), None) => Ok((Language::Ptx, DEFAULT_TARGET.into())),
        (Some(Language::Msl), None) => Ok((Language::Msl, MetalFamily::Apple9.into())),
        (None, Some(target)) => Ok((Language::of(target), target)),
        (Some(language), Some(target)) if language == Language::of(target) => Ok((language, target)),
        (Some(language), Some(target)) => Err(does_not_take(target, language.extension())),
    }
}

fn does_not_take(target: TargetProfile, what: &str) -> CliError {
    let fitting = if what == Language::Msl.extension() || what == Emit::Msl.name() {
        MetalFamily::Apple9.into()
    } else {
        TargetProfile::from(DEFAULT_TARGET)
    };
    let help =
        format!("give one that does, as `--target {fitting}`; `warpsmith targets` lists their languages");
    CliError::usage(format!("{target} does not take {what}"), help)
}

/// The error of a request whose target nobody typed, with where it comes from.
pub(in crate::cli) fn because_of(error: CliError, origin: Option<&str>) -> CliError {
    match (error, origin) {
        (CliError::Usage { what, help }, Some(origin)) => {
            CliError::Usage { what: format!("{what}; the target is that of {origin}"), help }
        }
        (error, _) => error,
    }
}

/// A stage of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Emit {
    /// The intermediate representation as the kernel was written.
    Ir,
    /// The intermediate representation that a back end lowers: the values that comments name.
    Lowered,
    /// PTX.
    Ptx,
    /// Metal's language.
    Msl,
    /// The machine code that ptxas makes of the PTX, as nvdisasm writes it.
    Sass,
}

impl Emit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ir => "ir",
            Self::Lowered => "lowered",
            Self::Ptx => "ptx",
            Self::Msl => "msl",
            Self::Sass => "sass",
        }
    }

    fn goes_with(self, target: TargetProfile) -> bool {
        match self {
            Self::Ir => false,
            Self::Lowered => true,
            Self::Ptx | Self::Sass => Language::of(target) == Language::Ptx,
            Self::Msl => Language::of(target) == Language::Msl,
        }
    }
}

/// One section to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The kernel as written.
    Ir,
    /// A text for a target.
    Text(Emit, TargetProfile),
}

/// The sections of a request, target by target.
pub(super) fn work(
    emits: &[Emit],
    targets: &[TargetProfile],
    shows_passes: bool,
) -> Result<Vec<Work>, CliError> {
    if emits.is_empty() {
        let of = |&target: &TargetProfile| {
            let language = match Language::of(target) {
                Language::Ptx => Emit::Ptx,
                Language::Msl => Emit::Msl,
            };
            Work::Text(language, target)
        };
        return Ok(match (shows_passes, targets) {
            (true, _) => Vec::new(),
            (false, []) => vec![Work::Text(Emit::Ptx, DEFAULT_TARGET.into())],
            (false, targets) => unique(targets.iter().map(of)),
        });
    }
    let ir = emits.iter().find(|&&emit| emit == Emit::Ir).map(|_| Work::Ir);
    let texts: Vec<Emit> = emits.iter().copied().filter(|&emit| emit != Emit::Ir).collect();
    if targets.is_empty() {
        let of = |&emit: &Emit| {
            let target = if emit == Emit::Msl { MetalFamily::Apple9.into() } else { DEFAULT_TARGET.into() };
            Work::Text(emit, target)
        };
        return Ok(unique(ir.into_iter().chain(texts.iter().map(of))));
    }
    for &emit in &texts {
        if !targets.iter().any(|&target| emit.goes_with(target)) {
            return Err(does_not_take(targets[0], emit.name()));
        }
    }
    let mut works = Vec::from_iter(ir);
    for &target in targets {
        let mut fitting = texts.iter().filter(|emit| emit.goes_with(target)).peekable();
        if let (None, Some(emit)) = (fitting.peek(), texts.first()) {
            return Err(does_not_take(target, emit.name()));
        }
        works.extend(fitting.map(|&emit| Work::Text(emit, target)));
    }
    Ok(unique(works))
}

/// Each once, in the order in which it first comes.
fn unique(works: impl IntoIterator<Item = Work>) -> Vec<Work> {
    let mut kept = Vec::new();
    for work in works {
        if !kept.contains(&work) {
            kept.push(work);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const METAL: TargetProfile = TargetProfile::Metal(MetalFamily::Apple7);

    fn sm(name: &str) -> TargetProfile {
        TargetProfile::parse(name).unwrap()
    }

    #[test]
    fn language_and_target_go_together() {
        assert_eq!(resolve(None, None).unwrap(), (Language::Ptx, DEFAULT_TARGET.into()));
        assert_eq!(resolve(None, Some(METAL)).unwrap(), (Language::Msl, METAL));
        assert_eq!(resolve(Some(Language::Msl), None).unwrap().1, MetalFamily::Apple9.into());
        assert!(resolve(Some(Language::Ptx), Some(METAL)).is_err());
    }

    #[test]
    fn each_target_has_its_languages() {
        let both = [sm("sm_80"), METAL, sm("sm_80")];
        let text = |emit, target| Work::Text(emit, target);
        assert_eq!(work(&[], &both, false).unwrap(), [text(Emit::Ptx, both[0]), text(Emit::Msl, METAL)]);
        assert_eq!(work(&[], &both, true).unwrap(), []);
        let all = [Emit::Sass, Emit::Ir, Emit::Msl, Emit::Ptx];
        let wanted = [Work::Ir, text(Emit::Sass, both[0]), text(Emit::Ptx, both[0]), text(Emit::Msl, METAL)];
        assert_eq!(work(&all, &both, false).unwrap(), wanted);
        let sm_121 = TargetProfile::from(DEFAULT_TARGET);
        let wanted = [text(Emit::Lowered, sm_121), text(Emit::Msl, MetalFamily::Apple9.into())];
        assert_eq!(work(&[Emit::Lowered, Emit::Msl], &[], false).unwrap(), wanted);
        assert_eq!(work(&[Emit::Ir], &[METAL], false).unwrap(), [Work::Ir]);
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (emits, targets) in [
            (&[Emit::Msl][..], &[sm("sm_90")][..]),
            (&[Emit::Sass], &[METAL]),
            (&[Emit::Ptx], &[sm("sm_90"), METAL]),
            (&[Emit::Ptx, Emit::Msl], &[sm("sm_90")]),
        ] {
            let refused = work(emits, targets, false).unwrap_err().to_string();
            assert!(refused.contains("does not take"), "{refused}");
        }
    }
}
