//! The kernels that cases reach, by path.
//!
//! On entry: the cases of this program. On exit: each kernel once, with its instances (one for each choice of dtypes)
//! and the launch of the first case of each, which decides the class that `build` and `dump` emit for. Not here:
//! kernels without a case: nothing says how one is launched, and nothing would notice if it broke.

use std::collections::{BTreeMap, BTreeSet};

use super::filter::Filter;
use super::judge::tolerance;
use super::selection::{Selected, select};
use crate::case::{Case, Expected, ShapeClass};
use crate::diag::{Code, Help, edits};
use crate::ir::{DType, Kernel, Launch};

/// A kernel with its instances.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// `module::name`.
    pub path: String,
    /// One for each choice of dtypes, in the order of the types.
    pub instances: Vec<Instance>,
}

/// A kernel for one choice of dtypes.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The kernel.
    pub kernel: Kernel,
    /// How its first case launches it.
    pub launch: Launch,
    /// Its cases, guard cases included.
    pub cases: Vec<Selected>,
    /// The kinds of shapes that they have.
    pub classes: BTreeSet<ShapeClass>,
    /// The tolerances that they state, as text.
    pub tolerances: BTreeSet<String>,
}

impl KernelInfo {
    /// All its cases.
    pub fn cases(&self) -> usize {
        self.instances.iter().map(|instance| instance.cases.len()).sum()
    }

    /// Its different (dtypes, kind of shape).
    pub fn distinct(&self) -> usize {
        self.instances.iter().map(|instance| instance.classes.len()).sum()
    }

    /// The dtypes of its instances.
    pub fn dtypes(&self) -> Vec<&[DType]> {
        self.instances.iter().map(|instance| &instance.kernel.dtypes[..]).collect()
    }
}

/// The kernels of the cases that a filter takes; cases without a kernel come as their error.
pub fn catalog(filter: &Filter) -> (Vec<KernelInfo>, Vec<String>) {
    gather(select(filter), |_| true)
}

/// The kernels of those of the cases that `is_wanted` takes.
pub(super) fn gather(
    all: Vec<Selected>,
    is_wanted: impl Fn(&Case) -> bool,
) -> (Vec<KernelInfo>, Vec<String>) {
    let mut kernels: BTreeMap<String, BTreeMap<Vec<DType>, Instance>> = BTreeMap::new();
    let mut broken = Vec::new();
    for selected in all {
        let case = match selected.make(0) {
            Ok(case) if !is_wanted(&case) => continue,
            Ok(case) => case,
            Err(error) => {
                broken.push(format!("{}: {error}", selected.id()));
                continue;
            }
        };
        let mut tolerances = BTreeSet::new();
        for expectation in &case.expectations {
            tolerances.insert(match expectation.expected {
                Expected::Values(_) => tolerance(&case, expectation).to_string(),
                Expected::Bits(_) => "bits".into(),
            });
        }
        let bare = Kernel { dtypes: Vec::new(), ..case.kernel.clone() };
        let instances = kernels.entry(bare.path()).or_default();
        let instance = instances.entry(case.kernel.dtypes.clone()).or_insert_with(|| Instance {
            kernel: case.kernel.clone(),
            launch: case.launch,
            cases: Vec::new(),
            classes: BTreeSet::new(),
            tolerances: BTreeSet::new(),
        });
        instance.cases.push(selected);
        instance.classes.insert(case.shape_class);
        instance.tolerances.append(&mut tolerances);
    }
    let kernels = kernels
        .into_iter()
        .map(|(path, instances)| KernelInfo { path, instances: instances.into_values().collect() })
        .collect();
    (kernels, broken)
}

/// Why a name means no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// None ends so.
    #[error("no kernel is named `{name}`")]
    Unknown {
        /// As given.
        name: String,
        /// The nearest paths.
        nearest: Vec<String>,
    },
    /// Several end so.
    #[error("`{name}` may be any of {} kernels", found.len())]
    Ambiguous {
        /// As given.
        name: String,
        /// Their paths.
        found: Vec<String>,
    },
}

impl Help for LookupError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { nearest, .. } if nearest.is_empty() => {
                "`warpsmith list` shows the kernels".into()
            }
            Self::Unknown { nearest, .. } => format!("the nearest are {}", nearest.join(", ")),
            Self::Ambiguous { found, .. } => format!("say which: {}", found.join(", ")),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Unknown { .. } => Code::KernelUnknown,
            Self::Ambiguous { .. } => Code::KernelAmbiguous,
        }
    }
}

/// The one kernel whose path is `name` or ends in `::name`.
///
/// # Errors
/// There is none, or more than one.
pub fn find<'a>(kernels: &'a [KernelInfo], name: &str) -> Result<&'a KernelInfo, LookupError> {
    if let Some(exact) = kernels.iter().find(|kernel| kernel.path == name) {
        return Ok(exact);
    }
    let suffix = format!("::{name}");
    let found: Vec<_> = kernels.iter().filter(|kernel| kernel.path.ends_with(&suffix)).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(LookupError::Unknown {
            name: name.to_owned(),
            nearest: nearest(kernels.iter().map(|kernel| &*kernel.path), name),
        }),
        _ => {
            let found = found.iter().map(|kernel| kernel.path.clone()).collect();
            Err(LookupError::Ambiguous { name: name.to_owned(), found })
        }
    }
}

/// The paths whose last parts are fewest edits from `name`, at most three.
pub(super) fn nearest<'a>(paths: impl Iterator<Item = &'a str>, name: &str) -> Vec<String> {
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_owned();
    let wanted = last(name);
    let mut all: Vec<_> = paths
        .map(|path| {
            let distance = edits(&wanted, &last(path));
            let is_part = path.contains(name);
            (if is_part { 0 } else { distance }, path)
        })
        .filter(|(distance, _)| *distance <= 1.max(wanted.len() / 2))
        .collect();
    all.sort();
    all.into_iter().take(3).map(|(_, path)| path.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels(paths: &[&str]) -> Vec<KernelInfo> {
        paths.iter().map(|path| KernelInfo { path: (*path).into(), instances: Vec::new() }).collect()
    }

    #[test]
    fn any_unambiguous_suffix_names_a_kernel() {
        let all = kernels(&["a::norm::rms", "b::rms", "b::add", "c::b::add"]);
        assert_eq!(find(&all, "norm::rms").map(|kernel| &kernel.path[..]), Ok("a::norm::rms"));
        assert_eq!(find(&all, "b::add").map(|kernel| &kernel.path[..]), Ok("b::add"));
        let LookupError::Ambiguous { found, .. } = find(&all, "rms").unwrap_err() else { panic!() };
        assert_eq!(found, ["a::norm::rms", "b::rms"]);
        let LookupError::Unknown { nearest, .. } = find(&all, "ad").unwrap_err() else { panic!() };
        assert_eq!(nearest, ["b::add", "c::b::add"]);
        assert!(find(&all, "ms").is_err(), "a suffix is whole words");
    }
}
