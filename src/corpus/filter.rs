//! Which cases are meant: patterns on names, dtypes and shapes, size classes, and a shard of what is left.
//!
//! On entry: text as a user types it. On exit: a predicate. A pattern without `*` and `?` matches anywhere in a name,
//! with one of them it has to match the whole name. Not here: making cases.

use std::fmt;
use std::str::FromStr;

use crate::case::SizeClass;
use crate::diag::{Code, Help};
use crate::ir::DType;

/// A part of a name, or a glob over all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// The pattern of this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether it matches.
    pub fn matches(&self, name: &str) -> bool {
        if self.0.contains(['*', '?']) {
            glob(self.0.as_bytes(), name.as_bytes())
        } else {
            name.contains(&self.0)
        }
    }
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

fn glob(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => (0..=name.len()).any(|skipped| glob(rest, &name[skipped..])),
        (Some((b'?', rest)), Some((_, name))) => glob(rest, name),
        (Some((wanted, rest)), Some((found, name))) => wanted == found && glob(rest, name),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Every `of`-th case from the `index`-th, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    of: usize,
}

/// A shard that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no shard")]
pub struct NotAShard {
    /// As given.
    text: String,
}

impl Help for NotAShard {
    fn help(&self) -> Option<String> {
        Some("write k/n with 1 ≤ k ≤ n, for instance 1/4".into())
    }

    fn code(&self) -> Code {
        Code::BadShard
    }
}

impl FromStr for Shard {
    type Err = NotAShard;

    fn from_str(text: &str) -> Result<Self, NotAShard> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, of)) if 1 <= index && index <= of => Ok(Self { index, of }),
            Some(_) | None => Err(NotAShard { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl Shard {
    /// Whether the case at `position` of the sorted list is in it.
    pub const fn takes(self, position: usize) -> bool {
        position % self.of == self.index - 1
    }
}

/// Which cases are meant. The default means all that are small enough for CI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// One of these has to match the case's or the kernel's path; none means all.
    pub names: Vec<Pattern>,
    /// The dtypes; none means all.
    pub dtypes: Vec<DType>,
    /// One of these has to match the shape's class or its text; none means all.
    pub shapes: Vec<Pattern>,
    /// The largest size class.
    pub size: SizeLimit,
    /// A part of what the others leave.
    pub shard: Option<Shard>,
}

/// The largest size class that is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizeLimit {
    /// What an emulator can run.
    #[default]
    Ci,
    /// What a GPU can run.
    Gpu,
}

impl Filter {
    pub(crate) fn takes_name(&self, case: &str, kernel: Option<&str>) -> bool {
        let matches =
            |pattern: &Pattern| pattern.matches(case) || kernel.is_some_and(|path| pattern.matches(path));
        self.names.is_empty() || self.names.iter().any(matches)
    }

    pub(crate) fn takes_dtype(&self, dtype: DType) -> bool {
        self.dtypes.is_empty() || self.dtypes.contains(&dtype)
    }

    pub(crate) fn takes_shape(&self, class: &str, text: &str) -> bool {
        let matches = |pattern: &Pattern| pattern.matches(class) || pattern.matches(text);
        self.shapes.is_empty() || self.shapes.iter().any(matches)
    }

    pub(crate) fn takes_size(&self, size: SizeClass) -> bool {
        match (size, self.size) {
            (SizeClass::Ci, _) | (SizeClass::Gpu, SizeLimit::Gpu) => true,
            // Large cases are judged on samples, which this runner does not draw.
            (SizeClass::Gpu, SizeLimit::Ci) | (SizeClass::Large, _) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_part_or_a_glob() {
        for (pattern, name, wanted) in [
            ("norm", "kernels::rms_norm", true),
            ("norm*", "kernels::rms_norm", false),
            ("*norm", "kernels::rms_norm", true),
            ("*::rms_????", "kernels::rms_norm", true),
            ("*::rms_???", "kernels::rms_norm", false),
            ("", "anything", true),
        ] {
            assert_eq!(Pattern::from(pattern).matches(name), wanted, "{pattern} on {name}");
        }
    }

    #[test]
    fn shards_part_the_cases() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|text| text.parse().unwrap()).into();
        for position in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.takes(position)).count(), 1);
        }
        for wrong in ["0/3", "4/3", "1", "1/0", "a/b", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
